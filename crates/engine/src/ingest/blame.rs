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
    /// The history that is here ends with this commit: an older one may have written it.
    pub is_boundary: bool,
}

/// What git knows of a line and its file.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// None for a line that was never committed.
    pub line: Option<Blamed>,
    /// The names that the file had when its lines were committed.
    pub names: Vec<String>,
}

/// The root of the working tree that a folder is in.
pub fn work_tree(folder: &Path) -> Option<PathBuf> {
    git2::Repository::discover(folder).ok()?.workdir().map(Path::to_owned)
}

/// A repository that has a history and no files?
pub fn is_bare(folder: &Path) -> bool {
    git2::Repository::discover(folder).is_ok_and(|repository| repository.is_bare())
}

/// None where there is no repository, or the file is not in it.
/// `path` from the root, `line` from 1, `content`: the file as it is now.
pub fn blame_line(root: &Path, path: &str, line: usize, content: &[u8]) -> Option<Blame> {
    let repository = git2::Repository::open(root).ok()?;
    let committed = repository.blame_file(Path::new(path), None).ok()?;
    let mut names: Vec<String> =
        committed.iter().filter_map(|hunk| Some(hunk.path()?.to_string_lossy().into_owned())).collect();
    names.sort_unstable();
    names.dedup();
    let now = committed.blame_buffer(content).ok()?;
    let line = now.get_line(line).filter(|hunk| !hunk.final_commit_id().is_zero()).and_then(|hunk| {
        let commit = repository.find_commit(hunk.final_commit_id()).ok()?;
        Some(Blamed {
            commit: commit.id().to_string(),
            subject: commit.summary().ok().flatten().unwrap_or_default().to_owned(),
            time: Timestamp(commit.time().seconds() * 1_000),
            path: hunk.path().map_or(path.to_owned(), |path| path.to_string_lossy().into_owned()),
            is_boundary: repository.is_shallow() && commit.parent_count() > 0 && commit.parent(0).is_err(),
        })
    });
    Some(Blame { line, names })
}

/// The files that git has of this name, wherever they lie.
pub fn tracked_as(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(repository) = git2::Repository::discover(folder) else { return Vec::new() };
    let (Some(root), Ok(index)) = (repository.workdir(), repository.index()) else { return Vec::new() };
    let paths = index.iter().filter_map(|entry| String::from_utf8(entry.path).ok());
    let named = paths.filter(|path| path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')));
    named.map(|path| root.join(path)).collect()
}
