//! Caches root commits of repositories that are not in the log yet.
//!
//! A project is identified by its root commit, and a long history takes a second to walk. The log keeps those of its
//! own projects; this file keeps the others, and marks histories that are too long to walk. It may be deleted at any
//! time.

use std::io::Write;
use std::path::PathBuf;

use backstory_engine::ingest::{is_mark_of_long_history, mark_of_long_history};
use backstory_engine::model::Project;
use backstory_files as files;

use crate::home;

const LARGEST_COMMIT_LIST: u64 = 16 << 20;

fn file() -> Option<PathBuf> {
    Some(home::memory_home().ok()?.join("views").join("roots"))
}

/// The path and root commit of each.
pub fn known() -> Vec<(String, String)> {
    let text = file().and_then(|file| files::read_text(&file, LARGEST_COMMIT_LIST).ok()).unwrap_or_default();
    // Newest first: a repository may have been replaced.
    let pairs = text.lines().rev().filter_map(|line| line.split_once('\t'));
    pairs.map(|(root, path)| (path.to_owned(), root.to_owned())).collect()
}

/// Adds one. If that fails, the history is walked again next time.
pub fn note(project: &Project, known: &[(String, String)]) {
    let is_known = |is: &dyn Fn(&str) -> bool| known.iter().any(|(path, root)| *path == project.path && is(root));
    let new = match &project.root_commit {
        Some(root) => (!is_known(&|known: &str| known == root)).then(|| root.clone()),
        // Avoids walking a very long history at every call.
        None if is_known(&is_mark_of_long_history) => None,
        None => mark_of_long_history(&project.path),
    };
    if let Some(root) = new.filter(|_| !project.path.contains('\n')) {
        let file = file().and_then(|file| files::for_appending().open(file).ok());
        let _ = file.map(|mut file| writeln!(file, "{root}\t{}", project.path));
    }
}
