//! A command has failed: what resolved this error before?

use backstory_engine::retrieve::{Fix, FixItem, KnownRemedy, fix};

use crate::error::AppError;
use crate::hook_runs::RunResult;
use crate::terminal;
use crate::untrusted::foreign;

use super::input::Pending;
use super::pre_tool_use::day;
use super::{HookCall, HookOutcome, already_shown, answer, memory};

/// So much of an output is read.
const LONGEST_OUTPUT: usize = 64 << 10;

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    if !call.settings.post_tool_use {
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

/// One line: what was wrong, what helped, where to look it up.
pub fn render_fix(item: &FixItem) -> String {
    let rule = item.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let remedy = match &item.remedy {
        KnownRemedy::Commands(commands) => {
            let ran: Vec<String> =
                commands.iter().map(|command| format!("`{}`", terminal::clip(command, 100))).collect();
            format!("ran {}", ran.join(", "))
        }
        KnownRemedy::Form(form) => format!("passed as `{}`", terminal::clip(form, 120)),
        KnownRemedy::Change(change) => {
            let quote = |lines: &[String]| lines.first().map(|line| format!("`{}`", terminal::clip(line, 100)));
            match (quote(&change.removed), quote(&change.added)) {
                (Some(removed), Some(added)) => format!("changed {removed} to {added}"),
                (None, Some(added)) => format!("added {added}"),
                (Some(removed), None) => format!("removed {removed}"),
                (None, None) => "edited".to_owned(),
            }
        }
    };
    let file = item.file.as_deref().map(|file| format!(" in {file}")).unwrap_or_default();
    let (command, diagnostic) = (terminal::clip(&item.command, 80), foreign(&terminal::clip(&item.then, 160)));
    let cited = item.edits.first().unwrap_or(&item.passed).id.to_string();
    format!("- `{command}`: {diagnostic}{rule}: {remedy}{file} [{} {}]", &cited[..12], day(item.resolved))
}
