//! Edges from one session to the next.

use std::collections::{BTreeMap, BTreeSet};

use crate::log::Log;
use crate::model::{ChunkId, Edge, EdgeKind, Episode, Timestamp};
use crate::store::{EpisodeNum, RunRow, StoreError, ViewTx};

use super::super::Touched;
use super::super::chunk::record_key;

/// Renews the edge into each session that may follow a touched one: the touched sessions themselves
/// and those that begin after the new events.
pub(super) fn renew(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched]) -> Result<(), StoreError> {
    let mut targets: BTreeSet<EpisodeNum> = BTreeSet::new();
    let mut new_from: BTreeMap<i64, Timestamp> = BTreeMap::new();
    for touched in touched.iter().filter(|touched| touched.is_main()) {
        targets.insert(touched.num);
        if let (Some(lane), Some(from)) = (touched.episode.lane(), touched.from) {
            new_from.entry(lane).and_modify(|known| *known = from.min(*known)).or_insert(from);
        }
    }
    for (lane, from) in new_from {
        targets.extend(tx.read().episodes_in_lane_from(lane, from)?);
    }
    targets.extend(sessions_that_name(log, tx, touched)?);
    for target in targets {
        let owner = format!("into {}", target.0);
        tx.clear_owner(&owner)?;
        let Some(episode) = log.store().episode(target)? else { continue };
        let Some(run) = tx.read().run(target)? else { continue };
        let Some(first) = tx.read().first_chunk(target)? else { continue };
        let source = match exact_source(log, tx, target, &episode, &run)? {
            Some(source) => Some(source),
            None => match (episode.lane(), first.started) {
                (Some(lane), Some(time)) => tx.read().last_chunk_in_lane(lane, target, time)?.map(|chunk| chunk.id),
                _ => None,
            },
        };
        if let Some(source) = source {
            let edge = Edge { source, target: first.id, kind: EdgeKind::CrossSession, evidence: first.first_event };
            tx.put_edge(&edge, &owner)?;
        }
    }
    Ok(())
}

/// Sessions that name a touched one as their origin, in any project.
fn sessions_that_name(log: &mut Log, tx: &ViewTx<'_>, touched: &[Touched]) -> Result<Vec<EpisodeNum>, StoreError> {
    let mut naming = Vec::new();
    for (num, origin) in tx.read().named_origins()? {
        let holders = tx.read().record_holders(&record_key(&origin))?;
        let holds = |num: EpisodeNum| holders.iter().any(|(holder, _)| *holder == num);
        let names_touched = touched.iter().any(|touched| holds(touched.num) || touched.episode.key.session == origin);
        if names_touched && log.store().episode(num)?.is_some_and(|episode| episode.key.agent.is_none()) {
            naming.push(num);
        }
    }
    Ok(naming)
}

/// The origin that the host names: the record it was forked from, the parent of its first record,
/// or the session it was forked from.
fn exact_source(
    log: &mut Log,
    tx: &ViewTx<'_>,
    target: EpisodeNum,
    episode: &Episode,
    run: &RunRow,
) -> Result<Option<ChunkId>, StoreError> {
    for record in [&run.forked_from, &run.first_parent].into_iter().flatten() {
        for (episode, turn) in tx.read().record_holders(&record_key(record))? {
            if episode != target
                && let Some(chunk) = tx.read().last_chunk_of_turn(episode, turn)?
            {
                return Ok(Some(chunk.id));
            }
        }
    }
    let (Some(session), Some(started)) = (&run.forked_from, run.started) else { return Ok(None) };
    for (num, other) in log.store().episodes_of_session(episode.key.source, session)? {
        if other.key.agent.is_none() && num != target {
            return Ok(tx.read().last_chunk_before(num, started)?.map(|chunk| chunk.id));
        }
    }
    Ok(None)
}
