//! How is a piece of the word index stored? An immutable file: terms of some passages ->
//! postings.
//!
//! Postings come first, then the dictionary (a finite-state map from term to
//! the place of its postings), then a footer of fixed size.

use std::collections::HashSet;
use std::ops::Range;

use fst::{IntoStreamer, Map, MapBuilder, Streamer};

use super::IndexDamage;
use super::docs::DocNum;
use super::files::Bytes;
use super::postings::{Posting, Postings, PostingsBuilder, read_varint, table, table_bytes, varint};

const MAGIC: &[u8; 8] = b"bswords2";
const FOOTER: usize = 16;

/// Terms of thinking are separate: they are searched on request only.
pub fn thinking_key(term: &str) -> Vec<u8> {
    [&[1], term.as_bytes()].concat()
}

/// Collects the postings of new passages, in the order of their numbers, by
/// the number of the term.
#[derive(Default)]
pub struct SegmentBuilder {
    said: Vec<PostingsBuilder>,
    thought: Vec<PostingsBuilder>,
}

impl SegmentBuilder {
    pub fn add(&mut self, term: u32, posting: &Posting) {
        push(&mut self.said, term, posting);
    }

    pub fn add_thought(&mut self, term: u32, posting: &Posting) {
        push(&mut self.thought, term, posting);
    }

    pub fn is_empty(&self) -> bool {
        self.said.is_empty() && self.thought.is_empty()
    }

    /// The bytes of the segment's file.
    pub fn finish<'a>(self, term: impl Fn(u32) -> &'a str) -> Vec<u8> {
        let used = |lists: Vec<PostingsBuilder>| {
            lists.into_iter().enumerate().filter(|(_, list)| list.docs > 0).map(|(id, list)| (term(id as u32), list))
        };
        let thought = used(self.thought).map(|(term, list)| (thinking_key(term), list));
        let said = used(self.said).map(|(term, list)| (term.as_bytes().to_vec(), list));
        let mut lists: Vec<_> = thought.chain(said).collect();
        lists.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut writer = SegmentWriter::default();
        for (term, list) in lists {
            writer.list(term, &list);
        }
        writer.finish()
    }
}

fn push(lists: &mut Vec<PostingsBuilder>, term: u32, posting: &Posting) {
    let at = term as usize;
    if lists.len() <= at {
        lists.resize_with(at + 1, PostingsBuilder::default);
    }
    lists[at].push(posting);
}

#[derive(Default)]
struct SegmentWriter {
    postings: Vec<u8>,
    terms: Vec<(Vec<u8>, u64)>,
}

impl SegmentWriter {
    /// Terms must be added in order.
    fn list(&mut self, term: Vec<u8>, list: &PostingsBuilder) {
        self.terms.push((term, self.postings.len() as u64));
        varint(&mut self.postings, list.docs);
        varint(&mut self.postings, list.bytes.len() as u32);
        self.postings.extend(table(list));
        self.postings.extend_from_slice(&list.bytes);
    }

    fn finish(self) -> Vec<u8> {
        let mut bytes = self.postings;
        let postings = bytes.len() as u64;
        let mut dictionary = MapBuilder::memory();
        for (term, place) in self.terms {
            // Only unsorted terms are refused, and a sorted map has none.
            let _ = dictionary.insert(term, place);
        }
        bytes.extend(dictionary.into_inner().unwrap_or_default());
        bytes.extend_from_slice(&postings.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        bytes
    }
}

/// A segment's file, opened.
pub struct Segment {
    bytes: Bytes,
    dictionary: Map<Dictionary>,
    postings: usize,
    /// The passages that it covers.
    docs: Range<DocNum>,
}

/// The dictionary's part of the file.
struct Dictionary {
    bytes: Bytes,
    from: usize,
    to: usize,
}

impl AsRef<[u8]> for Dictionary {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.from..self.to]
    }
}

impl Segment {
    /// `length`: how long the file was when it was written.
    pub fn open(name: &str, bytes: Bytes, length: u64, docs: Range<DocNum>) -> Result<Self, IndexDamage> {
        let damage = |reason| IndexDamage { file: name.to_owned(), reason };
        if bytes.len() as u64 != length || bytes.len() < FOOTER {
            return Err(damage("not as long as it was"));
        }
        let (postings, magic) = bytes[bytes.len() - FOOTER..].split_at(8);
        let postings = postings.try_into().map_or(0, u64::from_le_bytes) as usize;
        if magic != MAGIC || postings > bytes.len() - FOOTER {
            return Err(damage("does not end as it should"));
        }
        let part = Dictionary { bytes: bytes.clone(), from: postings, to: bytes.len() - FOOTER };
        let dictionary = Map::new(part).map_err(|_| damage("its dictionary cannot be read"))?;
        Ok(Segment { bytes, dictionary, postings, docs })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn postings(&self, term: &[u8]) -> Option<Postings<'_>> {
        self.dictionary.get(term).and_then(|place| self.list(place)).map(|(_, list)| list)
    }

    /// In how many passages the term occurs, including those that are gone.
    pub fn docs_with(&self, term: &[u8]) -> u32 {
        self.dictionary.get(term).and_then(|place| self.list(place)).map_or(0, |(docs, _)| docs)
    }

    fn list(&self, place: u64) -> Option<(u32, Postings<'_>)> {
        let mut rest = self.bytes.get(place as usize..self.postings)?;
        let docs = read_varint(&mut rest)?;
        let length = read_varint(&mut rest)? as usize;
        let (table, rest) = rest.split_at_checked(table_bytes(docs))?;
        Some((docs, Postings::new(table, rest.get(..length)?)))
    }
}

/// All segments, in the order of the passages they cover.
#[derive(Default)]
pub struct Segments(pub Vec<Segment>);

impl Segments {
    pub fn postings<'a>(&'a self, term: &'a [u8]) -> impl Iterator<Item = Posting> + 'a {
        self.0.iter().filter_map(move |segment| segment.postings(term)).flatten()
    }

    /// The postings of some passages, whose numbers are in order.
    pub fn postings_of(&self, term: &[u8], docs: &[DocNum], mut visit: impl FnMut(Posting)) {
        for segment in &self.0 {
            let from = docs.partition_point(|doc| *doc < segment.docs.start);
            let until = docs.partition_point(|doc| *doc < segment.docs.end);
            if let Some(postings) = (from < until).then(|| segment.postings(term)).flatten() {
                postings.of(&docs[from..until], &mut visit);
            }
        }
    }

    pub fn docs_with(&self, term: &[u8]) -> u32 {
        self.0.iter().map(|segment| segment.docs_with(term)).sum()
    }

    /// Every term, in order.
    pub fn terms(&self) -> Vec<Vec<u8>> {
        let mut union = fst::map::OpBuilder::new();
        for segment in &self.0 {
            union = union.add(segment.dictionary.stream());
        }
        let mut stream = union.union();
        let mut terms = Vec::new();
        while let Some((term, _)) = stream.next() {
            terms.push(term.to_vec());
        }
        terms
    }
}

/// Merges several segments into one, without the passages that are gone. `None` if postings name
/// passages outside the segment or are out of order: damage must not spread.
pub fn merge(segments: &Segments, gone: &HashSet<DocNum>) -> Option<Vec<u8>> {
    let mut writer = SegmentWriter::default();
    let mut union = fst::map::OpBuilder::new();
    for segment in &segments.0 {
        union = union.add(segment.dictionary.into_stream());
    }
    let mut stream = union.union();
    while let Some((term, places)) = stream.next() {
        let mut list = PostingsBuilder::default();
        // Later segments hold later passages; the union does not sort them.
        let mut places = places.to_vec();
        places.sort_unstable_by_key(|place| place.index);
        let mut next = 0;
        for place in places {
            let segment = &segments.0[place.index];
            let (docs, postings) = segment.list(place.value)?;
            let mut read = 0;
            for posting in postings {
                if posting.doc < next || !segment.docs.contains(&posting.doc) {
                    return None;
                }
                next = posting.doc + 1;
                read += 1;
                if !gone.contains(&posting.doc) {
                    list.push(&posting);
                }
            }
            if read != docs {
                return None;
            }
        }
        if list.docs > 0 {
            writer.list(term.to_vec(), &list);
        }
    }
    Some(writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const TERMS: [&str; 6] = ["apple", "apricot", "bread", "butter", "cheese", "cherry"];

    fn segment_of(docs: Range<DocNum>) -> Vec<u8> {
        let mut builder = SegmentBuilder::default();
        for doc in docs {
            for term in (0..TERMS.len() as u32).filter(|term| doc % (term + 1) == 0) {
                builder.add(term, &Posting { doc, counts: [1, 0, term as u16, 0] });
            }
            builder.add_thought(doc % 3, &Posting { doc, counts: [1, 0, 0, 0] });
        }
        builder.finish(|term| TERMS[term as usize])
    }

    fn open(bytes: &[u8], docs: Range<DocNum>) -> Result<Segment, IndexDamage> {
        Segment::open("words", Bytes::Owned(Arc::new(bytes.to_vec())), bytes.len() as u64, docs)
    }

    #[test]
    fn merging_gives_what_one_segment_would_have() -> Result<(), IndexDamage> {
        let segments = Segments(vec![open(&segment_of(0..40), 0..40)?, open(&segment_of(40..90), 40..90)?]);
        assert_eq!(merge(&segments, &HashSet::new()), Some(segment_of(0..90)));
        Ok(())
    }

    #[test]
    fn some_passages_are_found_in_their_segments() -> Result<(), IndexDamage> {
        let segments = Segments(vec![open(&segment_of(0..400), 0..400)?, open(&segment_of(400..900), 400..900)?]);
        let mut found = Vec::new();
        segments.postings_of(b"bread", &[0, 4, 6, 300, 399, 400, 402, 899], |posting| found.push(posting.doc));
        assert_eq!(found, [0, 6, 300, 399, 402]);
        Ok(())
    }

    #[test]
    fn postings_of_other_passages_are_not_merged() -> Result<(), IndexDamage> {
        for wrong in [0..20, 10..40] {
            let segments = Segments(vec![open(&segment_of(0..40), wrong)?, open(&segment_of(40..90), 40..90)?]);
            assert_eq!(merge(&segments, &HashSet::new()), None);
        }
        Ok(())
    }

    /// Only the checksum protects the dictionary: its reader does not check it.
    #[test]
    fn damaged_postings_make_nobody_stumble() -> Result<(), IndexDamage> {
        let whole = segment_of(0..90);
        let dictionary = open(&whole, 0..90)?.postings;
        for (at, bit) in (0..dictionary).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let segments = Segments(vec![open(&bytes, 0..90)?, open(&segment_of(90..95), 90..95)?]);
            for term in TERMS {
                segments.postings(term.as_bytes()).count();
                segments.postings(&thinking_key(term)).count();
                segments.postings_of(term.as_bytes(), &[3, 70, 92], |_| {});
                segments.docs_with(term.as_bytes());
            }
            merge(&segments, &HashSet::new());
        }
        Ok(())
    }
}
