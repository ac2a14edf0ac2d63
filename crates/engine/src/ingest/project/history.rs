//! Which commits does a repository hold, and where does its history begin?
//!
//! Objects are read from their folder alone: no settings, no environment, no hooks.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use git2::{ObjectType, Odb, Oid};

use backstory_files::git::{alternates, alternates_file, small};

/// A longer history is not walked to its beginning.
const MOST_COMMITS: usize = 1_000_000;
/// Larger commits do not count: real messages are a page long at most.
const LARGEST_COMMIT_OBJECT: usize = 1 << 20;
/// A repository has hundreds of packs at most.
const MOST_PACKS: usize = 20_000;

/// Where a history begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    Commit(String),
    /// It has more commits than are walked.
    TooLong,
    /// It is incomplete, damaged, or empty.
    Unknown,
}

pub struct CommitHistory {
    objects: Odb<'static>,
    folders: Vec<PathBuf>,
    common: PathBuf,
    git: PathBuf,
}

impl CommitHistory {
    /// None where the objects cannot be read safely. `git` holds `HEAD`, `common` the rest.
    pub fn open(common: &Path, git: &Path) -> Option<Self> {
        let folders = object_folders(common)?;
        let objects = Odb::new().ok()?;
        objects.add_disk_alternate(folders.first()?.to_str()?).ok()?;
        Some(CommitHistory { objects, folders, common: common.to_owned(), git: git.to_owned() })
    }

    /// Was only a part of the history fetched?
    pub fn is_shallow(&self) -> bool {
        std::fs::symlink_metadata(self.common.join("shallow")).is_ok_and(|metadata| metadata.len() > 0)
    }

    pub fn contains(&self, commit: &str) -> bool {
        Oid::from_str(commit).is_ok_and(|id| self.commit(id).is_some())
    }

    /// The commit that is checked out.
    pub fn tip(&self) -> Option<String> {
        let head = small::read_line(&self.git.join("HEAD"))?;
        match head.strip_prefix("ref:") {
            Some(name) => self.reference(name.trim()),
            None => Some(head),
        }
    }

    /// The branch that is checked out.
    pub fn branch(git: &Path) -> Option<String> {
        let head = small::read_line(&git.join("HEAD"))?;
        head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/").map(str::to_owned)
    }

    fn reference(&self, name: &str) -> Option<String> {
        let is_plain = name.starts_with("refs/") && !name.split('/').any(|part| part == "..");
        if !is_plain {
            return None;
        }
        small::read_line(&self.common.join(name)).or_else(|| {
            let packed = small::read(&self.common.join("packed-refs"), small::LISTING)?;
            let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(_, packed)| *packed == name).map(|(id, _)| id.to_owned())
        })
    }

    /// The oldest commit without parents.
    pub fn root(&self) -> Root {
        self.root_within(MOST_COMMITS)
    }

    fn root_within(&self, most: usize) -> Root {
        if self.is_shallow() {
            return Root::Unknown;
        }
        let Some(first) = self.tip().and_then(|tip| Oid::from_str(&tip).ok()) else { return Root::Unknown };
        let mut seen = HashSet::from([first]);
        let mut next = vec![first];
        let mut roots = Vec::new();
        while let Some(id) = next.pop() {
            let Some(commit) = self.commit(id) else { return Root::Unknown };
            if commit.parents.is_empty() {
                roots.push((commit.time, id));
            }
            next.extend(commit.parents.into_iter().filter(|parent| seen.insert(*parent)));
            if seen.len() > most {
                return Root::TooLong;
            }
        }
        roots.into_iter().min().map_or(Root::Unknown, |(_, id)| Root::Commit(id.to_string()))
    }

    fn commit(&self, id: Oid) -> Option<CommitObject> {
        let name = id.to_string();
        let loose = |folder: &PathBuf| folder.join(&name[..2]).join(&name[2..]);
        let is_safe = |path: PathBuf| {
            let is_small = |metadata: std::fs::Metadata| metadata.len() <= 2 * LARGEST_COMMIT_OBJECT as u64;
            std::fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file() && is_small(metadata))
        };
        if !self.folders.iter().map(loose).all(is_safe) {
            return None;
        }
        // An object is unpacked whole: a few bytes may become gigabytes.
        let (size, kind) = self.objects.read_header(id).ok()?;
        if kind != ObjectType::Commit || size > LARGEST_COMMIT_OBJECT {
            return None;
        }
        let object = self.objects.read(id).ok()?;
        (object.kind() == ObjectType::Commit).then(|| CommitObject::parse(object.data()))
    }
}

struct CommitObject {
    parents: Vec<Oid>,
    time: i64,
}

impl CommitObject {
    fn parse(data: &[u8]) -> Self {
        let mut commit = CommitObject { parents: Vec::new(), time: 0 };
        for line in data.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty()) {
            if let Some(id) = line.strip_prefix(b"parent ") {
                commit.parents.extend(std::str::from_utf8(id).ok().and_then(|id| Oid::from_str(id).ok()));
            } else if line.starts_with(b"committer ") {
                commit.time = committed_at(line).unwrap_or(0);
            }
        }
        commit
    }
}

/// `committer NAME <MAIL> SECONDS ZONE`
fn committed_at(line: &[u8]) -> Option<i64> {
    let line = String::from_utf8_lossy(line);
    line.rsplit('>').next()?.split_whitespace().next()?.parse().ok()
}

/// The folders that objects are read from, the repository's own first. None if one holds something
/// other than files (opening a pipe never returns), or too many of them.
fn object_folders(common: &Path) -> Option<Vec<PathBuf>> {
    let own = common.join("objects");
    if !small::is_folder(&own) {
        return None;
    }
    let borrowed = alternates(&own)?;
    // libgit2 follows alternates of an alternate too.
    let borrows = |folder: &PathBuf| std::fs::symlink_metadata(alternates_file(folder)).is_ok();
    if borrowed.iter().any(borrows) {
        return None;
    }
    let folders: Vec<PathBuf> = std::iter::once(own).chain(borrowed).collect();
    folders.iter().all(|folder| has_only_files(&folder.join("pack"))).then_some(folders)
}

fn has_only_files(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    let mut seen = 0;
    entries.take(MOST_PACKS + 1).all(|entry| {
        seen += 1;
        seen <= MOST_PACKS && entry.is_ok_and(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
    })
}

#[cfg(test)]
mod tests {
    use backstory_files::git::MOST_ALTERNATES;

    use super::*;

    type TestResult = Result<(), Box<dyn std::error::Error>>;

    fn repository(folder: &Path, commits: usize) -> Result<git2::Repository, git2::Error> {
        let repository = git2::Repository::init(folder)?;
        let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_770_000_000, 0))?;
        let tree = repository.treebuilder(None)?.write()?;
        for number in 0..commits {
            let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
            let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
            let tree = repository.find_tree(tree)?;
            repository.commit(Some("HEAD"), &who, &who, &format!("{number}"), &tree, &parents)?;
        }
        Ok(repository)
    }

    fn open(repository: &git2::Repository) -> Option<CommitHistory> {
        CommitHistory::open(repository.path(), repository.path())
    }

    #[test]
    fn a_history_that_is_too_long_is_told_from_an_unknown_one() -> TestResult {
        let folder = tempfile::tempdir()?;
        let repository = repository(folder.path(), 3)?;
        let history = open(&repository).ok_or("no history")?;
        assert!(matches!(history.root(), Root::Commit(_)));
        assert_eq!(history.root_within(2), Root::TooLong);
        std::fs::write(repository.path().join("shallow"), "x\n")?;
        assert_eq!(history.root(), Root::Unknown);
        Ok(())
    }

    /// Objects that are no commits, or too large, are not unpacked.
    #[test]
    fn only_small_commits_are_read() -> TestResult {
        let folder = tempfile::tempdir()?;
        let repository = repository(folder.path(), 1)?;
        let tip = repository.head()?.peel_to_commit()?;
        let text = format!("tree {}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n", tip.tree_id());
        let small = repository.odb()?.write(ObjectType::Commit, text.as_bytes())?;
        let large = format!("{text}{}", " ".repeat(LARGEST_COMMIT_OBJECT));
        let large = repository.odb()?.write(ObjectType::Commit, large.as_bytes())?;
        let blob = repository.blob(b"parent")?;
        let history = open(&repository).ok_or("no history")?;
        let found = [small, large, blob, tip.tree_id()].map(|id| history.contains(&id.to_string()));
        assert_eq!(found, [true, false, false, false]);
        Ok(())
    }

    #[test]
    fn object_folders_that_cannot_be_looked_at_are_refused() -> TestResult {
        let folder = tempfile::tempdir()?;
        let (lender, borrower) = (folder.path().join("lender"), folder.path().join("borrower"));
        let lender = repository(&lender, 1)?.path().join("objects");
        let repository = repository(&borrower, 1)?;
        let list = repository.path().join("objects/info/alternates");
        std::fs::create_dir_all(repository.path().join("objects/info"))?;
        let line = format!("{}\n", lender.display());
        for (text, is_read) in [
            (format!("# lent\n{line}"), true),
            (line.repeat(MOST_ALTERNATES), true),
            (line.repeat(MOST_ALTERNATES + 1), false),
            ("objects\n".to_owned(), false),
        ] {
            std::fs::write(&list, &text)?;
            assert_eq!(open(&repository).is_some(), is_read, "{text}");
        }
        std::fs::write(&list, &line)?;
        std::fs::create_dir_all(lender.join("info"))?;
        std::fs::write(lender.join("info/alternates"), "./elsewhere\n")?;
        assert!(open(&repository).is_none());
        Ok(())
    }
}
