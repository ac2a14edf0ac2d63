//! Which commits are new, and which paths did each change?
//!
//! Ground: the repository's objects. Nothing is written. libgit2's own diff opens every folder of both trees; this code
//! skips equal folders. Caching trees did not help: libgit2 caches the small ones, and the delta bases of the large
//! ones.

use backstory_files::git;
use git2::{ErrorCode, ObjectType, Odb, OdbObject, Oid, Repository};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering as Memory};
use std::sync::mpsc;

/// Longer messages are mostly pasted logs.
const LONGEST_MESSAGE: usize = 4_000;
/// Larger commits and folders are skipped: packed, they may be small.
const LARGEST_GIT_OBJECT: usize = 64 << 20;
const ID_LENGTH: usize = 20;
/// Neighbouring commits share most trees, so a thread takes this many in a row.
const RUN: usize = if cfg!(test) { 50 } else { 500 };
/// The largest real path length; a longer one is malicious and must not exhaust the stack.
const LONGEST_PATH: usize = 4_096;
/// libgit2 shares one locked pack cache between all threads, so more threads would block each other.
const MOST_THREADS: usize = 4;

/// The message and the changed paths of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRecord {
    pub id: [u8; 20],
    /// As written in the commit, including those that a shallow clone lacks.
    pub parents: Vec<[u8; 20]>,
    /// When it was committed, in Unix seconds.
    pub time: i64,
    pub message: String,
    /// Changed paths by their new names, without deleted ones. Empty for merges, and where the parent is missing.
    pub paths: Vec<String>,
    /// Old and new path of each file whose content is unchanged.
    pub renames: Vec<(String, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{} is not a Git repository", .0.display())]
    NotFound(PathBuf),
    #[error("{} has no commit {head}", path.display())]
    UnknownHead { path: PathBuf, head: String },
    #[error("cannot read the history of {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: git2::Error },
}

/// The commit that is checked out; None without a repository or before the first commit.
pub fn head(repository: &Path) -> Option<[u8; 20]> {
    let repository = git::open(repository).ok()?;
    let id = repository.refname_to_id("HEAD").ok()?;
    bytes(id)
}

/// The commits reachable from `head` (or from HEAD) that are not `known`: the newest `most`, oldest first, parents
/// before children.
///
/// The ancestors of a known commit count as known too, so a short update stays short.
pub fn new_commits(
    repository: &Path,
    head: Option<&str>,
    known: &dyn Fn(&[u8; 20]) -> bool,
    most: usize,
    on_progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<CommitRecord>, HistoryError> {
    // Git does not hash objects that it reads from packs either, and hashing takes a third of the time.
    git2::opts::strict_hash_verification(false);
    let unreadable = |source| HistoryError::Unreadable { path: repository.to_owned(), source };
    let opened = git::open(repository).map_err(|error| match error.code() {
        ErrorCode::NotFound => HistoryError::NotFound(repository.to_owned()),
        _ => unreadable(error),
    })?;
    let Some(start) = start(&opened, head) else {
        return match head {
            Some(head) => Err(HistoryError::UnknownHead { path: repository.to_owned(), head: head.to_owned() }),
            None => Ok(Vec::new()),
        };
    };
    let odb = opened.odb().map_err(unreadable)?;
    let mut walk = Walk { odb: &odb, seen: HashMap::new() };
    let chosen = walk.newest(start, known, most).map_err(unreadable)?;
    let ordered = oldest_first(chosen);
    let comparisons = walk.comparisons(&ordered).map_err(unreadable)?;
    let changes = compare_all(opened.path(), &comparisons, on_progress).map_err(unreadable)?;
    let records = ordered.into_iter().zip(changes).filter_map(|(commit, changes)| commit.record(changes));
    Ok(records.collect())
}

/// The paths of a commit's tree.
pub fn files_at(repository: &Path, commit: [u8; 20]) -> Result<Vec<String>, HistoryError> {
    let unreadable = |source| HistoryError::Unreadable { path: repository.to_owned(), source };
    let opened = git::open(repository).map_err(unreadable)?;
    let commit = Oid::from_bytes(&commit).and_then(|id| opened.find_commit(id)).map_err(unreadable)?;
    let tree = commit.tree().map_err(unreadable)?;
    let mut files = Vec::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() == Some(git2::ObjectType::Blob) {
            files.push(format!("{folder}{}", entry.name().unwrap_or_default()));
        }
        git2::TreeWalkResult::Ok
    })
    .map_err(unreadable)?;
    Ok(files)
}

fn start(repository: &Repository, head: Option<&str>) -> Option<Oid> {
    match head {
        Some(head) => Some(repository.revparse_single(head).ok()?.peel_to_commit().ok()?.id()),
        None => repository.refname_to_id("HEAD").ok(),
    }
}

fn bytes(id: Oid) -> Option<[u8; 20]> {
    id.as_bytes().try_into().ok()
}

/// None if a shallow or partial clone lacks the object.
fn read<'odb>(odb: &'odb Odb<'_>, id: Oid) -> Result<Option<OdbObject<'odb>>, git2::Error> {
    if odb.read_header(id).is_ok_and(|(size, _)| size > LARGEST_GIT_OBJECT) {
        return Ok(None);
    }
    match odb.read(id) {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Parsed here, because libgit2 hides the parents that a shallow clone lacks.
struct Commit {
    id: Oid,
    tree: Oid,
    parents: Vec<Oid>,
    time: i64,
    message: String,
}

impl Commit {
    /// Git accepts malformed commits, so missing fields read as empty.
    fn parse(id: Oid, data: &[u8]) -> Option<Self> {
        let mut commit = Self { id, tree: Oid::ZERO_SHA1, parents: Vec::new(), time: 0, message: String::new() };
        let mut rest = data;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if line.is_empty() {
                break;
            } else if let Some(hex) = line.strip_prefix(b"tree ") {
                commit.tree = object_id(hex)?;
            } else if let Some(hex) = line.strip_prefix(b"parent ") {
                commit.parents.push(object_id(hex)?);
            } else if let Some(signature) = line.strip_prefix(b"committer ") {
                commit.time = seconds(signature);
            }
        }
        commit.message = beginning(rest);
        Some(commit)
    }

    fn record(self, changes: Changes) -> Option<CommitRecord> {
        Some(CommitRecord {
            id: bytes(self.id)?,
            parents: self.parents.into_iter().filter_map(bytes).collect(),
            time: self.time,
            message: self.message,
            paths: changes.paths,
            renames: changes.renames,
        })
    }
}

fn object_id(hex: &[u8]) -> Option<Oid> {
    Oid::from_str(std::str::from_utf8(hex).ok()?).ok()
}

/// The time in `Name <mail> 1700000000 +0100`.
fn seconds(signature: &[u8]) -> i64 {
    let after_mail = signature.rsplit(|byte| *byte == b'>').next().unwrap_or_default();
    let text = std::str::from_utf8(after_mail).unwrap_or_default();
    text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn beginning(message: &[u8]) -> String {
    let start = &message[..message.len().min(LONGEST_MESSAGE + 4)];
    let mut text = String::from_utf8_lossy(start).into_owned();
    text.truncate(text.floor_char_boundary(LONGEST_MESSAGE));
    text
}

/// A walk from the newest commit to older ones.
struct Walk<'odb> {
    odb: &'odb Odb<'odb>,
    /// The tree of each commit that was read; None if the clone lacks it.
    seen: HashMap<Oid, Option<Oid>>,
}

impl Walk<'_> {
    fn newest(
        &mut self,
        start: Oid,
        known: &dyn Fn(&[u8; 20]) -> bool,
        most: usize,
    ) -> Result<Vec<Commit>, git2::Error> {
        let mut open = BinaryHeap::new();
        let mut chosen = Vec::new();
        let is_known = |id: Oid| bytes(id).is_none_or(|id| known(&id));
        if !is_known(start) {
            open.extend(self.open(start)?);
        }
        while chosen.len() < most
            && let Some(ByTime(commit)) = open.pop()
        {
            for parent in &commit.parents {
                if !self.seen.contains_key(parent) && !is_known(*parent) {
                    open.extend(self.open(*parent)?);
                }
            }
            chosen.push(commit);
        }
        Ok(chosen)
    }

    fn open(&mut self, id: Oid) -> Result<Option<ByTime>, git2::Error> {
        let object = read(self.odb, id)?;
        let commit = object.and_then(|object| Commit::parse(id, object.data()));
        self.seen.insert(id, commit.as_ref().map(|commit| commit.tree));
        Ok(commit.map(ByTime))
    }

    /// The trees to compare for each commit.
    fn comparisons(&mut self, commits: &[Commit]) -> Result<Vec<Comparison>, git2::Error> {
        let mut comparisons = Vec::with_capacity(commits.len());
        for commit in commits {
            let before = match commit.parents[..] {
                [] => Some(None),
                [parent] => self.tree(parent)?.map(Some),
                _ => None,
            };
            comparisons.push(before.map(|before| (before, commit.tree)));
        }
        Ok(comparisons)
    }

    fn tree(&mut self, commit: Oid) -> Result<Option<Oid>, git2::Error> {
        match self.seen.get(&commit) {
            Some(tree) => Ok(*tree),
            None => Ok(self.open(commit)?.map(|ByTime(commit)| commit.tree)),
        }
    }
}

/// Newest first, in a heap; the id makes the order of equal times deterministic.
struct ByTime(Commit);

impl Ord for ByTime {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.time, self.0.id).cmp(&(other.0.time, other.0.id))
    }
}

impl PartialOrd for ByTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByTime {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ByTime {}

/// By time, but never a child before its parent: clocks can be wrong.
fn oldest_first(commits: Vec<Commit>) -> Vec<Commit> {
    let positions: HashMap<Oid, usize> = commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
    let mut children = vec![Vec::new(); commits.len()];
    let mut waits_for = vec![0usize; commits.len()];
    for (at, commit) in commits.iter().enumerate() {
        for parent in commit.parents.iter().filter_map(|parent| positions.get(parent)) {
            children[*parent].push(at);
            waits_for[at] += 1;
        }
    }
    let key = |at: usize| Reverse((commits[at].time, commits[at].id, at));
    let mut ready: BinaryHeap<_> = (0..commits.len()).filter(|at| waits_for[*at] == 0).map(key).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some(Reverse((_, _, at))) = ready.pop() {
        order.push(at);
        for child in &children[at] {
            waits_for[*child] -= 1;
            if waits_for[*child] == 0 {
                ready.push(key(*child));
            }
        }
    }
    let mut commits: Vec<Option<Commit>> = commits.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| commits[at].take()).collect()
}

/// The trees before (None for a first commit) and after; None if there is nothing to compare.
type Comparison = Option<(Option<Oid>, Oid)>;

#[derive(Default)]
struct Changes {
    paths: Vec<String>,
    renames: Vec<(String, String)>,
}

/// Each thread opens the repository for itself and takes the next run of commits.
fn compare_all(
    repository: &Path,
    comparisons: &[Comparison],
    on_progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Changes>, git2::Error> {
    let runs: Vec<&[Comparison]> = comparisons.chunks(RUN).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..cores.min(MOST_THREADS).min(runs.len()) {
            let (send, next, runs) = (send.clone(), &next, &runs);
            scope.spawn(move || compare_runs(repository, runs, next, &send));
        }
        drop(send);
        let mut found: Vec<Vec<Changes>> = runs.iter().map(|_| Vec::new()).collect();
        let mut done = 0;
        on_progress(done, comparisons.len());
        for answer in receive {
            let (run, changes) = answer?;
            done += changes.len();
            found[run] = changes;
            on_progress(done, comparisons.len());
        }
        Ok(found.into_iter().flatten().collect())
    })
}

type ComparisonResult = Result<(usize, Vec<Changes>), git2::Error>;

/// Ends when all runs are taken, or when the receiver is gone because another thread failed.
fn compare_runs(repository: &Path, runs: &[&[Comparison]], next: &AtomicUsize, send: &mpsc::Sender<ComparisonResult>) {
    let compare = || -> Result<(), git2::Error> {
        loop {
            let number = next.fetch_add(1, Memory::Relaxed);
            let Some(run) = runs.get(number) else { return Ok(()) };
            let found = compare_run(repository, run)?;
            if send.send(Ok((number, found))).is_err() {
                return Ok(());
            }
        }
    };
    if let Err(error) = compare() {
        // The receiver may already be gone with another thread's error.
        let _ = send.send(Err(error));
    }
}

/// Reopened for each run: libgit2 keeps small objects until the repository is closed, up to 256 MB.
fn compare_run(repository: &Path, run: &[Comparison]) -> Result<Vec<Changes>, git2::Error> {
    let repository = git::open(repository)?;
    let odb = repository.odb()?;
    run.iter().map(|comparison| changes(&odb, *comparison)).collect()
}

fn changes(odb: &Odb<'_>, comparison: Comparison) -> Result<Changes, git2::Error> {
    let Some((before, after)) = comparison else { return Ok(Changes::default()) };
    let mut difference = Difference::default();
    compare(odb, before, Some(after), &mut String::new(), &mut difference)?;
    Ok(difference.into_changes())
}

/// Both lists are sorted the same way, so one pass over both finds the differences. A folder that a partial clone lacks
/// is skipped: all its files would look new.
fn compare(
    odb: &Odb<'_>,
    before: Option<Oid>,
    after: Option<Oid>,
    folder: &mut String,
    difference: &mut Difference,
) -> Result<(), git2::Error> {
    if folder.len() > LONGEST_PATH {
        return Ok(());
    }
    let (wanted, before, after) = ((before, after), read_tree(odb, before)?, read_tree(odb, after)?);
    if wanted.0.is_some() != before.is_some() || wanted.1.is_some() != after.is_some() {
        return Ok(());
    }
    let mut before = before.as_ref().map(OdbObject::data).unwrap_or_default();
    let mut after = after.as_ref().map(OdbObject::data).unwrap_or_default();
    loop {
        let (mut old, mut new) = (Entry::first(before), Entry::first(after));
        if let Some(old) = &old
            && after.starts_with(&before[..old.length])
        {
            (before, after) = (&before[old.length..], &after[old.length..]);
            continue;
        }
        match old.as_ref().zip(new.as_ref()).map(|(old, new)| old.order(new)) {
            Some(Ordering::Less) => new = None,
            Some(Ordering::Greater) => old = None,
            _ => {}
        }
        let Some(entry) = new.as_ref().or(old.as_ref()) else { return Ok(()) };
        before = &before[old.as_ref().map_or(0, |entry| entry.length)..];
        after = &after[new.as_ref().map_or(0, |entry| entry.length)..];
        let length = folder.len();
        folder.push_str(&String::from_utf8_lossy(entry.name));
        let id = |entry: Option<Entry<'_>>| entry.and_then(|entry| Oid::from_bytes(entry.id).ok());
        if entry.is_folder() {
            folder.push('/');
            compare(odb, id(old), id(new), folder, difference)?;
        } else {
            difference.add(id(old), id(new), folder);
        }
        folder.truncate(length);
    }
}

/// None if there is no tree, or the clone lacks it.
fn read_tree<'odb>(odb: &'odb Odb<'_>, id: Option<Oid>) -> Result<Option<OdbObject<'odb>>, git2::Error> {
    let Some(id) = id else { return Ok(None) };
    Ok(read(odb, id)?.filter(|object| object.kind() == ObjectType::Tree))
}

/// One line of a tree: `mode SP name NUL id`.
struct Entry<'tree> {
    mode: &'tree [u8],
    name: &'tree [u8],
    id: &'tree [u8],
    length: usize,
}

impl<'tree> Entry<'tree> {
    fn first(tree: &'tree [u8]) -> Option<Self> {
        let line = CStr::from_bytes_until_nul(tree).ok()?.to_bytes();
        let space = line.iter().position(|byte| *byte == b' ')?;
        let length = line.len() + 1 + ID_LENGTH;
        let id = tree.get(line.len() + 1..length)?;
        Some(Self { mode: &line[..space], name: &line[space + 1..], id, length })
    }

    fn is_folder(&self) -> bool {
        self.mode.first() == Some(&b'4')
    }

    /// Git sorts a folder as if its name ended in a slash.
    fn order(&self, other: &Self) -> Ordering {
        let shared = self.name.len().min(other.name.len());
        let next = |entry: &Self| entry.name.get(shared).copied().or(entry.is_folder().then_some(b'/'));
        self.name[..shared].cmp(&other.name[..shared]).then_with(|| next(self).cmp(&next(other)))
    }
}

type File = (Oid, String);

/// The differences between two trees, by path and content.
#[derive(Default)]
struct Difference {
    paths: Vec<String>,
    added: Vec<File>,
    removed: Vec<File>,
}

impl Difference {
    fn add(&mut self, before: Option<Oid>, after: Option<Oid>, path: &str) {
        match (before, after) {
            (Some(before), None) => self.removed.push((before, path.to_owned())),
            (None, Some(after)) => {
                self.added.push((after, path.to_owned()));
                self.paths.push(path.to_owned());
            }
            _ => self.paths.push(path.to_owned()),
        }
    }

    fn into_changes(self) -> Changes {
        let renames = renames(self.removed, self.added);
        Changes { paths: self.paths, renames }
    }
}

/// Among several files with the same content (empty files, licences), one with the same name is preferred.
fn renames(removed: Vec<File>, mut added: Vec<File>) -> Vec<(String, String)> {
    let mut before: HashMap<Oid, Vec<String>> = HashMap::new();
    for (id, path) in removed {
        before.entry(id).or_default().push(path);
    }
    let mut found = Vec::new();
    for name_counts in [true, false] {
        added.retain(|(id, path)| {
            let Some(candidates) = before.get_mut(id) else { return false };
            let fits = |old: &String| !name_counts || name(old) == name(path);
            let Some(at) = candidates.iter().position(fits) else { return true };
            found.push((candidates.remove(at), path.clone()));
            false
        });
    }
    found.sort_unstable();
    found
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
