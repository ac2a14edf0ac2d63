//! A memory in a temporary home, with what was read into it.

use std::collections::HashMap;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::embed::{Embedder, StaticTable};
use backstory_engine::ingest::{Place, find};
use backstory_engine::model::EventId;
use backstory_engine::retrieve::rank::{Filter, Ranking, Scored, rank};
use backstory_engine::store::EpisodeNum;

use super::Outcome;

pub struct World {
    pub memory: Memory,
    pub embedder: Box<dyn Embedder>,
    _home: tempfile::TempDir,
}

/// A ranked passage with where it is from.
pub struct Hit {
    pub scored: Scored,
    pub episode: EpisodeNum,
    pub turn: u32,
    pub events: Vec<EventId>,
}

impl World {
    pub fn of_sessions(folder: &Path) -> Outcome<Self> {
        let home = tempfile::tempdir()?;
        let mut memory = Memory::open(home.path())?;
        let found = find(&[Place::Given(folder.to_owned())], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        Ok(World { memory, embedder: Box::new(StaticTable::shipped()), _home: home })
    }

    /// The session that each episode belongs to.
    pub fn sessions(&mut self) -> Outcome<HashMap<EpisodeNum, String>> {
        let episodes = self.memory.log().store().episodes()?;
        Ok(episodes.into_iter().map(|(num, episode)| (num, episode.key.session)).collect())
    }

    /// Passages for a question, best first.
    pub fn ask(&mut self, text: &str, ranking: &Ranking, limit: usize) -> Outcome<Vec<Hit>> {
        let snapshot = self.memory.views().snapshot()?;
        let view = snapshot.read();
        let index = view.index(self.embedder.model())?;
        let ranked = rank(&view, &index, self.embedder.as_mut(), text, &Filter::default(), ranking, None)?;
        let mut hits = Vec::new();
        for scored in ranked.passages.into_iter().take(limit) {
            let Some(doc) = index.docs.get(scored.doc) else { continue };
            let body = view.body(doc.chunk)?.unwrap_or_default();
            let parts = &body.parts[doc.parts.0.into()..doc.parts.1.into()];
            let events = parts.iter().map(|part| part.event).collect();
            hits.push(Hit { scored, episode: doc.episode, turn: doc.turn, events });
        }
        Ok(hits)
    }
}
