//! Which records, postings and vectors do new chunks give?

use std::collections::HashMap;

use backstory_language::embed::StaticTable;
use backstory_language::text::{TermId, Tokenizer};

use crate::model::{Chunk, Episode, digest_of};
use crate::store::index::{Doc, DocNum, FIELDS, Posting, SegmentBuilder, project_tag, tag};
use crate::store::{IndexState, PassageRow, StoreError, ViewTx};

use super::super::{Touched, clusters};
use super::passages::{Passage, passages};
use super::vectors;

/// Which model makes the vectors, and when?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// The built-in table, during indexing.
    Shipped,
    /// A slower model, afterwards: see [`super::Pending`].
    Later,
}

/// Beyond this many distinct terms the tokenizer is replaced with the next slice. Every slice can
/// number all its terms, but texts full of random strings must not fill the memory.
const KNOWN_TERMS: usize = 1_000_000;

/// The state that is kept between slices.
pub struct Indexer {
    tokenizer: Tokenizer,
    table: Option<StaticTable>,
}

impl Indexer {
    pub fn new(vectors: Vectors) -> Self {
        let table = (vectors == Vectors::Shipped).then(StaticTable::shipped);
        Indexer { tokenizer: Tokenizer::new(), table }
    }

    fn forget_terms_beyond(&mut self, limit: usize) {
        if self.tokenizer.term_count() > limit {
            self.tokenizer = Tokenizer::new();
        }
    }
}

/// Indexes the chunks of the touched episodes that are new.
pub(in crate::derive) fn fold(
    tx: &mut ViewTx<'_>,
    indexer: &mut Indexer,
    touched: &[Touched],
) -> Result<(), StoreError> {
    let mut state = tx.read().index_state()?;
    let first = state.docs;
    let mut batch = NewPassages::default();
    for episode in touched {
        fold_episode(tx, indexer, episode, &mut state, &mut batch)?;
    }
    if !batch.docs.is_empty() {
        tx.put_docs(state.generation, first, &batch.docs)?;
        let segment = batch.words.finish(|id| indexer.tokenizer.term(id));
        tx.put_segment(state.generation, first, state.docs, &segment)?;
        indexer.forget_terms_beyond(KNOWN_TERMS);
    }
    tx.set_index_state(&state)?;
    if let Some(table) = &mut indexer.table {
        vectors::put_shipped(tx, table, &state, first, &batch.embedded)?;
    }
    clusters::join(tx)
}

/// New passages of one slice.
#[derive(Default)]
struct NewPassages {
    docs: Vec<Doc>,
    words: SegmentBuilder,
    embedded: Vec<String>,
}

fn fold_episode(
    tx: &mut ViewTx<'_>,
    indexer: &mut Indexer,
    touched: &Touched,
    state: &mut IndexState,
    batch: &mut NewPassages,
) -> Result<(), StoreError> {
    let known = tx.read().passages_from(touched.num, touched.first_turn)?;
    let read;
    let chunks = match &touched.chunks {
        Some(chunks) => chunks,
        None => {
            read = tx.read().chunks_from(touched.num, touched.episode.id(), touched.first_turn)?;
            &read
        }
    };
    let same = known.iter().zip(chunks).take_while(|(row, chunk)| row.chunk == chunk.id).count();
    remove(tx, touched, &known[same..], state, &batch.docs)?;
    let mut previous = match known[..same].iter().rfind(|row| row.count > 0) {
        Some(row) => Some(row.first + row.count - 1),
        None => tx.read().passages_before(touched.num, touched.first_turn, 0)?.map(|row| row.first + row.count - 1),
    };
    for chunk in &chunks[same..] {
        let first = state.docs;
        for passage in passages(&chunk.body) {
            let doc = index_passage(indexer, touched, chunk, &passage, previous, state.docs, &mut batch.words);
            for (total, length) in state.terms.iter_mut().zip(doc.lengths) {
                *total += u64::from(length);
            }
            if indexer.table.is_some() {
                batch.embedded.push(passage.embedded_text().to_owned());
            }
            batch.docs.push(doc);
            previous = Some(state.docs);
            state.docs += 1;
            state.live += 1;
        }
        let row = PassageRow { turn: chunk.turn, ord: chunk.ord, chunk: chunk.id, first, count: state.docs - first };
        tx.put_passages(touched.num, &row)?;
    }
    Ok(())
}

fn remove(
    tx: &mut ViewTx<'_>,
    touched: &Touched,
    rows: &[PassageRow],
    state: &mut IndexState,
    new: &[Doc],
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let written = tx.read().docs(state.docs - new.len() as DocNum)?;
    for doc in rows.iter().flat_map(|row| row.first..row.first + row.count) {
        if let Some(doc) = written.get(doc) {
            state.live -= 1;
            for (total, length) in state.terms.iter_mut().zip(doc.lengths) {
                *total -= u64::from(length);
            }
        }
    }
    tx.remove_passages(touched.num, rows)
}

fn index_passage(
    indexer: &mut Indexer,
    touched: &Touched,
    chunk: &Chunk,
    passage: &Passage<'_>,
    previous: Option<DocNum>,
    number: DocNum,
    words: &mut SegmentBuilder,
) -> Doc {
    let mut counts: HashMap<TermId, [u16; FIELDS]> = HashMap::new();
    let mut lengths = [0u16; FIELDS];
    let mut terms = Vec::new();
    for (field, text) in passage.texts() {
        terms.clear();
        indexer.tokenizer.terms(text, &mut terms);
        let field = field as usize;
        lengths[field] = lengths[field].saturating_add(terms.len().min(u16::MAX.into()) as u16);
        for term in &terms {
            let count = &mut counts.entry(*term).or_default()[field];
            *count = count.saturating_add(1);
        }
    }
    for (term, [content, place, tail, output, thinking]) in counts {
        if [content, place, tail, output].iter().any(|count| *count > 0) {
            words.add(term, &Posting { doc: number, counts: [content, place, tail, output] });
        }
        if thinking > 0 {
            words.add_thought(term, &Posting { doc: number, counts: [thinking, 0, 0, 0] });
        }
    }
    Doc {
        chunk: chunk.id,
        project: project_tag(touched.episode.project),
        session: session_tag(&touched.episode),
        time: chunk.started,
        episode: touched.num,
        turn: chunk.turn,
        previous,
        parts: (passage.parts.0 as u16, passage.parts.1 as u16),
        lengths,
        kind: passage.kind,
        asks: passage.asks(),
        writes: passage.writes(),
    }
}

/// Identifies the session in a passage's record.
pub fn session_tag(episode: &Episode) -> u64 {
    let key = &episode.key;
    tag(&digest_of("session", &[key.source.name().as_bytes(), key.session.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_do_not_pile_up() {
        let mut indexer = Indexer::new(Vectors::Later);
        let mut terms = Vec::new();
        indexer.tokenizer.terms("apples pears plums", &mut terms);
        indexer.forget_terms_beyond(3);
        assert_eq!(indexer.tokenizer.term_count(), 3);
        indexer.forget_terms_beyond(2);
        assert_eq!(indexer.tokenizer.term_count(), 0);
    }
}
