//! Is there disk space left? After a failed write this finds the cause, so that the message names the full disk and not
//! the resulting error.

use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use crate::environment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    Disk,
    /// The limit on the size of files.
    Limit,
}

impl Shortage {
    pub fn why(self) -> &'static str {
        match self {
            Shortage::Disk => "the disk is full",
            Shortage::Limit => "files may not grow any further (`ulimit -f`)",
        }
    }

    pub fn fix(self) -> &'static str {
        match self {
            Shortage::Disk => "Free some space, or move the memory with BACKSTORY_HOME. Nothing that was kept is lost.",
            Shortage::Limit => {
                "Raise the limit on the size of files (`ulimit -f unlimited`). Nothing that was kept is lost."
            }
        }
    }
}

/// SQLite creates a file of this size beside each database.
const LEAST: u64 = 32 << 10;

/// Can the memory's folder still grow? Tried with a temporary file.
pub fn shortage() -> Option<Shortage> {
    shortage_in(&environment::memory_home()?)
}

pub fn shortage_in(folder: &Path) -> Option<Shortage> {
    let names = ["log.sqlite", "log.sqlite-wal", "views/memory.sqlite", "views/memory.sqlite-wal"];
    let length = |name: &&str| std::fs::metadata(folder.join(name)).map_or(0, |file| file.len());
    let longest = names.iter().map(length).max().unwrap_or(0).max(LEAST);
    let grow = || -> std::io::Result<()> {
        let mut probe = tempfile::NamedTempFile::new_in(folder)?;
        probe.seek(SeekFrom::Start(longest))?;
        probe.write_all(&[0; 4096])
    };
    match grow().err()?.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(Shortage::Disk),
        ErrorKind::FileTooLarge => Some(Shortage::Limit),
        _ => None,
    }
}
