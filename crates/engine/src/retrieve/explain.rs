//! Why was one chunk retrieved, and another not?

use std::collections::HashSet;

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::ChunkId;
use crate::store::index::DocNum;
use crate::store::{Index, ViewStore};

use super::RetrieveError;
use super::chains::{Chain, best_chain};
use super::episodic::{Episodic, EpisodicAnswer, recall_or_predict};
use super::rank::{Filter, QueryTerm, Scored};
use super::search::{CandidateFate, RankedCandidate, SearchResults, search};

/// How an answer came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub terms: Vec<QueryTerm>,
    pub considered: usize,
    /// The shown candidates, and the first that were not shown.
    pub candidates: Vec<RankedCandidate>,
    /// Chains of recall and predict, and which of them won.
    pub chains: Vec<Chain>,
    pub best: Option<usize>,
    /// The chunk that the question is about.
    pub asked: Option<(ChunkId, Reason)>,
    pub notices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A chain led to it: its start, and whether the answer shows it.
    InChain {
        seed: ChunkId,
        shown: bool,
        won: bool,
    },
    /// It was ranked; its rank and its fate.
    Considered {
        place: usize,
        fate: CandidateFate,
        score: Scored,
    },
    /// A filter excluded it.
    Filtered {
        by: &'static str,
    },
    /// It contains none of the words.
    NoMatch {
        cosine: f32,
    },
    /// Others were better in both lists.
    Outranked {
        words: usize,
        cosine: f32,
    },
    NotIndexed,
}

/// This many candidates are listed although they were not shown.
const ALSO_LISTED: usize = 10;

/// The verb whose answer is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainedVerb {
    Search,
    /// `recall` or `predict`, by the direction of the question.
    Chains,
}

/// Asks again and keeps the details that are otherwise dropped.
pub fn explain(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
    verb: ExplainedVerb,
    asked: Option<ChunkId>,
) -> Result<Explained, RetrieveError> {
    let answer = match verb {
        ExplainedVerb::Chains => Answer::of_chains(recall_or_predict(log, views, embedder, question)?),
        ExplainedVerb::Search => Answer::of_search(search(log, views, embedder, &question.search)?),
    };
    let best = best_chain(&answer.chains, question.chain_score);
    let asked = match asked {
        Some(chunk) => Some((chunk, answer.reason(views, embedder, question, best, chunk)?)),
        None => None,
    };
    let shown = answer.candidates.iter().filter(|candidate| candidate.fate == CandidateFate::Shown);
    let others = answer.candidates.iter().filter(|candidate| candidate.fate != CandidateFate::Shown).take(ALSO_LISTED);
    Ok(Explained {
        considered: answer.candidates.len(),
        candidates: shown.chain(others).cloned().collect(),
        terms: answer.terms,
        chains: answer.chains,
        best,
        asked,
        notices: answer.notices,
    })
}

/// The parts of an answer of any verb.
struct Answer {
    terms: Vec<QueryTerm>,
    query: Option<Vec<f32>>,
    notices: Vec<String>,
    candidates: Vec<RankedCandidate>,
    /// Every chain that was walked, and the chunks of them that are shown.
    chains: Vec<Chain>,
    told: HashSet<ChunkId>,
}

impl Answer {
    fn of_search(found: SearchResults) -> Self {
        let SearchResults { terms, query, notices, candidates, .. } = found;
        Answer { terms, query, notices, candidates, chains: Vec::new(), told: HashSet::new() }
    }

    fn of_chains(told: EpisodicAnswer) -> Self {
        let shown = told.chains.iter().flat_map(|chain| &chain.items).map(|item| item.shown.chunk).collect();
        let EpisodicAnswer { terms, query, notices, candidates, walked, .. } = told;
        Answer { terms, query, notices, candidates, chains: walked, told: shown }
    }

    /// Does a chain start there? In the answer of a search, every chunk counts as a start.
    fn is_start(&self, chunk: ChunkId) -> bool {
        self.chains.is_empty() || self.chains.iter().any(|chain| chain.seed() == Some(chunk))
    }

    fn reason(
        &self,
        views: &ViewStore,
        embedder: &dyn Embedder,
        question: &Episodic,
        best: Option<usize>,
        chunk: ChunkId,
    ) -> Result<Reason, RetrieveError> {
        let ranked = self.candidates.iter().position(|candidate| candidate.chunk == chunk).map(|at| {
            let RankedCandidate { fate, score, .. } = self.candidates[at].clone();
            Reason::Considered { place: at + 1, fate, score }
        });
        let by_chain = in_chain(&self.chains, best, &self.told, chunk);
        let known = match ranked {
            // Matches were ranked into the answer; the rest came through a chain.
            Some(Reason::Considered { fate: CandidateFate::Shown, .. }) if self.is_start(chunk) => ranked,
            _ => by_chain.or(ranked),
        };
        if let Some(reason) = known {
            return Ok(reason);
        }
        let snapshot = views.snapshot()?;
        let view = snapshot.read();
        let index = view.index(embedder.model())?;
        let Some(row) = view.passages_of(chunk)?.filter(|row| row.count > 0) else { return Ok(Reason::NotIndexed) };
        let docs: Vec<DocNum> = (row.first..row.first + row.count).collect();
        let filter = question.search.resolved_filter(&view)?;
        if let Some(by) = filtered_by(&index, &filter, &docs) {
            return Ok(Reason::Filtered { by });
        }
        let let_through = |doc: &DocNum| index.docs.get(*doc).is_some_and(|record| filter.lets(&record));
        let docs: Vec<DocNum> = docs.into_iter().filter(let_through).collect();
        let words = words_in(&index, &self.terms, &docs);
        let cosine = best_cosine(&index, self.query.as_deref(), &docs);
        Ok(if words == 0 { Reason::NoMatch { cosine } } else { Reason::Outranked { words, cosine } })
    }
}

/// A chunk that a chain reached, or would have reached, from a match.
fn in_chain(chains: &[Chain], best: Option<usize>, told: &HashSet<ChunkId>, chunk: ChunkId) -> Option<Reason> {
    let holds = |at: &usize| chains[*at].nodes.iter().any(|node| node.chunk == chunk);
    let at = best.filter(holds).or_else(|| (0..chains.len()).find(holds))?;
    Some(Reason::InChain { seed: chains[at].seed()?, shown: told.contains(&chunk), won: best == Some(at) })
}

/// The filter that excludes every passage of a chunk.
fn filtered_by(index: &Index, filter: &Filter, docs: &[DocNum]) -> Option<&'static str> {
    let docs: Vec<_> = docs.iter().filter_map(|doc| index.docs.get(*doc)).collect();
    let project = Filter { project: filter.project, ..Filter::default() };
    let time = Filter { from: filter.from, to: filter.to, ..Filter::default() };
    let kinds = Filter { kinds: filter.kinds.clone(), ..Filter::default() };
    let agent = Filter { episodes: filter.episodes.clone(), ..Filter::default() };
    [("project", project), ("time", time), ("kind", kinds), ("agent", agent)]
        .into_iter()
        .find(|(_, filter)| !docs.iter().any(|doc| filter.lets(doc)))
        .map(|(name, _)| name)
}

fn words_in(index: &Index, terms: &[QueryTerm], docs: &[DocNum]) -> usize {
    let Ok(words) = &index.words else { return 0 };
    let docs: HashSet<&DocNum> = docs.iter().collect();
    terms.iter().filter(|term| words.postings(term.term.as_bytes()).any(|posting| docs.contains(&posting.doc))).count()
}

fn best_cosine(index: &Index, query: Option<&[f32]>, docs: &[DocNum]) -> f32 {
    let (Ok(matrix), Some(query)) = (&index.vectors, query) else { return 0.0 };
    docs.iter().map(|doc| matrix.cosine(query, *doc)).fold(0.0, f32::max)
}
