//! What came later about the same subject?
//!
//! A case is asked as a question of its own: its rarest words. The later case of
//! another session that has clearly more of them than any other is about the same.
//! It supersedes the case where both are conversations in which a person decided
//! something: between pieces of work, likeness of words says too little.

use std::collections::HashMap;

use backstory_language::text::{Tokenizer, is_stop_word};

use crate::log::Log;
use crate::model::{EventId, EvidenceRef, Finding, Role};
use crate::store::{CaseRow, EpisodeNum, Index, StoreError, ViewReader};

use super::turn_index::TurnIndex;

/// Words of a case by which its subject is known.
const SUBJECT_WORDS: usize = 80;
/// The later case has at least this share of what the case itself has of them.
const LEAST_SHARE: f32 = 0.18;
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
    let scores = turns.likeness(index, &subject(log, index, row)?);
    let itself = scores[own.case as usize];
    let mut later: Vec<(f32, u32)> = Vec::new();
    for turn in turns.turns.iter().filter(|turn| turn.session != own.session && turn.time > own.time) {
        let score = scores[turn.case as usize] / itself.max(f32::MIN_POSITIVE);
        if score > 0.0 && later.last().is_none_or(|(_, case)| *case != turn.case) {
            later.push((score, turn.case));
        }
    }
    later.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    later.dedup_by_key(|(_, case)| *case);
    let Some((best, case)) = later.first().copied() else { return Ok(None) };
    let next = later.get(1).map_or(0.0, |(score, _)| *score);
    if best < LEAST_SHARE || best < CLEARLY * next {
        return Ok(None);
    }
    let first = turns.turns.iter().find(|turn| turn.case == case);
    let Some(first) = first else { return Ok(None) };
    let later = view.case_of_turn(EpisodeNum(first.episode.into()), first.turn)?;
    Ok(later.filter(is_decided))
}

/// A person decided something in it.
fn is_decided(row: &CaseRow) -> bool {
    let decides = |finding: &Finding| matches!(finding.role, Role::Decision | Role::Accepted);
    row.case.is_talk && row.case.findings.iter().any(|finding| decides(finding) && finding.weight >= DECISION_WEIGHT)
}

/// The rarest words of a case, with how much each counts.
fn subject(log: &mut Log, index: &Index, row: &CaseRow) -> Result<Vec<(String, f32)>, StoreError> {
    let mut tokenizer = Tokenizer::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    let said = row.case.findings.iter().map(|finding| finding.evidence);
    for evidence in [row.case.asked].into_iter().chain(said) {
        for term in tokenizer.strings(&text_of(log, &evidence)?) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let Ok(segments) = &index.words else { return Ok(Vec::new()) };
    let all = index.state.live.max(1) as f32;
    let weigh = |(term, count): (String, u32)| {
        let with = segments.docs_with(term.as_bytes()) as f32;
        let rarity = (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln();
        (term, (1.0 + (1.0 + count as f32).ln()) * rarity)
    };
    let mut words: Vec<(String, f32)> = counts.into_iter().filter(|(term, _)| !is_stop_word(term)).map(weigh).collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(SUBJECT_WORDS);
    Ok(words)
}

fn text_of(log: &mut Log, evidence: &EvidenceRef) -> Result<String, StoreError> {
    let event = log.store().event(EventId(evidence.id))?;
    let span = |text: &str| text.get(evidence.start as usize..evidence.end as usize).unwrap_or_default().to_owned();
    Ok(event.map_or_else(String::new, |event| span(&event.text)))
}
