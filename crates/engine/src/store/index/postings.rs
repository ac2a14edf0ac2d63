//! In which passages does a term occur, and how often in each field?

use super::docs::DocNum;

/// Fields that share a list; thinking has separate lists.
pub const SHARED_FIELDS: usize = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Posting {
    pub doc: DocNum,
    pub counts: [u16; SHARED_FIELDS],
}

/// A list that is being written.
#[derive(Clone, Debug, Default)]
pub struct PostingsBuilder {
    pub bytes: Vec<u8>,
    pub docs: u32,
    last: DocNum,
}

impl PostingsBuilder {
    /// Two bits per field mean 0, 1, 2 or "a number follows".
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

/// Postings per block. A longer list has a table of its blocks, so that a search for a few
/// passages can skip the blocks between them.
const BLOCK: usize = 128;
/// An entry of the table: the last passage of a block, and where the next block begins.
const ENTRY: usize = 8;

/// The length of the table of a list with this many postings.
pub(super) fn table_bytes(docs: u32) -> usize {
    (docs.saturating_sub(1) as usize / BLOCK) * ENTRY
}

/// The table of a list that is complete.
pub(super) fn table(list: &PostingsBuilder) -> Vec<u8> {
    let mut table = Vec::with_capacity(table_bytes(list.docs));
    let mut postings = Postings::new(&[], &list.bytes);
    while table.len() < table_bytes(list.docs)
        && let Some(last) = postings.nth(BLOCK - 1)
    {
        table.extend_from_slice(&last.doc.to_le_bytes());
        table.extend_from_slice(&((list.bytes.len() - postings.rest.len()) as u32).to_le_bytes());
    }
    table
}

/// A list being read. Damaged bytes end it early.
#[derive(Clone)]
pub struct Postings<'a> {
    /// Entries of the blocks that were not skipped.
    table: &'a [[u8; ENTRY]],
    bytes: &'a [u8],
    rest: &'a [u8],
    doc: DocNum,
}

impl<'a> Postings<'a> {
    pub fn new(table: &'a [u8], bytes: &'a [u8]) -> Self {
        Postings { table: table.as_chunks().0, bytes, rest: bytes, doc: 0 }
    }

    /// The postings of some passages, whose numbers are in order.
    pub fn of(mut self, docs: &[DocNum], mut visit: impl FnMut(Posting)) {
        let mut here = self.next();
        for doc in docs {
            if here.is_some_and(|here| here.doc < *doc) {
                self.skip_to(*doc);
                here = self.find(|posting| posting.doc >= *doc);
            }
            match here {
                Some(here) if here.doc == *doc => visit(here),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Skips to the block with `doc`, unless the reader is there already.
    fn skip_to(&mut self, doc: DocNum) {
        if self.table.first().is_none_or(|entry| last_doc(entry) >= doc) {
            return;
        }
        let skipped = self.table.partition_point(|entry| last_doc(entry) < doc);
        let (before, rest) = self.table.split_at(skipped);
        if let Some(entry) = before.last().filter(|entry| last_doc(entry) > self.doc) {
            self.doc = last_doc(entry);
            self.rest = self.bytes.get(next_block(entry)..).unwrap_or_default();
        }
        self.table = rest;
    }
}

fn last_doc(entry: &[u8; ENTRY]) -> DocNum {
    u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])
}

fn next_block(entry: &[u8; ENTRY]) -> usize {
    u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]) as usize
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let step = read_varint(&mut self.rest)?;
        let (marks, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.doc = self.doc.checked_add(step)?;
        let mut counts: [u16; SHARED_FIELDS] = std::array::from_fn(|field| u16::from((marks >> (2 * field)) & 3));
        // Both bits of a field are set: rare, so one test covers all fields.
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

    fn postings() -> impl Strategy<Value = Vec<Posting>> {
        let step = prop_oneof![1u32..4, 1u32..100_000];
        prop::collection::vec((step, prop::array::uniform4(0u16..2000)), 0..700).prop_map(|steps| {
            let mut doc = 0;
            let posting = |(step, counts)| {
                doc += step;
                Posting { doc, counts }
            };
            steps.into_iter().map(posting).collect()
        })
    }

    fn build(postings: &[Posting]) -> PostingsBuilder {
        let mut built = PostingsBuilder::default();
        postings.iter().for_each(|posting| built.push(posting));
        built
    }

    fn of(list: Postings<'_>, docs: &[DocNum]) -> Vec<Posting> {
        let mut found = Vec::new();
        list.of(docs, |posting| found.push(posting));
        found
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(postings in postings()) {
            prop_assert_eq!(Postings::new(&[], &build(&postings).bytes).collect::<Vec<_>>(), postings);
        }

        #[test]
        fn some_passages_are_found_as_by_reading_all(
            postings in postings(),
            others in prop::collection::vec(0u32..1_000_000, 0..30),
            every in 1usize..300,
        ) {
            let built = build(&postings);
            let table = table(&built);
            prop_assert_eq!(table.len(), table_bytes(built.docs));
            let mut docs: Vec<DocNum> = postings.iter().step_by(every).map(|posting| posting.doc).collect();
            docs.extend(others);
            docs.sort_unstable();
            docs.dedup();
            let expected: Vec<Posting> =
                postings.into_iter().filter(|posting| docs.binary_search(&posting.doc).is_ok()).collect();
            prop_assert_eq!(&of(Postings::new(&table, &built.bytes), &docs), &expected);
            prop_assert_eq!(&of(Postings::new(&[], &built.bytes), &docs), &expected);
        }

        #[test]
        fn damage_ends_a_list(
            table in prop::collection::vec(any::<u8>(), 0..64),
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            docs in prop::collection::btree_set(any::<u32>(), 0..20),
        ) {
            Postings::new(&table, &bytes).count();
            of(Postings::new(&table, &bytes), &docs.into_iter().collect::<Vec<_>>());
        }
    }
}
