//! What if the configuration has a mistake?
//!
//! What is right there counts. Where the mistake leaves open what is wanted, nothing
//! is told, and the person sees why: a guard that is off must not look like one that
//! has nothing to say. What happened is read all the same.

use serde_json::json;

use crate::config::Loaded;
use crate::error::AppError;
use crate::hook_runs::{self, RunResult};

use super::{Asked, Done, Event, answer, answer_to, told};

const FIX: &str = "Mend it: what it leaves open is not told until then. \
                   `backstory config example` shows what may stand there.";

pub fn answer(asked: &Asked, loaded: &Loaded) -> Result<Done, AppError> {
    let mistake = loaded.mistakes.first().map_or("", String::as_str);
    if asked.event.reads() {
        hook_runs::write_line(&asked.home, asked.event.name(), &loaded.mistakes.join("; "));
        return answer_to(asked);
    }
    if asked.event.key().is_some_and(|key| loaded.is_clear("hooks", key)) {
        let mut done = answer_to(asked)?;
        let message = format!("Backstory: the configuration has a mistake, and the rest of it counts: {mistake}");
        say(asked, &mut done, &message);
        return Ok(done);
    }
    hook_runs::write_line(&asked.home, asked.event.name(), &format!("{mistake} ({FIX})"));
    let (message, fix) = (Some(mistake.to_owned()), Some(FIX.to_owned()));
    let mut done = Done { result: RunResult::Fault, message, fix, ..Done::default() };
    let silent = format!("Backstory: {} is silent because of a mistake in the configuration: {mistake}", what(asked));
    say(asked, &mut done, &silent);
    Ok(done)
}

fn what(asked: &Asked) -> &'static str {
    match asked.event {
        Event::PreToolUse => "the guard of tool calls",
        _ => "the start of sessions",
    }
}

/// The person is told when a session starts, and once by the guard, which may have
/// been turned off in the middle of one.
fn say(asked: &Asked, done: &mut Done, message: &str) {
    let is_due = match asked.event {
        Event::SessionStart => true,
        Event::PreToolUse => told::is_new(&asked.home, asked.input.session(), message),
        _ => false,
    };
    if is_due {
        let answer = done.answer.take().unwrap_or_else(|| json!({}));
        let before = answer["systemMessage"].as_str().map(|before| format!("{before}\n")).unwrap_or_default();
        done.answer = Some(answer::with_message(answer, &format!("{before}{message}")));
    }
}
