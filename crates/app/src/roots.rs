//! Root commits of repositories that the log knows nothing of yet.
//!
//! A project is told by its root commit, and a long history takes a second to walk. The log keeps
//! those of its own projects; this file keeps the others. It may be deleted at any time.

use std::io::Write;
use std::path::PathBuf;

use backstory_engine::files;
use backstory_engine::model::Project;

use crate::home;

const LARGEST: u64 = 16 << 20;

fn file() -> Option<PathBuf> {
    Some(home::memory_home().ok()?.join("views").join("roots"))
}

/// Path and root commit of each.
pub fn known() -> Vec<(String, String)> {
    let text = file().and_then(|file| files::read_text(&file, LARGEST).ok()).unwrap_or_default();
    // The newest first: a repository may have been replaced.
    let pairs = text.lines().rev().filter_map(|line| line.split_once('\t'));
    pairs.map(|(root, path)| (path.to_owned(), root.to_owned())).collect()
}

/// Adds one. If that fails, the history is walked again next time.
pub fn note(project: &Project, known: &[(String, String)]) {
    let Some(root) = &project.root_commit else { return };
    let is_known = known.iter().any(|(path, known)| *path == project.path && known == root);
    if is_known || project.path.contains('\n') {
        return;
    }
    let file = file().and_then(|file| files::for_appending().open(file).ok());
    let _ = file.map(|mut file| writeln!(file, "{root}\t{}", project.path));
}
