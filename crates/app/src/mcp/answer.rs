//! What does an agent get back from a call?

use backstory_engine::model::estimate_tokens;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::ask_context::AskContext;
use crate::commands::{self, Parsed};
use crate::error::AppError;
use crate::reply::{Reply, Text};
use crate::untrusted::{self, Contents};

use super::error::{in_words_of_tools, of_parser, with_calls};
use super::shrink;
use super::tools::TOOLS;

/// JSON has names and braces beside the text.
const JSON_MARGIN: u64 = 2;
/// Tokens of where the next page begins.
const NEXT: u64 = 8;
/// However small the budget, an answer says something.
const LEAST: u64 = 45;

/// How long an answer may be, and where its list begins.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// In tokens.
    pub budget: u64,
    /// Of tools that list page by page.
    pub offset: Option<u64>,
}

/// Runs a command and renders its reply. `always`: notices of every answer.
pub fn answer(
    command: Parsed,
    bounds: Bounds,
    always: &[String],
    context: &mut AskContext,
) -> Result<CallToolResult, AppError> {
    let reply = command.reply(context);
    let notices = context.take_notices();
    Ok(result(reply?, bounds, &notices, always))
}

fn result(reply: Reply, bounds: Bounds, notices: &[String], always: &[String]) -> CallToolResult {
    let notices = notices.iter().map(|notice| in_words_of_tools(notice));
    let notices: Vec<String> = notices.chain(always.iter().cloned()).collect();
    let contents = contents_of(&reply.text);
    let mut json = reply.json;
    untrusted::mark(&mut json);
    let around = tokens(&untrusted::structured(reply.verb, Value::Null, &notices, contents).to_string());
    let room_for_json = room(bounds.budget.saturating_mul(JSON_MARGIN), around + NEXT);
    let mut json = match bounds.offset {
        Some(_) => shrink::page(json, room_for_json),
        None => shrink::json(json, room_for_json),
    };
    if let (Some(offset), true) = (bounds.offset, json["cut"]["items"].is_u64()) {
        let kept = json["items"].as_array().map_or(0, |items| items.len() as u64);
        json["next_offset"] = (offset + kept).into();
    }
    let around = tokens(&untrusted::wrapped(reply.verb, "", contents));
    let text = shrink::text(readable(reply.text, &notices), room(bounds.budget, around));
    let text = untrusted::wrapped(reply.verb, &text, contents);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(untrusted::structured(reply.verb, json, &notices, contents));
    result
}

fn contents_of(text: &Text) -> Contents {
    match text {
        Text::Recalled(_) => Contents::Quotations,
        Text::Plain(_) => Contents::OwnWords,
    }
}

/// What of a budget is left beside what stands around an answer.
fn room(budget: u64, around: u64) -> u64 {
    budget.saturating_sub(around).max(LEAST)
}

fn tokens(text: &str) -> u64 {
    estimate_tokens(text).into()
}

/// For resources and prompts, which have no parameters to get wrong.
pub fn quoted(context: &mut AskContext, words: &[&str], budget: u64) -> Result<String, AppError> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let reply = commands::parse(&words).map_err(|error| of_parser(&error))?.reply(context)?;
    let notices: Vec<String> = context.take_notices().iter().map(|notice| in_words_of_tools(notice)).collect();
    let contents = contents_of(&reply.text);
    let text = shrink::text(readable(reply.text, &notices), budget);
    Ok(untrusted::wrapped(reply.verb, &text, contents))
}

fn readable(text: Text, notices: &[String]) -> String {
    let mut readable = match text {
        Text::Recalled(text) => with_calls(&untrusted::text(&text)),
        Text::Plain(text) => in_words_of_tools(&untrusted::text(&text)),
    };
    for notice in notices {
        readable.push_str(&format!("\n({notice})"));
    }
    readable
}

/// What went wrong, and what to do next.
pub fn failed(name: &str, error: &AppError) -> CallToolResult {
    let verb = TOOLS.iter().map(|tool| tool.name).find(|known| *known == name).unwrap_or("tools");
    let mut text = in_words_of_tools(&error.message);
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\n{}", in_words_of_tools(hint)));
    }
    CallToolResult::error(vec![ContentBlock::text(untrusted::wrapped(verb, &text, Contents::OwnWords))])
}
