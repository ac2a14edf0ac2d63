//! Merges the two lists into one.

use std::collections::HashMap;

use crate::store::index::DocNum;

use super::best::Best;
use super::lists::Lists;
use super::{Ranking, Scored};

/// The best passages of both lists, each with its own score; best first.
/// The score of each list is divided by the list's best; both are summed with weights.
pub(super) fn fuse(lists: &Lists<'_>, ranking: &Ranking) -> Vec<Scored> {
    let words = &lists.words;
    let mut by_words = Best::new(ranking.candidates);
    words.found.iter().for_each(|doc| by_words.add(*doc, words.scores[*doc as usize]));
    let by_words = by_words.sorted();
    let exact = |doc| if lists.nearest.is_some() { lists.cosine(doc).max(0.0) } else { 0.0 };
    let by_cosine = lists.nearest.as_deref().unwrap_or_default();
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
            let own = ranking.words * words + ranking.vectors * cosine / best_cosine;
            Scored { doc, words, covered, cosine, own, score: own, ..ranks }
        })
        .collect();
    sort(&mut list);
    list
}

/// Best first, in a deterministic order.
pub(super) fn sort(list: &mut [Scored]) {
    list.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
}
