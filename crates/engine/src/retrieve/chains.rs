//! Follows the graph from the matches: one chain per seed, and one more for every branch.

use std::collections::HashSet;

use crate::model::ChunkId;
use crate::store::{Index, StoreError, ViewReader};

/// A safety net; the budget usually ends a chain first.
pub const MAX_DEPTH: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Backward,
    Forward,
}

/// How the best chain is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainScore {
    /// The median of its nodes' scores: an irrelevant node in between does no harm.
    #[default]
    Median,
    /// The sum of its nodes' scores per token.
    PerToken,
}

pub struct Walk<'a> {
    pub direction: Direction,
    /// Tokens for the chains of one seed, so that the first seed leaves room for the others. In [`walk_first_edges`],
    /// for all chains.
    pub budget: u64,
    pub max_depth: usize,
    /// Without a vector every node scores zero.
    pub query: Option<&'a [f32]>,
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Node {
    pub chunk: ChunkId,
    /// 1 - angular distance to the query.
    pub score: f32,
    pub tokens: u32,
}

/// Chunks in the order of the walk; the first is the seed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Chain {
    pub nodes: Vec<Node>,
    pub median: f32,
    pub per_token: f32,
}

impl Chain {
    fn new(nodes: Vec<Node>) -> Self {
        let tokens: u32 = nodes.iter().map(|node| node.tokens).sum();
        let sum: f32 = nodes.iter().map(|node| node.score).sum();
        Chain { median: median(&nodes), per_token: sum / tokens.max(1) as f32, nodes }
    }

    pub fn score(&self, by: ChainScore) -> f32 {
        match by {
            ChainScore::Median => self.median,
            ChainScore::PerToken => self.per_token,
        }
    }

    pub fn seed(&self) -> Option<ChunkId> {
        self.nodes.first().map(|node| node.chunk)
    }
}

fn median(nodes: &[Node]) -> f32 {
    let mut scores: Vec<f32> = nodes.iter().map(|node| node.score).collect();
    scores.sort_unstable_by(f32::total_cmp);
    match scores.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => scores[odd / 2],
        even => (scores[even / 2 - 1] + scores[even / 2]) / 2.0,
    }
}

/// Walks from each seed in turn. All chains share one set of visited chunks. Each of several outgoing edges is followed
/// as a chain of its own, which includes the path up to it.
pub fn walk_chains(
    view: &ViewReader<'_>,
    index: &Index,
    seeds: &[ChunkId],
    walk: &Walk<'_>,
) -> Result<Vec<Chain>, StoreError> {
    let mut chains = Vec::new();
    let mut visited: HashSet<ChunkId> = HashSet::new();
    for seed in seeds {
        let mut tally = 0;
        // A branch is the path up to it and the next chunk.
        let mut branches: Vec<(Vec<Node>, ChunkId)> = vec![(Vec::new(), *seed)];
        while let Some((mut path, start)) = branches.pop() {
            let shared = path.len();
            let mut waiting = Vec::new();
            let mut current = Some(start);
            while let Some(chunk) = current.filter(|chunk| !visited.contains(chunk)) {
                let Some(row) = view.chunk_row(chunk)? else { break };
                // A seed larger than the budget is still a match.
                if tally > 0 && tally + u64::from(row.tokens) > walk.budget {
                    break;
                }
                tally += u64::from(row.tokens);
                visited.insert(chunk);
                path.push(Node { chunk, score: node_score(view, index, walk.query, chunk)?, tokens: row.tokens });
                if path.len() >= walk.max_depth {
                    break;
                }
                let mut onward = next(view, chunk, walk.direction)?.into_iter().filter(|next| !visited.contains(next));
                current = onward.next();
                waiting.extend(onward.map(|branch| (path.clone(), branch)));
            }
            if path.len() > shared {
                chains.push(Chain::new(path));
            }
            // The branch nearest to the seed first.
            branches.extend(waiting.into_iter().rev());
        }
    }
    Ok(chains)
}

/// The walk of the original design: one chain for each seed, along the first edge of each chunk.
/// All chains share one budget and one set of visited chunks.
pub fn walk_first_edges(
    view: &ViewReader<'_>,
    index: &Index,
    seeds: &[ChunkId],
    walk: &Walk<'_>,
) -> Result<Vec<Chain>, StoreError> {
    let mut chains = Vec::new();
    let mut visited: HashSet<ChunkId> = HashSet::new();
    let mut tally = 0;
    for seed in seeds {
        let mut nodes = Vec::new();
        let mut current = Some(*seed);
        while let Some(chunk) = current.filter(|chunk| nodes.len() < walk.max_depth && visited.insert(*chunk)) {
            let Some(row) = view.chunk_row(chunk)? else { break };
            tally += u64::from(row.tokens);
            if tally > walk.budget {
                break;
            }
            nodes.push(Node { chunk, score: node_score(view, index, walk.query, chunk)?, tokens: row.tokens });
            current = next(view, chunk, walk.direction)?.first().copied();
        }
        if !nodes.is_empty() {
            chains.push(Chain::new(nodes));
        }
    }
    Ok(chains)
}

/// The best chain of at least two chunks.
pub fn best_chain(chains: &[Chain], by: ChainScore) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (at, chain) in chains.iter().enumerate().filter(|(_, chain)| chain.nodes.len() >= 2) {
        if best.is_none_or(|best| chain.score(by) > chains[best].score(by)) {
            best = Some(at);
        }
    }
    best
}

/// The chain of the run itself comes first, then what branches off.
fn next(view: &ViewReader<'_>, chunk: ChunkId, direction: Direction) -> Result<Vec<ChunkId>, StoreError> {
    let mut edges = match direction {
        Direction::Backward => view.edges_into(chunk)?,
        Direction::Forward => view.edges_from(chunk)?,
    };
    edges.sort_by_key(|(kind, chunk)| (*kind, *chunk));
    Ok(edges.into_iter().map(|(_, chunk)| chunk).collect())
}

/// 1 - angular distance between the query and the chunk: the mean of its
/// passages' vectors.
fn node_score(view: &ViewReader<'_>, index: &Index, query: Option<&[f32]>, chunk: ChunkId) -> Result<f32, StoreError> {
    let (Some(query), Ok(matrix)) = (query, &index.vectors) else { return Ok(0.0) };
    let Some(row) = view.passages_of(chunk)? else { return Ok(0.0) };
    let Some(mean) = matrix.mean(row.first..row.first + row.count) else { return Ok(0.0) };
    let cosine = mean.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    Ok(1.0 - cosine.clamp(-1.0, 1.0).acos() / std::f32::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Digest;

    fn chain(scores: &[f32]) -> Chain {
        let chunk = ChunkId(Digest([0; 16]));
        Chain::new(scores.iter().map(|score| Node { chunk, score: *score, tokens: 100 }).collect())
    }

    #[test]
    fn a_bridge_does_not_lower_the_median() {
        assert_eq!(chain(&[0.85, 0.30, 0.82]).median, 0.82);
        assert_eq!(chain(&[0.4, 0.6]).median, 0.5);
    }

    #[test]
    fn one_chunk_is_no_chain() {
        let chains = [chain(&[0.99]), chain(&[0.5, 0.5]), chain(&[0.7, 0.6])];
        assert_eq!(best_chain(&chains, ChainScore::Median), Some(2));
        assert_eq!(best_chain(&chains[..1], ChainScore::Median), None);
    }
}
