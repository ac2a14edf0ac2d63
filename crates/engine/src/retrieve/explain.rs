//! Why was this retrieved, and that not?

use std::collections::HashSet;

use crate::embed::Embedder;
use crate::log::Log;
use crate::model::ChunkId;
use crate::store::index::DocNum;
use crate::store::{Index, ViewStore};

use super::RetrieveError;
use super::chains::{Chain, best_chain};
use super::episodic::{Episodic, recall_or_predict};
use super::rank::{Filter, QueryTerm, Scored};
use super::search::{Candidate, Fate, Found, search};

/// How an answer came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub terms: Vec<QueryTerm>,
    pub considered: usize,
    /// The shown ones, and the first that were not.
    pub candidates: Vec<Candidate>,
    /// Chains of recall and predict, and which of them won.
    pub chains: Vec<Chain>,
    pub best: Option<usize>,
    /// A chunk that was asked about.
    pub asked: Option<(ChunkId, Reason)>,
    pub notices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It was ranked; its place in the list and what became of it.
    Considered {
        place: usize,
        fate: Fate,
        score: Scored,
    },
    /// A filter kept it out.
    Filtered {
        by: &'static str,
    },
    /// It has none of the words.
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

/// Candidates that are listed although they were not shown.
const ALSO_LISTED: usize = 10;

/// Asks again and keeps what is otherwise thrown away. `episodic`: the answer of
/// recall or predict rather than search.
pub fn explain(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
    episodic: bool,
    asked: Option<ChunkId>,
) -> Result<Explained, RetrieveError> {
    let found = search(log, views, embedder, &question.search)?;
    let (chains, best) = if episodic {
        let told = recall_or_predict(log, views, embedder, question)?;
        let best = best_chain(&told.walked, question.chain_score);
        (told.walked, best)
    } else {
        (Vec::new(), None)
    };
    let asked = match asked {
        Some(chunk) => Some((chunk, reason(views, embedder, question, &found, chunk)?)),
        None => None,
    };
    let shown = found.candidates.iter().filter(|candidate| candidate.fate == Fate::Shown);
    let others = found.candidates.iter().filter(|candidate| candidate.fate != Fate::Shown).take(ALSO_LISTED);
    let candidates = shown.chain(others).cloned().collect();
    let Found { terms, considered, notices, .. } = found;
    Ok(Explained { terms, considered, candidates, chains, best, asked, notices })
}

fn reason(
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
    found: &Found,
    chunk: ChunkId,
) -> Result<Reason, RetrieveError> {
    if let Some(at) = found.candidates.iter().position(|candidate| candidate.chunk == chunk) {
        let Candidate { fate, score, .. } = found.candidates[at].clone();
        return Ok(Reason::Considered { place: at + 1, fate, score });
    }
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let Some(row) = view.passages_of(chunk)?.filter(|row| row.count > 0) else { return Ok(Reason::NotIndexed) };
    let docs: Vec<DocNum> = (row.first..row.first + row.count).collect();
    if let Some(by) = filtered_by(&index, &question.search.filter, docs[0]) {
        return Ok(Reason::Filtered { by });
    }
    let words = words_in(&index, &found.terms, &docs);
    let cosine = best_cosine(&index, embedder, &question.search.text, &docs)?;
    Ok(if words == 0 { Reason::NoMatch { cosine } } else { Reason::Outranked { words, cosine } })
}

fn filtered_by(index: &Index, filter: &Filter, doc: DocNum) -> Option<&'static str> {
    let doc = index.docs.get(doc)?;
    let project = Filter { project: filter.project, ..Filter::default() };
    let time = Filter { from: filter.from, to: filter.to, ..Filter::default() };
    let kinds = Filter { kinds: filter.kinds.clone(), ..Filter::default() };
    [("project", project), ("time", time), ("kind", kinds)]
        .into_iter()
        .find(|(_, filter)| !filter.lets(&doc))
        .map(|(name, _)| name)
}

fn words_in(index: &Index, terms: &[QueryTerm], docs: &[DocNum]) -> usize {
    let Ok(words) = &index.words else { return 0 };
    let docs: HashSet<&DocNum> = docs.iter().collect();
    terms.iter().filter(|term| words.postings(term.term.as_bytes()).any(|posting| docs.contains(&posting.doc))).count()
}

fn best_cosine(index: &Index, embedder: &mut dyn Embedder, text: &str, docs: &[DocNum]) -> Result<f32, RetrieveError> {
    let Ok(matrix) = &index.vectors else { return Ok(0.0) };
    let query = embedder.embed(&[text])?.into_iter().next().unwrap_or_default();
    Ok(docs.iter().map(|doc| matrix.cosine(&query, *doc)).fold(0.0, f32::max))
}
