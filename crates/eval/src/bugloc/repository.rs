//! Bare repositories: the files of a commit, and the history behind several.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use backstory_cause::past::{CommitId, CommitRecord, git::new_commits, hex};
use git2::{ObjectType, Oid, Repository, TreeWalkMode, TreeWalkResult};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::EvalResult;

/// The git directory of `owner/name` somewhere in a folder of repositories.
pub fn find(repositories: &Path, name: &str) -> Option<PathBuf> {
    let joined = repositories.join(name.replace('/', "+"));
    let places = [joined.join("repo"), joined.join(".git"), joined, repositories.join(name)];
    places.into_iter().find(|place| place.join("HEAD").is_file() && place.join("objects").is_dir())
}

pub fn commit_id(text: &str) -> EvalResult<CommitId> {
    let id = Oid::from_str(text)?;
    Ok(id.as_bytes().try_into()?)
}

/// When a commit was made, in Unix seconds.
pub fn time_of(repository: &Repository, commit: CommitId) -> EvalResult<i64> {
    Ok(repository.find_commit(Oid::from_bytes(&commit)?)?.time().seconds())
}

/// The files of a commit with their blobs, in the order of their paths.
pub fn files_of(repository: &Repository, commit: CommitId) -> EvalResult<Vec<(String, Oid)>> {
    let tree = repository.find_commit(Oid::from_bytes(&commit)?)?.tree()?;
    let mut files = Vec::new();
    tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() == Some(ObjectType::Blob) {
            files.push((format!("{folder}{}", entry.name().unwrap_or_default()), entry.id()));
        }
        TreeWalkResult::Ok
    })?;
    files.sort();
    Ok(files)
}

/// A commit as cached.
#[derive(Serialize, Deserialize)]
struct Kept {
    id: String,
    parents: Vec<String>,
    time: i64,
    message: String,
    paths: Vec<String>,
    renames: Vec<(String, String)>,
}

/// The bases and all their ancestors. Cached commits are not read again.
pub fn history(repository: &Path, bases: &[CommitId], cache: Option<&Path>) -> EvalResult<Vec<CommitRecord>> {
    let mut records = match cache.filter(|cache| cache.exists()) {
        Some(cache) => read_kept(cache)?,
        None => Vec::new(),
    };
    let mut known: FxHashSet<CommitId> = records.iter().map(|record| record.id).collect();
    let before = records.len();
    for base in bases {
        let new = new_commits(repository, Some(&hex(base)), &|id| known.contains(id), usize::MAX, &mut |_, _| {})?;
        known.extend(new.iter().map(|record| record.id));
        records.extend(new);
    }
    if let Some(cache) = cache.filter(|_| records.len() > before) {
        write_kept(cache, &records)?;
    }
    Ok(records)
}

fn read_kept(cache: &Path) -> EvalResult<Vec<CommitRecord>> {
    let mut records = Vec::new();
    for line in BufReader::new(std::fs::File::open(cache)?).lines() {
        let kept: Kept = serde_json::from_str(&line?)?;
        records.push(CommitRecord {
            id: commit_id(&kept.id)?,
            parents: kept.parents.iter().map(|id| commit_id(id)).collect::<EvalResult<_>>()?,
            time: kept.time,
            message: kept.message,
            paths: kept.paths,
            renames: kept.renames,
        });
    }
    Ok(records)
}

fn write_kept(cache: &Path, records: &[CommitRecord]) -> EvalResult<()> {
    let mut out = BufWriter::new(std::fs::File::create(cache)?);
    for record in records {
        let kept = Kept {
            id: hex(&record.id),
            parents: record.parents.iter().map(hex).collect(),
            time: record.time,
            message: record.message.clone(),
            paths: record.paths.clone(),
            renames: record.renames.clone(),
        };
        serde_json::to_writer(&mut out, &kept)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
