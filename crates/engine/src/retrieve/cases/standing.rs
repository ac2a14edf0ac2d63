//! What came later about the same subject?
//!
//! The later case of another session that is clearly more alike than any other is about the
//! same. It supersedes the case where both are conversations in which a person decided
//! something: between pieces of work, likeness of words says too little.

use std::collections::HashMap;

use backstory_language::text::{Tokenizer, is_stop_word};

use crate::log::Log;
use crate::model::{EventId, EvidenceRef, Finding, Role};
use crate::store::{CaseRow, EpisodeNum, Index, StoreError, ViewReader};

use super::turn_index::TurnIndex;

/// The rarest words of a case find those that may be alike.
const SUBJECT_WORDS: usize = 80;
/// The later case is at least so alike (cosine of the words of both, by their rarity).
const LEAST_COSINE: f32 = 0.21;
/// Later cases that are compared.
const MOST_CANDIDATES: usize = 10;
/// Statements with less weight decide nothing.
const DECISION_WEIGHT: i32 = 115;
/// And so much more than the next one.
const CLEARLY: f32 = 1.2;

pub fn successor(
    log: &mut Log,
    view: &ViewReader<'_>,
    index: &Index,
    turns: &TurnIndex,
    row: &CaseRow,
) -> Result<Option<CaseRow>, StoreError> {
    if !is_decided(row) {
        return Ok(None);
    }
    let place = (row.episode.0 as u32, row.case.first_turn);
    let Some(own) = turns.turns.iter().find(|turn| (turn.episode, turn.turn) == place).copied() else {
        return Ok(None);
    };
    let own_words = words_of(log, index, row)?;
    let scores = turns.likeness(index, &subject(&own_words));
    let mut later: Vec<(f32, u32)> = Vec::new();
    for turn in turns.turns.iter().filter(|turn| turn.session != own.session && turn.time > own.time) {
        let score = scores[turn.case as usize];
        if score > 0.0 && later.last().is_none_or(|(_, case)| *case != turn.case) {
            later.push((score, turn.case));
        }
    }
    later.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    later.dedup_by_key(|(_, case)| *case);
    let mut alike: Vec<(f32, CaseRow)> = Vec::new();
    for (_, case) in later.into_iter().take(MOST_CANDIDATES) {
        let Some(first) = turns.turns.iter().find(|turn| turn.case == case) else { continue };
        let candidate = view.case_of_turn(EpisodeNum(first.episode.into()), first.turn)?;
        if let Some(candidate) = candidate.filter(is_decided) {
            alike.push((cosine(&own_words, &words_of(log, index, &candidate)?), candidate));
        }
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let next = alike.get(1).map_or(0.0, |(cosine, _)| *cosine);
    let best = alike.into_iter().next().filter(|(best, _)| *best >= LEAST_COSINE && *best >= CLEARLY * next);
    Ok(best.map(|(_, later)| later))
}

fn cosine(a: &HashMap<String, f32>, b: &HashMap<String, f32>) -> f32 {
    let dot: f32 = a.iter().filter_map(|(word, weight)| Some(weight * b.get(word)?)).sum();
    let length = |words: &HashMap<String, f32>| words.values().map(|weight| weight * weight).sum::<f32>().sqrt();
    dot / (length(a) * length(b)).max(f32::MIN_POSITIVE)
}

/// A person decided something in it.
pub fn is_decided(row: &CaseRow) -> bool {
    let decides = |finding: &Finding| matches!(finding.role, Role::Decision | Role::Accepted);
    row.case.is_talk && row.case.findings.iter().any(|finding| decides(finding) && finding.weight >= DECISION_WEIGHT)
}

/// The rarest words of a case, with how much each counts.
fn subject(words: &HashMap<String, f32>) -> Vec<(String, f32)> {
    let mut words: Vec<(String, f32)> = words.iter().map(|(word, weight)| (word.clone(), *weight)).collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(SUBJECT_WORDS);
    words
}

/// The words of a request and its findings, with how much each counts.
fn words_of(log: &mut Log, index: &Index, row: &CaseRow) -> Result<HashMap<String, f32>, StoreError> {
    let mut tokenizer = Tokenizer::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    let said = row.case.findings.iter().map(|finding| finding.evidence);
    for evidence in [row.case.asked].into_iter().chain(said) {
        for term in tokenizer.strings(&text_of(log, &evidence)?) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let Ok(segments) = &index.words else { return Ok(HashMap::new()) };
    let all = index.state.live.max(1) as f32;
    let weigh = |(term, count): (String, u32)| {
        let with = segments.docs_with(term.as_bytes()) as f32;
        let rarity = (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln();
        (term, (1.0 + (count as f32).ln()) * rarity)
    };
    Ok(counts.into_iter().filter(|(term, _)| !is_stop_word(term)).map(weigh).collect())
}

fn text_of(log: &mut Log, evidence: &EvidenceRef) -> Result<String, StoreError> {
    let event = log.store().event(EventId(evidence.id))?;
    let span = |text: &str| text.get(evidence.start as usize..evidence.end as usize).unwrap_or_default().to_owned();
    Ok(event.map_or_else(String::new, |event| span(&event.text)))
}
