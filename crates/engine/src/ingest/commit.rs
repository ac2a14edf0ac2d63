//! What did a commit change?

use std::path::Path;

use backstory_files::git;
use backstory_language::commands::SHORTEST_HASH;
use git2::{Commit as GitCommit, Delta, Diff, DiffFindOptions, DiffOptions, Patch, Repository, Sort};

use crate::model::Timestamp;

/// The number of context lines on either side of an added line.
const AROUND: usize = 4;

/// A commit, with its changed lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub subject: String,
    /// The message below the subject.
    pub body: String,
    pub author: String,
    /// A rebase keeps `authored` and sets `committed`.
    pub authored: Timestamp,
    pub committed: Timestamp,
    /// A merge has more than one; it is compared with the first.
    pub parents: usize,
    pub files: Vec<ChangedFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the root.
    pub path: String,
    /// Its name before this commit, if the commit renamed it.
    pub was: Option<String>,
    /// Names that it had before that commit, the newest first. Finding them walks the history, so
    /// callers that need them fill them in.
    pub earlier: Vec<String>,
    pub added: usize,
    pub removed: usize,
    /// The text after the commit, per hunk: added lines and their context.
    pub hunks: Vec<Vec<HunkLine>>,
    /// The text before the commit, in the same hunks: removed lines and their context.
    pub old_hunks: Vec<Vec<HunkLine>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkLine {
    /// From 1.
    pub number: u32,
    pub text: String,
    /// Added or removed, as opposed to context.
    pub is_changed: bool,
}

impl ChangedFile {
    /// All its names, the newest first.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for path in std::iter::once(&self.path).chain(&self.was).chain(&self.earlier) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        paths
    }
}

/// The lines around one line of a hunk.
pub fn around(hunk: &[HunkLine], at: usize) -> impl Iterator<Item = &HunkLine> {
    let near = at.saturating_sub(AROUND)..hunk.len().min(at + AROUND + 1);
    near.filter(move |near| *near != at).filter_map(|near| hunk.get(near))
}

/// What git calls by that name in the repository around a folder: a hash, `HEAD~2`,
/// a branch, a tag. None where there is no repository, or no such commit in it.
pub fn read_commit(folder: &Path, asked: &str) -> Option<Commit> {
    let repository = git::history(folder).ok()?;
    let commit = find(&repository, asked)?;
    let diff = diff_of(&repository, &commit)?;
    let files = (0..diff.deltas().len()).filter_map(|at| changed_file(&diff, at)).collect();
    Some(Commit {
        id: commit.id().to_string(),
        subject: commit.summary().ok().flatten().unwrap_or_default().to_owned(),
        body: body_of(&commit),
        author: commit.author().name().unwrap_or_default().to_owned(),
        authored: time(commit.author().when()),
        committed: time(commit.time()),
        parents: commit.parent_count(),
        files,
    })
}

/// What a commit says, without its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    pub id: String,
    pub time: Timestamp,
    pub author: String,
    pub subject: String,
    pub body: String,
}

/// The newest commits of the repository around a folder; none where there is no repository.
pub fn newest_commits(folder: &Path, most: usize) -> Vec<CommitMessage> {
    let Ok(repository) = git::history(folder) else { return Vec::new() };
    let Ok(mut walk) = repository.revwalk() else { return Vec::new() };
    if walk.set_sorting(Sort::TIME).and_then(|()| walk.push_head()).is_err() {
        return Vec::new();
    }
    let commits = walk.map_while(Result::ok).filter_map(|id| repository.find_commit(id).ok());
    let read = |commit: GitCommit<'_>| CommitMessage {
        id: commit.id().to_string(),
        time: time(commit.time()),
        author: commit.author().name().unwrap_or_default().to_owned(),
        subject: commit.summary().ok().flatten().unwrap_or_default().to_owned(),
        body: body_of(&commit),
    };
    commits.take(most).map(read).collect()
}

/// A commit's message below its subject.
pub fn commit_message(folder: &Path, id: &str) -> Option<String> {
    let repository = git::history(folder).ok()?;
    let commit = find(&repository, id)?;
    Some(body_of(&commit))
}

fn body_of(commit: &GitCommit<'_>) -> String {
    commit.body().ok().flatten().unwrap_or_default().trim().to_owned()
}

fn find<'r>(repository: &'r Repository, asked: &str) -> Option<GitCommit<'r>> {
    let is_short = asked.len() < SHORTEST_HASH && asked.chars().all(|c| c.is_ascii_hexdigit());
    // A search by message (`:/fix`) is not a revision, and several words are a question.
    if asked.is_empty() || asked.contains(char::is_whitespace) || asked.contains(':') {
        return None;
    }
    if is_short {
        return repository.resolve_reference_from_short_name(asked).ok()?.peel_to_commit().ok();
    }
    repository.revparse_single(asked).ok()?.peel_to_commit().ok()
}

/// Detects renames. This compares whole files, so it is skipped if one of them is too large.
pub(super) fn find_renames(repository: &Repository, diff: &mut Diff<'_>, options: &mut DiffFindOptions) -> Option<()> {
    let odb = repository.odb().ok()?;
    let is_large = |id: git2::Oid| odb.read_header(id).is_ok_and(|(size, _)| size as u64 > git::LARGEST_BLOB);
    let is_large_file =
        |file: git2::DiffFile<'_>| file.size() > git::LARGEST_BLOB || (!file.id().is_zero() && is_large(file.id()));
    if !diff.deltas().any(|delta| is_large_file(delta.old_file()) || is_large_file(delta.new_file())) {
        diff.find_similar(Some(options)).ok()?;
    }
    Some(())
}

/// The changes of a commit relative to its first parent.
pub(super) fn diff_of<'r>(repository: &'r Repository, commit: &GitCommit<'r>) -> Option<Diff<'r>> {
    let before = commit.parent(0).ok().and_then(|parent| parent.tree().ok());
    let mut options = DiffOptions::new();
    options.context_lines(AROUND as u32).max_size(git::LARGEST_BLOB as i64);
    let mut diff =
        repository.diff_tree_to_tree(before.as_ref(), Some(&commit.tree().ok()?), Some(&mut options)).ok()?;
    find_renames(repository, &mut diff, DiffFindOptions::new().renames(true))?;
    Some(diff)
}

fn changed_file(diff: &Diff<'_>, at: usize) -> Option<ChangedFile> {
    let delta = diff.get_delta(at)?;
    let name = |path: Option<&Path>| path.map(|path| path.to_string_lossy().replace('\\', "/"));
    let (old, new) = (name(delta.old_file().path()), name(delta.new_file().path()));
    let was = old.clone().filter(|_| delta.status() == Delta::Renamed);
    let mut file = ChangedFile { path: new.or(old)?, was, ..ChangedFile::default() };
    // Binary files have no lines.
    if let Ok(Some(patch)) = Patch::from_diff(diff, at) {
        for hunk in 0..patch.num_hunks() {
            let (mut new, mut old) = (Vec::new(), Vec::new());
            for line in (0..patch.num_lines_in_hunk(hunk).unwrap_or(0)).filter_map(|n| patch.line_in_hunk(hunk, n).ok())
            {
                let text = String::from_utf8_lossy(line.content());
                let text = text.trim_end_matches(['\n', '\r']);
                let sign = line.origin();
                if let (Some(number), '+' | ' ') = (line.new_lineno(), sign) {
                    new.push(HunkLine { number, text: text.to_owned(), is_changed: sign == '+' });
                }
                if let (Some(number), '-' | ' ') = (line.old_lineno(), sign) {
                    old.push(HunkLine { number, text: text.to_owned(), is_changed: sign == '-' });
                }
            }
            let changed = |lines: &[HunkLine]| lines.iter().filter(|line| line.is_changed).count();
            file.added += changed(&new);
            file.removed += changed(&old);
            file.hunks.push(new);
            file.old_hunks.push(old);
        }
    }
    Some(file)
}

fn time(at: git2::Time) -> Timestamp {
    Timestamp(at.seconds() * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(repository: &Repository, files: &[(&str, &str)], gone: &[&str]) -> Result<(), git2::Error> {
        let root = repository.workdir().unwrap_or(Path::new("/nowhere"));
        let mut index = repository.index()?;
        for (name, text) in files {
            std::fs::write(root.join(name), text).map_err(|error| git2::Error::from_str(&error.to_string()))?;
            index.add_path(Path::new(name))?;
        }
        gone.iter().try_for_each(|name| index.remove_path(Path::new(name)))?;
        let tree = repository.find_tree(index.write_tree()?)?;
        let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_700_000_000, 0))?;
        let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<&GitCommit<'_>> = parent.iter().collect();
        repository.commit(Some("HEAD"), &who, &who, "Keep carts\n\nWhy not.", &tree, &parents)?;
        Ok(())
    }

    #[test]
    fn a_commit_is_read_with_what_it_put_in() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let repository = Repository::init(folder.path())?;
        let long: String = (0..30).map(|n| format!("line number {n}\n")).collect();
        commit(&repository, &[("cart.ts", &long), ("old.ts", "const gone = true;\n")], &[])?;
        let renamed = long.replace("number 7\n", "number seven\n");
        commit(&repository, &[("basket.ts", &renamed)], &["cart.ts", "old.ts"])?;
        repository.branch("cafe", &repository.head()?.peel_to_commit()?, false)?;

        let last = read_commit(folder.path(), "HEAD").ok_or("no commit")?;
        assert_eq!((last.subject.as_str(), last.author.as_str(), last.parents), ("Keep carts", "Ada", 1));
        assert_eq!((last.body.as_str(), last.committed), ("Why not.", Timestamp(1_700_000_000_000)));
        let names: Vec<(&str, Option<&str>)> =
            last.files.iter().map(|file| (file.path.as_str(), file.was.as_deref())).collect();
        assert_eq!(names, [("basket.ts", Some("cart.ts")), ("old.ts", None)]);
        let file = &last.files[0];
        assert_eq!((file.added, file.removed, last.files[1].removed), (1, 1, 1));
        let hunk = &file.hunks[0];
        let at = hunk.iter().position(|line| line.is_changed).ok_or("no line")?;
        assert_eq!((hunk[at].number, hunk[at].text.as_str()), (8, "line number seven"));
        assert_eq!(around(hunk, at).count(), 8);
        let gone: Vec<&str> =
            file.old_hunks[0].iter().filter(|line| line.is_changed).map(|line| line.text.as_str()).collect();
        assert_eq!(gone, ["line number 7"]);

        for name in [&last.id[..], &last.id[..7], "HEAD~0", "cafe"] {
            assert_eq!(read_commit(folder.path(), name).map(|found| found.id), Some(last.id.clone()), "{name}");
        }
        let first = read_commit(folder.path(), "HEAD~1").ok_or("no first")?;
        assert_eq!((first.files.len(), first.files[0].added), (2, 30), "the first one adds everything");
        for name in [&last.id[..6], "", "HEAD~9", "nobody", "Keep carts", ":/Keep", "HEAD:cart.ts"] {
            assert_eq!(read_commit(folder.path(), name), None, "{name}");
        }
        Ok(())
    }
}
