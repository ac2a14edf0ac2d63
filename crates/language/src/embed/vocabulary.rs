//! The vocabulary of word pieces: a hash table laid out in bytes, so that a vocabulary in the binary can be queried
//! without unpacking.
//!
//! Layout, all numbers little-endian u32: count, slots, longest, text length;
//! count + 1 offsets into the text; the slots (id + 1, or 0 where empty); the text.

use std::borrow::Cow;

/// The prefix of pieces that continue a word.
const CONTINUES: &[u8] = b"##";
const HEADER: usize = 16;

/// Word pieces and their ids.
pub struct PieceVocabulary {
    bytes: Cow<'static, [u8]>,
    count: usize,
    slots: usize,
    longest: usize,
}

impl PieceVocabulary {
    /// A vocabulary of these pieces; their ids are their indexes.
    pub fn new(pieces: &[&str]) -> Self {
        let bytes = encode(pieces);
        let longest = longest(pieces);
        let slots = slots_for(pieces.len());
        Self { bytes: Cow::Owned(bytes), count: pieces.len(), slots, longest }
    }

    /// A vocabulary from the result of [`PieceVocabulary::bytes`]; None if the bytes are invalid.
    pub fn from_bytes(bytes: &'static [u8]) -> Option<Self> {
        let header = |field: usize| read_u32(bytes, 4 * field).map(|n| n as usize);
        let (count, slots, longest, text) = (header(0)?, header(1)?, header(2)?, header(3)?);
        let whole = bytes.len() == HEADER + 4 * (count + 1) + 4 * slots + text;
        let usable = slots.is_power_of_two() && slots > count;
        (whole && usable).then_some(Self { bytes: Cow::Borrowed(bytes), count, slots, longest })
    }

    /// The bytes to store.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The piece with this id, with its `##` if it continues a word; empty if there is none.
    pub fn piece(&self, id: u32) -> &str {
        self.piece_bytes(id).and_then(|piece| str::from_utf8(piece).ok()).unwrap_or_default()
    }

    /// The id of exactly this piece.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.find(hash(FNV_START, piece.as_bytes()), b"", piece.as_bytes())
    }

    /// The longest piece at the start of `rest`, as id and length in bytes.
    pub(super) fn longest_match(&self, rest: &[u8], place: PiecePlace) -> Option<(u32, usize)> {
        let prefix: &[u8] = match place {
            PiecePlace::Start => b"",
            PiecePlace::Inside => CONTINUES,
        };
        let head = &rest[..rest.len().min(self.longest)];
        let mut hashes = [0u64; LONGEST_PIECE];
        let mut state = hash(FNV_START, prefix);
        for (&byte, slot) in head.iter().zip(&mut hashes) {
            state = hash(state, &[byte]);
            *slot = state;
        }
        // A cut inside a character matches nothing: pieces are whole characters.
        (1..=head.len()).rev().find_map(|length| {
            let id = self.find(hashes[length - 1], prefix, &head[..length])?;
            Some((id, length))
        })
    }

    fn find(&self, hash: u64, prefix: &[u8], rest: &[u8]) -> Option<u32> {
        let slots = HEADER + 4 * (self.count + 1);
        let mut slot = home_slot(hash, self.slots);
        loop {
            let id = read_u32(&self.bytes, slots + 4 * slot)?.checked_sub(1)?;
            if self.piece_bytes(id)?.strip_prefix(prefix) == Some(rest) {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots - 1);
        }
    }

    fn piece_bytes(&self, id: u32) -> Option<&[u8]> {
        let bounds = HEADER + 4 * id as usize;
        let text = HEADER + 4 * (self.count + 1) + 4 * self.slots;
        let start = read_u32(&self.bytes, bounds)? as usize;
        let end = read_u32(&self.bytes, bounds + 4)? as usize;
        self.bytes.get(text + start..text + end)
    }
}

/// The position of a piece in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PiecePlace {
    Start,
    Inside,
}

/// Longer pieces are never matched; BERT's longest has 18 characters.
const LONGEST_PIECE: usize = 128;

fn longest(pieces: &[&str]) -> usize {
    pieces.iter().map(|piece| piece.len()).max().unwrap_or(0).min(LONGEST_PIECE)
}

/// Half empty, so that a missing piece is detected after one or two steps.
fn slots_for(count: usize) -> usize {
    (2 * count + 1).next_power_of_two()
}

fn encode(pieces: &[&str]) -> Vec<u8> {
    let slots = slots_for(pieces.len());
    let mut table = vec![0u32; slots];
    for (id, piece) in (1u32..).zip(pieces) {
        let mut slot = home_slot(hash(FNV_START, piece.as_bytes()), slots);
        while table[slot] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = id;
    }
    let mut offsets = vec![0u32];
    let mut end = 0;
    for piece in pieces {
        end += piece.len() as u32;
        offsets.push(end);
    }
    let header = [pieces.len() as u32, slots as u32, longest(pieces) as u32, end];
    let numbers = header.iter().chain(&offsets).chain(&table);
    let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend(pieces.iter().flat_map(|piece| piece.bytes()));
    bytes
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: extending a hash by one byte is one step, so all prefixes of a word cost one pass.
fn hash(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |state, &byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The low bits of FNV are weak.
fn home_slot(hash: u64, slots: usize) -> usize {
    ((hash ^ (hash >> 32)) as usize) & (slots - 1)
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::{PiecePlace, PieceVocabulary};

    #[test]
    fn finds_the_longest_piece_at_its_place() {
        let vocabulary = PieceVocabulary::new(&["un", "##happy", "unhappy", "##hap", "é"]);
        assert_eq!(vocabulary.longest_match(b"unhappy", PiecePlace::Start), Some((2, 7)));
        assert_eq!(vocabulary.longest_match(b"unhapp", PiecePlace::Start), Some((0, 2)));
        assert_eq!(vocabulary.longest_match(b"happy", PiecePlace::Inside), Some((1, 5)));
        assert_eq!(vocabulary.longest_match(b"happy", PiecePlace::Start), None);
        assert_eq!(vocabulary.longest_match("éa".as_bytes(), PiecePlace::Start), Some((4, 2)));
        assert_eq!(vocabulary.id("##hap"), Some(3));
        assert_eq!(vocabulary.id("##"), None);
        assert_eq!(vocabulary.piece(1), "##happy");
        assert_eq!(vocabulary.piece(9), "");
    }

    #[test]
    fn survives_being_stored_and_refuses_other_bytes() {
        let stored: &'static [u8] = Vec::leak(PieceVocabulary::new(&["a", "##b"]).bytes().to_vec());
        assert_eq!(PieceVocabulary::from_bytes(stored).and_then(|vocabulary| vocabulary.id("##b")), Some(1));
        assert!(PieceVocabulary::from_bytes(&stored[1..]).is_none());
        assert!(PieceVocabulary::from_bytes(b"").is_none());
    }
}
