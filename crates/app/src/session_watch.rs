//! Watches session files for changes, until a stop is requested.
//!
//! It compares sizes and times. Change notifications differ between systems, need a watch for
//! each folder and are lost on network drives; comparing a few folders takes less than a
//! millisecond.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use backstory_engine::ingest::{FileTask, InputPlace, find};
use backstory_engine::model::Problem;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::AppError;
use crate::home;

/// All files are checked this often: an old session may be resumed without a change in its
/// folder.
const EVERYTHING: Duration = Duration::from_secs(30);
/// A file that changed this recently is checked every time.
const LIVE: Duration = Duration::from_secs(15 * 60);

/// Identifies the state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
}

pub struct WatchedFolders {
    places: Vec<InputPlace>,
    files: HashMap<PathBuf, (FileTask, Stamp)>,
    /// A folder's time changes when something is created in it.
    folders: Vec<(PathBuf, Option<SystemTime>)>,
    looked: Option<Instant>,
}

impl WatchedFolders {
    pub fn new(places: Vec<InputPlace>) -> Self {
        WatchedFolders { places, files: HashMap::new(), folders: Vec::new(), looked: None }
    }

    /// Files that are new or changed since the last call; all on the first call.
    pub fn changed(&mut self) -> (Vec<FileTask>, Vec<Problem>) {
        let is_due = self.looked.is_none_or(|looked| looked.elapsed() >= EVERYTHING);
        if is_due || self.folders.iter().any(|(path, seen)| modified(path) != *seen) {
            return self.everything();
        }
        (self.live(), Vec::new())
    }

    fn everything(&mut self) -> (Vec<FileTask>, Vec<Problem>) {
        let is_first = self.looked.replace(Instant::now()).is_none();
        // Read before the files, so that files created meanwhile are found next time.
        self.folders.clear();
        for place in &self.places {
            folders_below(home::folder_of(place).to_owned(), &mut self.folders);
        }
        // An agent may not have been used yet.
        let there: Vec<InputPlace> =
            self.places.iter().filter(|place| home::folder_of(place).exists()).cloned().collect();
        let found = find(&there, None);
        let mut changed = Vec::new();
        let mut files = HashMap::with_capacity(found.tasks.len());
        for task in found.tasks {
            let Some(now) = stamp(&task.path) else { continue };
            if self.files.get(&task.path).is_none_or(|(_, before)| *before != now) {
                changed.push(task.clone());
            }
            files.insert(task.path.clone(), (task, now));
        }
        self.files = files;
        // Unreadable folders are reported once.
        let problems = if is_first { found.problems } else { Vec::new() };
        (changed, problems)
    }

    /// Only recently written files.
    fn live(&mut self) -> Vec<FileTask> {
        let now = SystemTime::now();
        let is_live = |stamp: &Stamp| {
            stamp.modified.is_none_or(|at| now.duration_since(at).is_ok_and(|age| age < LIVE) || at > now)
        };
        let mut changed = Vec::new();
        for (task, before) in self.files.values_mut().filter(|(_, stamp)| is_live(stamp)) {
            if let Some(after) = stamp(&task.path).filter(|after| after != before) {
                *before = after;
                changed.push(task.clone());
            }
        }
        changed
    }
}

fn folders_below(folder: PathBuf, out: &mut Vec<(PathBuf, Option<SystemTime>)>) {
    let seen = modified(&folder);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        folders_below(entry.path(), out);
    }
    out.push((folder, seen));
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Stamp { size: metadata.len(), modified: metadata.modified().ok() })
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

/// How often a wait checks whether to stop.
const STOP_CHECK: Duration = Duration::from_millis(200);

/// Was a stop requested? After the first Ctrl-C the current reading is finished; the second one ends the process at
/// once, without loss.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
}

impl Stop {
    pub fn on_signals() -> Result<Self, AppError> {
        let stop = Stop::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset.
            flag::register_conditional_shutdown(signal, 130, stop.asked.clone())?;
            flag::register(signal, stop.asked.clone())?;
        }
        Ok(stop)
    }

    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Waits, and returns whether to stop.
    pub fn after(&self, wait: Duration) -> bool {
        let start = Instant::now();
        while !self.is_asked() {
            let left = wait.saturating_sub(start.elapsed());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(STOP_CHECK));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tasks: Vec<FileTask>) -> Vec<String> {
        let mut names: Vec<String> =
            tasks.iter().filter_map(|task| Some(task.path.file_name()?.to_string_lossy().into_owned())).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_new_or_grows_is_seen_once() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(root.path()))?;
            std::fs::write(path, text)
        };
        write("a/one.jsonl", "{}\n")?;
        let mut folders = WatchedFolders::new(vec![InputPlace::Given(root.path().to_owned())]);
        let mut seen = || names(folders.changed().0);
        assert_eq!((seen(), seen()), (vec!["one.jsonl".to_owned()], vec![]));
        write("a/one.jsonl", "{}\n{}\n")?;
        assert_eq!((seen(), seen()), (vec!["one.jsonl".to_owned()], vec![]));
        write("b/deep/two.jsonl", "{}\n")?;
        assert_eq!((seen(), seen()), (vec!["two.jsonl".to_owned()], vec![]), "a project that was not there");
        std::fs::remove_dir_all(root.path().join("b"))?;
        assert_eq!(seen(), [""; 0], "what vanished is no news");
        std::fs::remove_dir_all(root.path())?;
        assert_eq!(seen(), [""; 0]);
        Ok(())
    }
}
