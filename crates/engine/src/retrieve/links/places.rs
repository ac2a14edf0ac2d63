//! In which chunk is an event, and which turns touch a file?

use std::collections::{HashMap, HashSet};

use crate::model::{Chunk, ChunkId, EventId};

/// The chunks of an episode's events.
pub(super) struct Places {
    /// The first chunk that shows an event.
    showing: HashMap<EventId, ChunkId>,
    reaches: Vec<Reach>,
    touching: HashSet<u32>,
}

/// The range of a chunk.
struct Reach {
    chunk: ChunkId,
    first: u32,
    /// The end of this chunk and all before it.
    furthest: u32,
}

impl Places {
    /// `file`: a path, or the end of one, that turns may touch.
    pub fn of(chunks: &[Chunk], file: Option<&str>) -> Self {
        let mut showing = HashMap::new();
        let mut touching = HashSet::new();
        for chunk in chunks {
            chunk.body.parts.iter().for_each(|part| {
                showing.entry(part.event).or_insert(chunk.id);
            });
            if file.is_some_and(|file| chunk.body.files.iter().any(|path| is_file(path, file))) {
                touching.insert(chunk.turn);
            }
        }
        Places { showing, reaches: reaches(chunks), touching }
    }

    /// The chunk that shows an event; otherwise one whose range contains it.
    pub fn chunk(&self, seq: u32, event: EventId) -> Option<ChunkId> {
        let over = || {
            // The first that reaches this far; later ones begin later.
            let reach = self.reaches.get(self.reaches.partition_point(|reach| reach.furthest < seq))?;
            (reach.first <= seq).then_some(reach.chunk)
        };
        self.showing.get(&event).copied().or_else(over)
    }

    pub fn touches(&self, turn: u32) -> bool {
        self.touching.contains(&turn)
    }
}

fn reaches(chunks: &[Chunk]) -> Vec<Reach> {
    let mut in_order: Vec<&Chunk> = chunks.iter().collect();
    in_order.sort_by_key(|chunk| chunk.first_seq);
    let mut furthest = 0;
    let mut reaches = Vec::with_capacity(chunks.len());
    for chunk in in_order {
        furthest = furthest.max(chunk.last_seq);
        reaches.push(Reach { chunk: chunk.id, first: chunk.first_seq, furthest });
    }
    reaches
}

fn is_file(path: &str, file: &str) -> bool {
    let before = path.strip_suffix(file);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/') || file.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChunkBody, Digest, EpisodeId};

    fn chunk(name: u8, first_seq: u32, last_seq: u32) -> Chunk {
        let (id, episode) = (ChunkId(Digest([name; 16])), EpisodeId(Digest([0; 16])));
        let body = ChunkBody { files: vec![format!("/w/src/{name}.rs")], ..ChunkBody::default() };
        let (turn, ord) = (u32::from(name), 0);
        Chunk { id, episode, turn, ord, first_seq, last_seq, started: None, ended: None, tokens: 0, body }
    }

    #[test]
    fn a_place_is_in_the_first_chunk_that_reaches_over_it() {
        let chunks = [chunk(1, 0, 2), chunk(2, 3, 9), chunk(3, 5, 6), chunk(4, 8, 12), chunk(5, 20, 21)];
        let places = Places::of(&chunks, None);
        let nowhere = EventId(Digest([9; 16]));
        for seq in 0..25 {
            let expected = chunks.iter().find(|chunk| chunk.first_seq <= seq && seq <= chunk.last_seq);
            assert_eq!(places.chunk(seq, nowhere), expected.map(|chunk| chunk.id), "{seq}");
        }
    }

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        let chunks = [chunk(1, 0, 2), chunk(21, 3, 4)];
        let turns = |file: &str| {
            let places = Places::of(&chunks, Some(file));
            [1, 21].map(|turn| places.touches(turn))
        };
        assert_eq!(turns("1.rs"), [true, false]);
        assert_eq!(turns("src/21.rs"), [false, true]);
        assert_eq!(turns("/src/1.rs"), [true, false]);
    }
}
