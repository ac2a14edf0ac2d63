//! What can be chosen? The configuration as the rest of the app uses it.

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

/// What makes the vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Embedding {
    /// The table that ships.
    #[default]
    Static,
    /// A sentence model in a folder, as it was typed.
    Folder(PathBuf),
    /// A service on the network; `dim` asks for vectors of that length.
    Endpoint { service: Service, dim: Option<usize> },
    /// A mistake leaves open which is wanted: none is asked, and none is replaced.
    Unclear,
}

/// Who names clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    #[default]
    Words,
    Llm(Service),
}

/// Who says how likely each answer to `why` is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AnswerScorer {
    /// Facts of the code, its history and the memory.
    #[default]
    Facts,
    Llm(Service),
}

/// A service on the network that speaks like OpenAI's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub url: String,
    /// What the service calls the model.
    pub name: String,
    /// The environment variable that holds the key. The key is nowhere else.
    pub api_key_env: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        typed::without_services(&Values::default())
    }
}
