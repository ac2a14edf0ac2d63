//! Does anything speak against what the agent is about to do?

use std::path::Path;

use backstory_engine::derive::cursor;
use backstory_engine::model::{Card, CardStatus, Channel, Timestamp};
use backstory_engine::retrieve::{Check, Warnings, card_doubt, check};
use backstory_language::shell::Extent;
use serde_json::json;

use crate::config::settings::ToolCheckMode;
use crate::error::{AppError, ErrorKind};
use crate::hook_runs::{self, RunResult};
use crate::terminal;
use crate::untrusted::{self, foreign};
use crate::working_tree::WorkingTree;

use super::input::Pending;
use super::{HookCall, HookOutcome, already_shown, answer, memory};

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    match look(call) {
        Err(error) if matches!(call.settings.pre_tool_use, ToolCheckMode::Ask | ToolCheckMode::Block) => {
            Ok(blind(call, error))
        }
        looked => looked,
    }
}

/// A guard that cannot read its rules must not look like one that has nothing to say.
fn blind(call: &HookCall, error: AppError) -> HookOutcome {
    hook_runs::write_line(&call.home, call.event.name(), &error.message);
    let message = format!("Backstory: the guard of tool calls cannot read its rules and is silent: {}", error.message);
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
    if call.settings.pre_tool_use == ToolCheckMode::Off {
        return Ok(HookOutcome::off());
    }
    let Some(pending) = call.input.pending() else { return Ok(HookOutcome::default()) };
    let Some(mut memory) = memory::open_fast(call)? else { return Ok(HookOutcome::nothing("no memory yet")) };
    if cursor(memory.views())? == 0 && memory.log().store().head()?.pos > 0 {
        let message = "the views are not made yet";
        return Err(AppError::new(ErrorKind::Failed, message).hint("`backstory ingest` makes them."));
    }
    let project = memory::project(&mut memory, call)?;
    let session = call.input.session().map(str::to_owned);
    let mut found = Warnings::default();
    let branch = call.input.folder().and_then(|folder| WorkingTree::branch_in(&folder));
    let extent = if let Pending::Command(_, extent) = &pending { *extent } else { Extent::Whole };
    for action in actions(&pending, call) {
        let (other_than, branch) = (session.clone(), branch.clone());
        let question = Check { action, project: Some(project.id), other_than, branch, extent, ..Check::default() };
        let (log, views) = memory.parts();
        add(&mut found, check(log, views, &question)?);
    }
    leave_out_known(&mut found, call);
    if found.is_empty() {
        return Ok(HookOutcome { project: Some(project.path), ..HookOutcome::default() });
    }
    let text = render_warnings(&found);
    let cards = found.cards().map(|card| card.id).collect();
    let noted = memory::shown(&mut memory, Channel::Check, cards, session);
    Ok(HookOutcome {
        answer: Some(decide(call, &found, &text)),
        result: RunResult::Told,
        // It was told all the same.
        message: noted.err().map(|error| format!("not noted: {}", error.message)),
        project: Some(project.path),
        ..HookOutcome::default()
    })
}

/// A path is checked as it is called inside its repository.
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
    join(&mut all.said, found.said);
    join(&mut all.failed, found.failed);
    all.failed_last = all.failed_last.take().or(found.failed_last);
}

/// What is only worth knowing is said once in a session. Who is asked or refused
/// must be told why each time.
fn leave_out_known(found: &mut Warnings, call: &HookCall) {
    let session = call.input.session();
    let is_new = |card: &Card| already_shown::is_new(&call.home, session, &card.id.to_string());
    if call.settings.pre_tool_use == ToolCheckMode::Warn {
        found.failed.retain(is_new);
        found.unread.retain(is_new);
    }
    found.minded.retain(is_new);
    found.said.retain(is_new);
    found.failed_last =
        found.failed_last.take().filter(|failure| already_shown::is_new(&call.home, session, &failure.command));
}

fn decide(call: &HookCall, found: &Warnings, told: &str) -> serde_json::Value {
    // A call is not held up for what is doubted or was not confirmed, for what depends on
    // more than the call, or for what failed only the last time.
    let holds = |card: &&Card| card.status == CardStatus::Active && card.suspect.is_empty();
    let against: Vec<&Card> = found.forbidden.iter().chain(&found.failed).filter(holds).collect();
    let reason = |cards: &[&Card]| cards.iter().map(|card| line(found, card)).collect::<Vec<_>>().join("\n");
    let question = |cards: &[&Card]| {
        let plain: Vec<String> = cards.iter().map(|card| for_person(found, card)).collect();
        answer::question(call, &plain.join("\n"))
    };
    // Nobody knows whether it would do what is forbidden: the person decides. A host
    // that cannot ask refuses it where calls are refused.
    let unread: Vec<&Card> = found.unread.iter().filter(holds).collect();
    let can_ask = answer::can_ask(call.host);
    match call.settings.pre_tool_use {
        ToolCheckMode::Block if !against.is_empty() => answer::refusal(call, &reason(&against)),
        ToolCheckMode::Ask if !against.is_empty() && can_ask => question(&against),
        ToolCheckMode::Block | ToolCheckMode::Ask if !unread.is_empty() && can_ask => question(&unread),
        ToolCheckMode::Block if !unread.is_empty() => answer::refusal(call, &reason(&unread)),
        _ => {
            let told = answer::context(call, "check", told);
            match against.first().or(unread.first()) {
                Some(card) => answer::with_message(told, &for_person(found, card)),
                None => told,
            }
        }
    }
}

fn line(found: &Warnings, card: &Card) -> String {
    let is_among = |cards: &[Card]| cards.iter().any(|other| other.id == card.id);
    let what = if is_among(&found.forbidden) {
        "forbidden"
    } else if is_among(&found.unread) {
        "the command cannot be read in full and may be forbidden"
    } else if is_among(&found.minded) {
        "to be minded"
    } else if is_among(&found.said) {
        "said by the user, not confirmed yet"
    } else {
        "known to fail"
    };
    render_card(what, card)
}

fn render_warnings(found: &Warnings) -> String {
    let mut lines: Vec<String> = found.cards().map(|card| line(found, card)).collect();
    if let Some(failure) = &found.failed_last {
        let why = failure.diagnostic.as_deref().map(|why| format!(": {}", foreign(&terminal::clip(why, 160))));
        let why = why.unwrap_or_default();
        let (when, id) = (day(failure.time), &failure.evidence.id.to_string()[..12]);
        let session = crate::commands::sessions::short(&failure.session);
        let command = terminal::clip(&failure.command, 120);
        lines.push(format!("`{command}` failed when it was last run{why} [{id} {when} session {session}]"));
    }
    lines.push("Cards: `backstory cards show ID`; other ids: `backstory log show ID`.".to_owned());
    lines.join("\n")
}

fn render_card(what: &str, card: &Card) -> String {
    let doubt = card_doubt(card, &|_| None).map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let said = format!("{} {}, {}", card.id.short(), day(card.renewed), card.source.name());
    format!("{what}: {}{doubt} [card {said}]", untrusted::statement(card))
}

/// One sentence for the host's dialog. What tools wrote is said to be theirs.
fn for_person(found: &Warnings, card: &Card) -> String {
    let is_among = |cards: &[Card]| cards.iter().any(|other| other.id == card.id);
    let what = if is_among(&found.forbidden) {
        "forbids this"
    } else if is_among(&found.unread) {
        "may forbid this, which cannot be read in full"
    } else {
        "says that this fails here"
    };
    let whose = if untrusted::is_foreign(card) { ", in words that no person said" } else { "" };
    let (id, words) = (card.id.short(), terminal::clip(&card.statement, 300));
    format!("Backstory: card {id} of {} {what}{whose}: \"{words}\" (`backstory cards show {id}`)", day(card.renewed))
}

/// In UTC: the same bytes everywhere, and no table of time zones to read.
pub fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "no date".to_owned(), |at| at.to_string().chars().take(10).collect())
}
