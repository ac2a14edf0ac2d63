//! Runs a sentence model: text -> vector.

use std::io;
use std::path::Path;

use super::super::static_table::to_unit_length;
use super::super::{EmbedError, Embedder, WordPiece};
use super::bert::Bert;
use super::folder;
use super::folder::ModelFolder;
use super::weights;

/// Longer texts are cut, as the model was trained.
const LONGEST_TEXT: usize = 256;
/// Texts are batched up to this many pieces: enough to keep the matrix multiplication busy, few enough for the
/// processor's cache.
const PIECES_PER_RUN: usize = 512;

/// An open sentence model.
pub struct SentenceModel {
    name: String,
    bert: Bert,
    wordpiece: WordPiece,
    special: Special,
}

/// The special pieces that the model expects around and inside a text.
struct Special {
    first: u32,
    last: u32,
    unknown: u32,
}

impl SentenceModel {
    /// Opens a folder with config.json, model.safetensors and vocab.txt or tokenizer.json;
    /// `read` gives the bytes of a file, as `std::fs::read` does.
    pub fn open(folder: &Path, read: impl Fn(&Path) -> io::Result<Vec<u8>>) -> Result<Self, EmbedError> {
        let folder = ModelFolder { path: folder, read: &read };
        let config = folder::read_config(folder)?;
        let (vocabulary, vocabulary_file) = folder::read_vocabulary(folder)?;
        let special = |piece: &str| {
            let missing =
                || EmbedError::Damaged { path: vocabulary_file.clone(), reason: format!("it has no {piece}") };
            vocabulary.id(piece).ok_or_else(missing)
        };
        let special = Special { first: special("[CLS]")?, last: special("[SEP]")?, unknown: special("[UNK]")? };
        let weights = weights::ModelWeights::read(folder)?;
        let name = format!("bert-{}x{}-{}", config.layers, config.hidden, weights.hash());
        let bert = weights.parse(|tensors| Bert::load(tensors, &config, vocabulary.len()))?;
        Ok(Self { name, bert, wordpiece: WordPiece::new(vocabulary), special })
    }

    /// The last hidden state of each of these word pieces, each as a text of its own.
    pub fn pieces_alone(&mut self, pieces: &[u32]) -> Vec<Vec<f32>> {
        let texts: Vec<Vec<u32>> = pieces.iter().map(|&id| vec![self.special.first, id, self.special.last]).collect();
        let inside = |states: &[f32], hidden: usize| states[hidden..2 * hidden].to_vec();
        texts.chunks(PIECES_PER_RUN / 3).flat_map(|texts| self.run(texts, inside)).collect()
    }

    /// The tokenizer of its vocabulary.
    pub fn wordpiece(&mut self) -> &mut WordPiece {
        &mut self.wordpiece
    }

    fn run(&self, texts: &[Vec<u32>], of_text: impl Fn(&[f32], usize) -> Vec<f32>) -> Vec<Vec<f32>> {
        let hidden = self.bert.hidden();
        let states = self.bert.forward(texts);
        let mut rest = states.as_slice();
        let take = |text: &Vec<u32>| {
            let (own, others) = rest.split_at(text.len() * hidden);
            rest = others;
            of_text(own, hidden)
        };
        texts.iter().map(take).collect()
    }

    fn embed_waiting(&self, places: &mut Vec<usize>, waiting: &mut Vec<Vec<u32>>, vectors: &mut [Vec<f32>]) {
        let new = self.run(waiting, mean_of_unit_length);
        for (place, vector) in places.drain(..).zip(new) {
            vectors[place] = vector;
        }
        waiting.clear();
    }

    /// None if there is nothing to embed.
    fn pieces(&mut self, text: &str) -> Option<Vec<u32>> {
        let mut ids = vec![self.special.first];
        self.wordpiece.encode(text, &mut ids);
        let nothing_known = ids[1..].iter().all(|&id| id == self.special.unknown);
        ids.truncate(LONGEST_TEXT.min(self.bert.longest_text()) - 1);
        ids.push(self.special.last);
        (!nothing_known).then_some(ids)
    }
}

impl Embedder for SentenceModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn dim(&self) -> usize {
        self.bert.hidden()
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = vec![vec![0.0; self.dim()]; texts.len()];
        let mut places = Vec::new();
        let mut waiting = Vec::new();
        let mut pieces_waiting = 0;
        for (place, text) in texts.iter().enumerate() {
            let Some(pieces) = self.pieces(text) else { continue };
            pieces_waiting += pieces.len();
            places.push(place);
            waiting.push(pieces);
            if pieces_waiting >= PIECES_PER_RUN {
                self.embed_waiting(&mut places, &mut waiting, &mut vectors);
                pieces_waiting = 0;
            }
        }
        self.embed_waiting(&mut places, &mut waiting, &mut vectors);
        Ok(vectors)
    }
}

fn mean_of_unit_length(states: &[f32], hidden: usize) -> Vec<f32> {
    let mut sum = vec![0.0; hidden];
    for state in states.chunks_exact(hidden) {
        sum.iter_mut().zip(state).for_each(|(sum, value)| *sum += value);
    }
    to_unit_length(&mut sum);
    sum
}

#[cfg(test)]
mod tests;
