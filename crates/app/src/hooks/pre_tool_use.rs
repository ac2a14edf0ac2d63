//! Does anything speak against what the agent is about to do?

use std::path::Path;

use backstory_engine::derive::cursor;
use backstory_engine::model::{Card, CardStatus, Channel, Timestamp};
use backstory_engine::retrieve::{Check, Warnings, card_doubt, check};
use backstory_language::shell::Extent;
use serde_json::json;

use crate::config::settings::Guard;
use crate::error::{AppError, ErrorKind};
use crate::hook_runs::{self, RunResult};
use crate::quote::{self, foreign};
use crate::screen;
use crate::tree::Tree;

use super::input::Pending;
use super::{Asked, Done, answer, memory, told};

pub fn answer(asked: &Asked) -> Result<Done, AppError> {
    match look(asked) {
        Err(error) if matches!(asked.settings.pre_tool_use, Guard::Ask | Guard::Block) => Ok(blind(asked, error)),
        looked => looked,
    }
}

/// A guard that cannot read its rules must not look like one that has nothing to say.
fn blind(asked: &Asked, error: AppError) -> Done {
    hook_runs::write_line(&asked.home, asked.event.name(), &error.message);
    let message = format!("Backstory: the guard of tool calls cannot read its rules and is silent: {}", error.message);
    let is_new = told::is_new(&asked.home, asked.input.session(), &message);
    let answer = is_new.then(|| answer::with_message(json!({}), &message));
    Done { answer, result: RunResult::Fault, message: Some(error.message), fix: error.hint, ..Done::default() }
}

fn look(asked: &Asked) -> Result<Done, AppError> {
    if asked.settings.pre_tool_use == Guard::Off {
        return Ok(Done::off());
    }
    let Some(pending) = asked.input.pending() else { return Ok(Done::default()) };
    let Some(mut memory) = memory::open(asked)? else { return Ok(Done::nothing("no memory yet")) };
    if cursor(memory.views())? == 0 && memory.log().store().head()?.pos > 0 {
        let message = "the views are not made yet";
        return Err(AppError::new(ErrorKind::Failed, message).hint("`backstory ingest` makes them."));
    }
    let project = memory::project(&mut memory, asked)?;
    let session = asked.input.session().map(str::to_owned);
    let mut found = Warnings::default();
    let branch = asked.input.folder().and_then(|folder| Tree::branch_in(&folder));
    let extent = if let Pending::Command(_, extent) = &pending { *extent } else { Extent::Whole };
    for action in actions(&pending, asked) {
        let (other_than, branch) = (session.clone(), branch.clone());
        let question = Check { action, project: Some(project.id), other_than, branch, extent, ..Check::default() };
        let (log, views) = memory.parts();
        add(&mut found, check(log, views, &question)?);
    }
    leave_out_known(&mut found, asked);
    if found.is_empty() {
        return Ok(Done { project: Some(project.path), ..Done::default() });
    }
    let told = tell(&found);
    let cards = found.cards().map(|card| card.id).collect();
    let noted = memory::shown(&mut memory, Channel::Check, cards, session);
    Ok(Done {
        answer: Some(decide(asked, &found, &told)),
        result: RunResult::Told,
        // It was told all the same.
        message: noted.err().map(|error| format!("not noted: {}", error.message)),
        project: Some(project.path),
        ..Done::default()
    })
}

/// A path is checked as it is called inside its repository.
fn actions(pending: &Pending, asked: &Asked) -> Vec<String> {
    match pending {
        Pending::Command(line, _) => vec![line.clone()],
        Pending::Edits(files) => {
            let root = asked.input.folder().map(|folder| Tree::root_around(&folder));
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
fn leave_out_known(found: &mut Warnings, asked: &Asked) {
    let session = asked.input.session();
    let is_new = |card: &Card| told::is_new(&asked.home, session, &card.id.to_string());
    if asked.settings.pre_tool_use == Guard::Warn {
        found.failed.retain(is_new);
        found.unread.retain(is_new);
    }
    found.minded.retain(is_new);
    found.said.retain(is_new);
    found.failed_last = found.failed_last.take().filter(|failure| told::is_new(&asked.home, session, &failure.command));
}

fn decide(asked: &Asked, found: &Warnings, told: &str) -> serde_json::Value {
    // A call is not held up for what is doubted or was not confirmed, for what depends on
    // more than the call, or for what failed only the last time.
    let holds = |card: &&Card| card.status == CardStatus::Active && card.suspect.is_empty();
    let against: Vec<&Card> = found.forbidden.iter().chain(&found.failed).filter(holds).collect();
    let reason = |cards: &[&Card]| cards.iter().map(|card| line(found, card)).collect::<Vec<_>>().join("\n");
    let question = |cards: &[&Card]| {
        let plain: Vec<String> = cards.iter().map(|card| for_person(found, card)).collect();
        answer::question(asked, &plain.join("\n"))
    };
    // Nobody knows whether it would do what is forbidden: the person decides. A host
    // that cannot ask refuses it where calls are refused.
    let unread: Vec<&Card> = found.unread.iter().filter(holds).collect();
    let can_ask = answer::can_ask(asked.host);
    match asked.settings.pre_tool_use {
        Guard::Block if !against.is_empty() => answer::refusal(asked, &reason(&against)),
        Guard::Ask if !against.is_empty() && can_ask => question(&against),
        Guard::Block | Guard::Ask if !unread.is_empty() && can_ask => question(&unread),
        Guard::Block if !unread.is_empty() => answer::refusal(asked, &reason(&unread)),
        _ => {
            let told = answer::context(asked, "check", told);
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
    tell_card(what, card)
}

fn tell(found: &Warnings) -> String {
    let mut lines: Vec<String> = found.cards().map(|card| line(found, card)).collect();
    if let Some(failure) = &found.failed_last {
        let why = failure.complaint.as_deref().map(|why| format!(": {}", foreign(&screen::clip(why, 160))));
        let why = why.unwrap_or_default();
        let (when, id) = (day(failure.time), &failure.evidence.id.to_string()[..12]);
        let session = crate::commands::sessions::short(&failure.session);
        let command = screen::clip(&failure.command, 120);
        lines.push(format!("`{command}` failed when it was last run{why} [{id} {when} session {session}]"));
    }
    lines.push("Cards: `backstory cards show ID`; other ids: `backstory log show ID`.".to_owned());
    lines.join("\n")
}

fn tell_card(what: &str, card: &Card) -> String {
    let doubt = card_doubt(card, &|_| None).map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let said = format!("{} {}, {}", card.id.short(), day(card.renewed), card.source.name());
    format!("{what}: {}{doubt} [card {said}]", quote::statement(card))
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
    let whose = if quote::is_foreign(card) { ", in words that no person said" } else { "" };
    let (id, words) = (card.id.short(), screen::clip(&card.statement, 300));
    format!("Backstory: card {id} of {} {what}{whose}: \"{words}\" (`backstory cards show {id}`)", day(card.renewed))
}

/// In UTC: the same bytes everywhere, and no table of time zones to read.
pub fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "no date".to_owned(), |at| at.to_string().chars().take(10).collect())
}
