//! Ranks exactly as the original design does, for `--seed-mode`.
//!
//! 1. Chunks found by vectors and by words (BM25) are fused by reciprocal rank, k = 60.
//! 2. Siblings from the clusters of the hits become candidates, scored by their
//!    closeness to the centre.
//! 3. A search ranks newer results higher and reorders by maximal marginal
//!    relevance. `recall` and `predict` take their seeds from the list of step 2.
//!
//! There is no threshold: the nearest are always an answer.

use std::collections::{HashMap, HashSet};

use crate::model::ChunkId;
use crate::store::index::{DocNum, Matrix};
use crate::store::{Index, StoreError, ViewReader};

use super::lists::Lists;
use super::{Filter, Now, Ranking, Records, Scored, fuse};

/// The constant of the reciprocal rank: 1 / (k + rank).
const K: f32 = 60.0;
/// The number of hits whose clusters are searched, and of siblings taken from each.
const EXPANDED: usize = 10;
const SIBLINGS: usize = 5;
/// The weight of recency, and the days after which it has decayed to a third.
const RECENCY: f32 = 0.3;
const RECENCY_DAYS: f32 = 30.0;
const DAY: f32 = 24.0 * 3600.0 * 1000.0;
/// The weight in maximal marginal relevance; only the head of the list is reordered.
const LAMBDA: f32 = 0.7;
const REORDERED: usize = 50;

/// Steps 1 and 2: one passage for each chunk, best first.
pub(super) fn fuse_and_expand(
    view: &ViewReader<'_>,
    index: &Index,
    lists: &Lists<'_>,
    filter: &Filter,
    ranking: &Ranking,
) -> Result<Vec<Scored>, StoreError> {
    let mut records = Records::new(index);
    let mut list = by_reciprocal_ranks(&mut records, lists, ranking);
    add_siblings(view, index, &mut list, &mut records, filter)?;
    fuse::sort(&mut list);
    Ok(list)
}

/// Step 3.
pub(super) fn rerank(index: &Index, list: &mut [Scored], now: Option<&Now>) {
    if let Some(now) = now {
        raise_newer(index, list, now);
    }
    fuse::sort(list);
    if let Ok(matrix) = &index.vectors {
        diversify(list, matrix);
    }
}

fn by_reciprocal_ranks(records: &mut Records<'_>, lists: &Lists<'_>, ranking: &Ranking) -> Vec<Scored> {
    let mut places: HashMap<ChunkId, usize> = HashMap::new();
    let mut list: Vec<Scored> = Vec::new();
    let mut add = |(chunk, doc): (ChunkId, DocNum), list: &mut Vec<Scored>| {
        *places.entry(chunk).or_insert_with(|| {
            list.push(lists.scored(doc));
            list.len() - 1
        })
    };
    for (rank, chunk) in chunks_in(records, lists.best_words(ranking)).into_iter().enumerate() {
        let at = add(chunk, &mut list);
        list[at].words_rank = Some(rank as u32 + 1);
    }
    for (rank, chunk) in chunks_in(records, lists.nearest_docs()).into_iter().enumerate() {
        let at = add(chunk, &mut list);
        list[at].vectors_rank = Some(rank as u32 + 1);
    }
    for scored in &mut list {
        let share = |rank: Option<u32>| rank.map_or(0.0, |rank| 1.0 / (K + rank as f32));
        scored.own = share(scored.words_rank) + share(scored.vectors_rank);
        scored.score = scored.own;
    }
    fuse::sort(&mut list);
    list
}

/// The chunks of a list of passages, each at the rank of its best passage.
fn chunks_in(records: &mut Records<'_>, docs: impl IntoIterator<Item = DocNum>) -> Vec<(ChunkId, DocNum)> {
    let mut seen = HashSet::new();
    let chunks = docs.into_iter().filter_map(|doc| Some((records.get(doc)?.chunk, doc)));
    chunks.filter(|(chunk, _)| seen.insert(*chunk)).collect()
}

fn add_siblings(
    view: &ViewReader<'_>,
    index: &Index,
    list: &mut Vec<Scored>,
    records: &mut Records<'_>,
    filter: &Filter,
) -> Result<(), StoreError> {
    let mut known: HashSet<ChunkId> =
        list.iter().filter_map(|scored| records.get(scored.doc)).map(|record| record.chunk).collect();
    let hits: Vec<Scored> = list.iter().take(EXPANDED).copied().collect();
    for hit in hits {
        let Some(record) = records.get(hit.doc) else { continue };
        let Some((cluster, _)) = view.cluster_of(record.chunk)? else { continue };
        for (chunk, distance) in view.members_of(cluster, SIBLINGS)? {
            if !known.insert(chunk) {
                continue;
            }
            let Some(doc) = view.passages_of(chunk)?.filter(|row| row.count > 0).map(|row| row.first) else { continue };
            if !index.gone.contains(&doc) && records.get(doc).is_some_and(|record| filter.lets(&record)) {
                let score = hit.score * (1.0 - distance).max(0.0);
                list.push(Scored { doc, score, cluster: Some(cluster), ..Scored::default() });
            }
        }
    }
    Ok(())
}

fn raise_newer(index: &Index, list: &mut [Scored], now: &Now) {
    for scored in list {
        let time = index.docs.get(scored.doc).and_then(|record| record.time);
        let age = time.map_or(f32::INFINITY, |time| (now.time.0 - time.0).max(0) as f32 / DAY);
        scored.recency = scored.score * RECENCY * (-age / RECENCY_DAYS).exp();
        scored.score += scored.recency;
    }
}

/// Maximal marginal relevance: each pick is good and unlike the previous ones. The first is the best hit.
fn diversify(list: &mut [Scored], matrix: &Matrix) {
    let head = list.len().min(REORDERED);
    let Some(best) = list.first().map(|scored| scored.score.max(f32::MIN_POSITIVE)) else { return };
    let vectors: Vec<Vec<f32>> =
        list[..head].iter().map(|scored| matrix.vector(scored.doc).unwrap_or_default()).collect();
    let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum::<f32>();
    let mut likeness = vec![0f32; head];
    let mut left: Vec<usize> = (1..head).collect();
    let mut order = vec![0];
    while !left.is_empty() {
        let last = order[order.len() - 1];
        for at in &left {
            likeness[*at] = likeness[*at].max(cosine(*at, last));
        }
        let worth = |at: usize| LAMBDA * list[at].score / best - (1.0 - LAMBDA) * likeness[at];
        let pick = (0..left.len()).max_by(|a, b| worth(left[*a]).total_cmp(&worth(left[*b])).then(b.cmp(a)));
        order.push(left.remove(pick.unwrap_or(0)));
    }
    let picked: Vec<Scored> = order.iter().map(|at| Scored { likeness: likeness[*at], ..list[*at] }).collect();
    list[..head].copy_from_slice(&picked);
}
