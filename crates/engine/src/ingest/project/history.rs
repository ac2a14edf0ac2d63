//! Which commits does a repository hold, and where does its history begin?
//!
//! Objects are read from their folder alone: no settings, no environment, no hooks.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use git2::{ObjectType, Odb, Oid};

use super::small;

/// A longer history is not walked to its beginning.
const MOST_COMMITS: usize = 1_000_000;
/// A repository has hundreds of packs at most.
const MOST_PACKS: usize = 20_000;
/// Other object folders that a repository may borrow from.
const MOST_ALTERNATES: usize = 16;

pub struct History {
    objects: Odb<'static>,
    folders: Vec<PathBuf>,
    common: PathBuf,
    git: PathBuf,
}

impl History {
    /// None where the objects cannot be read safely. `git` holds `HEAD`, `common` the rest.
    pub fn open(common: &Path, git: &Path) -> Option<Self> {
        let folders = object_folders(common)?;
        let objects = Odb::new().ok()?;
        objects.add_disk_alternate(folders.first()?.to_str()?).ok()?;
        Some(History { objects, folders, common: common.to_owned(), git: git.to_owned() })
    }

    /// Part of the history only was fetched.
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

    /// The oldest commit without parents. Unknown where the history is incomplete.
    pub fn root(&self) -> Option<String> {
        if self.is_shallow() {
            return None;
        }
        let first = Oid::from_str(&self.tip()?).ok()?;
        let mut seen = HashSet::from([first]);
        let mut next = vec![first];
        let mut roots = Vec::new();
        while let Some(id) = next.pop() {
            let commit = self.commit(id)?;
            if commit.parents.is_empty() {
                roots.push((commit.time, id));
            }
            next.extend(commit.parents.into_iter().filter(|parent| seen.insert(*parent)));
            if seen.len() > MOST_COMMITS {
                return None;
            }
        }
        roots.into_iter().min().map(|(_, id)| id.to_string())
    }

    fn commit(&self, id: Oid) -> Option<Commit> {
        let name = id.to_string();
        let loose = |folder: &PathBuf| folder.join(&name[..2]).join(&name[2..]);
        let is_safe = |path: PathBuf| std::fs::symlink_metadata(path).map_or(true, |metadata| metadata.is_file());
        if !self.folders.iter().map(loose).all(is_safe) {
            return None;
        }
        let object = self.objects.read(id).ok()?;
        (object.kind() == ObjectType::Commit).then(|| Commit::parse(object.data()))
    }
}

struct Commit {
    parents: Vec<Oid>,
    time: i64,
}

impl Commit {
    fn parse(data: &[u8]) -> Self {
        let mut commit = Commit { parents: Vec::new(), time: 0 };
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

/// The folders that objects are read from, the repository's own first. None where one
/// holds what is no file: opening a pipe never ends.
fn object_folders(common: &Path) -> Option<Vec<PathBuf>> {
    let own = common.join("objects");
    if !small::is_folder(&own) {
        return None;
    }
    let list = own.join("info").join("alternates");
    if std::fs::symlink_metadata(&list).is_ok_and(|metadata| !metadata.is_file()) {
        return None;
    }
    let borrowed = small::read(&list, small::SMALL).unwrap_or_default();
    let mut folders = vec![own.clone()];
    folders.extend(
        borrowed.lines().filter(|line| !line.starts_with('#')).take(MOST_ALTERNATES).map(|line| own.join(line)),
    );
    folders.iter().all(|folder| has_only_files(&folder.join("pack"))).then_some(folders)
}

fn has_only_files(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    let mut entries = entries.take(MOST_PACKS).filter_map(Result::ok);
    entries.all(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
}
