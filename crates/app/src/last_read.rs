//! Records when sessions were last read into the memory.

use std::path::Path;

use backstory_engine::model::Timestamp;
use backstory_files as files;

use crate::atomic_file::{self, Durability};
use crate::environment;

const FILE: &str = "last-read";
const LARGEST_TIMESTAMP_FILE: u64 = 100;

/// Records the current time. Ignores failures.
pub fn note(home: &Path) {
    let now = environment::now().to_string();
    drop(atomic_file::replace(&home.join(FILE), now.as_bytes(), None, Durability::Unsynced));
}

pub fn time(home: &Path) -> Option<Timestamp> {
    Timestamp::parse(&files::read_text(&home.join(FILE), LARGEST_TIMESTAMP_FILE).ok()?)
}
