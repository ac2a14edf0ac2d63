//! The table before fitting: the model's vector of each word piece alone.

use std::collections::HashMap;

use backstory_language::embed::SentenceModel;

use super::pca::Projection;

/// The id of `the` in BERT's vocabulary: from here on, pieces are ordered by frequency.
const FIRST_RANKED: usize = 1996;

/// A row per piece: its last hidden state alone in a text, projected, with less weight for frequent pieces.
pub(super) fn rows(model: &mut SentenceModel, projection: &Projection, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let pieces = pieces(model);
    let ids: Vec<u32> = (0u32..).take(pieces.len()).collect();
    let states = model.pieces_alone(&ids);
    let middle = mean(&states);
    let shares = shares(texts);
    let harmonic: f64 = (1..=pieces.len()).map(|rank| 1.0 / rank as f64).sum();
    let row = |(id, piece): (usize, &String)| {
        let by_rank = id.checked_sub(FIRST_RANKED).map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0) / harmonic);
        let in_texts = shares.get(&(id as u32)).copied().unwrap_or(0.0);
        let weight = if is_special(piece) { 0.0 } else { (1e-4 / (1e-4 + by_rank) * 1e-3 / (1e-3 + in_texts)).sqrt() };
        let centred: Vec<f32> = states[id].iter().zip(&middle).map(|(x, mean)| x - mean).collect();
        projection.apply(&centred).iter().map(|x| x * weight as f32 * SCALE).collect()
    };
    pieces.iter().enumerate().map(row).collect()
}

/// Hidden states have lengths of about 8; rows of about 1 suit the steps of the fit.
const SCALE: f32 = 0.125;

/// All pieces of the model's vocabulary.
pub(super) fn pieces(model: &mut SentenceModel) -> Vec<String> {
    let vocabulary = model.wordpiece().vocabulary();
    (0u32..).take(vocabulary.len()).map(|id| vocabulary.piece(id).to_owned()).collect()
}

/// `[CLS]`, `[UNK]`, `[unused7]`: absent from texts, or without meaning.
pub(super) fn is_special(piece: &str) -> bool {
    piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']')
}

fn mean(rows: &[Vec<f32>]) -> Vec<f32> {
    let mut mean = vec![0.0; rows.first().map_or(0, Vec::len)];
    for row in rows {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / rows.len() as f32);
    }
    mean
}

fn shares(texts: &[Vec<u32>]) -> HashMap<u32, f64> {
    let total = texts.iter().map(Vec::len).sum::<usize>() as f64;
    let mut shares = HashMap::new();
    for id in texts.iter().flatten() {
        *shares.entry(*id).or_insert(0.0) += 1.0 / total;
    }
    shares
}
