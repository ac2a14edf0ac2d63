//! Which of the best turns state something about the question?
//!
//! Words of a question occur in passing, too. A turn whose statements have them is what the
//! answer would show; so is a conversation in which a person decided something, and a case whose
//! request means nearly the same.

use std::collections::{HashMap, HashSet};

use backstory_language::embed::{DIM, StaticTable};
use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::model::{EventId, Finding};
use crate::store::{StoreError, ViewReader};

use super::super::rank::QueryTerm;
use super::answer::CasesOfTurns;
use super::select::Texts;
use super::standing::is_decided;
use super::turn_index::TurnIndex;
use super::turn_rank::RankedTurns;

/// What statements with all of the question add to a score.
const STATED: f32 = 1.0;
/// What a request with the same meaning adds.
const ASKED_ALIKE: f32 = 1.0;
/// What a decision of a person adds.
const DECIDED: f32 = 0.4;

pub fn add_statements(
    log: &mut Log,
    view: &ViewReader<'_>,
    turns: &TurnIndex,
    question: &str,
    terms: &[QueryTerm],
    ranked: &mut RankedTurns,
) -> Result<(), StoreError> {
    let weights: HashMap<&str, f32> = terms.iter().map(|term| (term.term.as_str(), term.weight)).collect();
    let all = weights.values().sum::<f32>().max(f32::MIN_POSITIVE);
    let (mut texts, mut tokenizer, mut cases) = (Texts::new(log), Tokenizer::new(), CasesOfTurns::default());
    let mut meaning = Meaning::of(question);
    for ranked in &mut ranked.turns {
        let turn = turns.turns[ranked.turn as usize];
        let Some(row) = cases.of(view, (turn.episode, turn.turn))? else { continue };
        let is_of_turn = |finding: &&Finding| row.case.is_talk || finding.turn == turn.turn;
        let mut stated: HashSet<String> = HashSet::new();
        for finding in row.case.findings.iter().filter(is_of_turn) {
            let text = texts.get(EventId(finding.evidence.id))?;
            let span = text.get(finding.evidence.start as usize..finding.evidence.end as usize).unwrap_or_default();
            stated.extend(tokenizer.strings(span));
        }
        let share = stated.iter().filter_map(|term| weights.get(term.as_str())).sum::<f32>() / all;
        let asked = row.case.asked;
        let asked = texts.get(EventId(asked.id))?.get(asked.start as usize..asked.end as usize).unwrap_or_default();
        ranked.score += STATED * share + ASKED_ALIKE * meaning.likeness(asked);
        ranked.score += if is_decided(&row) { DECIDED } else { 0.0 };
    }
    ranked.turns.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(())
}

/// What a question means, by the vectors of the shipped table: a configured model may be slow.
struct Meaning {
    table: StaticTable,
    question: [f32; DIM],
}

impl Meaning {
    fn of(question: &str) -> Self {
        let (mut table, mut vector) = (StaticTable::shipped(), [0.0; DIM]);
        table.embed_one(question, &mut vector);
        Meaning { table, question: vector }
    }

    /// The cosine, or 0 where it is negative.
    fn likeness(&mut self, text: &str) -> f32 {
        let mut vector = [0.0; DIM];
        self.table.embed_one(text, &mut vector);
        self.question.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>().max(0.0)
    }
}
