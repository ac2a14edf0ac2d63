//! One call of a tool, from its arguments to its result.

use std::sync::{Mutex, PoisonError};

use backstory_engine::model::estimate_tokens;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

use crate::ask_context::AskContext;
use crate::commands::{self, Parsed};
use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};
use crate::reply::{Reply, Text};
use crate::untrusted;

use super::arguments::{nearest, words};
use super::error::{in_words_of_tools, of_parser, with_calls};
use super::schema::{ParameterKind, ToolSpec};
use super::shrink;
use super::tools::{Effect, TOOLS};

/// JSON has names and braces beside the text.
const JSON_MARGIN: u64 = 2;
/// Tokens of where the next page begins.
const NEXT: u64 = 8;
/// However little was asked for, an answer says something.
const LEAST: u64 = 45;

/// A call that was understood.
pub struct Call {
    words: Vec<String>,
    /// Until it is made; a second time it is parsed again.
    parsed: Mutex<Option<Parsed>>,
    /// Tokens of the answer.
    budget: u64,
    /// Where a list begins, of tools that tell lists page by page.
    offset: Option<u64>,
    /// May it be made a second time?
    pub again: bool,
}

/// Nobody is served by a protocol error that the agent never sees: mistakes are
/// told in the result.
pub fn understand(
    known: &[ToolSpec],
    name: &str,
    arguments: Option<&JsonObject>,
    settings: &McpSettings,
) -> Result<Call, AppError> {
    let tool = known.iter().find(|known| known.tool.name == name).ok_or_else(|| no_tool(name))?;
    let none = JsonObject::new();
    let arguments = arguments.unwrap_or(&none);
    let words = words(tool, arguments)?;
    // Mistakes are found before the memory is opened.
    let parsed = commands::parse(&words).map_err(|error| of_call(tool, of_parser(&error)))?;
    let parsed = Mutex::new(Some(parsed));
    let asked = arguments.get("budget").and_then(Value::as_u64);
    let is_bounded = tool.parameters.iter().any(|one| one.name == "budget" && one.kind == ParameterKind::Integer);
    let budget = asked.filter(|_| is_bounded).unwrap_or(settings.budget);
    let offset = tool.parameter("offset").map(|_| arguments.get("offset").and_then(Value::as_u64).unwrap_or(0));
    Ok(Call { words, parsed, budget, offset, again: tool.tool.effect == Effect::Nothing })
}

/// Arguments that have no flag are called by what stands in their place.
fn of_call(tool: &ToolSpec, mut error: AppError) -> AppError {
    for parameter in &tool.parameters {
        if let Some(placeholder) = &parameter.placeholder {
            let several = format!("{placeholder}...");
            error.message = error.message.replace(&several, parameter.name).replace(placeholder, parameter.name);
        }
    }
    error
}

fn no_tool(name: &str) -> AppError {
    let hint = match nearest(name, TOOLS.iter().map(|tool| tool.name)) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => format!("There is {}.", TOOLS.each_ref().map(|tool| tool.name).join(", ")),
    };
    AppError::new(ErrorKind::Usage, format!("there is no tool `{}`", crate::terminal::clip(name, 60))).hint(hint)
}

impl Call {
    /// `always`: what is said with every answer.
    pub fn answer(&self, context: &mut AskContext, always: &[String]) -> Result<CallToolResult, AppError> {
        let kept = self.parsed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let parsed = match kept {
            Some(parsed) => parsed,
            None => commands::parse(&self.words).map_err(|error| of_parser(&error))?,
        };
        let reply = parsed.reply(context);
        let notices = context.take_notices();
        Ok(self.result(reply?, &notices, always))
    }

    fn result(&self, reply: Reply, notices: &[String], always: &[String]) -> CallToolResult {
        let notices = notices.iter().map(|notice| in_words_of_tools(notice));
        let notices: Vec<String> = notices.chain(always.iter().cloned()).collect();
        let is_quoted = matches!(reply.text, Text::Recalled(_));
        let mut json = reply.json;
        untrusted::mark(&mut json);
        let around = tokens(&untrusted::structured(reply.verb, Value::Null, &notices, is_quoted).to_string());
        let room_for_json = room(self.budget.saturating_mul(JSON_MARGIN), around + NEXT);
        let mut json = match self.offset {
            Some(_) => shrink::page(json, room_for_json),
            None => shrink::json(json, room_for_json),
        };
        if let (Some(offset), true) = (self.offset, json["cut"]["items"].is_u64()) {
            let kept = json["items"].as_array().map_or(0, |items| items.len() as u64);
            json["next_offset"] = (offset + kept).into();
        }
        let around = tokens(&untrusted::wrapped(reply.verb, "", is_quoted));
        let text = shrink::text(readable(reply.text, &notices), room(self.budget, around));
        let text = untrusted::wrapped(reply.verb, &text, is_quoted);
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(untrusted::structured(reply.verb, json, &notices, is_quoted));
        result
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
    let is_quoted = matches!(reply.text, Text::Recalled(_));
    let text = shrink::text(readable(reply.text, &notices), budget);
    Ok(untrusted::wrapped(reply.verb, &text, is_quoted))
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
    CallToolResult::error(vec![ContentBlock::text(untrusted::wrapped(verb, &text, false))])
}
