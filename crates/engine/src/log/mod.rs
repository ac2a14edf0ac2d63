//! Ground truth: what happened, in the order it was learned.
//!
//! Everything goes in through [`Log::append`], which redacts secrets first,
//! derives ids from content and chains each row to the one before. Nothing is
//! changed afterwards; [`Log::blank`] blanks payloads and keeps their place.

mod append;
mod clean;
mod evidence;
mod forget;
pub mod redact;
mod subjects;
mod transfer;
mod verify;

pub use append::{Appended, Batch, Bookkeeping, EpisodeSlot};
pub use evidence::EvidenceError;
pub use forget::{ForgetPlan, Forgotten, Selector};
pub use subjects::{Subject, Subjects};
pub use transfer::{Exported, Imported};
pub use verify::{Fault, Verified};

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use crate::store::{LogStore, StoreError};
use redact::Redactor;

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("line {line}: {reason}")]
    Import { line: u64, reason: String },
}

/// The log, open for reading and appending.
pub struct Log {
    pub(crate) store: LogStore,
    /// Made when something is added: most only read.
    redactor: LazyLock<Redactor>,
}

impl Log {
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Ok(Log { store: LogStore::open(path)?, redactor: LazyLock::new(Redactor::new) })
    }

    /// Waits no longer than this for whoever holds the file, now and later.
    pub fn open_within(path: &Path, patience: Duration) -> Result<Self, LogError> {
        Ok(Log { store: LogStore::open_within(path, patience)?, redactor: LazyLock::new(Redactor::new) })
    }

    pub fn open_in_memory() -> Result<Self, LogError> {
        Ok(Log { store: LogStore::open_in_memory()?, redactor: LazyLock::new(Redactor::new) })
    }

    /// The stored rows, for those who read.
    pub fn store(&mut self) -> &mut LogStore {
        &mut self.store
    }
}
