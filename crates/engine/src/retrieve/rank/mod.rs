//! Which passages answer a question best?
//!
//! [`words`] and [`vectors`] score every passage; [`fuse`] makes one score of
//! the two; [`context`] adds what the passages around it and its session say;
//! [`arrange`] looks at the list as a whole.

mod arrange;
mod context;
mod dates;
mod fuse;
mod options;
mod vectors;
mod words;

pub use fuse::Fusion;
pub use options::{Filter, Ranking};
pub use words::QueryTerm;

use std::collections::HashMap;

use crate::embed::Embedder;
use crate::model::Timestamp;
use crate::store::index::{Doc, DocNum};
use crate::store::{Index, ViewReader};
use crate::text::Tokenizer;

use super::RetrieveError;

/// A passage with the parts of its score. Each list's best has 1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Scored {
    pub doc: DocNum,
    pub score: f32,
    pub words: f32,
    pub words_rank: Option<u32>,
    /// The cosine with the query.
    pub cosine: f32,
    pub vectors_rank: Option<u32>,
    /// What the fused lists gave.
    pub own: f32,
    pub neighbours: f32,
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
    /// How much of the question's words the best passage has, from 0 to 1.
    pub word_strength: f32,
}

/// A passage with less than this share of the question's words, weighed by how
/// rare they are, is no answer on their account.
const ENOUGH_WORDS: f32 = 0.12;
/// Texts that have nothing to do with each other reach less than this.
const ENOUGH_LIKENESS: f32 = 0.5;
/// Of the best passage's score; less is noise at the end of the list.
const ENOUGH_SCORE: f32 = 0.2;

impl Ranked {
    /// Is a passage near enough to the question to be an answer?
    pub fn is_strong(&self, scored: &Scored) -> bool {
        let worded = scored.words * self.word_strength >= ENOUGH_WORDS || scored.verbatim > 0.0;
        let alone = worded || scored.cosine >= ENOUGH_LIKENESS;
        let supported = scored.neighbours > 0.0 || scored.cluster.is_some();
        let Some(best) = self.passages.first() else { return false };
        (alone || (supported && self.answers())) && scored.score >= ENOUGH_SCORE * best.score
    }

    /// Does anything answer at all?
    pub fn answers(&self) -> bool {
        let near = |scored: &Scored| scored.cosine >= ENOUGH_LIKENESS || scored.verbatim > 0.0;
        self.word_strength >= ENOUGH_WORDS || self.passages.iter().any(near)
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
    now: Option<Timestamp>,
) -> Result<Ranked, RetrieveError> {
    let mut tokenizer = Tokenizer::new();
    let mut terms = words::query_terms(&mut tokenizer, text);
    let mut notices = Vec::new();
    let query = match ranking.vectors > 0.0 {
        true => {
            let meant = words::without_speakers(&mut tokenizer, index, text);
            vectors::of_query(view, index, embedder, &meant, &mut notices)?
        }
        false => None,
    };
    if let Err(damage) = &index.words {
        notices.push(format!("words are not used ({damage}); `backstory rebuild` makes their index anew"));
    }
    let matrix = query.as_ref().zip(index.vectors.as_ref().ok());
    let scan = || matrix.map(|(query, matrix)| vectors::cosines(matrix, query, index, filter));
    let (words, cosines) = std::thread::scope(|scope| {
        // Starting a thread costs more than scanning a small matrix.
        let other = (index.docs.count() > 20_000).then(|| scope.spawn(scan));
        let words = words::score(index, &mut terms, filter, ranking);
        let cosines = match other {
            Some(thread) => thread.join().unwrap_or_default(),
            None => scan(),
        };
        (words, cosines)
    });
    let word_strength = words.best / words.best_possible.max(f32::MIN_POSITIVE);
    let fused = fuse::fuse(&words, cosines.as_deref(), ranking);
    let mut passages = context::with_context(view, index, text, fused, &words, filter, ranking)?;
    arrange::boost_dates(index, &mut passages, &dates::periods(text, now), ranking);
    arrange::arrange(view, index, &mut passages, filter, ranking, now)?;
    let query = query.filter(|query| query.iter().any(|value| *value != 0.0));
    Ok(Ranked { passages, terms, query, notices, word_strength })
}

/// Records of passages, read once each.
pub(super) struct Records<'a> {
    index: &'a Index,
    known: HashMap<DocNum, Option<Doc>>,
}

impl<'a> Records<'a> {
    pub fn new(index: &'a Index) -> Self {
        Records { index, known: HashMap::new() }
    }

    pub fn get(&mut self, doc: DocNum) -> Option<Doc> {
        *self.known.entry(doc).or_insert_with(|| self.index.docs.get(doc))
    }
}
