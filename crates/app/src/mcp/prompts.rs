//! Prompts for a person to choose: a task, with what the memory knows about it.

use std::collections::BTreeMap;

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::answer::quoted;
use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};

const SHORT: u64 = 600;
const LONG: u64 = 2_000;

pub fn list() -> Vec<Prompt> {
    let argument = |name: &str, about: &str, required: bool| {
        PromptArgument::new(name).with_description(about).with_required(required)
    };
    vec![
        Prompt::new(
            "resume",
            Some("Take up the work of this project where it was left"),
            Some(vec![argument("task", "What is to be done now, if you know it", false)]),
        )
        .with_title("Resume"),
        Prompt::new(
            "retrospective",
            Some("Look back: what was done, what went wrong, what is worth remembering"),
            Some(vec![
                argument("days", "How many days to look back (7)", false),
                argument("session", "One session instead: its id or a beginning of it", false),
            ]),
        )
        .with_title("Retrospective"),
        Prompt::new(
            "debug",
            Some("Look into a fault with what is known from before"),
            Some(vec![argument("error", "What went wrong: the message, the output, or in your words", true)]),
        )
        .with_title("Debug"),
    ]
}

pub fn get(context: &mut AskContext, name: &str, arguments: &JsonObject) -> Result<GetPromptResult, AppError> {
    // The protocol has only strings here; a number for `days` is accepted too.
    let given: BTreeMap<&str, String> = arguments
        .iter()
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name.as_str(), text.clone())),
            Value::Number(number) => Some((name.as_str(), number.to_string())),
            _ => None,
        })
        .collect();
    let argument = |name: &str| given.get(name).map(String::as_str).filter(|text| !text.trim().is_empty());
    let text = match name {
        "resume" => resume(context, argument("task"))?,
        "retrospective" => retrospective(context, argument("days"), argument("session"))?,
        "debug" => {
            let missing = || AppError::new(ErrorKind::Usage, "`debug` needs `error`");
            debug(context, argument("error").ok_or_else(missing)?)?
        }
        other => {
            let message = format!("there is no prompt `{}`", crate::terminal::clip(other, 60));
            return Err(AppError::new(ErrorKind::Usage, message).hint("There is resume, retrospective and debug."));
        }
    };
    let text = crate::terminal::unstyled(&text).into_owned();
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

fn resume(context: &mut AskContext, task: Option<&str>) -> Result<String, AppError> {
    let task = task.unwrap_or("go on with the work");
    let budget = format!("--budget={SHORT}");
    let pack = quoted(context, &["pack", &budget, "--", task], SHORT * 2)?;
    let open = part(context, &["loops", "--limit=5"], SHORT * 2)?;
    let last = part(context, &["reconstruct", "--budget=1200"], LONG)?;
    Ok(format!(
        "Let us resume: {task}.\n\nSay in a few lines where we stand: what was done last, what is open, what must be \
         respected. Cite the ids. Then propose the next step and wait for my word. Ask `search` or `recall` where \
         something is missing.\n\nWhat must be known:\n{pack}\nWhat is open:\n{open}\nWhat happened last:\n{last}"
    ))
}

fn retrospective(context: &mut AskContext, days: Option<&str>, session: Option<&str>) -> Result<String, AppError> {
    let (time, of) = match session {
        Some(session) => (format!("--session={session}"), format!("session {session}")),
        None => {
            let days = days.unwrap_or("7");
            (format!("--days={days}"), format!("the last {days} days"))
        }
    };
    let story = part(context, &["reconstruct", &time, "--budget=2000"], LONG * 2)?;
    let open = part(context, &["loops", "--limit=10"], LONG)?;
    Ok(format!(
        "Let us look back at {of}.\n\nTell what was done and why, what failed and what resolved it, what was corrected \
         by me, and what is still open. Cite the ids. Then name at most five statements that will matter in later \
         sessions, and propose them with `remember` once I agree. `reconstruct` with a larger budget tells \
         more.\n\nWhat happened:\n{story}\nWhat is open:\n{open}"
    ))
}

fn debug(context: &mut AskContext, error: &str) -> Result<String, AppError> {
    let clipped = crate::terminal::clip(error, 400);
    let told = format!("--error={error}");
    let known = quoted(context, &["check", &told, "--", "debug"], LONG)?;
    let before = part(context, &["search", "--budget=1000", "--limit=5", "--", &clipped], LONG)?;
    Ok(format!(
        "Something is wrong:\n{error}\n\nFind the cause. Look first at what is known from before, then ask `why` with \
         the message or the stack trace for places in the code, and `why` with FILE:LINE for the reason behind a \
         suspicious line. Say what you know, what you assume, and how to test it. Change nothing before the cause is \
         shown. `check` each risky command.\n\nWhat resolved it before, and what speaks against \
         it:\n{known}\nWhere it came up:\n{before}"
    ))
}

/// A project without sessions gives an empty text, not an error.
fn part(context: &mut AskContext, words: &[&str], budget: u64) -> Result<String, AppError> {
    match quoted(context, words, budget) {
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::NoMemory) => {
            Ok(format!("({})\n", error.message))
        }
        told => told,
    }
}
