//! Edges inside a run: from chunk to chunk and turn to turn.

use std::collections::HashMap;

use crate::model::{Edge, EdgeKind};
use crate::store::{ChunkRow, EpisodeNum, StoreError, ViewTx};

/// Renews the edges into the turns from `first_turn` on.
pub(super) fn renew(tx: &mut ViewTx<'_>, episode: EpisodeNum, first_turn: u32) -> Result<(), StoreError> {
    let parents: HashMap<u32, Option<u32>> =
        tx.read().turns(episode)?.into_iter().map(|turn| (turn.turn, turn.parent)).collect();
    let chunks = tx.read().chunk_rows_from(episode, first_turn)?;
    for turn in parents.keys().filter(|turn| **turn >= first_turn) {
        tx.clear_owner(&owner(episode, *turn))?;
    }
    let mut previous: Option<&ChunkRow> = None;
    for chunk in &chunks {
        let source = match previous.filter(|previous| previous.turn == chunk.turn) {
            Some(previous) => Some(previous.id),
            None => last_chunk_before_turn(tx, episode, chunk.turn, &parents)?,
        };
        if let Some(source) = source {
            let edge = Edge { source, target: chunk.id, kind: EdgeKind::WithinChain, evidence: chunk.first_event };
            tx.put_edge(&edge, &owner(episode, chunk.turn))?;
        }
        previous = Some(chunk);
    }
    Ok(())
}

/// The last chunk of the turn it follows; turns without chunks are skipped.
fn last_chunk_before_turn(
    tx: &ViewTx<'_>,
    episode: EpisodeNum,
    turn: u32,
    parents: &HashMap<u32, Option<u32>>,
) -> Result<Option<crate::model::ChunkId>, StoreError> {
    let mut at = parents.get(&turn).copied().flatten();
    let mut steps = 0;
    while let Some(parent) = at {
        if let Some(chunk) = tx.read().last_chunk_of_turn(episode, parent)? {
            return Ok(Some(chunk.id));
        }
        steps += 1;
        at = parents.get(&parent).copied().flatten().filter(|_| steps <= parents.len());
    }
    Ok(None)
}

fn owner(episode: EpisodeNum, turn: u32) -> String {
    format!("{}/{turn}", episode.0)
}
