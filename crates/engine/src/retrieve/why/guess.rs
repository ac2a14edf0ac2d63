//! Which work may have written a line without a proven author?
//!
//! Formatters, scripts and people change files too. The work that made the commit, wrote the lines around, or edited
//! the file last before the commit is a likely author, but not a proven one.

use std::cmp::Reverse;

use crate::log::Log;
use crate::model::{CaseId, EventId, ProjectId, Timestamp};
use crate::store::ViewReader;

use super::super::RetrieveError;
use super::edits::FileEdit;
use super::made::{CommitName, made_by};
use super::prompt::Prompt;
use super::reason::{Behind, CaseBehind};

/// At most this many guesses are shown.
const MOST: usize = 3;
/// At most this many of the likeliest edits are checked.
const MOST_LOOKED_AT: usize = 12;

/// Work that may have written a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    pub session: String,
    pub time: Option<Timestamp>,
    pub prompt: Option<Prompt>,
    pub reason: Option<CaseBehind>,
    pub ground: GuessGround,
}

/// The reason for a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GuessGround {
    /// It made the line's commit.
    Committed,
    /// It wrote this many of the surrounding lines.
    WroteAround(usize),
    /// It was the last to edit the file before the commit.
    EditedLast,
}

/// A line without an author.
pub(super) struct Unproven<'q> {
    /// The number of surrounding lines that an edit has.
    pub around: &'q dyn Fn(&FileEdit) -> usize,
    pub commit: Option<CommitName<'q>>,
    pub project: Option<ProjectId>,
}

pub(super) fn guesses(
    log: &mut Log,
    view: &ViewReader<'_>,
    edits: &[FileEdit],
    line: &Unproven<'_>,
) -> Result<Vec<Guess>, RetrieveError> {
    let mut found: Vec<Guess> = Vec::new();
    let made = line.commit.map(|commit| made_by(log, view, commit, line.project)).transpose()?.flatten();
    if let Some(made) = made {
        let (session, time, prompt) = (made.session, made.time, made.prompt);
        found.push(Guess { session, time, prompt, reason: made.reason, ground: GuessGround::Committed });
    }
    let mut near: Vec<(usize, &FileEdit)> =
        edits.iter().filter(|edit| could(edit, line)).map(|edit| ((line.around)(edit), edit)).collect();
    near.sort_by_key(|(around, edit)| (Reverse(*around), Reverse((edit.time(), edit.event.pos))));
    for (around, edit) in near.into_iter().take(MOST_LOOKED_AT) {
        // Among edits with no surrounding line, only the last counts.
        let says_nothing = around == 0 && found.iter().any(|guess| guess.ground != GuessGround::Committed);
        if found.len() == MOST || says_nothing {
            break;
        }
        let Behind { prompt, reason } = edit.behind(log, view)?;
        let is_known = |guess: &Guess| work(&guess.reason, &guess.prompt) == work(&reason, &prompt);
        if found.iter().any(is_known) {
            continue;
        }
        let session = log.store().episode(edit.row.episode)?.map(|episode| episode.key.session).unwrap_or_default();
        let ground = if around == 0 { GuessGround::EditedLast } else { GuessGround::WroteAround(around) };
        found.push(Guess { session, time: edit.time(), prompt, reason, ground });
    }
    Ok(found)
}

fn could(edit: &FileEdit, line: &Unproven<'_>) -> bool {
    let in_time = line.commit.is_none_or(|commit| edit.time() <= Some(super::line::end_of_second(commit.committed)));
    edit.went_through() && in_time
}

/// The identity of a guess.
fn work(reason: &Option<CaseBehind>, prompt: &Option<Prompt>) -> (Option<CaseId>, Option<EventId>) {
    match reason {
        Some(reason) => (Some(reason.case), None),
        None => (None, prompt.as_ref().map(|prompt| prompt.event)),
    }
}
