//! Which cases are made again when an episode grows?

use crate::log::Log;
use crate::model::{Case, EventId, case_id};
use crate::store::{StoreError, ViewTx};

use super::super::Touched;
use super::thread::{Thread, threads};
use super::turns::Exchange;
use super::{talk_findings, work_findings};

pub const NAME: &str = "cases";
pub const VERSION: u32 = 5;

/// Rebuilds the cases of the touched episodes, from the last one that may have changed.
pub fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched]) -> Result<(), StoreError> {
    for episode in touched.iter().filter(|episode| episode.is_main()) {
        let from = restart(tx, episode)?;
        let turns = episode.turns_from(log, tx, from)?;
        let next_events: Vec<_> = turns.ranges().map(|(_, range)| turns.events.get(range.end)).collect();
        let exchanges: Vec<Exchange<'_>> = turns
            .ranges()
            .zip(next_events)
            .map(|((row, range), next)| Exchange::of_turn(row, &turns.events[range], next))
            .collect();
        let cases: Vec<Case> = threads(exchanges).iter().filter_map(case_of).collect();
        tx.replace_cases(episode.num, from, &cases)?;
    }
    Ok(())
}

/// The first turn of the case that the first new turn may continue.
fn restart(tx: &ViewTx<'_>, touched: &Touched) -> Result<u32, StoreError> {
    let before = touched.first_turn.saturating_sub(1);
    let last = tx.read().case_of_turn(touched.num, before)?;
    Ok(last.map_or(before, |row| row.case.first_turn))
}

/// None where nobody asked for anything.
fn case_of(thread: &Thread<'_>) -> Option<Case> {
    let first = thread.exchanges.first()?;
    let prompt = first.prompt?;
    let findings = if thread.is_talk() { talk_findings::findings(thread) } else { work_findings::findings(thread) };
    Some(Case {
        id: case_id(EventId(prompt.event.id.0)),
        first_turn: first.turn,
        last_turn: thread.exchanges.last()?.turn,
        asked: prompt.asked(),
        is_talk: thread.is_talk(),
        findings,
        commits: thread.exchanges.iter().flat_map(|exchange| exchange.commits.iter().cloned()).collect(),
        end: thread.exchanges.last()?.end,
    })
}
