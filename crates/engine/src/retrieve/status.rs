//! How healthy is the memory, and how large is it?

use std::collections::HashSet;

use crate::derive::STAGES;
use crate::log::Log;
use crate::model::{CardStatus, EdgeKind, EventKind, Problem, SourceKind};
use crate::store::{Cursor, EpisodeNum, Gap, ViewReader, ViewStore};

use super::RetrieveError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub projects: usize,
    pub sessions: usize,
    pub episodes: usize,
    pub events: u64,
    pub events_by_kind: Vec<(EventKind, u64)>,
    pub turns: u64,
    pub chunks: u64,
    pub chunk_tokens: u64,
    pub edges: Vec<(EdgeKind, u64)>,
    pub cards: Vec<(CardStatus, u64)>,
    pub stages: Vec<StageStatus>,
    /// Missing rows of a stage.
    pub gaps: Vec<Gap>,
    pub cursors: Vec<Cursor>,
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStatus {
    pub name: &'static str,
    pub version: u32,
    /// The version that built its rows, if it has run.
    pub built: Option<u32>,
    /// Events it has not processed.
    pub behind: u64,
}

/// The four sizes of the memory; cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub sessions: u64,
    pub events: u64,
    pub chunks: u64,
    pub edges: u64,
}

impl Status {
    /// Cards that wait for a person's decision.
    pub fn proposed(&self) -> u64 {
        self.cards.iter().filter(|(status, _)| *status == CardStatus::Proposed).map(|(_, count)| count).sum()
    }
}

pub fn totals(log: &mut Log, views: &ViewStore) -> Result<Totals, RetrieveError> {
    let (chunks, edges) = views.read().chunk_and_edge_count()?;
    let sessions = session_count(log, &views.read())? as u64;
    Ok(Totals { sessions, events: log.store().last_position()?, chunks, edges })
}

/// Sessions with content, as in the list of sessions.
fn session_count(log: &mut Log, view: &ViewReader<'_>) -> Result<usize, RetrieveError> {
    let sizes = view.sizes()?.into_iter().filter(|(_, chunks, _)| *chunks > 0);
    let told: HashSet<EpisodeNum> = sizes.map(|(num, ..)| num).collect();
    let episodes = log.store().episodes()?.into_iter().filter(|(num, _)| told.contains(num));
    Ok(episodes.map(|(_, episode)| (episode.key.source, episode.key.session)).collect::<HashSet<_>>().len())
}

pub fn status(log: &mut Log, views: &ViewStore) -> Result<Status, RetrieveError> {
    let head = log.store().last_position()?;
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let counts = view.counts()?;
    let mut stages = Vec::new();
    for stage in STAGES {
        let row = view.stage(stage.name)?;
        stages.push(StageStatus {
            name: stage.name,
            version: stage.version,
            built: row.as_ref().map(|row| row.version),
            behind: head - row.map_or(0, |row| row.cursor).min(head),
        });
    }
    let episodes = log.store().episodes()?;
    Ok(Status {
        projects: super::projects(log)?.len(),
        sessions: session_count(log, &view)?,
        episodes: episodes.iter().filter(|(_, episode)| episode.key.source != SourceKind::Backstory).count(),
        events: head,
        events_by_kind: log.store().count_by_kind()?,
        turns: counts.turns,
        chunks: counts.chunks,
        chunk_tokens: counts.chunk_tokens,
        edges: counts.edges,
        cards: view.card_counts()?,
        stages,
        gaps: view.gaps()?,
        cursors: log.store().cursors()?,
        problems: log.store().problems()?,
    })
}
