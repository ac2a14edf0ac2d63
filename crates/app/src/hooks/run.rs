//! Runs a hook without harming the calling session.

use std::io::IsTerminal;
use std::time::Instant;

use crate::commands::hook::HookCommand;
use crate::error::AppError;
use crate::hook_events::Event;
use crate::hook_runs::{self, Ended, RunResult};
use crate::{home, terminal};

use super::call::{HookCall, HookOutcome};
use super::{catch_up, config_mistakes, panic_barrier, post_tool_use, pre_tool_use, session_start, user_prompt};

/// Answers the host on standard output. A failure is recorded; it never reaches the host.
pub fn called(command: &HookCommand) -> Result<(), AppError> {
    if command.arguments.is_empty() && std::io::stdin().is_terminal() {
        return terminal::print(
            "Hosts call this command, with JSON on standard input. `backstory init` registers it;\n\
             `backstory hook --help` says more.\n",
        );
    }
    let started = Instant::now();
    let mut session = None;
    let ran = panic_barrier::run(|| {
        let call = HookCall::read(command, started)?;
        session = call.input.session().map(str::to_owned);
        answer(&call)
    });
    let (outcome, fault) = match ran {
        Ok(outcome) => (outcome, None),
        Err(fault) => (HookOutcome { result: RunResult::Fault, ..HookOutcome::default() }, Some(fault)),
    };
    let HookOutcome { answer, result, message, fix, project } = outcome;
    if let Some(mut answer) = answer {
        terminal::make_visible(&mut answer);
        // A host that has stopped reading is not a failure.
        let _ = terminal::print_json(&answer.to_string());
    }
    if let Ok(home) = home::memory_home() {
        let event = Event::parse(&command.event);
        hook_runs::note(&home, event, &Ended { result, message, fix, project }, fault, session, started.elapsed());
    }
    Ok(())
}

/// Records a hook whose command line is invalid.
pub fn note_misuse(what: &str) {
    if let Ok(home) = home::memory_home() {
        hook_runs::write_line(&home, hook_runs::NO_EVENT, what);
    }
}

fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    match config_mistakes::silenced(call) {
        Some(outcome) => Ok(outcome),
        None => answer_event(call).map(|outcome| config_mistakes::warned(call, outcome)),
    }
}

fn answer_event(call: &HookCall) -> Result<HookOutcome, AppError> {
    match call.event {
        Event::SessionStart => session_start::answer(call),
        Event::UserPromptSubmit => user_prompt::answer(call),
        Event::PreToolUse => pre_tool_use::answer(call),
        Event::PostToolUse => post_tool_use::answer(call),
        Event::PreCompact | Event::SessionEnd | Event::SubagentStop | Event::Stop | Event::Notify => {
            catch_up::answer(call)
        }
    }
}
