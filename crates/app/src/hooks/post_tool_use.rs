//! After a failed command: what resolved this error before?

use backstory_engine::retrieve::{Fix, fix};

use crate::error::AppError;
use crate::hook_runs::RunResult;

use super::call::{HookCall, HookOutcome};
use super::input::Pending;
use super::render::render_fix;
use super::{already_shown, answer, memory};

/// At most this much of an output is read.
const LONGEST_OUTPUT: usize = 64 << 10;

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    if !call.settings().post_tool_use {
        return Ok(HookOutcome::off());
    }
    let Some(Pending::Command(..)) = call.input.pending() else { return Ok(HookOutcome::default()) };
    let Some(output) = call.input.tool_output() else { return Ok(HookOutcome::default()) };
    let Some(mut memory) = memory::open_fast(call)? else { return Ok(HookOutcome::nothing("no memory yet")) };
    let project = memory::project(&mut memory, call)?;
    let session = call.input.session().map(str::to_owned);
    let error = output[..output.floor_char_boundary(LONGEST_OUTPUT)].to_owned();
    let question = Fix { error, project: Some(project.id), other_than: session.clone(), ..Fix::default() };
    let (log, views) = memory.parts();
    let mut items = fix(log, views, &question)?.items;
    items.retain(|item| already_shown::is_new(&call.home, session.as_deref(), &item.failed.id.to_string()));
    if items.is_empty() {
        return Ok(HookOutcome { project: Some(project.path), ..HookOutcome::default() });
    }
    let lines: Vec<String> = items.iter().map(render_fix).collect();
    let text = format!("This error was resolved before:\n{}\nIds: `backstory log show ID`.", lines.join("\n"));
    Ok(HookOutcome {
        answer: Some(answer::context(call, "fix", &text)),
        result: RunResult::Told,
        message: None,
        project: Some(project.path),
        ..HookOutcome::default()
    })
}
