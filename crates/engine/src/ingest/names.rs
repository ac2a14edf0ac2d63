//! Which earlier names did a file have, and what happened to a deleted one?
//!
//! Git does not record names: where a file appears, the commit is compared with its parent, and the
//! most similar file that disappeared is taken as its earlier name.

use std::path::Path;

use backstory_files::git;
use git2::{Commit, Delta, Diff, DiffFindOptions, DiffOptions, Oid, Repository};

use super::commit::find_renames;

/// The most commits that are walked.
const MOST_COMMITS: usize = 2_000;
/// The most names that are followed.
const MOST_NAMES: usize = 8;

/// What happened to a file that no longer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Hash and subject of the commit that removed it; none if that is not committed yet.
    pub commit: Option<(String, String)>,
    /// Its new name.
    pub renamed_to: Option<String>,
}

/// The earlier names of a file in the working tree, the newest first. `touching`: the commits that
/// are known to have changed it, the newest first. Older ones are walked only if a rename is among
/// them: mostly there is none.
pub fn earlier_names(root: &Path, path: &str, touching: &[String]) -> Vec<String> {
    let Ok(repository) = git::history(root) else { return Vec::new() };
    let mut trail = Trail::new(&repository, path);
    let Some(head) = head_of(&repository) else { return Vec::new() };
    if !has(&head, path) {
        match renamed_from_head(root, path) {
            Some(before) => trail.was(before),
            None => return Vec::new(),
        }
    }
    let touching = touching.iter().filter_map(|id| repository.find_commit(Oid::from_str(id).ok()?).ok());
    let mut last = head;
    for commit in touching {
        if !trail.goes_over(&commit) {
            return trail.names;
        }
        last = commit;
    }
    if !trail.names.is_empty() {
        trail.walk(last);
    }
    trail.names
}

/// The earlier names of a file, the newest first, from a commit's parent on; there it is called `path`.
pub fn names_before(folder: &Path, commit: &str, path: &str) -> Vec<String> {
    let Ok(repository) = git::history(folder) else { return Vec::new() };
    let commit = Oid::from_str(commit).ok().and_then(|id| repository.find_commit(id).ok());
    let Some(parent) = commit.and_then(|commit| commit.parent(0).ok()) else { return Vec::new() };
    let mut trail = Trail::new(&repository, path);
    trail.walk(parent);
    trail.names
}

/// What happened to a file that the working tree does not have. `path` is relative to the root.
pub fn gone(folder: &Path, path: &str) -> Option<Gone> {
    let repository = git::discover(folder).ok()?;
    let mut name = path.to_owned();
    let mut found: Option<Gone> = None;
    for _ in 0..MOST_NAMES {
        let Some(end) = end_of(&repository, &name) else { break };
        let next = end.renamed_to.clone();
        // The first rename removed the name, unless the file is gone for good.
        let commit = found.filter(|_| next.is_some()).map_or(end.commit, |found| found.commit);
        found = Some(Gone { commit, renamed_to: next.clone() });
        match next.filter(|next| !repository.workdir().is_some_and(|root| root.join(next).exists())) {
            Some(next) => name = next,
            None => break,
        }
    }
    found
}

/// How this name ended.
fn end_of(repository: &Repository, name: &str) -> Option<Gone> {
    let mut commit = head_of(repository)?;
    if has(&commit, name) {
        let renamed_to = work_tree_renames(repository).and_then(|diff| renamed_to(&diff, name));
        return Some(Gone { commit: None, renamed_to });
    }
    for _ in 0..MOST_COMMITS {
        let parent = commit.parent(0).ok()?;
        if has(&parent, name) {
            let renamed_to = renames(repository, &parent, &commit).and_then(|diff| renamed_to(&diff, name));
            let subject = commit.summary().ok().flatten().unwrap_or_default().to_owned();
            return Some(Gone { commit: Some((commit.id().to_string(), subject)), renamed_to });
        }
        commit = parent;
    }
    None
}

/// The name of an uncommitted file in the last commit.
pub(super) fn renamed_from_head(root: &Path, path: &str) -> Option<String> {
    let repository = git::open(root).ok()?;
    renamed_from(&work_tree_renames(&repository)?, path)
}

/// A file that is followed back through its names.
struct Trail<'r> {
    repository: &'r Repository,
    name: String,
    names: Vec<String>,
}

impl<'r> Trail<'r> {
    fn new(repository: &'r Repository, path: &str) -> Self {
        Trail { repository, name: path.to_owned(), names: Vec::new() }
    }

    fn was(&mut self, before: String) {
        self.names.push(before.clone());
        self.name = before;
    }

    /// Walks back from a commit, along the first parents of merges.
    fn walk(&mut self, from: Commit<'r>) {
        let mut commit = from;
        for _ in 0..MOST_COMMITS {
            if !self.goes_over(&commit) {
                break;
            }
            match commit.parent(0) {
                Ok(parent) => commit = parent,
                Err(_) => break,
            }
        }
    }

    /// False where the file was created.
    fn goes_over(&mut self, commit: &Commit<'_>) -> bool {
        let Ok(parent) = commit.parent(0) else { return false };
        if has(&parent, &self.name) || !has(commit, &self.name) {
            return true;
        }
        let before = renames(self.repository, &parent, commit).and_then(|diff| renamed_from(&diff, &self.name));
        match before {
            Some(before) => self.was(before),
            None => return false,
        }
        self.names.len() < MOST_NAMES
    }
}

fn head_of(repository: &Repository) -> Option<Commit<'_>> {
    repository.head().ok()?.peel_to_commit().ok()
}

fn has(commit: &Commit<'_>, path: &str) -> bool {
    commit.tree().is_ok_and(|tree| tree.get_path(Path::new(path)).is_ok())
}

fn renames<'r>(repository: &'r Repository, before: &Commit<'_>, after: &Commit<'_>) -> Option<Diff<'r>> {
    let (before, after) = (before.tree().ok()?, after.tree().ok()?);
    let mut diff = repository.diff_tree_to_tree(Some(&before), Some(&after), None).ok()?;
    find_renames(repository, &mut diff, DiffFindOptions::new().renames(true))?;
    Some(diff)
}

/// Renames since the last commit, staged or not.
fn work_tree_renames(repository: &Repository) -> Option<Diff<'_>> {
    if !git::has_plain_rules(repository.workdir()?) {
        return None;
    }
    let head = head_of(repository)?.tree().ok()?;
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).max_size(git::LARGEST_BLOB as i64);
    let mut diff = repository.diff_tree_to_workdir_with_index(Some(&head), Some(&mut options)).ok()?;
    find_renames(repository, &mut diff, DiffFindOptions::new().renames(true).for_untracked(true))?;
    Some(diff)
}

fn renamed_from(diff: &Diff<'_>, path: &str) -> Option<String> {
    let found = diff.deltas().find(|delta| delta.status() == Delta::Renamed && is(delta.new_file().path(), path))?;
    name(found.old_file().path())
}

fn renamed_to(diff: &Diff<'_>, path: &str) -> Option<String> {
    let found = diff.deltas().find(|delta| delta.status() == Delta::Renamed && is(delta.old_file().path(), path))?;
    name(found.new_file().path())
}

fn is(path: Option<&Path>, wanted: &str) -> bool {
    path.is_some_and(|path| path == Path::new(wanted))
}

fn name(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.to_string_lossy().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    type TestResult<T = ()> = Result<T, Box<dyn std::error::Error>>;

    /// Commits everything in the folder.
    fn commit(repository: &Repository, subject: &str) -> TestResult<String> {
        let mut index = repository.index()?;
        index.add_all(["*"], git2::IndexAddOption::DEFAULT, None)?;
        index.update_all(["*"], None)?;
        index.write()?;
        let tree = repository.find_tree(index.write_tree()?)?;
        let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_700_000_000, 0))?;
        let parent = head_of(repository);
        let parents: Vec<&Commit<'_>> = parent.iter().collect();
        Ok(repository.commit(Some("HEAD"), &who, &who, subject, &tree, &parents)?.to_string())
    }

    #[test]
    fn names_are_followed_both_ways() -> TestResult {
        let folder = tempfile::tempdir()?;
        let (root, at) = (folder.path(), |name: &str| folder.path().join(name));
        let repository = Repository::init(root)?;
        let text: String = (0..20).map(|n| format!("const number{n} = {n};\n")).collect();
        std::fs::write(at("cart.ts"), &text)?;
        std::fs::write(at("other.ts"), "something else altogether\n")?;
        commit(&repository, "Begin")?;
        std::fs::create_dir(at("src"))?;
        std::fs::rename(at("cart.ts"), at("src/cart.ts"))?;
        let moved = commit(&repository, "Move")?;
        std::fs::rename(at("src/cart.ts"), at("src/basket.ts"))?;
        std::fs::write(at("src/basket.ts"), text.replace("= 7;", "= 7777;"))?;
        std::fs::remove_file(at("other.ts"))?;
        let renamed = commit(&repository, "Rename")?;

        assert_eq!(names_before(root, &renamed, "src/cart.ts"), ["cart.ts"]);
        assert_eq!(names_before(root, &moved, "cart.ts"), Vec::<String>::new());
        assert_eq!(earlier_names(root, "src/basket.ts", std::slice::from_ref(&renamed)), ["src/cart.ts", "cart.ts"]);
        assert_eq!(earlier_names(root, "src/basket.ts", &[]), Vec::<String>::new(), "no walk without a reason");

        let end = gone(root, "cart.ts").ok_or("cart.ts is not gone")?;
        assert_eq!(end.commit.map(|(id, _)| id), Some(moved));
        assert_eq!(end.renamed_to.as_deref(), Some("src/basket.ts"));
        let deleted = gone(root, "other.ts").ok_or("other.ts is not gone")?;
        assert_eq!(deleted, Gone { commit: Some((renamed, "Rename".to_owned())), renamed_to: None });
        assert_eq!(gone(root, "never.ts"), None);

        // Neither committed nor staged.
        std::fs::rename(at("src/basket.ts"), at("trolley.ts"))?;
        assert_eq!(gone(root, "src/basket.ts"), Some(Gone { commit: None, renamed_to: Some("trolley.ts".to_owned()) }));
        assert_eq!(earlier_names(root, "trolley.ts", &[]), ["src/basket.ts", "src/cart.ts", "cart.ts"]);
        Ok(())
    }
}
