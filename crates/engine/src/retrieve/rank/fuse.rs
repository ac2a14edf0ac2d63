//! Two lists -> one.

use std::collections::HashMap;

use crate::store::index::DocNum;

use super::best::Best;
use super::scores::WordScores;
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
/// `by_cosine`: those of the vectors, best first. `exact` gives cosines in full precision.
pub(super) fn fuse(
    words: &WordScores,
    by_cosine: Option<&[(DocNum, f32)]>,
    exact: impl Fn(DocNum) -> f32,
    ranking: &Ranking,
) -> Vec<Scored> {
    let mut by_words = Best::new(ranking.candidates);
    words.found.iter().for_each(|doc| by_words.add(*doc, words.scores[*doc as usize]));
    let by_words = by_words.sorted();
    let exact = |doc| if by_cosine.is_some() { exact(doc).max(0.0) } else { 0.0 };
    let by_cosine = by_cosine.unwrap_or_default();
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
            let cosine = exact(doc);
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
