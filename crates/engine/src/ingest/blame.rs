//! Which commits wrote these lines?

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use backstory_files::git;
use git2::{BlameHunk, BlameOptions, Commit, Oid, Patch, Repository};

use super::commit::diff_of;
use super::names::renamed_from_head;
use crate::model::Timestamp;

/// The most moves of one line that are followed.
const MOST_MOVES: usize = 5;
/// The most files of one commit in which a moved line is searched.
const MOST_FILES: usize = 100;

/// The commit that a line is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    pub commit: String,
    pub subject: String,
    pub time: Timestamp,
    /// The file's name at that commit, relative to the root.
    pub path: String,
    /// The local history ends with this commit: an older one may have written the line.
    pub is_boundary: bool,
}

/// What git knows about lines of a file.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// One for each requested line; none for a line that was never committed.
    pub lines: Vec<Option<Blamed>>,
    /// The names that the file had when its lines were committed.
    pub names: Vec<String>,
}

/// The root of the working tree that a folder is in.
pub fn work_tree(folder: &Path) -> Option<PathBuf> {
    git::discover(folder).ok()?.workdir().map(Path::to_owned)
}

/// Does the repository have no working tree?
pub fn is_bare(folder: &Path) -> bool {
    git::discover(folder).is_ok_and(|repository| repository.is_bare())
}

/// `path` is relative to the root, `lines` count from 1, `content` is the file's current text.
/// None outside a repository, or if the repository does not have the file.
pub fn blame_lines(root: &Path, path: &str, lines: RangeInclusive<usize>, content: &[u8]) -> Option<Blame> {
    let repository = git::history(root).ok()?;
    let blame = |path: &str| {
        let is_small = git::size_at_head(&repository, path)? <= git::LARGEST_BLOB;
        is_small.then(|| repository.blame_file(Path::new(path), None).ok())?
    };
    let committed = blame(path).or_else(|| blame(&renamed_from_head(root, path)?))?;
    let mut names: Vec<String> =
        committed.iter().filter_map(|hunk| Some(hunk.path()?.to_string_lossy().into_owned())).collect();
    names.sort_unstable();
    names.dedup();
    let now = committed.blame_buffer(content).ok()?;
    let lines = lines.map(|line| blamed(&repository, &now.get_line(line)?, path)).collect();
    Some(Blame { lines, names })
}

/// The commit that first wrote a line, if the commit that git names only moved it within a file or
/// between files.
pub fn before_moves(root: &Path, blamed: &Blamed, text: &str) -> Option<Blamed> {
    let repository = git::history(root).ok()?;
    let mut found = None;
    for _ in 0..MOST_MOVES {
        match moved_from(&repository, found.as_ref().unwrap_or(blamed), text.trim()) {
            Some(older) => found = Some(older),
            None => break,
        }
    }
    found
}

/// The earlier origin of a line that this commit added here and removed elsewhere.
fn moved_from(repository: &Repository, blamed: &Blamed, text: &str) -> Option<Blamed> {
    let commit = repository.find_commit(Oid::from_str(&blamed.commit).ok()?).ok()?;
    let parent = commit.parent_id(0).ok()?;
    let (path, line) = taken_out(repository, &commit, &blamed.path, text)?;
    let mut options = BlameOptions::new();
    options.newest_commit(parent).min_line(line).max_line(line);
    let before = repository.blame_file(Path::new(&path), Some(&mut options)).ok()?;
    self::blamed(repository, &before.get_line(line)?, &path)
}

/// The file (by its earlier name) and line number at which a commit removed a line; the same file
/// is preferred.
fn taken_out(repository: &Repository, commit: &Commit<'_>, path: &str, text: &str) -> Option<(String, usize)> {
    let diff = diff_of(repository, commit)?;
    let mut files: Vec<usize> = (0..diff.deltas().len()).collect();
    let is_it = |at: usize| diff.get_delta(at).is_some_and(|delta| delta.new_file().path() == Some(Path::new(path)));
    files.sort_by_key(|at| !is_it(*at));
    files.truncate(MOST_FILES);
    files.into_iter().find_map(|at| {
        let patch = Patch::from_diff(&diff, at).ok()??;
        let old = patch.delta().old_file().path()?.to_string_lossy().into_owned();
        let hunks = (0..patch.num_hunks()).flat_map(|hunk| {
            let lines = patch.num_lines_in_hunk(hunk).unwrap_or(0);
            (0..lines).map(move |line| (hunk, line))
        });
        let mut lines = hunks.filter_map(|(hunk, line)| patch.line_in_hunk(hunk, line).ok());
        let gone = lines.find(|line| {
            line.origin() == '-' && std::str::from_utf8(line.content()).is_ok_and(|content| content.trim() == text)
        })?;
        Some((old, gone.old_lineno()? as usize))
    })
}

fn blamed(repository: &Repository, hunk: &BlameHunk<'_>, path: &str) -> Option<Blamed> {
    let id = hunk.final_commit_id();
    let commit = if id.is_zero() { None } else { repository.find_commit(id).ok() }?;
    Some(Blamed {
        commit: commit.id().to_string(),
        subject: commit.summary().ok().flatten().unwrap_or_default().to_owned(),
        time: Timestamp(commit.time().seconds() * 1_000),
        path: hunk.path().map_or(path.to_owned(), |path| path.to_string_lossy().into_owned()),
        is_boundary: repository.is_shallow() && commit.parent_count() > 0 && commit.parent(0).is_err(),
    })
}

/// The files that git tracks under this name, in any folder.
pub fn tracked_as(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(repository) = git::discover(folder) else { return Vec::new() };
    let (Some(root), Ok(index)) = (repository.workdir(), repository.index()) else { return Vec::new() };
    let paths = index.iter().filter_map(|entry| String::from_utf8(entry.path).ok());
    let named = paths.filter(|path| path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')));
    named.map(|path| root.join(path)).collect()
}
