//! A ranked list: each passage with the parts of its score, and which of them answer.

use std::collections::HashMap;

use backstory_language::text::is_stop_word;

use crate::store::Index;
use crate::store::index::{Doc, DocNum};

use super::QueryTerm;

/// A passage with the parts of its score.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Scored {
    pub doc: DocNum,
    pub score: f32,
    /// The best of the list has 1.0, or less if even that one has few words of the question.
    pub words: f32,
    pub words_rank: Option<u32>,
    /// The share of the question's words that it has, weighted by rarity.
    pub covered: f32,
    /// The cosine with the query.
    pub cosine: f32,
    pub vectors_rank: Option<u32>,
    /// The score from the fused lists.
    pub own: f32,
    pub neighbours: f32,
    /// It is next to a passage that is an answer itself.
    pub beside_answer: bool,
    pub session: f32,
    pub turn: f32,
    /// The bonus for containing the question verbatim.
    pub verbatim: f32,
    /// The bonus for being from a day that the question names.
    pub date: f32,
    pub recency: f32,
    /// It was added as a sibling in this cluster.
    pub cluster: Option<u32>,
    /// The largest cosine with the passages picked before it.
    pub likeness: f32,
}

/// Passages, best first, with details about how they were found.
pub struct Ranked {
    pub passages: Vec<Scored>,
    pub terms: Vec<QueryTerm>,
    /// The query's vector; absent without vectors.
    pub query: Option<Vec<f32>>,
    /// What could not be used, one line each.
    pub notices: Vec<String>,
    /// Absent if every result counts as an answer.
    pub(super) threshold: Option<AnswerThreshold>,
}

/// The scores that make a passage an answer on its own.
#[derive(Clone, Copy, Debug)]
pub(in crate::retrieve) struct AnswerThreshold {
    likeness: f32,
    words: f32,
}

/// A passage with a smaller share of the question's words is not an answer because of its words.
const ENOUGH_WORDS: f32 = 0.5;
/// Unrelated texts have a lower cosine.
const ENOUGH_LIKENESS: f32 = 0.5;
/// A single word may be a number or not a word at all, and be similar to others by chance.
const ENOUGH_LIKENESS_TO_A_WORD: f32 = 0.65;
/// The share of the best passage's score; less is noise.
const ENOUGH_SCORE: f32 = 0.2;

impl AnswerThreshold {
    /// A question without meaningful words ("the", "?!") is only answered verbatim.
    pub fn of(question: &str, terms: &[QueryTerm]) -> Self {
        let one = question.split_whitespace().nth(1).is_none();
        let likeness = if one { ENOUGH_LIKENESS_TO_A_WORD } else { ENOUGH_LIKENESS };
        let has_meaning = terms.iter().any(|term| !is_stop_word(&term.term));
        let words = if has_meaning { ENOUGH_WORDS } else { f32::INFINITY };
        AnswerThreshold { likeness: if has_meaning { likeness } else { f32::INFINITY }, words }
    }

    /// Ignores the context of the passage.
    pub fn has(self, scored: &Scored) -> bool {
        scored.covered >= self.words || scored.cosine >= self.likeness || scored.verbatim > 0.0
    }
}

impl Ranked {
    /// Is a passage near enough to the question to be an answer?
    pub fn is_strong(&self, scored: &Scored) -> bool {
        let Some(threshold) = self.threshold else { return true };
        let Some(best) = self.passages.first() else { return false };
        (threshold.has(scored) || scored.beside_answer) && scored.score >= ENOUGH_SCORE * best.score
    }
}

/// Records of existing passages, each read once.
pub(in crate::retrieve) struct Records<'a> {
    index: &'a Index,
    known: HashMap<DocNum, Option<Doc>>,
}

impl<'a> Records<'a> {
    pub fn new(index: &'a Index) -> Self {
        Records { index, known: HashMap::new() }
    }

    pub fn get(&mut self, doc: DocNum) -> Option<Doc> {
        let live = || self.index.docs.get(doc).filter(|_| !self.index.gone.contains(&doc));
        *self.known.entry(doc).or_insert_with(live)
    }
}
