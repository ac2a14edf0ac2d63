//! Which passages answer a question best?
//!
//! [`scores`] of a question's [`words`] and [`vectors`] choose the passages;
//! [`fuse`] makes one score of the two; [`context`] adds what the passages around it and its session say,
//! [`dates`] the day that is asked for; [`arrange`] looks at the list as a whole.

mod arrange;
mod best;
mod context;
mod dates;
mod fuse;
mod options;
mod scores;
mod vectors;
mod words;

pub use fuse::Fusion;
pub use options::{EpisodeSet, Filter, Now, Ranking};
pub use words::QueryTerm;

use std::collections::HashMap;

use backstory_language::embed::Embedder;
use backstory_language::text::{Tokenizer, is_stop_word};

use crate::store::index::{Doc, DocNum};
use crate::store::{Index, StoreError, ViewReader};

use super::RetrieveError;
use dates::Days;

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
    enough: AnswerThreshold,
}

/// How near to the question a passage must be to answer it by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerThreshold {
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
    /// "the", "?!": what tells nothing is answered by nothing, unless word for word.
    fn of(question: &str, terms: &[QueryTerm]) -> Self {
        let one = question.split_whitespace().nth(1).is_none();
        let likeness = if one { ENOUGH_LIKENESS_TO_A_WORD } else { ENOUGH_LIKENESS };
        let tells = terms.iter().any(|term| !is_stop_word(&term.term));
        let words = if tells { ENOUGH_WORDS } else { f32::INFINITY };
        AnswerThreshold { likeness: if tells { likeness } else { f32::INFINITY }, words }
    }

    /// Without regard to what is around the passage.
    pub fn has(self, scored: &Scored) -> bool {
        scored.covered >= self.words || scored.cosine >= self.likeness || scored.verbatim > 0.0
    }
}

impl Ranked {
    /// Is a passage near enough to the question to be an answer?
    pub fn is_strong(&self, scored: &Scored) -> bool {
        let Some(best) = self.passages.first() else { return false };
        let beside = scored.beside_answer || scored.cluster.is_some();
        (self.enough.has(scored) || beside) && scored.score >= ENOUGH_SCORE * best.score
    }
}

/// Ranks the passages that `filter` lets through.
pub fn rank(
    view: &ViewReader<'_>,
    index: &Index,
    embedder: &mut dyn Embedder,
    text: &str,
    filter: &Filter,
    ranking: &Ranking,
    now: Option<&Now>,
) -> Result<Ranked, RetrieveError> {
    let mut tokenizer = Tokenizer::new();
    let days = Days::of(text, now);
    let mut terms = words::query_terms(&mut tokenizer, text, &days);
    let mut notices = Vec::new();
    let query = match ranking.vectors > 0.0 {
        true => {
            let meant = words::without_speakers(&mut tokenizer, index, filter, text);
            vectors::of_query(view, index, embedder, &meant, &mut notices)?
        }
        false => None,
    };
    if let Err(damage) = &index.words {
        notices.push(format!("words are not used ({damage}); `backstory rebuild` makes their index anew"));
    }
    let matrix = query.as_ref().zip(index.vectors.as_ref().ok());
    let wanted = ranking.candidates;
    let scan = || matrix.and_then(|(query, matrix)| vectors::nearest(matrix, query, index, filter, wanted));
    let (mut words, nearest) = std::thread::scope(|scope| {
        // Starting a thread costs more than scanning a small matrix.
        let other = (index.docs.count() > 20_000).then(|| scope.spawn(scan));
        let words = scores::score(index, &mut terms, filter, ranking);
        let nearest = match other {
            Some(thread) => thread.join().unwrap_or_default(),
            None => scan(),
        };
        (words, nearest)
    });
    if matrix.is_some() && nearest.is_none() {
        notices.push("vectors are not used (they are damaged); `backstory rebuild` makes them anew".to_owned());
    }
    if let (Err(damage), None) = (&index.words, &nearest) {
        return Err(StoreError::Index(format!("neither words nor vectors can be read: {damage}")).into());
    }
    let exact = |doc| matrix.map_or(0.0, |(query, matrix)| matrix.cosine(query, doc));
    words.settle(index, &terms, ranking, nearest.iter().flatten().map(|(doc, _)| *doc));
    let enough = AnswerThreshold::of(text, &terms);
    let fused = fuse::fuse(&words, nearest.as_deref(), exact, ranking);
    let mut passages = context::with_context(view, index, (text, enough), fused, &words, filter, ranking)?;
    dates::boost(index, &mut passages, &days, ranking);
    arrange::arrange(view, index, &mut passages, filter, ranking, now)?;
    let query = query.filter(|query| query.iter().any(|value| *value != 0.0));
    Ok(Ranked { passages, terms, query, notices, enough })
}

/// Records of passages that are not gone, read once each.
pub(super) struct Records<'a> {
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
