//! Backstory's own segments, written and read through the store of its views.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use backstory_engine::model::{ChunkId, Digest};
use backstory_engine::store::index::{Doc, DocNum, FIELDS, Field, PassageKind, Posting, SegmentBuilder};
use backstory_engine::store::{EpisodeNum, Index, ViewStore};

use super::corpus::Document;
use super::tokens::tokens;
use super::{WEIGHTS, WordIndex};

pub struct Own {
    views: ViewStore,
    terms: Terms,
}

const FILE: &str = "memory.sqlite";
/// The number of documents per segment; segments are merged as in the memory.
const PER_COMMIT: usize = 10_000;
/// The index fields of a document.
const PLACES: [Field; 3] = [Field::Content, Field::Place, Field::Output];
/// The usual parameters of BM25, which the other engines have too.
const K1: f32 = 1.2;
const B: f32 = 0.75;

impl WordIndex for Own {
    fn build(folder: &Path, documents: impl Iterator<Item = Document>) -> Result<(), Box<dyn Error>> {
        let mut index = Own::open(folder)?;
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            let batch: Vec<Document> = documents.by_ref().take(PER_COMMIT).collect();
            index.put(&batch)?;
        }
        index.views.tidy_index()?;
        Ok(index.views.checkpoint_wal()?)
    }

    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(Own { views: ViewStore::open(&folder.join(FILE))?, terms: Terms::default() })
    }

    /// Opens the index for every question, like a search.
    fn search(&self, tokens: &[String], limit: usize) -> Result<Vec<u64>, Box<dyn Error>> {
        let index = self.views.read().index("")?;
        let scores = score(&index, tokens)?;
        let found = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let mut best: Vec<(DocNum, f32)> = found.map(|(doc, score)| (doc as DocNum, *score)).collect();
        let order = |a: &(DocNum, f32), b: &(DocNum, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if best.len() > limit {
            best.select_nth_unstable_by(limit, order);
            best.truncate(limit);
        }
        best.sort_unstable_by(order);
        Ok(best.into_iter().filter_map(|(doc, _)| index.docs.get(doc)).map(|doc| id_of(&doc)).collect())
    }

    /// Safe against a crash of the program, not of the machine: views can be rebuilt, so nothing waits for the disk.
    fn add(&mut self, document: &Document) -> Result<(), Box<dyn Error>> {
        self.put(std::slice::from_ref(document))
    }
}

impl Own {
    fn put(&mut self, documents: &[Document]) -> Result<(), Box<dyn Error>> {
        let mut tx = self.views.begin()?;
        let mut state = tx.read().index_state()?;
        let first = state.docs;
        let mut words = SegmentBuilder::default();
        let mut docs = Vec::with_capacity(documents.len());
        for document in documents {
            let doc = self.terms.index(document, state.docs, &mut words);
            state.terms.iter_mut().zip(doc.lengths).for_each(|(total, length)| *total += u64::from(length));
            state.docs += 1;
            state.live += 1;
            docs.push(doc);
        }
        tx.put_docs(state.generation, first, &docs)?;
        tx.put_segment(state.generation, first, state.docs, &words.finish(|id| &self.terms.names[id as usize]))?;
        tx.set_index_state(&state)?;
        Ok(tx.commit()?)
    }
}

/// Every distinct term has a number, as in the engine.
#[derive(Default)]
struct Terms {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Terms {
    fn number(&mut self, term: String) -> u32 {
        *self.numbers.entry(term).or_insert_with_key(|term| {
            self.names.push(term.clone());
            (self.names.len() - 1) as u32
        })
    }

    fn index(&mut self, document: &Document, number: DocNum, words: &mut SegmentBuilder) -> Doc {
        let mut counts: HashMap<u32, [u16; 4]> = HashMap::new();
        let mut lengths = [0u16; FIELDS];
        for (text, place) in document.fields.iter().zip(PLACES) {
            let mut found = Vec::new();
            tokens(text, &mut found);
            lengths[place as usize] = found.len().min(u16::MAX.into()) as u16;
            for term in found {
                let count = &mut counts.entry(self.number(term)).or_default()[place as usize];
                *count = count.saturating_add(1);
            }
        }
        for (term, counts) in counts {
            words.add(term, &Posting { doc: number, counts });
        }
        record(document.id, lengths)
    }
}

/// The record of a passage; only its words matter here.
fn record(id: u64, lengths: [u16; FIELDS]) -> Doc {
    let mut digest = [0; 16];
    digest[..8].copy_from_slice(&id.to_le_bytes());
    Doc {
        chunk: ChunkId(Digest(digest)),
        project: 0,
        session: 0,
        time: None,
        episode: EpisodeNum(0),
        turn: 0,
        previous: None,
        parts: (0, 0),
        lengths,
        kind: PassageKind::Note,
        asks: false,
        writes: false,
    }
}

fn id_of(doc: &Doc) -> u64 {
    doc.chunk.as_bytes()[..8].try_into().map_or(u64::MAX, u64::from_le_bytes)
}

/// BM25 of every document, by number.
fn score(index: &Index, tokens: &[String]) -> Result<Vec<f32>, Box<dyn Error>> {
    let segments = index.words.as_ref().map_err(|damage| damage.to_string())?;
    let averages = index.state.terms.map(|terms| (terms as f32 / index.state.live.max(1) as f32).max(1.0));
    let mut scores = vec![0.0; index.docs.count() as usize];
    for token in tokens {
        let (all, with) = (index.state.live as f32, segments.docs_with(token.as_bytes()) as f32);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for posting in segments.postings(token.as_bytes()) {
            let lengths = index.docs.lengths(posting.doc);
            let mut weight = 0.0;
            for (place, boost) in PLACES.into_iter().zip(WEIGHTS) {
                let place = place as usize;
                let length = f32::from(lengths[place]) / averages[place];
                weight += boost * f32::from(posting.counts[place]) / (1.0 - B + B * length);
            }
            scores[posting.doc as usize] += rarity * weight * (K1 + 1.0) / (K1 + weight);
        }
    }
    Ok(scores)
}
