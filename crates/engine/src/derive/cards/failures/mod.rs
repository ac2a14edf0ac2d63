//! What went wrong, and how was it resolved?
//!
//! 1. [`runs`]: the commands and edits of a turn, as small rows.
//! 2. [`fates`]: how was each diagnostic of an episode resolved?
//! 3. [`statements`]: which of it is worth a card? [`corrections`]: which command was
//!    replaced by one that works?
//!
//! Rows are replaced from the first new turn on, and diagnostics are tracked through the rows of
//! the whole episode, so that no old event is read again.

pub mod corrections;
pub mod fates;
pub mod runs;
pub mod statements;

use std::collections::BTreeSet;

use backstory_language::diagnostics::DiagnosticKind;

use crate::log::Log;
use crate::model::{CheckRun, EditMade, Event, Remedy};
use crate::store::{FindingRow, StoreError, TurnRow, ViewTx};

use super::super::Touched;
use runs::OfTurn;

/// `turns`: the touched ones, with all their events.
pub fn fold(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    touched: &Touched,
    turns: &[TurnRow],
    events: &[Event],
) -> Result<Vec<FindingRow>, StoreError> {
    let mut new = OfTurn::default();
    let mut rows = Vec::new();
    let found = |turn: &TurnRow, (seq, found)| FindingRow { episode: touched.num, turn: turn.turn, seq, found };
    for (at, turn) in turns.iter().enumerate() {
        let until = turns.get(at + 1).map_or(u32::MAX, |next| next.first_seq);
        let from = events.partition_point(|event| event.seq < turn.first_seq);
        let to = events.partition_point(|event| event.seq < until);
        let of_turn = runs::of_turn(turn.turn, &events[from..to]);
        if touched.is_main() {
            rows.extend(statements::passes(&of_turn.runs).into_iter().map(|pass| found(turn, pass)));
        }
        let corrected = corrections::of_turn(&events[from..to]);
        rows.extend(corrected.into_iter().map(|correction| found(turn, correction)));
        new.runs.extend(of_turn.runs);
        new.edits.extend(of_turn.edits);
    }
    let changed = tx.replace_checks(touched.num, touched.first_turn, &new.runs, &new.edits)?;
    // Only runs give new findings.
    if !changed && new.runs.is_empty() {
        return Ok(rows);
    }
    let (runs, edits): (Vec<CheckRun>, Vec<EditMade>) = tx.read().checks_of(touched.num)?;
    let mut failures = fates::of_episode(&runs, &edits);
    if changed {
        tx.replace_failures(touched.episode.project, touched.num, &failures)?;
    }
    let mut corrected = BTreeSet::new();
    failures.sort_by_key(|failure| (failure.seq, failure.sort != DiagnosticKind::Tool));
    for failure in &failures {
        // One form may resolve many diagnostics; a diagnostic of the tool itself is the most informative.
        let by_form = failure.resolution.as_ref().filter(|end| matches!(end.remedy, Remedy::Form { .. }));
        if by_form.is_some_and(|end| !corrected.insert(end.seq)) {
            continue;
        }
        for (turn, seq, candidate) in statements::of_failure(log, failure, touched.first_turn)? {
            let found = crate::model::Found::Candidate(candidate);
            rows.push(FindingRow { episode: touched.num, turn, seq, found });
        }
    }
    Ok(rows)
}
