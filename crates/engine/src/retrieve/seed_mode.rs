//! Answers `recall` and `predict` as the original design does, for `--seed-mode`.
//!
//! The five best chunks are the seeds. One chain leads on from each, backward for `recall` and forward for `predict`;
//! the chain of at least two chunks with the best score is the answer, in order of time. Without such a chain, ranked
//! results are.

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::ChunkId;
use crate::store::{ViewReader, ViewStore};

use super::RetrieveError;
use super::chains::{Chain, Direction, MAX_DEPTH, Walk, best_chain, walk_first_edges};
use super::episodic::{AnswerChain, ChainItem, Episodic, EpisodicAnswer, SEEDS, candidates, strong_hits};
use super::rank::RankFor;
use super::render::{ChunkRenderer, Excerpt};
use super::search::{Hit, Hits, search};

pub(super) fn recall_or_predict(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Episodic,
) -> Result<EpisodicAnswer, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let hits = Hits::find(&view, &index, embedder, &question.search, RankFor::Chains)?;
    let ranked = strong_hits(&view, &hits, &question.search.filter.files)?;
    let seeds = &ranked[..ranked.len().min(SEEDS)];
    let chunks: Vec<ChunkId> = seeds.iter().map(|hit| hit.chunk).collect();
    let walk = Walk {
        direction: question.direction,
        budget: question.search.budget,
        max_depth: MAX_DEPTH,
        query: hits.query.as_deref(),
    };
    let chains = walk_first_edges(&view, &index, &chunks, &walk)?;
    let mut answer = EpisodicAnswer::new(&hits);
    match best_chain(&chains, question.chain_score) {
        Some(best) => {
            let mut renderer = ChunkRenderer::new(log, view, &hits.terms)?;
            let chain = render_chain(log, view, &mut renderer, &chains[best], seeds, question)?;
            answer.tokens = chain.items.iter().map(|item| u64::from(item.shown.tokens)).sum();
            answer.chains = vec![chain];
            answer.candidates = candidates(&hits, &ranked, seeds, &answer.chains);
        }
        None => {
            drop(snapshot);
            answer.fall_back(search(log, views, embedder, &question.search)?);
        }
    }
    answer.walked = chains;
    Ok(answer)
}

/// Renders every chunk of the chain in full: the walk has counted their tokens.
fn render_chain(
    log: &mut Log,
    view: ViewReader<'_>,
    renderer: &mut ChunkRenderer<'_>,
    chain: &Chain,
    seeds: &[Hit],
    question: &Episodic,
) -> Result<AnswerChain, RetrieveError> {
    let mut items = Vec::new();
    let mut left = question.search.budget;
    for node in &chain.nodes {
        let Some(row) = view.chunk_row(node.chunk)? else { continue };
        let tokens = u64::from(node.tokens).min(left) as u32;
        let excerpt = Excerpt { matched: None, tokens, thinking: question.search.thinking };
        let Some(shown) = renderer.render(log, &row, excerpt)? else { continue };
        left = left.saturating_sub(u64::from(shown.tokens));
        let matched = seeds.iter().any(|seed| seed.chunk == node.chunk);
        items.push(ChainItem { score: node.score, matched, shown });
    }
    if question.direction == Direction::Backward {
        items.reverse();
    }
    let best_match = seeds.first().is_some_and(|seed| chain.nodes.iter().any(|node| node.chunk == seed.chunk));
    Ok(AnswerChain {
        best: true,
        best_match,
        median: chain.median,
        per_token: chain.per_token,
        length: chain.nodes.len(),
        items,
    })
}
