//! Makes the vectors of models that are too slow to run during indexing.

use std::collections::HashSet;

use backstory_language::embed::{EmbedError, Embedder};

use crate::model::Digest;
use crate::store::index::DocNum;
use crate::store::{DeriveLock, Memo, StoreError, ViewReader, ViewStore, text_key};

use super::super::clusters;
use super::vectors::texts_of;

/// Texts per model call and per commit.
const BATCH: DocNum = 64;

/// Why vectors could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PendingError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a model's missing vectors in batches. Each batch is committed by itself.
pub struct Pending<'a> {
    pub views: &'a mut ViewStore,
    /// Looked up before the model runs.
    pub memo: Option<&'a mut Memo>,
    /// Held while reading and writing, but not while the model runs: that may take minutes, and
    /// other processes need the lock.
    pub lock: &'a dyn Fn() -> Result<Option<DeriveLock>, StoreError>,
}

/// For fast models; the caller holds the derive lock.
pub fn embed_pending(
    views: &mut ViewStore,
    embedder: &mut dyn Embedder,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), PendingError> {
    Pending { views, memo: None, lock: &|| Ok(None) }.embed(embedder, progress)
}

/// A batch of passages without vectors.
struct Waiting {
    generation: u32,
    first: DocNum,
    texts: Vec<String>,
}

impl Pending<'_> {
    /// `progress` gets the number of passages with a vector and the total.
    pub fn embed(
        mut self,
        embedder: &mut dyn Embedder,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), PendingError> {
        while let Some(waiting) = self.next(embedder.model(), progress)? {
            let (vectors, new) = self.vectors(embedder, &waiting.texts)?;
            self.keep(embedder.model(), &waiting, &vectors, &new)?;
        }
        Ok(())
    }

    /// `None` when every passage has its vector.
    fn next(&mut self, model: &str, progress: &mut dyn FnMut(u64, u64)) -> Result<Option<Waiting>, PendingError> {
        let _lock = (self.lock)()?;
        let state = self.views.read().index_state()?;
        let first = self.views.read().vectors_of(model)?.map_or(0, |(_, docs)| docs);
        progress(first.into(), state.docs.into());
        if first >= state.docs {
            let mut tx = self.views.begin()?;
            clusters::join(&mut tx)?;
            tx.commit()?;
            return Ok(None);
        }
        let texts = texts_of(self.views.read(), first, state.docs.min(first + BATCH))?;
        Ok(Some(Waiting { generation: state.generation, first, texts }))
    }

    /// One vector per text, and the positions of those that the memo did not have.
    fn vectors(
        &self,
        embedder: &mut dyn Embedder,
        texts: &[String],
    ) -> Result<(Vec<Vec<f32>>, Vec<usize>), PendingError> {
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        if let Some(memo) = &self.memo {
            for (text, vector) in texts.iter().zip(&mut vectors) {
                let known = memo.vector(embedder.model(), text_key(text))?;
                *vector = known.filter(|known| [0, known.len()].contains(&embedder.dim()));
            }
        }
        let new: Vec<usize> = (0..texts.len()).filter(|place| vectors[*place].is_none()).collect();
        if !new.is_empty() {
            let texts: Vec<&str> = new.iter().map(|place| texts[*place].as_str()).collect();
            for (place, vector) in new.iter().zip(embedder.embed(&texts)?) {
                vectors[*place] = Some(vector);
            }
        }
        Ok((vectors.into_iter().map(Option::unwrap_or_default).collect(), new))
    }

    /// Discards the vectors if passages were renumbered while the model ran: their texts may have
    /// been forgotten.
    fn keep(
        &mut self,
        model: &str,
        waiting: &Waiting,
        vectors: &[Vec<f32>],
        new: &[usize],
    ) -> Result<(), PendingError> {
        let _lock = (self.lock)()?;
        let known = self.views.read().vectors_of(model)?;
        let generation = self.views.read().index_state()?.generation;
        if (generation, known.map_or(0, |(_, docs)| docs)) != (waiting.generation, waiting.first) {
            return Ok(());
        }
        let expected = known.map_or_else(|| vectors.first().map_or(0, Vec::len), |(dim, _)| dim);
        if let Some(other) = vectors.iter().map(Vec::len).find(|len| *len != expected || *len == 0) {
            return Err(EmbedError::Dimensions { model: model.to_owned(), expected, found: other }.into());
        }
        if let Some(memo) = &mut self.memo {
            let new: Vec<(Digest, &[f32])> =
                new.iter().map(|place| (text_key(&waiting.texts[*place]), vectors[*place].as_slice())).collect();
            memo.put(model, &new)?;
        }
        let mut tx = self.views.begin()?;
        tx.put_vectors(generation, model, expected, vectors)?;
        Ok(tx.commit()?)
    }
}

/// The keys of all passages' embedded texts.
pub fn embedded_texts(view: ViewReader<'_>) -> Result<HashSet<Digest>, StoreError> {
    let docs = view.index_state()?.docs;
    let mut keys = HashSet::new();
    for first in (0..docs).step_by(BATCH as usize) {
        keys.extend(texts_of(view, first, docs.min(first + BATCH))?.iter().map(|text| text_key(text)));
    }
    Ok(keys)
}
