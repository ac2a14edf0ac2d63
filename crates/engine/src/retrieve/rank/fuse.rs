//! Two lists -> one.

use std::collections::HashMap;

use crate::store::index::DocNum;

use super::words::WordScores;
use super::{Ranking, Scored};

/// How the list of words and that of vectors become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Each score divided by the list's best, summed with weights.
    Sum,
    /// Reciprocal ranks, 1 / (k + rank): the scores themselves don't matter.
    ReciprocalRank { k: f32 },
}

/// The best passages of both lists, each with its own score; best first.
///
/// The scan's cosines choose the candidates; `exact` gives theirs in full precision.
pub(super) fn fuse(
    words: &WordScores,
    cosines: Option<&[f32]>,
    exact: impl Fn(DocNum) -> f32,
    ranking: &Ranking,
) -> Vec<Scored> {
    let by_words = top(words.found.iter().map(|doc| (*doc, words.scores[*doc as usize])), ranking.candidates);
    let cosines = cosines.unwrap_or_default();
    let by_cosine = top(cosines.iter().enumerate().map(|(doc, cosine)| (doc as DocNum, *cosine)), ranking.candidates);
    let best_words = by_words.first().map_or(1.0, |(_, score)| *score).max(f32::MIN_POSITIVE);
    let best_cosine = by_cosine.first().map_or(1.0, |(doc, _)| exact(*doc)).max(f32::MIN_POSITIVE);

    let mut fused: HashMap<DocNum, Scored> = HashMap::new();
    for (rank, (doc, _)) in by_words.iter().enumerate() {
        fused.entry(*doc).or_default().words_rank = Some(rank as u32 + 1);
    }
    for (rank, (doc, _)) in by_cosine.iter().enumerate() {
        fused.entry(*doc).or_default().vectors_rank = Some(rank as u32 + 1);
    }
    let mut list: Vec<Scored> = fused
        .into_iter()
        .map(|(doc, ranks)| {
            let covered = words.covered[doc as usize] / words.asked.max(f32::MIN_POSITIVE);
            let words = words.confidence() * words.scores[doc as usize] / best_words;
            let near = cosines.get(doc as usize).is_some_and(|cosine| *cosine > 0.0);
            let cosine = if near { exact(doc) } else { 0.0 };
            let own = match ranking.fusion {
                Fusion::Sum => ranking.words * words + ranking.vectors * cosine / best_cosine,
                Fusion::ReciprocalRank { k } => {
                    let share = |rank: Option<u32>| rank.map_or(0.0, |rank| (k + 1.0) / (k + rank as f32));
                    ranking.words * share(ranks.words_rank) + ranking.vectors * share(ranks.vectors_rank)
                }
            };
            Scored { doc, words, covered, cosine, own, score: own, ..ranks }
        })
        .collect();
    sort(&mut list);
    list
}

/// Best first; the same order on every run.
pub(super) fn sort(list: &mut [Scored]) {
    list.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
}

/// The best `count` of a list that is in the order of numbers, best first.
fn top(scores: impl Iterator<Item = (DocNum, f32)>, count: usize) -> Vec<(DocNum, f32)> {
    let order = |a: &(DocNum, f32), b: &(DocNum, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut best: Vec<(DocNum, f32)> = Vec::with_capacity(2 * count);
    // Most passages are no better than as many as are wanted before them.
    let mut least = 0.0;
    for (doc, score) in scores {
        if score > least {
            best.push((doc, score));
        }
        if best.len() >= 2 * count.max(1) {
            best.select_nth_unstable_by(count, order);
            best.truncate(count);
            least = best.iter().fold(f32::INFINITY, |least, (_, score)| least.min(*score));
        }
    }
    best.sort_unstable_by(order);
    best.truncate(count);
    best
}
