//! Selects the model that makes the vectors, and makes missing ones.

use backstory_engine::{Embedded, Memory, MemoryError};
use backstory_language::embed::{EmbedError, Embedder, SentenceModel, StaticTable};

use crate::config::{Config, Embedding};
use crate::endpoint::{Endpoint, Timeout};
use crate::error::AppError;
use crate::progress::{self, Show};
use crate::{home, terminal};

/// The model that `config.toml` chooses.
pub enum EmbeddingModel {
    Static(StaticTable),
    Folder(Box<SentenceModel>),
    Endpoint(Endpoint),
}

impl EmbeddingModel {
    pub fn open(config: &Config, timeout: Timeout) -> Result<Self, EmbedError> {
        Ok(match &config.embedding {
            Embedding::Static => EmbeddingModel::Static(StaticTable::shipped()),
            Embedding::Folder(path) => {
                EmbeddingModel::Folder(Box::new(SentenceModel::open(&home::named_in_config(path), |file| {
                    std::fs::read(file)
                })?))
            }
            Embedding::Endpoint { service, dim } => EmbeddingModel::Endpoint(Endpoint::new(service, *dim, timeout)?),
            Embedding::Unclear => {
                return Err(EmbedError::NoAnswer("a mistake in the configuration leaves open which model".to_owned()));
            }
        })
    }

    pub fn embedder(&mut self) -> &mut dyn Embedder {
        match self {
            EmbeddingModel::Static(table) => table,
            EmbeddingModel::Folder(model) => model.as_mut(),
            EmbeddingModel::Endpoint(endpoint) => endpoint,
        }
    }
}

impl Embedder for EmbeddingModel {
    fn model(&self) -> &str {
        match self {
            EmbeddingModel::Static(table) => table.model(),
            EmbeddingModel::Folder(model) => model.model(),
            EmbeddingModel::Endpoint(endpoint) => endpoint.model(),
        }
    }

    fn dim(&self) -> usize {
        match self {
            EmbeddingModel::Static(table) => table.dim(),
            EmbeddingModel::Folder(model) => model.dim(),
            EmbeddingModel::Endpoint(endpoint) => endpoint.dim(),
        }
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedder().embed(texts)
    }
}

/// Embeds a question once, for any number of rankings.
pub struct QuestionModel {
    model: EmbeddingModel,
    last: Option<(String, Vec<f32>)>,
}

impl From<EmbeddingModel> for QuestionModel {
    fn from(model: EmbeddingModel) -> Self {
        QuestionModel { model, last: None }
    }
}

impl Embedder for QuestionModel {
    fn model(&self) -> &str {
        self.model.model()
    }

    fn dim(&self) -> usize {
        self.model.dim()
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let [question] = texts else { return self.model.embed(texts) };
        if let Some((_, vector)) = self.last.as_ref().filter(|(last, _)| last == question) {
            return Ok(vec![vector.clone()]);
        }
        let vectors = self.model.embed(texts)?;
        self.last = vectors.first().map(|vector| ((*question).to_owned(), vector.clone()));
        Ok(vectors)
    }
}

/// The vectors made by a command.
pub struct EmbeddingRun {
    pub model: String,
    pub passages: u64,
}

/// None if nothing was made.
pub fn describe(made: &EmbeddingRun) -> Option<String> {
    let passages = || format!("{} embedded by {}", terminal::count(made.passages, "passage"), made.model);
    (made.passages > 0).then(passages)
}

/// Makes missing vectors, if the chosen model is too slow to make them while deriving.
pub fn catch_up(memory: &mut Memory, show: Show) -> Result<EmbeddingRun, AppError> {
    let mut chosen = EmbeddingModel::open(home::config()?, Timeout::Batch).map_err(MemoryError::from)?;
    let model = chosen.embedder().model().to_owned();
    if let EmbeddingModel::Static(_) = chosen {
        return Ok(EmbeddingRun { model, passages: 0 });
    }
    let waiting = memory.waiting_for_vectors(&model)?;
    if let EmbeddingModel::Endpoint(endpoint) = &mut chosen {
        endpoint.expect(waiting);
    }
    let bar = progress::texts(waiting, "embedding", show);
    let made = memory.embed_pending(chosen.embedder(), &mut |made, of| {
        bar.set_length(of);
        bar.set_position(made);
    });
    bar.finish_and_clear();
    if made? == Embedded::ByAnother {
        terminal::warn("another process is making vectors");
    }
    let left = memory.waiting_for_vectors(&model)?;
    Ok(EmbeddingRun { model, passages: waiting.saturating_sub(left) })
}

/// Like [`catch_up`], for commands that have finished their own work: passages without vectors are still found by
/// words.
pub fn try_to_catch_up(memory: &mut Memory, show: Show) -> Option<EmbeddingRun> {
    let made = catch_up(memory, show);
    made.map_err(|error| {
        terminal::warn(format!("vectors are missing: {}; `backstory maintain` tries again", error.message));
    })
    .ok()
}
