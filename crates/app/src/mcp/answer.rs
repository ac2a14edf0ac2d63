//! Builds the result of a call.

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

/// In the `_meta` of a call, `true`: the client wants the JSON too. Otherwise it is not sent, because hosts give the
/// model the JSON instead of the text.
pub const JSON_ASKED: &str = "backstory/json";
/// JSON adds names and braces to the text.
const JSON_MARGIN: u64 = 2;
/// An answer is never empty, whatever the budget.
const LEAST: u64 = 45;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    TextAndJson,
}

/// The maximum length of an answer, in tokens, and its forms.
#[derive(Clone, Copy)]
pub struct Shape {
    pub budget: u64,
    pub form: Form,
}

/// Runs a command and renders its reply. `always`: notices for every answer.
pub fn answer(
    command: Parsed,
    shape: Shape,
    always: &[String],
    context: &mut AskContext,
) -> Result<CallToolResult, AppError> {
    let reply = command.reply(context);
    let notices = context.take_notices();
    Ok(result(reply?, shape, &notices, always))
}

fn result(reply: Reply, shape: Shape, notices: &[String], always: &[String]) -> CallToolResult {
    let notices = notices.iter().map(|notice| in_words_of_tools(notice));
    let notices: Vec<String> = notices.chain(always.iter().cloned()).collect();
    let contents = contents_of(&reply.text);
    let around = tokens(&untrusted::wrapped(reply.verb, "", contents));
    let text = readable(reply.text, &notices, room(shape.budget, around));
    let text = untrusted::wrapped(reply.verb, &text, contents);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    if shape.form == Form::TextAndJson {
        let mut json = reply.json;
        untrusted::mark(&mut json);
        // Tools have no `offset`.
        json.as_object_mut().map(|fields| fields.remove("next_offset"));
        let around = tokens(&untrusted::structured(reply.verb, Value::Null, &notices, contents).to_string());
        let json = shrink::json(json, room(shape.budget.saturating_mul(JSON_MARGIN), around));
        result.structured_content = Some(untrusted::structured(reply.verb, json, &notices, contents));
    }
    result
}

fn contents_of(text: &Text) -> Contents {
    match text {
        Text::Recalled(_) => Contents::Quotations,
        Text::Plain(_) => Contents::OwnWords,
    }
}

/// The budget left after the text around an answer.
fn room(budget: u64, around: u64) -> u64 {
    budget.saturating_sub(around).max(LEAST)
}

fn tokens(text: &str) -> u64 {
    estimate_tokens(text).into()
}

/// For resources and prompts, which have no parameters that could be wrong.
pub fn quoted(context: &mut AskContext, words: &[&str], budget: u64) -> Result<String, AppError> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let reply = commands::parse(&words).map_err(|error| of_parser(&error))?.reply(context)?;
    let notices: Vec<String> = context.take_notices().iter().map(|notice| in_words_of_tools(notice)).collect();
    let contents = contents_of(&reply.text);
    let text = readable(reply.text, &notices, budget);
    Ok(untrusted::wrapped(reply.verb, &text, contents))
}

/// The text, truncated if necessary, with all notices.
fn readable(text: Text, notices: &[String], budget: u64) -> String {
    let text = match text {
        Text::Recalled(text) => with_calls(&untrusted::text(&text)),
        Text::Plain(text) => in_words_of_tools(&untrusted::text(&text)),
    };
    let notices: String = notices.iter().map(|notice| format!("\n({notice})")).collect();
    shrink::text(text, room(budget, tokens(&notices))) + &notices
}

/// The fault, and how to proceed.
pub fn failed(name: &str, error: &AppError) -> CallToolResult {
    let verb = TOOLS.iter().map(|tool| tool.name).find(|known| *known == name).unwrap_or("tools");
    let mut text = in_words_of_tools(&error.message);
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\n{}", in_words_of_tools(hint)));
    }
    CallToolResult::error(vec![ContentBlock::text(untrusted::wrapped(verb, &text, Contents::OwnWords))])
}
