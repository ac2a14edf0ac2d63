//! What is kept of a commit, and the index of a history.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::git::CommitRecord;
use crate::digest::{Reader, split_identifiers};
use crate::flat::{Flat, FlatText};
use crate::postings::TermPostings;
use crate::terms::Bag;
use rustc_hash::{FxHashMap, FxHashSet};

/// Raise it on every change to the contents of the file.
pub const VERSION: u32 = 2;

pub type CommitId = [u8; 20];

/// What is kept of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommitDigest {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    pub time: i64,
    pub subject: String,
    /// The terms of its message.
    pub words: Bag,
    /// The meaning of its subject.
    pub vector: Vec<i8>,
    pub is_fix: bool,
    pub paths: Vec<String>,
    pub renames: Vec<(String, String)>,
}

impl CommitDigest {
    pub fn new(commit: CommitRecord, reader: &mut Reader) -> Self {
        let subject = commit.message.lines().next().unwrap_or_default().trim().to_owned();
        Self {
            words: reader.vocabulary.bag(&commit.message),
            vector: reader.embed(&split_identifiers(&subject)),
            is_fix: says_fix(&subject),
            subject,
            id: commit.id,
            parents: commit.parents,
            time: commit.time,
            paths: commit.paths,
            renames: commit.renames,
        }
    }
}

/// The ancestors of `head` and itself, newest first.
pub fn ancestors(commits: &[CommitDigest], head: CommitId) -> Vec<&CommitDigest> {
    let by_id: FxHashMap<CommitId, &CommitDigest> = commits.iter().map(|commit| (commit.id, commit)).collect();
    let mut seen = FxHashSet::default();
    let mut open = vec![head];
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        if let Some(commit) = by_id.get(&id).filter(|_| seen.insert(id)) {
            open.extend(&commit.parents);
            found.push(*commit);
        }
    }
    found.sort_by_key(|commit| (std::cmp::Reverse(commit.time), commit.id));
    found
}

/// Does the subject say that it is a fix?
fn says_fix(subject: &str) -> bool {
    const WORDS: [&str; 14] = [
        "fix", "fixes", "fixed", "fixing", "bug", "bugfix", "hotfix", "crash", "regression", "broken", "wrong",
        "incorrect", "leak", "repair",
    ];
    let lower = subject.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct CommitRow {
    pub time: i64,
    pub subject: FlatText,
    pub first_file: u32,
    pub files: u32,
    /// Its weight by age.
    pub fresh: f32,
    pub is_fix: u32,
    pub id: [u8; 20],
    pub unused: u32,
}

/// A commit of the index.
#[derive(Clone, Copy, Debug)]
pub struct PastCommit<'a> {
    pub number: u32,
    pub id: CommitId,
    pub time: i64,
    pub subject: &'a str,
    pub is_fix: bool,
}

impl PastCommit<'_> {
    pub fn hex(&self) -> String {
        hex(&self.id)
    }
}

pub fn hex(id: &CommitId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The index of a history, newest commit first.
pub struct PastIndex {
    flat: Flat,
}

impl PastIndex {
    pub fn new(flat: Flat) -> Self {
        Self { flat }
    }

    /// An empty history.
    pub fn none() -> Self {
        Self::new(super::build(&[], &[]))
    }

    pub fn flat(&self) -> &Flat {
        &self.flat
    }

    pub fn commit_count(&self) -> usize {
        self.rows().len()
    }

    pub fn commit(&self, number: u32) -> Option<PastCommit<'_>> {
        let row = self.rows().get(number as usize)?;
        let subject = self.flat.text(row.subject);
        Some(PastCommit { number, id: row.id, time: row.time, subject, is_fix: row.is_fix != 0 })
    }

    /// The files of a commit, as numbers of [`PastIndex::paths`].
    pub fn files_of(&self, number: u32) -> &[u32] {
        let files: &[u32] = self.flat.rows("cfiles");
        let Some(row) = self.rows().get(number as usize) else { return &[] };
        files.get(row.first_file as usize..(row.first_file + row.files) as usize).unwrap_or_default()
    }

    /// The commits that changed a file, newest first.
    pub fn commits_of(&self, path: &str) -> Vec<String> {
        let Some(file) = self.paths().position(|known| known == path) else { return Vec::new() };
        let commits = (0..self.commit_count() as u32).filter(|commit| self.files_of(*commit).contains(&(file as u32)));
        commits.filter_map(|commit| Some(self.commit(commit)?.hex())).collect()
    }

    pub fn fresh(&self, number: u32) -> f32 {
        self.rows().get(number as usize).map_or(0.0, |row| row.fresh)
    }

    /// The paths that commits changed, by their current names.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.flat.rows::<FlatText>("paths").iter().map(|text| self.flat.text(*text))
    }

    /// The messages of a file's commits as one document.
    pub fn by_file(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "byfile")
    }

    pub fn by_commit(&self) -> TermPostings<'_> {
        TermPostings::read(&self.flat, "bycomm")
    }

    /// The vectors of all commits, concatenated.
    pub fn vectors(&self) -> &[i8] {
        self.flat.rows("vectors")
    }

    fn rows(&self) -> &[CommitRow] {
        self.flat.rows("commits")
    }
}
