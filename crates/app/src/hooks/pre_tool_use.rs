//! Does a rule or a past failure apply to what the agent is about to do?

use std::path::Path;

use backstory_engine::derive::cursor;
use backstory_engine::model::{Card, Channel};
use backstory_engine::retrieve::{Check, Warnings, check};
use backstory_language::shell::ScriptExtent;
use serde_json::json;

use crate::config::settings::ToolCheckMode;
use crate::error::{AppError, ErrorKind};
use crate::hook_runs::{self, RunResult};
use crate::working_tree::WorkingTree;

use super::call::{HookCall, HookOutcome};
use super::input::Pending;
use super::{already_shown, answer, memory, verdict};

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    match look(call) {
        Err(error) if matches!(call.settings().pre_tool_use, ToolCheckMode::Ask | ToolCheckMode::Block) => {
            Ok(blind(call, error))
        }
        looked => looked,
    }
}

/// A check that cannot read its rules must not look like one that found nothing.
fn blind(call: &HookCall, error: AppError) -> HookOutcome {
    hook_runs::write_line(&call.home, call.event.name(), &error.message);
    let message = format!("Backstory: the check of tool calls cannot read its rules and is silent: {}", error.message);
    let is_new = already_shown::is_new(&call.home, call.input.session(), &message);
    let answer = is_new.then(|| answer::with_message(json!({}), &message));
    HookOutcome {
        answer,
        result: RunResult::Fault,
        message: Some(error.message),
        fix: error.hint,
        ..HookOutcome::default()
    }
}

fn look(call: &HookCall) -> Result<HookOutcome, AppError> {
    if call.settings().pre_tool_use == ToolCheckMode::Off {
        return Ok(HookOutcome::off());
    }
    let Some(pending) = call.input.pending() else { return Ok(HookOutcome::default()) };
    let Some(mut memory) = memory::open_fast(call)? else { return Ok(HookOutcome::nothing("no memory yet")) };
    if cursor(memory.views())? == 0 && memory.log().store().head()?.pos > 0 {
        let message = "the views do not exist yet";
        return Err(AppError::new(ErrorKind::Failed, message).hint("`backstory ingest` creates them."));
    }
    let project = memory::project(&mut memory, call)?;
    let session = call.input.session().map(str::to_owned);
    let mut found = Warnings::default();
    let branch = call.input.folder().and_then(|folder| WorkingTree::branch_in(&folder));
    let extent = if let Pending::Command(_, extent) = &pending { *extent } else { ScriptExtent::Whole };
    let content = matches!(pending, Pending::Edits(_)).then(|| call.input.added()).flatten();
    for (at, action) in actions(&pending, call).into_iter().enumerate() {
        let question = Check {
            action,
            project: Some(project.id),
            other_than: session.clone(),
            branch: branch.clone(),
            extent,
            // What is added is read once, whatever the number of files.
            content: content.clone().filter(|_| at == 0),
            ..Check::default()
        };
        let (log, views) = memory.parts();
        add(&mut found, check(log, views, &question)?);
    }
    leave_out_known(&mut found, call);
    if found.is_empty() {
        return Ok(HookOutcome { project: Some(project.path), ..HookOutcome::default() });
    }
    let cards = found.cards().map(|card| card.id).collect();
    let noted = memory::shown(&mut memory, Channel::Check, cards, session);
    Ok(HookOutcome {
        answer: Some(verdict::decide(call, &found)),
        result: RunResult::Told,
        message: noted.err().map(|error| format!("not noted: {}", error.message)),
        project: Some(project.path),
        ..HookOutcome::default()
    })
}

/// A path is checked relative to its repository.
fn actions(pending: &Pending, call: &HookCall) -> Vec<String> {
    match pending {
        Pending::Command(line, _) => vec![line.clone()],
        Pending::Edits(files) => {
            let root = call.input.folder().map(|folder| WorkingTree::root_around(&folder));
            let inside = |file: &String| {
                let path = Path::new(file);
                let inner = root.as_ref().and_then(|root| path.strip_prefix(root).ok());
                inner.unwrap_or(path).to_string_lossy().into_owned()
            };
            files.iter().map(inside).collect()
        }
    }
}

fn add(all: &mut Warnings, found: Warnings) {
    let join = |known: &mut Vec<Card>, cards: Vec<Card>| {
        let is_new = |card: &Card| !known.iter().any(|other| other.id == card.id);
        let new: Vec<Card> = cards.into_iter().filter(is_new).collect();
        known.extend(new);
    };
    join(&mut all.forbidden, found.forbidden);
    join(&mut all.unread, found.unread);
    join(&mut all.minded, found.minded);
    join(&mut all.concerns, found.concerns);
    join(&mut all.said, found.said);
    join(&mut all.failed, found.failed);
    all.failed_last = all.failed_last.take().or(found.failed_last);
}

/// A hint is shown once per session. A question or a refusal always gives its reason.
fn leave_out_known(found: &mut Warnings, call: &HookCall) {
    let session = call.input.session();
    let is_new = |card: &Card| already_shown::is_new(&call.home, session, &card.id.to_string());
    if call.settings().pre_tool_use == ToolCheckMode::Warn {
        found.failed.retain(is_new);
        found.unread.retain(is_new);
    }
    found.minded.retain(is_new);
    found.concerns.retain(is_new);
    found.said.retain(is_new);
    found.failed_last =
        found.failed_last.take().filter(|failure| already_shown::is_new(&call.home, session, &failure.command));
}
