//! What does git say of a line?

use std::path::{Path, PathBuf};

use crate::model::Timestamp;

/// The commit that a line is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    pub commit: String,
    pub subject: String,
    pub time: Timestamp,
    /// The file's name then, from the root.
    pub path: String,
}

/// The root of the working tree that a folder is in.
pub fn work_tree(folder: &Path) -> Option<PathBuf> {
    git2::Repository::discover(folder).ok()?.workdir().map(Path::to_owned)
}

/// A repository that has a history and no files?
pub fn is_bare(folder: &Path) -> bool {
    git2::Repository::discover(folder).is_ok_and(|repository| repository.is_bare())
}

/// None for a line that was never committed, and where there is no repository.
/// `path` from the root, `line` from 1, `content`: the file as it is now.
pub fn blame_line(root: &Path, path: &str, line: usize, content: &[u8]) -> Option<Blamed> {
    let repository = git2::Repository::open(root).ok()?;
    let committed = repository.blame_file(Path::new(path), None).ok()?;
    let now = committed.blame_buffer(content).ok()?;
    let hunk = now.get_line(line)?;
    if hunk.final_commit_id().is_zero() {
        return None;
    }
    let commit = repository.find_commit(hunk.final_commit_id()).ok()?;
    let then = hunk.path().map(|path| path.to_string_lossy().into_owned());
    Some(Blamed {
        commit: commit.id().to_string(),
        subject: commit.summary().ok().flatten().unwrap_or_default().to_owned(),
        time: Timestamp(commit.time().seconds() * 1_000),
        path: then.unwrap_or_else(|| path.to_owned()),
    })
}
