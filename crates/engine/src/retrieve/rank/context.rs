//! What stands around a passage speaks for it, and so does its session.

use std::collections::{HashMap, HashSet};

use crate::store::index::{DocNum, PassageKind};
use crate::store::{Index, StoreError, ViewReader};

use super::words::WordScores;
use super::{Filter, Ranking, Records, Scored, fuse};

/// How many of a session's passages speak for it.
const SPEAKERS: usize = 5;
/// Candidates whose neighbours become candidates too.
const WITH_NEIGHBOURS: usize = 100;

pub(super) fn with_context(
    view: &ViewReader<'_>,
    index: &Index,
    mut list: Vec<Scored>,
    words: &WordScores,
    filter: &Filter,
    ranking: &Ranking,
) -> Result<Vec<Scored>, StoreError> {
    let mut records = Records::new(index);
    for scored in &mut list {
        if records.get(scored.doc).is_some_and(|record| record.kind == PassageKind::User) {
            scored.own *= ranking.user;
        }
    }
    let mut next = HashMap::new();
    for scored in list.iter().take(WITH_NEIGHBOURS) {
        if let Some(after) = next_passage(view, &mut records, scored.doc)? {
            next.insert(scored.doc, after);
        }
    }
    add_neighbours(&mut list, &mut records, &next, filter);
    neighbours(&mut list, &mut records, &next, ranking);
    if ranking.session > 0.0 {
        sessions(&mut list, words, index, &mut records, ranking);
    }
    for scored in &mut list {
        scored.score = scored.own + scored.neighbours + scored.session;
    }
    fuse::sort(&mut list);
    Ok(list)
}

/// Usually the next number; elsewhere when its run went on later.
fn next_passage(view: &ViewReader<'_>, records: &mut Records<'_>, doc: DocNum) -> Result<Option<DocNum>, StoreError> {
    if records.get(doc + 1).is_some_and(|after| after.previous == Some(doc)) {
        return Ok(Some(doc + 1));
    }
    let Some(record) = records.get(doc) else { return Ok(None) };
    let Some(here) = view.passages_of(record.chunk)? else { return Ok(None) };
    Ok(view.passages_after(record.episode, here.turn, here.ord)?.map(|row| row.first))
}

/// A passage without a word of the question may follow the one that asked it.
fn add_neighbours(list: &mut Vec<Scored>, records: &mut Records<'_>, next: &HashMap<DocNum, DocNum>, filter: &Filter) {
    let mut known: HashSet<DocNum> = list.iter().map(|scored| scored.doc).collect();
    for at in 0..list.len().min(WITH_NEIGHBOURS) {
        let doc = list[at].doc;
        let around = [records.get(doc).and_then(|record| record.previous), next.get(&doc).copied()];
        for doc in around.into_iter().flatten() {
            if known.insert(doc) && records.get(doc).is_some_and(|record| filter.lets(&record)) {
                list.push(Scored { doc, ..Scored::default() });
            }
        }
    }
}

fn neighbours(list: &mut [Scored], records: &mut Records<'_>, next: &HashMap<DocNum, DocNum>, ranking: &Ranking) {
    let own: HashMap<DocNum, f32> = list.iter().map(|scored| (scored.doc, scored.own)).collect();
    for scored in list {
        let Some(record) = records.get(scored.doc) else { continue };
        if let Some(previous) = record.previous
            && let Some(score) = own.get(&previous)
        {
            let asks = records.get(previous).is_some_and(|previous| previous.asks);
            scored.neighbours += score * if asks { ranking.after_question } else { ranking.after_statement };
        }
        if let Some(score) = next.get(&scored.doc).and_then(|next| own.get(next)) {
            scored.neighbours += score * ranking.before;
        }
    }
}

/// The sum of a session's best words in prose, the best session having 1.0.
fn sessions(list: &mut [Scored], words: &WordScores, index: &Index, records: &mut Records<'_>, ranking: &Ranking) {
    let mut best: HashMap<u64, [f32; SPEAKERS]> = HashMap::new();
    for doc in &words.found {
        let score = words.scores[*doc as usize];
        let speakers = best.entry(index.docs.session(*doc)).or_default();
        if score > speakers[SPEAKERS - 1] && index.docs.is_prose(*doc) {
            speakers[SPEAKERS - 1] = score;
            speakers.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }
    let sums: HashMap<u64, f32> = best.into_iter().map(|(session, scores)| (session, scores.iter().sum())).collect();
    let largest = sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    for scored in list {
        let session = records.get(scored.doc).map_or(0, |record| record.session);
        scored.session = ranking.session * sums.get(&session).copied().unwrap_or(0.0) / largest;
    }
}
