//! From the best passages to the best set of passages: newer ones first among
//! equals, siblings of what was found, nothing twice in other words.

use std::collections::HashMap;

use crate::model::ChunkId;
use crate::store::index::Matrix;
use crate::store::{Index, StoreError, ViewReader};

use super::{Filter, Now, Ranking, Records, Scored, fuse};

/// Hits whose clusters are looked through, and siblings taken from each.
const EXPANDED: usize = 10;
const SIBLINGS: usize = 5;
/// Only the head of the list is reordered for diversity.
const DIVERSE: usize = 50;
const DAY: f32 = 24.0 * 3600.0 * 1000.0;

pub(super) fn arrange(
    view: &ViewReader<'_>,
    index: &Index,
    list: &mut Vec<Scored>,
    filter: &Filter,
    ranking: &Ranking,
    now: Option<&Now>,
) -> Result<(), StoreError> {
    let mut records = Records::new(index);
    if ranking.clusters > 0.0 {
        expand(view, index, list, &mut records, filter, ranking)?;
    }
    if let Some(now) = now.filter(|_| ranking.recency > 0.0) {
        for scored in list.iter_mut() {
            let time = records.get(scored.doc).and_then(|record| record.time);
            let age = time.map_or(f32::INFINITY, |time| (now.time.0 - time.0).max(0) as f32 / DAY);
            scored.recency = ranking.recency * (-age / ranking.recency_days).exp();
            scored.score += scored.recency;
        }
    }
    fuse::sort(list);
    if let (true, Ok(matrix)) = (ranking.diversity < 1.0, &index.vectors) {
        diversify(list, matrix, ranking.diversity);
    }
    Ok(())
}

/// Siblings in the clusters of the best hits, the closer to the centre the better.
fn expand(
    view: &ViewReader<'_>,
    index: &Index,
    list: &mut Vec<Scored>,
    records: &mut Records<'_>,
    filter: &Filter,
    ranking: &Ranking,
) -> Result<(), StoreError> {
    let mut places: HashMap<ChunkId, usize> = HashMap::new();
    for (place, scored) in list.iter().enumerate() {
        if let Some(record) = records.get(scored.doc) {
            places.entry(record.chunk).or_insert(place);
        }
    }
    let hits: Vec<Scored> = list.iter().take(EXPANDED).copied().collect();
    for hit in hits {
        let Some(record) = records.get(hit.doc) else { continue };
        let Some((cluster, _)) = view.cluster_of(record.chunk)? else { continue };
        for (chunk, distance) in view.members_of(cluster, SIBLINGS)? {
            let score = ranking.clusters * hit.score * (1.0 - distance).max(0.0);
            if let Some(place) = places.get(&chunk) {
                let known = &mut list[*place];
                if known.score < score {
                    (known.score, known.cluster) = (score, Some(cluster));
                }
                continue;
            }
            let Some(row) = view.passages_of(chunk)? else { continue };
            let Some(doc) = (row.count > 0).then_some(row.first) else { continue };
            if !index.gone.contains(&doc) && records.get(doc).is_some_and(|record| filter.lets(&record)) {
                places.insert(chunk, list.len());
                list.push(Scored { doc, score, cluster: Some(cluster), ..Scored::default() });
            }
        }
    }
    Ok(())
}

/// Maximal marginal relevance: each next pick is good and unlike those before.
/// The first is the best hit.
fn diversify(list: &mut [Scored], matrix: &Matrix, lambda: f32) {
    let head = list.len().min(DIVERSE);
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
        let worth = |at: usize| lambda * list[at].score / best - (1.0 - lambda) * likeness[at];
        let pick = (0..left.len()).max_by(|a, b| worth(left[*a]).total_cmp(&worth(left[*b])).then(b.cmp(a)));
        order.push(left.remove(pick.unwrap_or(0)));
    }
    let picked: Vec<Scored> = order.iter().map(|at| Scored { likeness: likeness[*at], ..list[*at] }).collect();
    list[..head].copy_from_slice(&picked);
}
