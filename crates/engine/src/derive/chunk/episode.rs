//! Which turns and chunks do new events of an episode give?

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{Chunk, Digest, Episode, Event, SourceKind};
use crate::store::{Anchor, EpisodeNum, RunRow, StoreError, TurnRow, ViewTx};

use super::super::{Touched, events_of};
use super::turns::TurnEvents;
use super::{anchors, pack, run, turns, units};

/// The rows of the last turns of an episode.
struct EpisodeRows {
    first_turn: u32,
    turns: Vec<TurnRow>,
    chunks: Vec<Chunk>,
    records: Vec<(Digest, u32)>,
    anchors: Vec<Anchor>,
    run: RunRow,
    /// Other turns than its parent that the last turn continues.
    joined: Vec<u32>,
}

/// Folds new events of one episode. Only its open turn is derived again: earlier turns are
/// complete. `None` if every stage has all of it.
///
/// A later stage that starts over lacks turns before the open one, even if known and new events are
/// in one slice: then the whole episode is new to it.
pub(in crate::derive) fn fold_episode(
    log: &mut Log,
    tx: &mut ViewTx<'_>,
    num: EpisodeNum,
    episode: Episode,
    mut new: Vec<Event>,
    chunk_cursor: u64,
) -> Result<Option<Touched>, StoreError> {
    new.retain(|event| event.pos > chunk_cursor);
    let covered = tx.read().covered_turns(num)?;
    if new.is_empty() {
        return match covered < tx.read().turn_count(num)? {
            true => Touched::whole(tx, num, episode).map(Some),
            false => Ok(None),
        };
    }
    let run = tx.read().run(num)?.unwrap_or_default();
    let open = tx.read().last_turn(num)?;
    let mut events = match &open {
        Some(turn) => events_of(log, num, turn.first_seq, run.next_seq)?,
        None => Vec::new(),
    };
    events.append(&mut new);
    let rows = derive(num, &episode, &events, open.as_ref(), run, |record| {
        tx.read().turn_with_record(num, &record_key(record))
    })?;
    let first_turn = rows.first_turn;
    // Rows that depend on replaced chunks are renewed as well.
    let replaced = tx.read().earliest_chunk(num, first_turn)?;
    write(tx, num, &episode, &rows)?;
    if covered < first_turn {
        return Touched::whole(tx, num, episode).map(Some);
    }
    let from = rows.chunks.iter().filter_map(|chunk| chunk.started).chain(replaced).min();
    Ok(Some(Touched { num, episode, first_turn, from, chunks: Some(rows.chunks), events: Some(events) }))
}

/// A pure function of the events and of `turn_of`, which knows earlier ones.
fn derive(
    num: EpisodeNum,
    episode: &Episode,
    events: &[Event],
    open: Option<&TurnRow>,
    run: RunRow,
    mut turn_of: impl FnMut(&str) -> Result<Option<u32>, StoreError>,
) -> Result<EpisodeRows, StoreError> {
    let first_turn = open.map_or(0, |turn| turn.turn);
    let mut rows = EpisodeRows {
        first_turn,
        turns: Vec::new(),
        chunks: Vec::new(),
        records: Vec::new(),
        anchors: Vec::new(),
        run: run::fold(run, events),
        joined: Vec::new(),
    };
    let mut here: HashMap<Digest, u32> = HashMap::new();
    let turns = turns::cut(events);
    for (index, turn) in turns.iter().enumerate() {
        let number = first_turn + index as u32;
        let parent = match open.filter(|_| index == 0) {
            Some(open) => open.parent,
            None => parent_turn(turn, number, &mut here, &mut rows.records, &mut turn_of)?,
        };
        // Ids of transcripts' lines are unique within a file at most.
        for event in turn.events.iter().filter(|_| episode.key.source == SourceKind::ClaudeCode) {
            if let Some(record) = &event.meta.record {
                // If damage gives two turns one record id, the later turn gets it.
                let key = record_key(record);
                if here.insert(key, number) != Some(number) {
                    rows.records.push((key, number));
                }
            }
        }
        rows.joined = joined_turns(turn, number, &here, &mut turn_of)?;
        rows.turns.push(TurnRow { turn: number, first_seq: turn.first_seq(), parent, active: true });
        // The open turn is derived again with the first event of the next, so
        // looking that far ahead gives the same rows in any slices.
        let next = turns.get(index + 1).and_then(|turn| turn.events.first());
        let chunks = pack::chunks(episode.id(), number, units::of_turn(turn.events, next));
        rows.anchors.extend(anchors::of_turn(num, number, turn.events, &chunks));
        rows.chunks.extend(chunks);
    }
    Ok(rows)
}

/// The turn that the first event of `turn` follows: by its parent record where
/// that is known, else the one before it in the file.
fn parent_turn(
    turn: &TurnEvents<'_>,
    number: u32,
    here: &mut HashMap<Digest, u32>,
    records: &mut Vec<(Digest, u32)>,
    turn_of: &mut impl FnMut(&str) -> Result<Option<u32>, StoreError>,
) -> Result<Option<u32>, StoreError> {
    let previous = number.checked_sub(1);
    let Some(first) = turn.events.first() else { return Ok(previous) };
    let mut find = |record: &Option<String>| -> Result<Option<u32>, StoreError> {
        let Some(record) = record else { return Ok(None) };
        match here.get(&record_key(record)) {
            Some(turn) => Ok(Some(*turn)),
            None => turn_of(record),
        }
    };
    if let Some(parent) = find(&first.meta.parent)? {
        return Ok(Some(parent));
    }
    let Some(parent) = find(&first.meta.after)? else { return Ok(previous) };
    // The record between was dropped: later references to it (a rewind to the same place) must find
    // the same turn.
    if let Some(dropped) = &first.meta.parent {
        let key = record_key(dropped);
        here.insert(key, parent);
        records.push((key, parent));
    }
    Ok(Some(parent))
}

fn joined_turns(
    turn: &TurnEvents<'_>,
    number: u32,
    here: &HashMap<Digest, u32>,
    turn_of: &mut impl FnMut(&str) -> Result<Option<u32>, StoreError>,
) -> Result<Vec<u32>, StoreError> {
    let mut joined = Vec::new();
    for parent in turn.events.iter().skip(1).filter_map(|event| event.meta.parent.as_deref()) {
        let known = match here.get(&record_key(parent)) {
            Some(turn) => Some(*turn),
            None => turn_of(parent)?,
        };
        joined.extend(known.filter(|turn| *turn != number));
    }
    joined.dedup();
    Ok(joined)
}

fn write(tx: &mut ViewTx<'_>, num: EpisodeNum, episode: &Episode, rows: &EpisodeRows) -> Result<(), StoreError> {
    tx.clear_turns(num, rows.first_turn)?;
    for turn in &rows.turns {
        tx.put_turn(num, turn)?;
    }
    for (turn, state) in turns::changes_of_state(&tx.read().turns(num)?, &rows.joined) {
        tx.set_turn_state(num, turn, state)?;
    }
    let lane = episode.lane();
    for chunk in &rows.chunks {
        tx.put_chunk(num, lane, chunk)?;
    }
    for (record, turn) in &rows.records {
        tx.put_record(record, num, *turn)?;
    }
    for anchor in &rows.anchors {
        tx.put_anchor(anchor)?;
    }
    tx.put_run(num, &rows.run)
}

pub(in crate::derive) fn record_key(record: &str) -> Digest {
    Digest::of_record(record)
}
