//! A memory in a temporary home, with its contents.

use std::collections::HashMap;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::model::{ChunkBody, ChunkId, Part};
use backstory_engine::retrieve::rank::{Filter, Now, RankFor, RankQuestion, Ranking, rank};
use backstory_engine::retrieve::{
    ChainScore, Direction, Episodic, EpisodicAnswer, Search, SearchResults, recall_or_predict, search,
};
use backstory_engine::store::EpisodeNum;
use backstory_language::embed::{Embedder, SentenceModel, StaticTable};

use super::EvalResult;

pub struct World {
    pub memory: Memory,
    pub embedder: Box<dyn Embedder>,
    /// The end of the last session: recency is measured from there.
    now: Option<Now>,
    _home: tempfile::TempDir,
}

/// A ranked passage with its origin.
#[derive(Clone, Copy)]
pub struct Hit {
    pub chunk: ChunkId,
    pub parts: (u16, u16),
    pub episode: EpisodeNum,
    pub turn: u32,
}

impl World {
    pub fn of_sessions(folder: &Path) -> EvalResult<Self> {
        Self::of_folders(&[folder], None)
    }

    /// With the shipped embedding, or the sentence model in a folder.
    pub fn of_folders(folders: &[&Path], model: Option<&Path>) -> EvalResult<Self> {
        let home = tempfile::tempdir()?;
        let mut memory = Memory::open(home.path())?;
        let places: Vec<InputPlace> = folders.iter().map(|folder| InputPlace::Given((*folder).to_owned())).collect();
        let found = find(&places, None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        let embedder: Box<dyn Embedder> = match model {
            None => Box::new(StaticTable::shipped()),
            Some(model) => {
                let mut model = SentenceModel::open(model, |file| std::fs::read(file))?;
                memory.embed_pending(&mut model, &mut |_, _| {})?;
                Box::new(model)
            }
        };
        let now = memory.views().read().runs()?.into_iter().filter_map(|(_, run)| run.ended).max().map(Now::from);
        Ok(World { memory, embedder, now, _home: home })
    }

    /// The session that each episode belongs to.
    pub fn sessions(&mut self) -> EvalResult<HashMap<EpisodeNum, String>> {
        let episodes = self.memory.log().store().episodes()?;
        Ok(episodes.into_iter().map(|(num, episode)| (num, episode.key.session)).collect())
    }

    /// Passages for a question, best first.
    pub fn ask(&mut self, text: &str, ranking: &Ranking, limit: usize) -> EvalResult<Vec<Hit>> {
        let snapshot = self.memory.views().snapshot()?;
        let view = snapshot.read();
        let index = view.index(self.embedder.model())?;
        let filter = Filter::default();
        let question =
            RankQuestion { text, filter: &filter, ranking, now: self.now.as_ref(), purpose: RankFor::Search };
        let ranked = rank(&view, &index, self.embedder.as_mut(), &question)?;
        let docs = ranked.passages.iter().take(limit).filter_map(|scored| index.docs.get(scored.doc));
        Ok(docs.map(|doc| Hit { chunk: doc.chunk, parts: doc.parts, episode: doc.episode, turn: doc.turn }).collect())
    }

    /// The parts of a passage.
    pub fn parts(&self, hit: &Hit) -> EvalResult<Vec<Part>> {
        let body = self.body(hit.chunk)?;
        Ok(body.parts[hit.parts.0.into()..hit.parts.1.into()].to_vec())
    }

    pub fn body(&self, chunk: ChunkId) -> EvalResult<ChunkBody> {
        Ok(self.memory.views().read().body(chunk)?.unwrap_or_default())
    }

    pub fn search(&mut self, text: &str, ranking: &Ranking) -> EvalResult<SearchResults> {
        let question = self.question(text, ranking);
        let (log, views) = self.memory.parts();
        Ok(search(log, views, self.embedder.as_mut(), &question)?)
    }

    pub fn follow(&mut self, text: &str, direction: Direction, ranking: &Ranking) -> EvalResult<EpisodicAnswer> {
        let search = self.question(text, ranking);
        let question = Episodic { search, direction, chain_score: ChainScore::default() };
        let (log, views) = self.memory.parts();
        Ok(recall_or_predict(log, views, self.embedder.as_mut(), &question)?)
    }

    pub fn make_clusters(&mut self) -> EvalResult<()> {
        self.memory.make_clusters(self.embedder.model(), &mut |_| {})?;
        Ok(())
    }

    fn question(&self, text: &str, ranking: &Ranking) -> Search {
        Search { ranking: ranking.clone(), now: self.now.clone(), ..Search::new(text) }
    }
}
