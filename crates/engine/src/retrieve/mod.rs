//! The verbs: one file per question. Each reads one snapshot and writes nothing.

mod projects;
mod reconstruct;
mod sessions;
mod status;

pub use projects::{ProjectInfo, projects};
pub use reconstruct::{Reconstruct, Story, StoryPiece, StorySession, reconstruct};
pub use sessions::{AgentInfo, SessionInfo, Sessions, find_session, sessions};
pub use status::{StageStatus, Status, Totals, status, totals};

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    #[error("no {what} matches '{asked}'")]
    NotFound { what: &'static str, asked: String },
    #[error("'{asked}' matches {} {what}s: {}", candidates.len(), candidates.join(", "))]
    Ambiguous { what: &'static str, asked: String, candidates: Vec<String> },
    #[error(transparent)]
    Store(#[from] StoreError),
}
