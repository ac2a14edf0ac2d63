//! What was chosen in `config.toml`? A missing file chooses the defaults.

mod typed;

#[cfg(test)]
mod tests;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{AppError, ErrorKind as Kind};

pub const FILE: &str = "config.toml";

/// A file that says everything that can be said.
pub const EXAMPLE: &str = include_str!("example.toml");

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub embedding: Embedding,
    pub labels: Labels,
    pub answers: Answers,
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
pub enum Answers {
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

impl Config {
    pub fn load(home: &Path) -> Result<Self, AppError> {
        let path = home.join(FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => typed::parse(&text).map_err(|mistake| {
                let message = format!("{}:{}: {}", path.display(), mistake.line, mistake.message);
                AppError::new(Kind::Usage, message).hint("`backstory config` shows what may stand there.")
            }),
            // A home that is no folder is for the memory to complain about.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(Config::default())
            }
            Err(error) => Err(AppError::new(Kind::Failed, format!("{}: {error}", path.display()))),
        }
    }
}
