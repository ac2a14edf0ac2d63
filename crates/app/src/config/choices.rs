//! The configuration as used by the rest of the app.

use std::path::PathBuf;

use super::layers::Values;
use super::settings::{HookSettings, IngestSettings, McpSettings, PackSettings, SearchSettings, ServeSettings};
use super::typed;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    pub embedding: Embedding,
    pub labels: Labels,
    pub answers: AnswerScorer,
    pub search: SearchSettings,
    pub pack: PackSettings,
    pub ingest: IngestSettings,
    pub hooks: HookSettings,
    pub mcp: McpSettings,
    pub serve: ServeSettings,
}

/// The source of vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Embedding {
    /// The shipped table.
    #[default]
    Static,
    /// A sentence model in a folder, as typed.
    Folder(PathBuf),
    /// A service on the network; `dim` requests vectors of that length.
    Endpoint { service: Service, dim: Option<usize> },
    /// A mistake hides which one is wanted: none is used, and none is replaced.
    Unclear,
}

/// The source of cluster names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    #[default]
    Words,
    Llm(Service),
}

/// The source of the probabilities of answers to `why`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AnswerScorer {
    /// Facts of the code, its history and the memory.
    #[default]
    Facts,
    Llm(Service),
}

/// An OpenAI-compatible service on the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub url: String,
    /// The service's name for the model.
    pub name: String,
    /// The environment variable with the key, which is stored nowhere else.
    pub api_key_env: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        typed::without_services(&Values::default())
    }
}
