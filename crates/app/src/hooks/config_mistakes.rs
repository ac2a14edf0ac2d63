//! What if the configuration has a mistake?
//!
//! What is right there counts. Where the mistake leaves open what is wanted, nothing
//! is told, and the person sees why: a guard that is off must not look like one that
//! has nothing to say. What happened is read all the same.

use serde_json::json;

use crate::config::Loaded;
use crate::error::AppError;
use crate::hook_runs::{self, RunResult};

use super::{Event, HookCall, HookOutcome, already_shown, answer, answer_to};

const FIX: &str = "Mend it: what it leaves open is not told until then. \
                   `backstory config example` shows what may stand there.";

pub fn answer(call: &HookCall, loaded: &Loaded) -> Result<HookOutcome, AppError> {
    let mistake = loaded.mistakes.first().map_or("", String::as_str);
    if call.event.reads() {
        hook_runs::write_line(&call.home, call.event.name(), &loaded.mistakes.join("; "));
        return answer_to(call);
    }
    if call.event.key().is_some_and(|key| loaded.is_clear("hooks", key)) {
        let mut done = answer_to(call)?;
        let message = format!("Backstory: the configuration has a mistake, and the rest of it counts: {mistake}");
        say(call, &mut done, &message);
        return Ok(done);
    }
    hook_runs::write_line(&call.home, call.event.name(), &format!("{mistake} ({FIX})"));
    let (message, fix) = (Some(mistake.to_owned()), Some(FIX.to_owned()));
    let mut done = HookOutcome { result: RunResult::Fault, message, fix, ..HookOutcome::default() };
    let silent = format!("Backstory: {} is silent because of a mistake in the configuration: {mistake}", what(call));
    say(call, &mut done, &silent);
    Ok(done)
}

fn what(call: &HookCall) -> &'static str {
    match call.event {
        Event::PreToolUse => "the guard of tool calls",
        _ => "the start of sessions",
    }
}

/// The person is told when a session starts, and once by the guard, which may have
/// been turned off in the middle of one.
fn say(call: &HookCall, done: &mut HookOutcome, message: &str) {
    let is_due = match call.event {
        Event::SessionStart => true,
        Event::PreToolUse => already_shown::is_new(&call.home, call.input.session(), message),
        _ => false,
    };
    if is_due {
        let answer = done.answer.take().unwrap_or_else(|| json!({}));
        let before = answer["systemMessage"].as_str().map(|before| format!("{before}\n")).unwrap_or_default();
        done.answer = Some(answer::with_message(answer, &format!("{before}{message}")));
    }
}
