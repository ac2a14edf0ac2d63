//! Does anything speak against what the agent is about to do?

use std::path::Path;

use backstory_engine::model::{Card, CardStatus, Channel, Timestamp};
use backstory_engine::retrieve::{Check, Warnings, card_doubt, check};

use super::input::Pending;
use super::record::RunResult;
use super::{Asked, Done, answer, memory, told};
use crate::config::settings::Guard;
use crate::error::AppError;
use crate::mcp::foreign;
use crate::screen;
use crate::tree::Tree;

pub fn answer(asked: &Asked) -> Result<Done, AppError> {
    if asked.settings.pre_tool_use == Guard::Off {
        return Ok(Done::off());
    }
    let Some(pending) = asked.input.pending() else { return Ok(Done::default()) };
    let Some(mut memory) = memory::open(asked)? else { return Ok(Done::nothing("no memory yet")) };
    let project = memory::project(&mut memory, asked)?;
    let session = asked.input.session().map(str::to_owned);
    let mut found = Warnings::default();
    for action in actions(&pending, asked) {
        let question = Check { action, project: Some(project.id), other_than: session.clone(), ..Check::default() };
        let (log, views) = memory.parts();
        add(&mut found, check(log, views, &question)?);
    }
    leave_out_known(&mut found, asked);
    if found.is_empty() {
        return Ok(Done { project: Some(project.path), ..Done::default() });
    }
    let told = tell(&found);
    let cards = found.forbidden.iter().chain(&found.failed).map(|card| card.id).collect();
    let noted = memory::shown(&mut memory, Channel::Check, cards, session);
    Ok(Done {
        answer: Some(decide(asked, &found, &told)),
        result: RunResult::Told,
        // It was told all the same.
        message: noted.err().map(|error| format!("not noted: {}", error.message)),
        project: Some(project.path),
    })
}

/// A path is checked as it is called inside its repository.
fn actions(pending: &Pending, asked: &Asked) -> Vec<String> {
    match pending {
        Pending::Command(line) => vec![line.clone()],
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
    let new = |known: &[Card], cards: Vec<Card>| -> Vec<Card> {
        cards.into_iter().filter(|card| !known.iter().any(|other| other.id == card.id)).collect()
    };
    let (forbidden, failed) = (new(&all.forbidden, found.forbidden), new(&all.failed, found.failed));
    all.forbidden.extend(forbidden);
    all.failed.extend(failed);
    all.failed_last = all.failed_last.take().or(found.failed_last);
}

/// What is only worth knowing is said once in a session. Who is asked or refused
/// must be told why each time.
fn leave_out_known(found: &mut Warnings, asked: &Asked) {
    let session = asked.input.session();
    if asked.settings.pre_tool_use == Guard::Warn {
        found.failed.retain(|card| told::is_new(&asked.home, session, &card.id.to_string()));
    }
    found.failed_last = found.failed_last.take().filter(|failure| told::is_new(&asked.home, session, &failure.command));
}

fn decide(asked: &Asked, found: &Warnings, told: &str) -> serde_json::Value {
    // A call is not held up for what is doubted, or for what failed only the last time.
    let holds = |card: &&Card| card.status == CardStatus::Active && card.suspect.is_empty();
    let against: Vec<&Card> = found.forbidden.iter().chain(&found.failed).filter(holds).collect();
    let reason = || against.iter().map(|card| line(found, card)).collect::<Vec<_>>().join("\n");
    match asked.settings.pre_tool_use {
        Guard::Block if !against.is_empty() => answer::decision(asked, "deny", &reason()),
        Guard::Ask if !against.is_empty() && answer::can_ask(asked.host) => answer::decision(asked, "ask", &reason()),
        _ => {
            let told = answer::context(asked, "check", told);
            match against.first() {
                Some(card) => answer::with_message(told, &format!("Backstory: {}", line(found, card))),
                None => told,
            }
        }
    }
}

fn line(found: &Warnings, card: &Card) -> String {
    let forbidden = found.forbidden.iter().any(|other| other.id == card.id);
    tell_card(if forbidden { "forbidden" } else { "known to fail" }, card)
}

fn tell(found: &Warnings) -> String {
    let mut lines: Vec<String> = found.forbidden.iter().map(|card| tell_card("forbidden", card)).collect();
    lines.extend(found.failed.iter().map(|card| tell_card("known to fail", card)));
    if let Some(failure) = &found.failed_last {
        let why = failure.complaint.as_deref().map(|why| format!(": {}", foreign(&screen::clip(why, 160))));
        let why = why.unwrap_or_default();
        let (when, id) = (day(failure.time), &failure.evidence.id.to_string()[..12]);
        let session = crate::cli::sessions::short(&failure.session);
        let command = screen::clip(&failure.command, 120);
        lines.push(format!("`{command}` failed when it was last run{why} [{id} {when} session {session}]"));
    }
    lines.push("Cards: `backstory cards show ID`; other ids: `backstory log show ID`.".to_owned());
    lines.join("\n")
}

fn tell_card(what: &str, card: &Card) -> String {
    let doubt = card_doubt(card, &|_| None).map(|doubt| format!(" ({doubt})")).unwrap_or_default();
    let said = format!("{} {}, {}", card.id.short(), day(card.renewed), card.source.name());
    format!("{what}: {}{doubt} [card {said}]", screen::clip(&card.statement, 400))
}

/// In UTC: the same bytes everywhere, and no table of time zones to read.
pub fn day(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "no date".to_owned(), |at| at.to_string().chars().take(10).collect())
}
