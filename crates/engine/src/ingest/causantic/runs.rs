//! Which chunks of a session are a sub-agent's?
//!
//! Causantic keeps a teammate's name with its chunks. Other sub-agents have no name: edges connect
//! their chunks, and one edge leads from the session to the first of them.

use std::collections::HashMap;

use crate::model::digest_of;

use super::input::{ImportedChunk, RunEdges};

/// One agent's chunks, in order.
#[derive(Debug)]
pub(super) struct AgentRun {
    /// Absent for the session itself.
    pub agent: Option<String>,
    pub chunks: Vec<ImportedChunk>,
    /// The chunk in which it was started.
    pub brief: Option<String>,
}

/// The session itself first, then its agents ordered by start.
pub(super) fn separate(chunks: Vec<ImportedChunk>, edges: &RunEdges) -> Vec<AgentRun> {
    let names = names_of_unnamed(&chunks, edges);
    let mut runs: Vec<AgentRun> = Vec::new();
    let mut known: HashMap<Option<String>, usize> = HashMap::new();
    for chunk in chunks {
        let agent = chunk.agent.clone().or_else(|| names.get(&chunk.id).cloned());
        let at = *known.entry(agent.clone()).or_insert_with(|| {
            runs.push(AgentRun { agent, chunks: Vec::new(), brief: None });
            runs.len() - 1
        });
        runs[at].chunks.push(chunk);
    }
    for run in &mut runs {
        run.chunks.sort_by_key(|chunk| (chunk.started, chunk.turns.first().copied(), chunk.order));
        run.brief = run.chunks.iter().find_map(|chunk| edges.briefs.get(&chunk.id)).cloned();
    }
    let begins = |run: &AgentRun| run.chunks.first().map(|chunk| (chunk.started, chunk.order));
    runs.sort_by_key(|run| (run.agent.is_some(), begins(run)));
    runs
}

/// The chunks connected to a chunk that started an agent, each with a name made from the first of them.
fn names_of_unnamed(chunks: &[ImportedChunk], edges: &RunEdges) -> HashMap<String, String> {
    let unnamed: HashMap<&str, usize> =
        (0..chunks.len()).filter(|at| chunks[*at].agent.is_none()).map(|at| (chunks[at].id.as_str(), at)).collect();
    let mut groups = Groups::new(chunks.len());
    for (id, at) in &unnamed {
        for next in edges.next.get(*id).into_iter().flatten().filter_map(|next| unnamed.get(next.as_str())) {
            groups.join(*at, *next);
        }
    }
    let mut first: HashMap<usize, usize> = HashMap::new();
    for at in unnamed.values().filter(|at| edges.briefs.contains_key(&chunks[**at].id)) {
        let known = first.entry(groups.of(*at)).or_insert(*at);
        *known = (*known).min(*at);
    }
    let mut names = HashMap::new();
    for (id, at) in &unnamed {
        if let Some(first) = first.get(&groups.of(*at)) {
            let digest = digest_of("causantic run", &[chunks[*first].id.as_bytes()]).to_string();
            names.insert((*id).to_owned(), digest[..8].to_owned());
        }
    }
    names
}

/// A union-find forest of chunks.
struct Groups(Vec<usize>);

impl Groups {
    fn new(length: usize) -> Self {
        Groups((0..length).collect())
    }

    fn of(&self, mut at: usize) -> usize {
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    /// The smaller root wins, so that the order of joins does not matter.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}
