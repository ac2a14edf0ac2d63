//! Handles mistakes in the configuration.
//!
//! Valid keys count. If a mistake hides the intended value, the hook does nothing and the person sees why: a disabled
//! check must not look like one that found nothing. Sessions are still read.

use serde_json::json;

use crate::hook_events::Event;
use crate::hook_runs::{self, RunResult};

use super::call::{HookCall, HookOutcome};
use super::{already_shown, answer};

const FIX: &str = "Correct it: the hook is silent until then. `backstory config example` shows every key.";

/// Records the mistakes. Returns the outcome of a call that they disable.
pub fn silenced(call: &HookCall) -> Option<HookOutcome> {
    let mistake = call.config.mistakes.first()?;
    if call.event.reads() {
        hook_runs::write_line(&call.home, call.event.name(), &call.config.mistakes.join("; "));
        return None;
    }
    if call.event.key().is_some_and(|key| call.config.is_clear("hooks", key)) {
        return None;
    }
    hook_runs::write_line(&call.home, call.event.name(), &format!("{mistake} ({FIX})"));
    let (message, fix) = (Some(mistake.clone()), Some(FIX.to_owned()));
    let silent = HookOutcome { result: RunResult::Fault, message, fix, ..HookOutcome::default() };
    let warning = format!("Backstory: {} is silent because of a mistake in the configuration: {mistake}", what(call));
    Some(with_warning(call, silent, &warning))
}

/// The outcome of any other call, with a warning about mistakes, if any.
pub fn warned(call: &HookCall, outcome: HookOutcome) -> HookOutcome {
    let Some(mistake) = call.config.mistakes.first().filter(|_| !call.event.reads()) else { return outcome };
    let warning = format!("Backstory: the configuration has a mistake, and the rest of it counts: {mistake}");
    with_warning(call, outcome, &warning)
}

fn what(call: &HookCall) -> &'static str {
    match call.event {
        Event::PreToolUse => "the check of tool calls",
        _ => "the start of sessions",
    }
}

/// The person sees the warning when a session starts, and once per session before a tool call: the check may have been
/// disabled during a session.
fn with_warning(call: &HookCall, mut outcome: HookOutcome, warning: &str) -> HookOutcome {
    let is_due = match call.event {
        Event::SessionStart => true,
        Event::PreToolUse => already_shown::is_new(&call.home, call.input.session(), warning),
        _ => false,
    };
    if is_due {
        let answer = outcome.answer.take().unwrap_or_else(|| json!({}));
        let before = answer["systemMessage"].as_str().map(|before| format!("{before}\n")).unwrap_or_default();
        outcome.answer = Some(answer::with_message(answer, &format!("{before}{warning}")));
    }
    outcome
}
