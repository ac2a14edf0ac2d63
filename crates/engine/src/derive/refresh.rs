//! How do the views catch up with the log?

use std::collections::BTreeMap;

use crate::log::Log;
use crate::model::{Episode, Event, SourceKind};
use crate::store::{EpisodeNum, Head, StageRow, StoreError, ViewStore, ViewTx};

use super::index::{Indexer, Vectors};
use super::slices::{SliceLimit, next_slice};
use super::stages::{
    INDEX, STAGES, cursor, first_incomplete, follow_aliases, has_restarted, knows_aliases, outdated, reset,
    reset_outdated,
};
use super::{cards, cases, chunk, edits, graph, index, links, originals};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    pub events: u64,
    /// All rows were dropped first, because the original of an imported session arrived.
    pub rebuilt: bool,
}

/// Folds the log up to its end. Calls `progress` with the number of folded events.
pub fn refresh(
    log: &mut Log,
    views: &mut ViewStore,
    vectors: Vectors,
    progress: &mut dyn FnMut(u64),
) -> Result<Refreshed, StoreError> {
    reset_outdated(log, views)?;
    let mut refreshed = Refreshed { rebuilt: follow_aliases(log, views)?, ..Refreshed::default() };
    // Loaded only if there is something to index: every query refreshes first.
    let mut indexer = None;
    let mut repaired = false;
    let is_checked = has_restarted(views)? || views.read().may_be_checked_often()?;
    loop {
        let cursor = cursor(views)?;
        let slice = next_slice(log, cursor, SliceLimit::LONG)?;
        let Some(last) = slice.last().map(|event| event.pos) else {
            cards::rewrite_stale(log, views)?;
            if refreshed.events == 0 {
                return Ok(refreshed);
            }
            views.tidy_index()?;
            match if is_checked { first_incomplete(views)? } else { None } {
                Some(stage) if !repaired => {
                    repaired = true;
                    reset(views, stage)?;
                    continue;
                }
                _ => return Ok(refreshed),
            }
        };
        if originals::replace_a_copy(log, views, &slice)? {
            reset(views, STAGES[0])?;
            refreshed.rebuilt = true;
            continue;
        }
        refreshed.events += slice.len() as u64;
        match fold(log, views, indexer.get_or_insert_with(|| Indexer::new(vectors)), slice, last) {
            // Index files are missing or truncated: recreate them, once.
            Err(StoreError::Index(_)) if !repaired => {
                repaired = true;
                reset(views, INDEX)?;
                continue;
            }
            done => done?,
        }
        progress(refreshed.events);
    }
}

/// How far a limited refresh came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    pub events: u64,
    /// Nothing is left to do.
    pub all: bool,
}

/// Folds the log slice by slice while `go_on` returns true. A necessary rebuild is left to
/// [`refresh`]: it takes too long for a hook.
pub fn refresh_while(
    log: &mut Log,
    views: &mut ViewStore,
    vectors: Vectors,
    limit: SliceLimit,
    go_on: &dyn Fn() -> bool,
) -> Result<CaughtUp, StoreError> {
    let mut caught = CaughtUp::default();
    if outdated(log, views)?.is_some() || !knows_aliases(log, views)? {
        return Ok(caught);
    }
    let mut indexer = None;
    while go_on() {
        let cursor = cursor(views)?;
        let slice = next_slice(log, cursor, limit)?;
        let Some(last) = slice.last().map(|event| event.pos) else {
            cards::rewrite_stale(log, views)?;
            if caught.events > 0 {
                views.tidy_index()?;
            }
            caught.all = true;
            break;
        };
        if originals::replace_a_copy(log, views, &slice)? {
            break;
        }
        let events = slice.len() as u64;
        fold(log, views, indexer.get_or_insert_with(|| Indexer::new(vectors)), slice, last)?;
        caught.events += events;
    }
    Ok(caught)
}

fn fold(
    log: &mut Log,
    views: &mut ViewStore,
    indexer: &mut Indexer,
    slice: Vec<Event>,
    last: u64,
) -> Result<(), StoreError> {
    let NewEvents { by_episode, own } = NewEvents::sort(log, slice)?;
    let chunk_cursor = views.read().stage(chunk::NAME)?.map_or(0, |row| row.cursor);
    let mut tx = views.begin()?;
    let mut touched = Vec::new();
    for (num, (episode, new)) in by_episode {
        touched.extend(chunk::fold_episode(log, &mut tx, num, episode, new, chunk_cursor)?);
    }
    graph::fold(log, &mut tx, &touched)?;
    links::fold(log, &mut tx, &touched)?;
    edits::fold(log, &mut tx, &touched)?;
    cases::fold(log, &mut tx, &touched)?;
    cards::fold(log, &mut tx, &touched, &own)?;
    index::fold(&mut tx, indexer, &touched)?;
    for episode in &touched {
        tx.put_coverage(episode.num)?;
    }
    tx.put_coverage_between()?;
    move_cursors(log, &mut tx, last)?;
    tx.commit()
}

/// The events of a slice, grouped by episode.
struct NewEvents {
    by_episode: BTreeMap<EpisodeNum, (Episode, Vec<Event>)>,
    /// Backstory's own events.
    own: Vec<Event>,
}

impl NewEvents {
    fn sort(log: &mut Log, slice: Vec<Event>) -> Result<Self, StoreError> {
        let mut by_episode: BTreeMap<EpisodeNum, (Episode, Vec<Event>)> = BTreeMap::new();
        let mut nums = std::collections::HashMap::new();
        let mut own = Vec::new();
        for event in slice {
            let num = match nums.get(&event.episode) {
                Some(num) => *num,
                None => {
                    let Some(num) = log.store().episode_num(event.episode)? else { continue };
                    nums.insert(event.episode, num);
                    num
                }
            };
            if let Some((_, events)) = by_episode.get_mut(&num) {
                events.push(event);
            } else if let Some(episode) = log.store().episode(num)? {
                match episode.key.source {
                    SourceKind::Backstory => own.push(event),
                    SourceKind::Causantic if originals::is_copy(log, &episode)? => {}
                    _ => drop(by_episode.insert(num, (episode, vec![event]))),
                }
            }
        }
        Ok(NewEvents { by_episode, own })
    }
}

/// All stages have folded the log up to here.
fn move_cursors(log: &mut Log, tx: &mut ViewTx<'_>, last: u64) -> Result<(), StoreError> {
    for stage in STAGES {
        let cursor = last.max(tx.read().stage(stage.name)?.map_or(0, |row| row.cursor));
        let chain = log.store().chain_at(cursor)?.unwrap_or(Head::EMPTY.chain);
        tx.set_stage(&StageRow { name: stage.name.to_owned(), version: stage.version, cursor, chain })?;
    }
    Ok(())
}
