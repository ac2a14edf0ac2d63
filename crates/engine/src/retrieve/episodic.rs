//! How did we get here (`recall`)? What is likely next (`predict`)?

use std::collections::HashSet;

use crate::embed::Embedder;
use crate::log::Log;
use crate::model::ChunkId;
use crate::store::{Index, ViewReader, ViewStore};

use super::RetrieveError;
use super::chains::{Chain, ChainScore, Direction, MAX_DEPTH, Walk, best_chain, walk_chains};
use super::experience::{Experience, experience};
use super::rank::QueryTerm;
use super::search::{Candidate, Fate, Found, Hit, Hits, SEARCH_BUDGET, Search, search, touches};
use super::show::{Gallery, Shown};

/// Chunks that chains start from.
const SEEDS: usize = 5;
/// Chunks are shown trimmed, so each seed may walk further than the answer is long.
const WALKED: u64 = 2;
/// The share of the answer that what followed before may take.
const EXPERIENCE: u64 = 3;
/// Tokens for a chunk on the way, and for one that matched.
const ROOM_ON_THE_WAY: u32 = 140;
const ROOM_FOR_SEED: u32 = 320;
/// For each match that is neither in the best chain nor the best match.
const ROOM_FOR_OTHERS: u64 = 120;
/// Less tells nothing.
const LEAST_ROOM: u64 = 40;

#[derive(Clone, Debug, PartialEq)]
pub struct Episodic {
    pub search: Search,
    pub direction: Direction,
    pub chain_score: ChainScore,
}

/// A story: chains in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub chains: Vec<ToldChain>,
    /// Ranked results, where no chain could be walked.
    pub fallback: Option<Found>,
    /// What followed where the context matched before; only forward.
    pub experience: Option<Experience>,
    pub tokens: u64,
    pub terms: Vec<QueryTerm>,
    /// The question's vector; absent without vectors.
    pub query: Option<Vec<f32>>,
    pub notices: Vec<String>,
    /// Every chain that was walked, for `explain`.
    pub walked: Vec<Chain>,
    /// What became of every chunk that was ranked, for `explain`.
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToldChain {
    /// Won by its score.
    pub best: bool,
    /// Holds the best match.
    pub best_match: bool,
    pub median: f32,
    pub per_token: f32,
    /// Chunks of the chain, of which the budget let only some be shown.
    pub length: usize,
    /// In the order of time.
    pub items: Vec<ToldItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToldItem {
    /// 1 - angular distance to the question.
    pub score: f32,
    /// One of the chunks that matched.
    pub matched: bool,
    pub shown: Shown,
}

pub fn recall_or_predict(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
) -> Result<Told, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let hits = Hits::find(&view, &index, embedder, &question.search)?;
    let strong = strong_hits(&view, &hits, &question.search.filter.files)?;
    let seeds = &strong[..strong.len().min(SEEDS)];
    let chains = walk(&view, &index, &hits, seeds, question)?;
    let mut told = Told {
        chains: Vec::new(),
        fallback: None,
        experience: None,
        tokens: 0,
        terms: hits.terms.clone(),
        query: hits.query.clone(),
        notices: hits.notices.clone(),
        walked: Vec::new(),
        candidates: Vec::new(),
    };
    let mut budget = question.search.budget;
    if question.direction == Direction::Forward && !strong.is_empty() {
        let seen = experience(&view, &index, &strong, budget / EXPERIENCE)?;
        budget = budget.saturating_sub(seen.tokens());
        told.tokens += seen.tokens();
        told.experience = Some(seen);
    }
    match best_chain(&chains, question.chain_score) {
        Some(best) => {
            let mut teller = Teller { log, view, seeds, question, budget };
            let mut gallery = Gallery::new(teller.log, view, &hits.terms)?;
            told.chains = teller.tell(&mut gallery, &chains, best)?;
            told.tokens +=
                told.chains.iter().flat_map(|chain| &chain.items).map(|item| u64::from(item.shown.tokens)).sum::<u64>();
            told.chains.sort_by_key(|chain| chain.items.first().map(|item| item.shown.started));
            told.candidates = candidates(&hits, &strong, seeds, &told.chains);
        }
        None => {
            drop(snapshot);
            let ranked = search(log, views, embedder, &Search { budget, ..question.search.clone() })?;
            if !ranked.items.is_empty() {
                told.notices.push(
                    "no chain of two or more chunks leads on from what matched: ranked results instead".to_owned(),
                );
            }
            told.tokens += ranked.tokens;
            told.candidates.clone_from(&ranked.candidates);
            told.fallback = Some(ranked);
        }
    }
    told.walked = chains;
    Ok(told)
}

/// Near enough to the question, and about the files that were asked for.
fn strong_hits(view: &ViewReader<'_>, hits: &Hits, files: &[String]) -> Result<Vec<Hit>, RetrieveError> {
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
        // Every seed may fill an answer; which one does is decided afterwards.
        // However little is to be shown, a chain is more than its seed.
        budget_of_seed: question.search.budget.saturating_mul(WALKED).max(SEARCH_BUDGET),
        max_depth: MAX_DEPTH,
        query: hits.query.as_deref(),
    };
    Ok(walk_chains(view, index, &chunks, &walk)?)
}

fn candidates(hits: &Hits, strong: &[Hit], seeds: &[Hit], chains: &[ToldChain]) -> Vec<Candidate> {
    let is_shown = |chunk| chains.iter().flat_map(|chain| &chain.items).any(|item| item.shown.chunk == chunk);
    let is_seed = |chunk| seeds.iter().any(|seed| seed.chunk == chunk);
    let fate = |hit: &Hit| match hit {
        hit if is_shown(hit.chunk) => Fate::Shown,
        hit if is_seed(hit.chunk) => Fate::OverBudget,
        hit if strong.iter().any(|other| other.chunk == hit.chunk) => Fate::NoSeed,
        hit if hit.strong => Fate::OtherFiles,
        _ => Fate::TooWeak,
    };
    hits.chunks.iter().map(|hit| Candidate { chunk: hit.chunk, score: hit.score, fate: fate(hit) }).collect()
}

/// Shows chains within a budget.
struct Teller<'a, 'b> {
    log: &'b mut Log,
    view: ViewReader<'a>,
    seeds: &'b [Hit],
    question: &'b Episodic,
    budget: u64,
}

impl Teller<'_, '_> {
    /// The best chain, the one of the best match if that is another, and what
    /// else matched, with what led to it as far as there is room.
    fn tell(
        &mut self,
        gallery: &mut Gallery<'_>,
        chains: &[Chain],
        best: usize,
    ) -> Result<Vec<ToldChain>, RetrieveError> {
        let holding = |chunk: ChunkId| {
            let holds = |at: &usize| chains[*at].nodes.iter().any(|node| node.chunk == chunk);
            Some(best).filter(holds).or_else(|| (0..chains.len()).find(holds))
        };
        let mut order = vec![best];
        for seed in self.seeds {
            order.extend(holding(seed.chunk).filter(|at| !order.contains(at)));
        }
        let first = self.seeds.first().and_then(|seed| holding(seed.chunk));
        let mut shown = HashSet::new();
        let mut told: Vec<ToldChain> = Vec::new();
        let mut left = self.budget;
        for (place, at) in order.iter().enumerate() {
            let is_first = first == Some(*at);
            let after = &order[place + 1..];
            // The stories of the best chain and the best match need most of the room.
            let kept = match first.is_some_and(|first| after.contains(&first)) {
                true => left * 2 / 5,
                false => (after.len() as u64 * ROOM_FOR_OTHERS).min(left * 2 / 5),
            };
            let share = if place == 0 || is_first { left - kept } else { ROOM_FOR_OTHERS.min(left) };
            if place > 0 && share < LEAST_ROOM {
                continue;
            }
            let mut chain = self.tell_chain(gallery, &chains[*at], share, &mut shown)?;
            chain.best = place == 0;
            chain.best_match = is_first;
            left -= chain.items.iter().map(|item| u64::from(item.shown.tokens)).sum::<u64>().min(left);
            told.push(chain);
        }
        told.retain(|chain| !chain.items.is_empty());
        Ok(told)
    }

    /// What matched in the chain comes first, then the rest from the seed on.
    fn tell_chain(
        &mut self,
        gallery: &mut Gallery<'_>,
        chain: &Chain,
        budget: u64,
        told: &mut HashSet<ChunkId>,
    ) -> Result<ToldChain, RetrieveError> {
        let seed = |chunk: ChunkId| self.seeds.iter().find(|hit| hit.chunk == chunk).copied();
        let mut order: Vec<usize> = (0..chain.nodes.len()).collect();
        order.sort_by_key(|at| {
            let place = self.seeds.iter().position(|hit| hit.chunk == chain.nodes[*at].chunk);
            (place.unwrap_or(usize::MAX), *at)
        });
        let mut left = budget;
        let mut items: Vec<(usize, ToldItem)> = Vec::new();
        for at in order {
            let node = &chain.nodes[at];
            let hit = seed(node.chunk);
            let room = u64::from(if hit.is_some() { ROOM_FOR_SEED } else { ROOM_ON_THE_WAY }).min(left);
            if room < LEAST_ROOM && !items.is_empty() || room == 0 {
                break;
            }
            let Some(row) = self.view.chunk_row(node.chunk)? else { continue };
            let thinking = self.question.search.thinking;
            let parts = hit.map(|hit| hit.parts);
            if !told.insert(node.chunk) {
                continue;
            }
            let Some(shown) = gallery.show(self.log, &row, parts, room as u32, thinking)? else { continue };
            left -= u64::from(shown.tokens).min(left);
            items.push((at, ToldItem { score: node.score, matched: hit.is_some(), shown }));
        }
        // Backward chains are walked from the end of the story.
        items.sort_by_key(|(at, _)| *at);
        if self.question.direction == Direction::Backward {
            items.reverse();
        }
        Ok(ToldChain {
            best: false,
            best_match: false,
            median: chain.median,
            per_token: chain.per_token,
            length: chain.nodes.len(),
            items: items.into_iter().map(|(_, item)| item).collect(),
        })
    }
}
