//! How did we get here (`recall`, by passages)? What is likely next (`predict`)?

use std::collections::HashMap;

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::ChunkId;
use crate::store::{Index, ViewReader, ViewStore};

use super::RetrieveError;
use super::chains::{Chain, ChainScore, Direction, MAX_DEPTH, Node, Walk, best_chain, walk_chains};
use super::experience::{Experience, experience};
use super::rank::{QueryTerm, RankFor, RankingMode};
use super::render::{ChunkRenderer, Excerpt, RenderedChunk};
use super::search::{CandidateFate, Hit, Hits, RankedCandidate, SEARCH_BUDGET, Search, SearchResults, search, touches};
use super::seed_mode;

/// Chunks that chains start from.
pub(super) const SEEDS: usize = 5;
/// Chunks are shown trimmed, so each seed may walk this much further than the answer is long.
const WALKED: u64 = 2;
/// The inverse share of the answer that past continuations may take.
const EXPERIENCE: u64 = 3;
/// Tokens for a chunk on the path, and for one that matched.
const ROOM_ON_THE_WAY: u64 = 140;
const ROOM_FOR_SEED: u64 = 320;
/// Tokens for each match outside the best chain, except the best match.
const ROOM_FOR_OTHERS: u64 = 120;
/// Less text is useless.
const LEAST_ROOM: u64 = 40;

#[derive(Clone, Debug, PartialEq)]
pub struct Episodic {
    pub search: Search,
    pub direction: Direction,
    pub chain_score: ChainScore,
}

/// A story: chains in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct EpisodicAnswer {
    pub chains: Vec<AnswerChain>,
    /// Ranked results, if no chain could be walked.
    pub fallback: Option<SearchResults>,
    /// What followed similar contexts before; only when walking forward.
    pub experience: Option<Experience>,
    pub tokens: u64,
    pub terms: Vec<QueryTerm>,
    /// The question's vector; absent without vectors.
    pub query: Option<Vec<f32>>,
    pub notices: Vec<String>,
    /// Every chain that was walked, for `explain`.
    pub walked: Vec<Chain>,
    /// The fate of every ranked chunk, for `explain`.
    pub candidates: Vec<RankedCandidate>,
}

impl EpisodicAnswer {
    pub(super) fn new(hits: &Hits) -> Self {
        EpisodicAnswer {
            chains: Vec::new(),
            fallback: None,
            experience: None,
            tokens: 0,
            terms: hits.terms.clone(),
            query: hits.query.clone(),
            notices: hits.notices.clone(),
            walked: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Ranked results, because no chain qualifies.
    pub(super) fn fall_back(&mut self, ranked: SearchResults) {
        if !ranked.items.is_empty() {
            let notice = "no chain of two or more chunks leads on from what matched: ranked results instead";
            self.notices.push(notice.to_owned());
        }
        self.tokens += ranked.tokens;
        self.candidates.clone_from(&ranked.candidates);
        self.fallback = Some(ranked);
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct AnswerChain {
    /// Has the best score.
    pub best: bool,
    /// Contains the best match.
    pub best_match: bool,
    pub median: f32,
    pub per_token: f32,
    /// The number of chunks in the chain, including those that the budget left out.
    pub length: usize,
    /// In the order of time.
    pub items: Vec<ChainItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChainItem {
    /// 1 - angular distance to the question.
    pub score: f32,
    /// One of the chunks that matched.
    pub matched: bool,
    pub shown: RenderedChunk,
}

pub fn recall_or_predict(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
) -> Result<EpisodicAnswer, RetrieveError> {
    if question.search.ranking.mode == RankingMode::Seed {
        return seed_mode::recall_or_predict(log, views, embedder, question);
    }
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let hits = Hits::find(&view, &index, embedder, &question.search, RankFor::Chains)?;
    let strong = strong_hits(&view, &hits, &question.search.filter.files)?;
    let seeds = &strong[..strong.len().min(SEEDS)];
    let chains = walk(&view, &index, &hits, seeds, question)?;
    let mut answer = EpisodicAnswer::new(&hits);
    let mut budget = question.search.budget;
    if question.direction == Direction::Forward && !strong.is_empty() {
        let seen = experience(&view, &index, &strong, budget / EXPERIENCE)?;
        budget = budget.saturating_sub(seen.tokens());
        answer.tokens += seen.tokens();
        answer.experience = Some(seen);
    }
    match best_chain(&chains, question.chain_score) {
        Some(best) => {
            let mut chains_renderer = ChainRenderer { log, view, seeds, question, budget };
            let mut renderer = ChunkRenderer::new(chains_renderer.log, view, &hits.terms)?;
            answer.chains = chains_renderer.render(&mut renderer, &chains, best)?;
            answer.tokens += answer
                .chains
                .iter()
                .flat_map(|chain| &chain.items)
                .map(|item| u64::from(item.shown.tokens))
                .sum::<u64>();
            answer.chains.sort_by_key(|chain| chain.items.first().map(|item| item.shown.started));
            answer.candidates = candidates(&hits, &strong, seeds, &answer.chains);
        }
        None => {
            drop(snapshot);
            let question = Search { budget, ..question.search.clone() };
            answer.fall_back(search(log, views, embedder, &question)?);
        }
    }
    answer.walked = chains;
    Ok(answer)
}

/// Near enough to the question, and about the requested files.
pub(super) fn strong_hits(view: &ViewReader<'_>, hits: &Hits, files: &[String]) -> Result<Vec<Hit>, RetrieveError> {
    let mut strong = Vec::new();
    for hit in hits.chunks.iter().filter(|hit| hit.strong) {
        let asked_for = files.is_empty() || view.body(hit.chunk)?.is_some_and(|body| touches(&body.files, files));
        if asked_for {
            strong.push(*hit);
        }
    }
    Ok(strong)
}

fn walk(
    view: &ViewReader<'_>,
    index: &Index,
    hits: &Hits,
    seeds: &[Hit],
    question: &Episodic,
) -> Result<Vec<Chain>, RetrieveError> {
    let chunks: Vec<ChunkId> = seeds.iter().map(|hit| hit.chunk).collect();
    let walk = Walk {
        direction: question.direction,
        // Every seed may fill an answer; which one does is decided afterwards. However small the budget, a chain is
        // more than its seed.
        budget: question.search.budget.saturating_mul(WALKED).max(SEARCH_BUDGET),
        max_depth: MAX_DEPTH,
        query: hits.query.as_deref(),
    };
    Ok(walk_chains(view, index, &chunks, &walk)?)
}

pub(super) fn candidates(hits: &Hits, strong: &[Hit], seeds: &[Hit], chains: &[AnswerChain]) -> Vec<RankedCandidate> {
    let is_shown = |chunk| chains.iter().flat_map(|chain| &chain.items).any(|item| item.shown.chunk == chunk);
    let is_seed = |chunk| seeds.iter().any(|seed| seed.chunk == chunk);
    let fate = |hit: &Hit| match hit {
        hit if is_shown(hit.chunk) => CandidateFate::Shown,
        hit if is_seed(hit.chunk) => CandidateFate::OverBudget,
        hit if strong.iter().any(|other| other.chunk == hit.chunk) => CandidateFate::NoSeed,
        hit if hit.strong => CandidateFate::OtherFiles,
        _ => CandidateFate::TooWeak,
    };
    hits.chunks.iter().map(|hit| RankedCandidate { chunk: hit.chunk, score: hit.score, fate: fate(hit) }).collect()
}

/// Renders chains within the remaining budget.
struct ChainRenderer<'a, 'b> {
    log: &'b mut Log,
    view: ViewReader<'a>,
    seeds: &'b [Hit],
    question: &'b Episodic,
    budget: u64,
}

impl ChainRenderer<'_, '_> {
    /// Matches come first, as far as there is room; then the paths to the best chain's match and to the best match.
    fn render(
        &mut self,
        renderer: &mut ChunkRenderer<'_>,
        chains: &[Chain],
        best: usize,
    ) -> Result<Vec<AnswerChain>, RetrieveError> {
        let holding = |chunk: ChunkId| {
            let holds = |at: &usize| chains[*at].nodes.iter().any(|node| node.chunk == chunk);
            Some(best).filter(holds).or_else(|| (0..chains.len()).find(holds))
        };
        let first = self.seeds.first().and_then(|seed| holding(seed.chunk));
        let mut order = vec![best];
        let mut shown: HashMap<ChunkId, ChainItem> = HashMap::new();
        for (place, seed) in self.seeds.iter().enumerate() {
            let Some(at) = holding(seed.chunk) else { continue };
            let most = if at == best || Some(at) == first { ROOM_FOR_SEED } else { ROOM_FOR_OTHERS };
            let fair = self.budget / (self.seeds.len() - place) as u64;
            let node = chains[at].nodes.iter().find(|node| node.chunk == seed.chunk);
            if let Some(node) = node
                && self.show(renderer, node, most.min(fair.max(LEAST_ROOM)), &mut shown)?
                && !order.contains(&at)
            {
                order.push(at);
            }
        }
        let stories = [Some(best), first.filter(|first| *first != best)].into_iter().flatten();
        for (place, at) in stories.enumerate() {
            let kept = if place == 0 && first != Some(best) { self.budget * 2 / 5 } else { 0 };
            for node in &chains[at].nodes {
                if self.budget < kept + LEAST_ROOM {
                    break;
                }
                self.show(renderer, node, ROOM_ON_THE_WAY.min(self.budget - kept), &mut shown)?;
            }
        }
        let mut answer = Vec::new();
        for at in order {
            let mut chain = self.answer_chain(&chains[at], &mut shown);
            chain.best = at == best;
            chain.best_match = first == Some(at);
            answer.push(chain);
        }
        answer.retain(|chain| !chain.items.is_empty());
        Ok(answer)
    }

    /// Is it shown now? Very short text is useless, unless it is the whole text.
    fn show(
        &mut self,
        renderer: &mut ChunkRenderer<'_>,
        node: &Node,
        room: u64,
        shown: &mut HashMap<ChunkId, ChainItem>,
    ) -> Result<bool, RetrieveError> {
        let room = room.min(self.budget);
        if shown.contains_key(&node.chunk) || room == 0 || room < LEAST_ROOM && !shown.is_empty() {
            return Ok(false);
        }
        let Some(row) = self.view.chunk_row(node.chunk)? else { return Ok(false) };
        let hit = self.seeds.iter().find(|hit| hit.chunk == node.chunk);
        let excerpt =
            Excerpt { matched: hit.map(|hit| hit.parts), tokens: room as u32, thinking: self.question.search.thinking };
        let Some(text) = renderer.render(self.log, &row, excerpt)? else { return Ok(false) };
        self.budget -= u64::from(text.tokens).min(self.budget);
        shown.insert(node.chunk, ChainItem { score: node.score, matched: hit.is_some(), shown: text });
        Ok(true)
    }

    /// The shown part of a chain, in order of time.
    fn answer_chain(&self, chain: &Chain, shown: &mut HashMap<ChunkId, ChainItem>) -> AnswerChain {
        let mut items: Vec<ChainItem> = chain.nodes.iter().filter_map(|node| shown.remove(&node.chunk)).collect();
        // Backward chains are walked from the end of the story.
        if self.question.direction == Direction::Backward {
            items.reverse();
        }
        // Parallel runs report later than they began.
        if items.iter().all(|item| item.shown.started.is_some()) {
            items.sort_by_key(|item| item.shown.started);
        }
        AnswerChain {
            best: false,
            best_match: false,
            median: chain.median,
            per_token: chain.per_token,
            length: chain.nodes.len(),
            items,
        }
    }
}
