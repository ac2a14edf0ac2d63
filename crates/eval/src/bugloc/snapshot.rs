//! A base commit as the program would have indexed it, and its plain texts for the baselines.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backstory_cause::digest::{FileDigest, Reader};
use backstory_cause::past::{self, CommitDigest, CommitId, PastIndex};
use backstory_cause::store::{build_tree, read_content};
use backstory_cause::terms::{Bag, Counter};
use backstory_cause::tree::TreeIndex;
use backstory_code::{Language, ParsedFile};
use git2::{Oid, Repository};
use rustc_hash::FxHashMap;

use super::{EvalResult, repository};

/// Longer texts are data.
const LONGEST_TEXT: usize = 600_000;
/// Extensions that the program reads besides those of its languages.
const TEXTS: [&str; 4] = ["rst", "txt", "adoc", "mdx"];

/// The program's default limit on the commits of a history.
pub const COMMITS: usize = 20_000;

/// One version of a file.
pub struct FileContent {
    /// The program's data about it; None for files that it does not read.
    indexed: Option<(ParsedFile, FileDigest)>,
    /// All words of its text and path.
    pub words: Bag,
    pub length: f32,
}

/// Cached versions: neighbouring commits share most of them.
type Known = Mutex<FxHashMap<(String, Oid), Option<Arc<FileContent>>>>;

/// The shared data of all snapshots of a repository.
pub struct SnapshotSource {
    pub folder: PathBuf,
    commits: Vec<CommitDigest>,
    /// The number of newest ancestors of a base commit that are indexed.
    most_commits: usize,
    known: Known,
}

impl SnapshotSource {
    pub fn open(folder: &Path, bases: &[CommitId], most_commits: usize, cache: Option<&Path>) -> EvalResult<Self> {
        let mut reader = Reader::default();
        let records = repository::history(folder, bases, cache)?;
        let commits = records.into_iter().map(|record| CommitDigest::new(record, &mut reader)).collect();
        Ok(Self { folder: folder.to_owned(), commits, most_commits, known: Known::default() })
    }

    pub fn commit_count(&self) -> usize {
        self.commits.len()
    }
}

/// The data that one thread needs for snapshots.
pub struct SnapshotWorker<'a> {
    source: &'a SnapshotSource,
    pub repository: Repository,
    pub reader: Reader,
}

/// A base commit.
pub struct CommitSnapshot {
    pub tree: TreeIndex,
    pub past: PastIndex,
    pub files: Vec<SnapshotFile>,
}

pub struct SnapshotFile {
    pub path: String,
    pub blob: Oid,
    pub content: Arc<FileContent>,
}

impl<'a> SnapshotWorker<'a> {
    pub fn new(source: &'a SnapshotSource) -> EvalResult<Self> {
        Ok(Self { source, repository: Repository::open(&source.folder)?, reader: Reader::default() })
    }

    pub fn snapshot(&mut self, base: CommitId) -> EvalResult<CommitSnapshot> {
        let listed = repository::files_of(&self.repository, base)?;
        let paths: Vec<String> = listed.iter().map(|(path, _)| path.clone()).collect();
        let mut files = Vec::new();
        for (path, blob) in listed {
            if let Some(content) = self.content(&path, blob) {
                files.push(SnapshotFile { path, blob, content });
            }
        }
        let indexed = files.iter().filter_map(|file| file.content.indexed.as_ref());
        let tree = build_tree(&indexed.map(|(parsed, digest)| (parsed, digest)).collect::<Vec<_>>());
        let before = past::ancestors(&self.source.commits, base);
        let past = past::build(&before[..before.len().min(self.source.most_commits)], &paths);
        Ok(CommitSnapshot { tree: TreeIndex::new(tree), past: PastIndex::new(past), files })
    }

    /// None if it is not text.
    fn content(&mut self, path: &str, blob: Oid) -> Option<Arc<FileContent>> {
        let key = (path.to_owned(), blob);
        if let Some(known) = lock(&self.source.known).get(&key) {
            return known.clone();
        }
        let bytes = self.repository.find_blob(blob).ok();
        let content = bytes.and_then(|bytes| read(path, bytes.content(), &mut self.reader)).map(Arc::new);
        lock(&self.source.known).insert(key, content.clone());
        content
    }

    /// The lines of a file; none if there is no such file.
    pub fn lines_of(&self, snapshot: &CommitSnapshot, path: &str) -> Vec<String> {
        let file = snapshot.files.iter().find(|file| file.path == path);
        let Some(blob) = file.and_then(|file| self.repository.find_blob(file.blob).ok()) else { return Vec::new() };
        String::from_utf8_lossy(blob.content()).lines().map(str::to_owned).collect()
    }
}

/// A panicking worker leaves the map intact.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn read(path: &str, bytes: &[u8], reader: &mut Reader) -> Option<FileContent> {
    let is_text = bytes.len() <= LONGEST_TEXT && !bytes[..bytes.len().min(8000)].contains(&0);
    if !is_text {
        return None;
    }
    let mut words = Counter::default();
    reader.vocabulary.count(&String::from_utf8_lossy(bytes), 1.0, &mut words);
    reader.vocabulary.count(path, 1.0, &mut words);
    let words = words.bag();
    let indexed = is_read(path).then(|| read_content(path, bytes, reader));
    Some(FileContent { length: words.length(), words, indexed })
}

/// As the program decides for files on disk.
fn is_read(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    Language::of_path(path).is_some() || TEXTS.contains(&extension) || path.ends_with("go.mod")
}
