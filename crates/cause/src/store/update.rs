//! Brings the index up to date with the working tree and its history.
//!
//! A file with unchanged size and time is not opened; one with unchanged bytes is not parsed; a known commit is not
//! read. Then only the indexes with changes are rebuilt.

use std::fs::TryLockError;
use std::path::Path;
use std::sync::mpsc;
use std::time::SystemTime;

use backstory_code::{LARGEST_SOURCE_FILE, ParseProblem, ParsedFile, parse, resolve};
use backstory_files as files;
use rustc_hash::FxHashMap;

use super::database::{ContentKey, KnownFile, LISTING, pack};
use super::listing::{Listing, UNSETTLED};
use super::walk::{Listed, nanoseconds};
use super::{CodeStore, CodeStoreError};
use crate::digest::{FileDigest, Reader};
use crate::flat::Flat;
use crate::past::git::{files_at, head, new_commits};
use crate::past::{self, CommitDigest, CommitId};
use crate::role::role;
use crate::tree;

/// Marks that the index of the tree is older than the rows.
const STALE: &str = "stale";
/// The default limit on the commits of a history.
const COMMITS: usize = 20_000;
/// The number of parsed files written at once.
const BATCH: usize = 500;

#[derive(Clone, Debug)]
pub struct UpdateOptions {
    /// The number of newest commits to read; None: as many as before, at first 20,000.
    pub commits: Option<usize>,
    /// A folder with more files is not read at all.
    pub most_files: usize,
    pub now: SystemTime,
}

/// The current phase of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateStep {
    Parsing,
    History,
    Resolving,
}

#[derive(Clone, Copy, Debug)]
pub struct UpdateProgress {
    pub step: UpdateStep,
    pub done: usize,
    pub total: usize,
}

/// What was wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileProblem {
    pub path: String,
    pub what: ParseProblem,
}

/// What an update did.
#[derive(Clone, Debug, Default)]
pub struct UpdateReport {
    pub files: usize,
    /// Files whose bytes were new.
    pub parsed: usize,
    pub removed: usize,
    pub commits: usize,
    pub new_commits: usize,
    pub entities: usize,
    pub edges: usize,
    pub bytes: usize,
    /// The problems of all files.
    pub problems: Vec<FileProblem>,
    /// Why there is no history, if so.
    pub without_history: Option<String>,
    pub unchanged: bool,
    /// Another process is updating; its results so far are used.
    pub busy: bool,
}

impl CodeStore {
    pub fn update(
        &mut self,
        root: &Path,
        options: &UpdateOptions,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<UpdateReport, CodeStoreError> {
        let lock_path = self.folder.join("update.lock");
        let failed = |source| CodeStoreError::Io { path: lock_path.clone(), source };
        let lock = files::for_writing().open(&lock_path).map_err(failed)?;
        // If the file system cannot lock files, the update proceeds without a lock.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            if self.load().is_some() {
                return Ok(UpdateReport { busy: true, ..UpdateReport::default() });
            }
            lock.lock().map_err(failed)?;
        }
        let mut report = UpdateReport::default();
        self.update_files(root, options, &mut report, on_progress)?;
        self.update_history(root, options, &mut report, on_progress)?;
        Ok(report)
    }

    fn update_files(
        &mut self,
        root: &Path,
        options: &UpdateOptions,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<(), CodeStoreError> {
        let was_cut_off = self.is_stale()?;
        let before = self.database.fact(LISTING)?;
        let before: Option<Listing> = before.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let listing = Listing::take(root, before.as_ref(), nanoseconds(options.now));
        let problem = |path: &String| FileProblem { path: path.clone(), what: ParseProblem::NameNotUtf8 };
        report.problems.extend(listing.unnamed.iter().map(problem));
        report.files = listing.files.len();
        if listing.files.len() > options.most_files {
            return Err(CodeStoreError::TooLarge { path: root.to_owned(), files: listing.files.len() });
        }
        let read = match before.is_some_and(|before| before.still_holds(&listing)) {
            true => {
                self.keep_problems(&[], &[], was_cut_off, report)?;
                Vec::new()
            }
            false => self.read_changed(root, &listing, was_cut_off, options, report, on_progress)?,
        };
        let flat = Flat::open(&self.tree_file(), tree::VERSION);
        report.unchanged = flat.is_some() && !self.is_stale()?;
        let flat = match flat.filter(|_| report.unchanged) {
            Some(flat) => flat,
            None => {
                on_progress(UpdateProgress { step: UpdateStep::Resolving, done: 0, total: 1 });
                // If everything was parsed just now, it need not be read again.
                let contents = if read.len() == report.files { read } else { self.database.contents()? };
                let sources: Vec<_> = contents.iter().map(|(parsed, digest)| (parsed, digest)).collect();
                let flat = build_tree(&sources);
                flat.save(&self.tree_file()).map_err(|source| CodeStoreError::Io { path: self.tree_file(), source })?;
                self.database.set_fact(STALE, &[0])?;
                flat
            }
        };
        report.bytes += flat.size();
        (report.entities, report.edges) = tree::counts(&flat);
        Ok(())
    }

    /// Were rows written since the index of the tree was built?
    fn is_stale(&self) -> Result<bool, CodeStoreError> {
        Ok(self.database.fact(STALE)?.is_some_and(|stale| stale == [1]))
    }

    /// Reads the files that changed; returns those that were parsed.
    fn read_changed(
        &mut self,
        root: &Path,
        listing: &Listing,
        was_cut_off: bool,
        options: &UpdateOptions,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<Vec<(ParsedFile, FileDigest)>, CodeStoreError> {
        let known = self.database.files()?;
        let before =
            self.database.fact("listed")?.and_then(|bytes| bytes.try_into().ok()).map_or(0, i64::from_le_bytes);
        let is_same = |file: &Listed| {
            let same = known.get(&file.path).is_some_and(|known| known.listed == *file);
            same && file.changed < before - UNSETTLED
        };
        let maybe_changed: Vec<Listed> = listing.files.iter().filter(|file| !is_same(file)).cloned().collect();
        let gone: Vec<&String> = {
            let now: rustc_hash::FxHashSet<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
            known.keys().filter(|path| !now.contains(path.as_str())).collect()
        };
        report.removed = gone.len();
        let read = self.read_maybe_changed(root, maybe_changed, &known, report, on_progress)?;
        self.keep_problems(&read, &gone, was_cut_off, report)?;
        self.database.write(|rows| {
            gone.iter().try_for_each(|path| rows.remove_file(path))?;
            if !gone.is_empty() {
                rows.fact(STALE, &[1])?;
            }
            if !gone.is_empty() || report.parsed > 0 { rows.remove_unused() } else { Ok(()) }
        })?;
        self.database.set_fact("listed", &nanoseconds(options.now).to_le_bytes())?;
        // Unreadable files are retried every time.
        let is_whole = !report.problems.iter().any(|problem| problem.what == ParseProblem::Unreadable);
        let kept = if is_whole { postcard::to_stdvec(listing).unwrap_or_default() } else { Vec::new() };
        self.database.set_fact(LISTING, &kept)?;
        Ok(read)
    }

    /// Adds the problems of unchanged files. After an interrupted update they are derived from the files again.
    fn keep_problems(
        &mut self,
        read: &[(ParsedFile, FileDigest)],
        gone: &[&String],
        was_cut_off: bool,
        report: &mut UpdateReport,
    ) -> Result<(), CodeStoreError> {
        let known: Vec<FileProblem> = match was_cut_off {
            true => {
                let contents = self.database.contents()?;
                contents.iter().flat_map(|(file, _)| file.problems.iter().map(|what| of_file(file, what))).collect()
            }
            false => {
                let known = self.database.fact("problems")?;
                known.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default()
            }
        };
        let is_new = |path: &String| read.binary_search_by(|(file, _)| file.path.cmp(path)).is_ok();
        let stays = |known: &FileProblem| {
            // Unreadable files are retried every time.
            let is_kept = !matches!(known.what, ParseProblem::Unreadable | ParseProblem::NameNotUtf8);
            is_kept && !is_new(&known.path) && !gone.contains(&&known.path)
        };
        report.problems.extend(known.into_iter().filter(stays));
        report.problems.sort_by(|a, b| a.path.cmp(&b.path));
        if report.parsed > 0 || !gone.is_empty() || was_cut_off {
            let bytes = postcard::to_stdvec(&report.problems).unwrap_or_default();
            self.database.set_fact("problems", &bytes)?;
        }
        Ok(())
    }

    /// Reads the files that may have changed and parses those that did; returns the parsed ones, in the order of their
    /// paths.
    fn read_maybe_changed(
        &mut self,
        root: &Path,
        maybe_changed: Vec<Listed>,
        known: &FxHashMap<String, KnownFile>,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<Vec<(ParsedFile, FileDigest)>, CodeStoreError> {
        let total = maybe_changed.len();
        let mut parsed: Vec<(ParsedFile, FileDigest)> = Vec::new();
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(total.max(1));
        let next = std::sync::atomic::AtomicUsize::new(0);
        let mut failure = None;
        std::thread::scope(|scope| {
            let (send, receive) = mpsc::sync_channel::<(Listed, FileRead)>(64);
            for _ in 0..threads {
                let (send, maybe_changed, next) = (send.clone(), &maybe_changed, &next);
                scope.spawn(move || {
                    let mut reader = None;
                    while let Some(file) = maybe_changed.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                        let read = read_file(root, file, known, &mut reader);
                        if send.send((file.clone(), read)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut batch: Vec<(Listed, FileRead)> = Vec::new();
            let mut done = 0;
            let mut receive = receive.into_iter();
            loop {
                let item = receive.next();
                let ended = item.is_none();
                batch.extend(item);
                if (ended || batch.len() >= BATCH) && failure.is_none() {
                    failure = self.write_batch(&batch).err();
                    done += batch.len();
                    on_progress(UpdateProgress { step: UpdateStep::Parsing, done, total });
                    for (listed, read) in batch.drain(..) {
                        let problem = |what| FileProblem { path: listed.path.clone(), what };
                        match read {
                            FileRead::New { parsed: file, digest, .. } => {
                                report.parsed += 1;
                                report.problems.extend(file.problems.iter().cloned().map(problem));
                                parsed.push((*file, digest));
                            }
                            FileRead::Unreadable => report.problems.push(problem(ParseProblem::Unreadable)),
                            FileRead::Gone | FileRead::Same(_) => {}
                        }
                    }
                }
                if ended {
                    break;
                }
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        parsed.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        Ok(parsed)
    }

    fn write_batch(&mut self, batch: &[(Listed, FileRead)]) -> Result<(), CodeStoreError> {
        self.database.write(|rows| {
            // In the same transaction as the rows, so that a kill cannot separate them.
            if batch.iter().any(|(_, read)| matches!(read, FileRead::New { .. })) {
                rows.fact(STALE, &[1])?;
            }
            for (listed, read) in batch {
                match read {
                    FileRead::Gone | FileRead::Unreadable => {}
                    FileRead::Same(key) => rows.file(listed, key)?,
                    FileRead::New { key, packed, .. } => {
                        rows.content(key, packed)?;
                        rows.file(listed, key)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn update_history(
        &mut self,
        root: &Path,
        options: &UpdateOptions,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<(), CodeStoreError> {
        let flat = Flat::open(&self.past_file(), past::VERSION);
        let now = head(root);
        let before = self.database.fact("head")?;
        let commits = options.commits.or(self.commits()?).unwrap_or(COMMITS);
        let limit = (commits as u64).to_le_bytes();
        let same_limit = self.database.fact("commits")?.is_some_and(|known| known == limit);
        let flat = match flat {
            Some(flat) if same_limit && before.as_deref() == Some(now.as_ref().map_or(&[][..], |id| &id[..])) => flat,
            _ => {
                report.unchanged = false;
                let flat = match now {
                    Some(now) => match self.read_history(root, now, same_limit, commits, report, on_progress) {
                        // A clone that lacks a part of its history still has its code.
                        Err(CodeStoreError::History { reason, .. }) => {
                            return self.go_on_without_history(reason, report);
                        }
                        read => read?,
                    },
                    None => past::build(&[], &[]),
                };
                flat.save(&self.past_file()).map_err(|source| CodeStoreError::Io { path: self.past_file(), source })?;
                self.database.set_fact("head", now.as_ref().map_or(&[], |id| &id[..]))?;
                self.database.set_fact("commits", &limit)?;
                flat
            }
        };
        if now.is_none() {
            report.without_history = Some("no git repository with a commit".to_owned());
        }
        report.bytes += flat.size();
        report.commits = past::PastIndex::new(flat).commit_count();
        Ok(())
    }

    /// The limit used last.
    fn commits(&self) -> Result<Option<usize>, CodeStoreError> {
        let known = self.database.fact("commits")?.and_then(|known| known.try_into().ok());
        Ok(known.map(|known| u64::from_le_bytes(known) as usize))
    }

    /// The history that was read before, if any, is kept.
    fn go_on_without_history(&mut self, reason: String, report: &mut UpdateReport) -> Result<(), CodeStoreError> {
        report.without_history = Some(reason);
        let flat = match Flat::open(&self.past_file(), past::VERSION) {
            Some(flat) => flat,
            None => {
                let flat = past::build(&[], &[]);
                flat.save(&self.past_file()).map_err(|source| CodeStoreError::Io { path: self.past_file(), source })?;
                flat
            }
        };
        report.bytes += flat.size();
        report.commits = past::PastIndex::new(flat).commit_count();
        Ok(())
    }

    fn read_history(
        &mut self,
        root: &Path,
        now: CommitId,
        same_limit: bool,
        most: usize,
        report: &mut UpdateReport,
        on_progress: &mut dyn FnMut(UpdateProgress),
    ) -> Result<Flat, CodeStoreError> {
        let failed = |reason: past::git::HistoryError| CodeStoreError::History {
            path: root.to_owned(),
            reason: reason.to_string(),
        };
        // With another limit, commits older than the known ones may be needed.
        let known = if same_limit { self.database.commit_ids()? } else { Default::default() };
        let new = new_commits(root, None, &|id| known.contains(id), most, &mut |done, total| {
            on_progress(UpdateProgress { step: UpdateStep::History, done, total });
        })
        .map_err(failed)?;
        report.new_commits = new.len();
        if !new.is_empty() {
            let mut reader = Reader::default();
            let digests: Vec<CommitDigest> =
                new.into_iter().map(|commit| CommitDigest::new(commit, &mut reader)).collect();
            self.database.write(|rows| digests.iter().try_for_each(|commit| rows.commit(commit)))?;
        }
        let commits = self.database.commits()?;
        let before = past::ancestors(&commits, now);
        let paths = files_at(root, now).map_err(failed)?;
        Ok(past::build(&before[..before.len().min(most)], &paths))
    }
}

fn of_file(file: &ParsedFile, what: &ParseProblem) -> FileProblem {
    FileProblem { path: file.path.clone(), what: what.clone() }
}

/// The outcome for a file that may have changed.
enum FileRead {
    /// Removed since it was listed.
    Gone,
    Unreadable,
    Same(ContentKey),
    New {
        key: ContentKey,
        packed: Vec<u8>,
        parsed: Box<ParsedFile>,
        digest: FileDigest,
    },
}

fn read_file(
    root: &Path,
    file: &Listed,
    known: &FxHashMap<String, KnownFile>,
    reader: &mut Option<Reader>,
) -> FileRead {
    // For a file that is too large, only its size is used.
    let bytes = match file.size as usize {
        size if size > LARGEST_SOURCE_FILE => vec![b' '; LARGEST_SOURCE_FILE + 1],
        _ => match files::read_within(root, &file.path, LARGEST_SOURCE_FILE as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return FileRead::Gone,
            Err(_) => return FileRead::Unreadable,
        },
    };
    let key = content_key(&file.path, &bytes);
    if known.get(&file.path).is_some_and(|known| known.key == key) {
        return FileRead::Same(key);
    }
    let (parsed, digest) = read_content(&file.path, &bytes, reader.get_or_insert_with(Reader::default));
    FileRead::New { key, packed: pack(&parsed, &digest), parsed: Box::new(parsed), digest }
}

/// Parses and digests one file.
pub fn read_content(path: &str, bytes: &[u8], reader: &mut Reader) -> (ParsedFile, FileDigest) {
    let parsed = parse(path, bytes);
    let is_text = !parsed.problems.iter().any(|problem| {
        matches!(problem, ParseProblem::Binary | ParseProblem::Huge | ParseProblem::Generated | ParseProblem::Minified)
    });
    let digest = match is_text {
        true => reader.digest(&String::from_utf8_lossy(bytes), &parsed, role(path)),
        false => FileDigest::default(),
    };
    (parsed, digest)
}

fn content_key(path: &str, bytes: &[u8]) -> ContentKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes()).update(&[0]).update(bytes);
    let mut key = ContentKey::default();
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

/// The index of a tree of files.
pub fn build_tree(sources: &[tree::TreeSource<'_>]) -> Flat {
    let files: Vec<&ParsedFile> = sources.iter().map(|(parsed, _)| *parsed).collect();
    let graph = resolve(&files);
    tree::build(sources, &graph, &mut crate::terms::TermVocabulary::default())
}
