//! Where a term occurs: passage numbers in order, and how often in each field.

use super::docs::DocNum;

/// Fields that share a list; thinking has lists of its own.
pub const SHARED_FIELDS: usize = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posting {
    pub doc: DocNum,
    pub counts: [u16; SHARED_FIELDS],
}

/// A list on its way in.
#[derive(Clone, Debug, Default)]
pub struct PostingsBuilder {
    pub bytes: Vec<u8>,
    pub docs: u32,
    last: DocNum,
}

impl PostingsBuilder {
    /// Two bits per field say 0, 1, 2 or "a number follows".
    pub fn push(&mut self, posting: &Posting) {
        varint(&mut self.bytes, posting.doc - self.last);
        let marks = posting.counts.iter().enumerate().map(|(field, count)| (*count).min(3) << (2 * field));
        self.bytes.push(marks.sum::<u16>() as u8);
        for count in posting.counts.iter().filter(|count| **count >= 3) {
            varint(&mut self.bytes, u32::from(*count));
        }
        self.last = posting.doc;
        self.docs += 1;
    }
}

/// A list being read. Damaged bytes end it early.
#[derive(Clone)]
pub struct Postings<'a> {
    rest: &'a [u8],
    doc: DocNum,
}

impl<'a> Postings<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Postings { rest: bytes, doc: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let step = read_varint(&mut self.rest)?;
        let (marks, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.doc = self.doc.checked_add(step)?;
        let mut counts: [u16; SHARED_FIELDS] = std::array::from_fn(|field| u16::from((marks >> (2 * field)) & 3));
        // Both bits of a field set: rare, so looked for in all of them at once.
        if marks & (marks >> 1) & 0b0101_0101 != 0 {
            for count in counts.iter_mut().filter(|count| **count == 3) {
                *count = read_varint(&mut self.rest)?.min(u32::from(u16::MAX)) as u16;
            }
        }
        Some(Posting { doc: self.doc, counts })
    }
}

pub(super) fn varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn read_varint(rest: &mut &[u8]) -> Option<u32> {
    if let [byte @ 0..0x80, tail @ ..] = *rest {
        *rest = tail;
        return Some(u32::from(*byte));
    }
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(steps in prop::collection::vec((1u32..100_000, prop::array::uniform4(0u16..2000)), 0..60)) {
            let mut doc = 0;
            let postings: Vec<Posting> = steps.into_iter().map(|(step, counts)| {
                doc += step;
                Posting { doc, counts }
            }).collect();
            let mut built = PostingsBuilder::default();
            postings.iter().for_each(|posting| built.push(posting));
            prop_assert_eq!(Postings::new(&built.bytes).collect::<Vec<_>>(), postings);
        }

        #[test]
        fn damage_ends_a_list(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            Postings::new(&bytes).count();
        }
    }
}
