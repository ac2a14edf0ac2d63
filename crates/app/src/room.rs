//! Is there room to write? Whoever could not write finds out why, so that the cause
//! is named and not what it led to.

use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use crate::environment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Disk,
    /// Of the size of files.
    Limit,
}

impl Lack {
    pub fn why(self) -> &'static str {
        match self {
            Lack::Disk => "the disk is full",
            Lack::Limit => "files may not grow any further (`ulimit -f`)",
        }
    }

    pub fn fix(self) -> &'static str {
        match self {
            Lack::Disk => "Free some space, or move the memory with BACKSTORY_HOME. Nothing that was kept is lost.",
            Lack::Limit => {
                "Raise the limit on the size of files (`ulimit -f unlimited`). Nothing that was kept is lost."
            }
        }
    }
}

/// SQLite makes a file of this size beside each database.
const LEAST: u64 = 32 << 10;

/// What is lacking in the memory's folder, if anything. It is tried.
pub fn lacking() -> Option<Lack> {
    lacking_in(&environment::memory_home()?)
}

pub fn lacking_in(folder: &Path) -> Option<Lack> {
    let names = ["log.sqlite", "log.sqlite-wal", "views/memory.sqlite", "views/memory.sqlite-wal"];
    let length = |name: &&str| std::fs::metadata(folder.join(name)).map_or(0, |file| file.len());
    let longest = names.iter().map(length).max().unwrap_or(0).max(LEAST);
    let grow = || -> std::io::Result<()> {
        let mut probe = tempfile::NamedTempFile::new_in(folder)?;
        probe.seek(SeekFrom::Start(longest))?;
        probe.write_all(&[0; 4096])
    };
    match grow().err()?.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(Lack::Disk),
        ErrorKind::FileTooLarge => Some(Lack::Limit),
        _ => None,
    }
}
