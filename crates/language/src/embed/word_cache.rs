//! Caches the pieces of words. Bounded: a word replaces the one in the same slot.

const ENTRIES: usize = 1 << 15;
/// Words with more pieces are split again each time.
const PIECES: usize = 8;
/// The two halves of the word's hash come before its pieces.
const HASH: usize = 2;

/// The pieces of recent words.
pub(super) struct WordCache {
    /// Pieces are stored as id + 1. An unused entry is all zeros: the system provides zeroed memory lazily, so a cold
    /// start is free.
    entries: Vec<[u32; HASH + PIECES]>,
}

impl WordCache {
    pub(super) fn new() -> Self {
        Self { entries: vec![[0; HASH + PIECES]; ENTRIES] }
    }

    /// Adds the pieces of `word` to `pieces`, from `cut` if they are not cached.
    pub(super) fn pieces(&mut self, word: &[u8], pieces: &mut Vec<u32>, cut: impl FnOnce(&[u8], &mut Vec<u32>)) {
        let hash = hash(word);
        let entry = &mut self.entries[(hash >> 32) as usize % ENTRIES];
        let key = [hash as u32, (hash >> 32) as u32];
        if entry[..HASH] == key {
            pieces.extend(entry[HASH..].iter().take_while(|&&stored| stored != 0).map(|stored| stored - 1));
            return;
        }
        let before = pieces.len();
        cut(word, pieces);
        let new = &pieces[before..];
        if new.len() <= PIECES {
            *entry = [0; HASH + PIECES];
            entry[..HASH].copy_from_slice(&key);
            entry[HASH..].iter_mut().zip(new).for_each(|(slot, id)| *slot = id + 1);
        }
    }
}

/// 64 bits represent the word: collisions are not expected in any amount of text. Never zero, which marks an unused
/// entry.
fn hash(word: &[u8]) -> u64 {
    let mut state = word.len() as u64;
    let (chunks, rest) = word.as_chunks::<8>();
    for chunk in chunks {
        state = mix(state ^ u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state ^ u64::from_le_bytes(last)) | 1
}

/// Multiplies to 128 bits and folds, so that every input bit affects every output bit.
fn mix(state: u64) -> u64 {
    let product = u128::from(state ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::WordCache;

    #[test]
    fn cuts_a_word_once() {
        let mut cache = WordCache::new();
        let mut cuts = 0;
        let mut pieces = Vec::new();
        for _ in 0..3 {
            cache.pieces(b"word", &mut pieces, |_, out| {
                cuts += 1;
                out.extend([0, 7]);
            });
        }
        assert_eq!((cuts, pieces), (1, vec![0, 7, 0, 7, 0, 7]));
    }

    #[test]
    fn words_of_many_pieces_are_not_kept() {
        let mut cache = WordCache::new();
        let mut pieces = Vec::new();
        for _ in 0..2 {
            cache.pieces(b"long", &mut pieces, |_, out| out.extend(0..9));
        }
        assert_eq!(pieces.len(), 18);
    }
}
