//! Which sessions are on this machine, and which of them are not in the log?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use backstory_engine::ingest::{FileTask, FoundFiles, InputPlace, find};
use backstory_engine::log::Log;

use super::Host;
use crate::error::AppError;
use crate::home;

/// The session files of one host.
pub struct HostSessions {
    pub host: Host,
    pub folder: PathBuf,
    pub found: FoundFiles,
    /// The number of files and bytes: of all files, and of those not read completely.
    pub all: Amount,
    pub unread: Amount,
    /// Each file that was not read completely, with its modification time.
    pub waiting: Vec<(PathBuf, Option<SystemTime>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub files: u64,
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

/// The hosts with a session folder. Without a log everything is unread.
pub fn sessions(log: Option<&mut Log>) -> Result<Vec<HostSessions>, AppError> {
    let read: HashMap<String, u64> = match log {
        Some(log) => {
            let cursors = log.store().cursors()?;
            cursors.into_iter().map(|cursor| (cursor.path, cursor.size)).collect()
        }
        None => HashMap::new(),
    };
    let places = home::agent_places()?;
    let there = places.into_iter().filter(|place| home::folder_of(place).is_dir());
    Ok(there.map(|place| look(place, &read)).collect())
}

fn look(place: InputPlace, read: &HashMap<String, u64>) -> HostSessions {
    let host = match place {
        InputPlace::CodexSessions(_) => Host::Codex,
        InputPlace::ClaudeProjects(_) | InputPlace::Given(_) => Host::Claude,
    };
    let folder = home::folder_of(&place).to_owned();
    let found = find(&[place], None);
    let (mut all, mut unread, mut waiting) = (Amount::default(), Amount::default(), Vec::new());
    for task in &found.tasks {
        let (bytes, written) = size_and_time(&task.path);
        all.add(bytes);
        if is_unread(task, bytes, read) {
            unread.add(bytes);
            waiting.push((task.path.clone(), written));
        }
    }
    HostSessions { host, folder, found, all, unread, waiting }
}

fn is_unread(task: &FileTask, bytes: u64, read: &HashMap<String, u64>) -> bool {
    bytes > 0 && read.get(&task.name()) != Some(&bytes)
}

fn size_and_time(path: &Path) -> (u64, Option<SystemTime>) {
    std::fs::metadata(path).map_or((0, None), |meta| (meta.len(), meta.modified().ok()))
}
