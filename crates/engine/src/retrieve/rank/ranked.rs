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
    /// The best of the list has 1.0, less where even that one has little of the question.
    pub words: f32,
    pub words_rank: Option<u32>,
    /// The share of the question's words that it has, weighed by how rare they are.
    pub covered: f32,
    /// The cosine with the query.
    pub cosine: f32,
    pub vectors_rank: Option<u32>,
    /// What the fused lists gave.
    pub own: f32,
    pub neighbours: f32,
    /// Stands beside a passage that answers by itself.
    pub beside_answer: bool,
    pub session: f32,
    pub turn: f32,
    /// For having the question word for word.
    pub verbatim: f32,
    /// For being of a day that the question names.
    pub date: f32,
    pub recency: f32,
    /// Came in as a sibling in this cluster.
    pub cluster: Option<u32>,
    /// Largest cosine with what was picked before it.
    pub likeness: f32,
}

/// Passages, best first, and what there is to say about how they were found.
pub struct Ranked {
    pub passages: Vec<Scored>,
    pub terms: Vec<QueryTerm>,
    /// The query's vector; absent without vectors.
    pub query: Option<Vec<f32>>,
    /// What could not be used, in one line each.
    pub notices: Vec<String>,
    /// Absent where whatever was found is an answer.
    pub(super) threshold: Option<AnswerThreshold>,
}

/// How near to the question a passage must be to answer it by itself.
#[derive(Clone, Copy, Debug)]
pub(in crate::retrieve) struct AnswerThreshold {
    likeness: f32,
    words: f32,
}

/// A passage with less than this share of the question's words is no answer on
/// their account.
const ENOUGH_WORDS: f32 = 0.5;
/// Texts that have nothing to do with each other reach less than this.
const ENOUGH_LIKENESS: f32 = 0.5;
/// One word alone may be a number or no word at all, and near to others by chance.
const ENOUGH_LIKENESS_TO_A_WORD: f32 = 0.65;
/// Of the best passage's score; less is noise at the end of the list.
const ENOUGH_SCORE: f32 = 0.2;

impl AnswerThreshold {
    /// A question without meaning ("the", "?!") is only answered word for word.
    pub fn of(question: &str, terms: &[QueryTerm]) -> Self {
        let one = question.split_whitespace().nth(1).is_none();
        let likeness = if one { ENOUGH_LIKENESS_TO_A_WORD } else { ENOUGH_LIKENESS };
        let has_meaning = terms.iter().any(|term| !is_stop_word(&term.term));
        let words = if has_meaning { ENOUGH_WORDS } else { f32::INFINITY };
        AnswerThreshold { likeness: if has_meaning { likeness } else { f32::INFINITY }, words }
    }

    /// Without regard to what is around the passage.
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

/// Records of passages that are not gone, read once each.
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
