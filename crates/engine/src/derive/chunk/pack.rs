//! Packs units into chunks of a few hundred tokens.

use crate::model::{Chunk, ChunkBody, ChunkId, EpisodeId, PartKind, digest_of};

use super::units::Unit;

/// A chunk is closed before it would grow beyond this.
const TARGET_TOKENS: u32 = 350;

/// Fills chunks in order; a unit is never split.
pub(super) fn chunks(episode: EpisodeId, turn: u32, units: Vec<Unit>) -> Vec<Chunk> {
    let mut groups: Vec<Vec<Unit>> = Vec::new();
    let mut tokens = 0;
    let mut waiting: Vec<Unit> = Vec::new();
    for unit in units {
        // Thinking belongs to what follows it.
        if unit.parts.iter().all(|part| part.kind == PartKind::Thinking) {
            waiting.push(unit);
            continue;
        }
        let full = tokens > 0 && tokens + unit.tokens > TARGET_TOKENS;
        if groups.is_empty() || full || unit.after_spawn {
            groups.push(Vec::new());
            tokens = 0;
        }
        tokens += unit.tokens;
        if let Some(group) = groups.last_mut() {
            group.append(&mut waiting);
            group.push(unit);
        }
    }
    if !waiting.is_empty() {
        match groups.last_mut() {
            Some(group) => group.append(&mut waiting),
            None => groups.push(waiting),
        }
    }
    groups.into_iter().enumerate().map(|(ord, group)| chunk(episode, turn, ord as u32, group)).collect()
}

fn chunk(episode: EpisodeId, turn: u32, ord: u32, units: Vec<Unit>) -> Chunk {
    let mut body = ChunkBody::default();
    let mut seqs = Vec::new();
    let mut times = Vec::new();
    let mut tokens = 0;
    for unit in units {
        tokens += unit.tokens;
        seqs.extend(unit.seqs);
        times.extend(unit.times);
        body.parts.extend(unit.parts);
        body.commands.extend(unit.commands);
        for file in unit.files {
            if !body.files.contains(&file) {
                body.files.push(file);
            }
        }
    }
    Chunk {
        id: chunk_id(episode, turn, ord, &body),
        episode,
        turn,
        ord,
        first_seq: seqs.iter().copied().min().unwrap_or(0),
        last_seq: seqs.iter().copied().max().unwrap_or(0),
        started: times.iter().copied().min(),
        ended: times.iter().copied().max(),
        tokens,
        body,
    }
}

fn chunk_id(episode: EpisodeId, turn: u32, ord: u32, body: &ChunkBody) -> ChunkId {
    let (turn, ord) = (turn.to_le_bytes(), ord.to_le_bytes());
    let mut parts: Vec<&[u8]> = vec![episode.as_bytes(), &turn, &ord];
    for part in &body.parts {
        parts.push(part.event.as_bytes());
        parts.push(part.text.as_bytes());
    }
    ChunkId(digest_of("chunk", &parts))
}
