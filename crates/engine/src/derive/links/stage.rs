//! The stage: links of episodes with new events.

use backstory_language::prompts::asks::MOST_ASKS;
use backstory_language::talk::{DefaultKernel, LinkOptions, Request, link};

use crate::log::Log;
use crate::store::{StoreError, TaskNote, ViewTx};

use super::super::{Touched, events_of};
use super::agent::{self, Earlier, TurnLinks, TurnPlace};
use super::talk;

pub fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched]) -> Result<(), StoreError> {
    for episode in touched {
        let folded = tx.read().run(episode.num)?.map_or(0, |run| run.next_seq);
        if talk::is_talk(log, episode.num, episode.episode.key.source, folded)? {
            whole_talk(log, tx, episode)?;
        } else {
            agent_turns(log, tx, episode)?;
        }
    }
    Ok(())
}

/// Who answers and which lines count depends on all lines, so links are made when the last event in
/// the log is folded.
fn whole_talk(log: &mut Log, tx: &mut ViewTx<'_>, touched: &Touched) -> Result<(), StoreError> {
    let folded = tx.read().run(touched.num)?.map_or(0, |run| run.next_seq);
    if log.store().last_seq(touched.num)?.is_some_and(|last| last >= folded) {
        return Ok(());
    }
    tx.clear_links_from(touched.num, 0)?;
    let events = events_of(log, touched.num, 0, folded)?;
    let turns = tx.read().turns(touched.num)?;
    let session = &touched.episode.key.session;
    let request =
        Request { session, lines: &talk::lines(&events), kernel: &DefaultKernel, options: &LinkOptions::default() };
    // Default options and event positions are never invalid.
    let Ok(linked) = link(request) else { return Ok(()) };
    for row in talk::rows(touched.num, &turns, &events, linked) {
        tx.put_link(&row)?;
    }
    Ok(())
}

/// Turns before the open one are complete, so their links are too.
fn agent_turns(log: &mut Log, tx: &mut ViewTx<'_>, touched: &Touched) -> Result<(), StoreError> {
    tx.clear_links_from(touched.num, touched.first_turn)?;
    let new = touched.new_turns(log, tx)?;
    let before = tx.read().links_before(touched.num, touched.first_turn, agent::REACH * MOST_ASKS)?;
    let mut earlier: Vec<Earlier> = Vec::new();
    agent::remember(&mut earlier, &before);
    for (turn, range) in new.ranges() {
        let key = &touched.episode.key;
        let place =
            TurnPlace { session: &key.session, agent: key.agent.as_deref(), episode: touched.num, turn: turn.turn };
        let found = agent::of_turn(place, &new.events[range.clone()], new.events.get(range.end), &earlier);
        agent::remember(&mut earlier, &found.links);
        write(tx, place, &found)?;
    }
    Ok(())
}

fn write(tx: &mut ViewTx<'_>, place: TurnPlace<'_>, found: &TurnLinks) -> Result<(), StoreError> {
    for link in &found.links {
        tx.put_link(link)?;
    }
    for outcome in &found.outcomes {
        tx.put_outcome(place.episode, place.turn, outcome)?;
    }
    for (seq, event) in &found.notes {
        tx.put_task_note(&TaskNote { episode: place.episode, turn: place.turn, seq: *seq, event: *event })?;
    }
    Ok(())
}
