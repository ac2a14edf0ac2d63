//! What do I know about X?

use std::collections::{HashMap, HashSet};

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::ChunkId;
use crate::store::{Index, StoreError, ViewReader, ViewStore};

use super::RetrieveError;
use super::cards::{CardHit, matching_cards};
use super::rank::{Filter, Now, QueryTerm, RankFor, RankQuestion, Ranked, Ranking, RankingMode, Scored, rank};
use super::render::{ChunkRenderer, Excerpt, RenderedChunk};

/// The default token budget of an answer.
pub const SEARCH_BUDGET: u64 = 2_000;
/// The default number of items in an answer.
pub const SEARCH_LIMIT: usize = 10;
/// Texts that share this much of their words count as the same.
const SAME_WORDS: f32 = 0.9;
/// Every item but the first gets at least this many tokens.
const LEAST_SHOWN: u32 = 60;

#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub text: String,
    pub filter: Filter,
    /// Only what this agent said or did; `main` is a session's own agent.
    pub agent: Option<String>,
    pub limit: usize,
    /// Tokens of text in the answer.
    pub budget: u64,
    /// Show and search thinking too.
    pub thinking: bool,
    pub ranking: Ranking,
    /// The reference time for days in the question and the age of results.
    pub now: Option<Now>,
}

impl Search {
    pub fn new(text: impl Into<String>) -> Self {
        Search {
            text: text.into(),
            filter: Filter::default(),
            agent: None,
            limit: SEARCH_LIMIT,
            budget: SEARCH_BUDGET,
            thinking: false,
            ranking: Ranking::default(),
            now: None,
        }
    }

    /// Cards answer a question about a project or everything, not one limited to an agent, a time or a file. The
    /// original design has none.
    pub(super) fn wants_cards(&self) -> bool {
        let everything = Filter { project: self.filter.project, ..Filter::default() };
        self.ranking.mode == RankingMode::Measured && self.agent.is_none() && self.filter == everything
    }

    /// Includes the runs of the requested agent.
    pub(super) fn resolved_filter(&self, view: &ViewReader<'_>) -> Result<Filter, RetrieveError> {
        let mut filter = self.filter.clone();
        if let Some(agent) = &self.agent {
            filter.episodes = Some(episodes_of(view, agent)?.into_iter().collect());
        }
        Ok(filter)
    }
}

/// Chunks, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResults {
    /// Cards relevant to the question; empty if the question is limited to some passages.
    pub cards: Vec<CardHit>,
    pub items: Vec<SearchItem>,
    pub tokens: u64,
    /// The number of chunks considered.
    pub considered: usize,
    pub terms: Vec<QueryTerm>,
    /// The question's vector; absent without vectors.
    pub query: Option<Vec<f32>>,
    /// Notices for the user, one line each.
    pub notices: Vec<String>,
    /// The fate of every candidate, for `explain`.
    pub candidates: Vec<RankedCandidate>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchItem {
    pub score: Scored,
    pub shown: RenderedChunk,
}

/// A chunk that might have been in the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedCandidate {
    pub chunk: ChunkId,
    /// Of its best passage.
    pub score: Scored,
    pub fate: CandidateFate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateFate {
    Shown,
    /// It says the same as one that is shown.
    Duplicate,
    /// It is too far from the question.
    TooWeak,
    /// It has none of the requested files.
    OtherFiles,
    /// The answer had enough items.
    OverLimit,
    /// The answer had enough text.
    OverBudget,
    /// Chains start from the best few only (recall, predict).
    NoSeed,
}

pub fn search(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Search,
) -> Result<SearchResults, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let hits = Hits::find(&view, &index, embedder, question, RankFor::Search)?;
    let mut renderer = ChunkRenderer::new(log, view, &hits.terms)?;
    let mut found = SearchResults {
        cards: if question.wants_cards() {
            matching_cards(&view, question.filter.project, &question.text)?
        } else {
            Vec::new()
        },
        items: Vec::new(),
        tokens: 0,
        considered: hits.chunks.len(),
        terms: hits.terms.clone(),
        query: hits.query.clone(),
        notices: hits.notices.clone(),
        candidates: Vec::new(),
    };
    let mut selection = PassageSelection { question, view, renderer: &mut renderer, said: Vec::new() };
    for hit in &hits.chunks {
        let Some(fate) = selection.judge(log, hit, &mut found)? else { continue };
        found.candidates.push(RankedCandidate { chunk: hit.chunk, score: hit.score, fate });
    }
    Ok(found)
}

/// Chooses which hits an answer shows, best first.
struct PassageSelection<'a, 'v> {
    question: &'a Search,
    view: ViewReader<'v>,
    renderer: &'a mut ChunkRenderer<'v>,
    /// The words of each item so far.
    said: Vec<HashSet<String>>,
}

impl PassageSelection<'_, '_> {
    /// `None` if the chunk no longer exists.
    fn judge(
        &mut self,
        log: &mut Log,
        hit: &Hit,
        found: &mut SearchResults,
    ) -> Result<Option<CandidateFate>, RetrieveError> {
        let question = self.question;
        if !hit.strong {
            return Ok(Some(CandidateFate::TooWeak));
        }
        if found.items.len() >= question.limit {
            return Ok(Some(CandidateFate::OverLimit));
        }
        let Some(row) = self.view.chunk_row(hit.chunk)? else { return Ok(None) };
        let left = u32::try_from(question.budget.saturating_sub(found.tokens)).unwrap_or(u32::MAX);
        if left < LEAST_SHOWN && !found.items.is_empty() {
            return Ok(Some(CandidateFate::OverBudget));
        }
        let tokens = room_for(question, found.items.len()).min(left);
        let excerpt = Excerpt { matched: Some(hit.parts), tokens, thinking: question.thinking };
        let Some(shown) = self.renderer.render(log, &row, excerpt)? else { return Ok(None) };
        if !question.filter.files.is_empty() && !touches(&shown.files, &question.filter.files) {
            return Ok(Some(CandidateFate::OtherFiles));
        }
        let words: HashSet<String> = shown.text.split_whitespace().map(str::to_owned).collect();
        if self.said.iter().any(|before| is_the_same(before, &words)) {
            return Ok(Some(CandidateFate::Duplicate));
        }
        self.said.push(words);
        found.tokens += u64::from(shown.tokens);
        found.items.push(SearchItem { score: hit.score, shown });
        Ok(Some(CandidateFate::Shown))
    }
}

/// The same output of two runs may differ in a number or an id.
fn is_the_same(a: &HashSet<String>, b: &HashSet<String>) -> bool {
    let both = a.intersection(b).count();
    a == b || both as f32 >= SAME_WORDS * (a.len() + b.len() - both) as f32
}

/// The best hits get more room.
fn room_for(question: &Search, place: usize) -> u32 {
    let items = question.limit.clamp(1, 50) as u64;
    let fair = question.budget / items;
    let room = if place < 3 { fair.saturating_mul(3) / 2 } else { fair.saturating_mul(4) / 5 };
    u32::try_from(room).unwrap_or(u32::MAX).max(LEAST_SHOWN)
}

/// Does a file match a requested part of a path?
pub(super) fn touches(files: &[String], wanted: &[String]) -> bool {
    wanted.iter().any(|wanted| files.iter().any(|file| file.contains(wanted.as_str())))
}

/// A chunk with its best passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub chunk: ChunkId,
    pub score: Scored,
    pub parts: (usize, usize),
    /// Near enough to the question to be an answer.
    pub strong: bool,
}

/// Ranked chunks: the first step of search, recall and predict.
pub(super) struct Hits {
    pub chunks: Vec<Hit>,
    pub terms: Vec<QueryTerm>,
    pub query: Option<Vec<f32>>,
    pub notices: Vec<String>,
}

impl Hits {
    pub fn find(
        view: &ViewReader<'_>,
        index: &Index,
        embedder: &mut dyn Embedder,
        question: &Search,
        purpose: RankFor,
    ) -> Result<Self, RetrieveError> {
        let filter = question.resolved_filter(view)?;
        let mut ranking = question.ranking.clone();
        if !filter.files.is_empty() {
            // Files are only known from the chunks themselves.
            ranking.candidates *= 10;
        }
        if question.thinking && ranking.thinking == 0.0 {
            ranking.thinking = 0.5;
        }
        let asked = RankQuestion {
            text: &question.text,
            filter: &filter,
            ranking: &ranking,
            now: question.now.as_ref(),
            purpose,
        };
        let ranked = rank(view, index, embedder, &asked)?;
        let chunks = best_of_chunks(index, &ranked);
        Ok(Hits { chunks, terms: ranked.terms, query: ranked.query, notices: ranked.notices })
    }
}

fn best_of_chunks(index: &Index, ranked: &Ranked) -> Vec<Hit> {
    let mut places: HashMap<ChunkId, usize> = HashMap::new();
    let mut hits: Vec<Hit> = Vec::new();
    for scored in &ranked.passages {
        let Some(doc) = index.docs.get(scored.doc) else { continue };
        if let Some(at) = places.get(&doc.chunk) {
            hits[*at].strong |= ranked.is_strong(scored);
            continue;
        }
        places.insert(doc.chunk, hits.len());
        let parts = (doc.parts.0.into(), doc.parts.1.into());
        hits.push(Hit { chunk: doc.chunk, score: *scored, parts, strong: ranked.is_strong(scored) });
    }
    hits
}

/// The runs of the agents with this name.
fn episodes_of(view: &ViewReader<'_>, agent: &str) -> Result<Vec<u32>, RetrieveError> {
    let agents = view.agents()?;
    let runs = || -> Result<Vec<u32>, StoreError> { Ok(view.runs()?.iter().map(|(num, _)| num.0 as u32).collect()) };
    if agent.eq_ignore_ascii_case("main") {
        let others: HashSet<u32> = agents.iter().map(|row| row.episode.0 as u32).collect();
        return Ok(runs()?.into_iter().filter(|run| !others.contains(run)).collect());
    }
    let named: Vec<u32> =
        agents.iter().filter(|row| row.name.eq_ignore_ascii_case(agent)).map(|row| row.episode.0 as u32).collect();
    if named.is_empty() {
        return Err(RetrieveError::NotFound { what: "agent", asked: agent.to_owned() });
    }
    Ok(named)
}
