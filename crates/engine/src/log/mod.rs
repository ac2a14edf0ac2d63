//! What happened, and in which order was it learned? The ground state.
//!
//! [`Log::append`] writes all events: it redacts secrets, derives ids from content and chains
//! each row to the one before. Rows never change afterwards; [`Log::blank`] only blanks
//! payloads.

mod append;
mod clean;
mod error;
mod evidence;
mod forget;
mod subjects;
mod transfer;
mod verify;

pub use append::{Appended, Batch, Bookkeeping, EpisodeSlot};
pub use error::LogError;
pub use evidence::EvidenceError;
pub use forget::{ForgetPlan, Forgotten, Selector};
pub use subjects::{Subject, Subjects};
pub use transfer::{Exported, Imported};
pub use verify::{Fault, Verified};

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use backstory_language::redact::Redactor;

use crate::store::LogStore;

/// The log, open for reading and appending.
pub struct Log {
    pub(crate) store: LogStore,
    /// Created by the first append: most commands only read.
    redactor: LazyLock<Redactor>,
    user_home: Option<PathBuf>,
}

impl Log {
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Ok(Self::new(LogStore::open(path)?))
    }

    /// Waits at most `timeout` for a lock, now and later.
    pub fn open_within(path: &Path, timeout: Duration) -> Result<Self, LogError> {
        Ok(Self::new(LogStore::open_within(path, timeout)?))
    }

    pub fn open_in_memory() -> Result<Self, LogError> {
        Ok(Self::new(LogStore::open_in_memory()?))
    }

    fn new(store: LogStore) -> Self {
        Log { store, redactor: LazyLock::new(Redactor::new), user_home: None }
    }

    /// The home folder of the user whose sessions are read: many projects lie below it.
    pub fn set_user_home(&mut self, home: Option<PathBuf>) {
        self.user_home = home;
    }

    pub fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// The store with the rows, for reading.
    pub fn store(&mut self) -> &mut LogStore {
        &mut self.store
    }
}
