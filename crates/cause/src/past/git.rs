//! Commits and paths, straight from git.

use std::path::Path;

use git2::{Delta, DiffOptions, Oid, Repository, Sort};
use rustc_hash::FxHashMap;

use super::{CommitId, CommitRecord};

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error(transparent)]
    Git(#[from] git2::Error),
}

pub fn head(repository: &Path) -> Option<CommitId> {
    let repository = Repository::discover(repository).ok()?;
    let head = repository.head().ok()?.peel_to_commit().ok()?.id();
    head.as_bytes().try_into().ok()
}

/// The paths of a commit's tree.
pub fn files_at(repository: &Path, commit: CommitId) -> Result<Vec<String>, HistoryError> {
    let repository = Repository::discover(repository)?;
    let tree = repository.find_commit(Oid::from_bytes(&commit)?)?.tree()?;
    let mut files = Vec::new();
    tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() == Some(git2::ObjectType::Blob) {
            files.push(format!("{folder}{}", entry.name().unwrap_or_default()));
        }
        git2::TreeWalkResult::Ok
    })?;
    Ok(files)
}

pub fn new_commits(
    repository: &Path,
    head: Option<&str>,
    known: &dyn Fn(&CommitId) -> bool,
    most: usize,
    on_progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<CommitRecord>, HistoryError> {
    let repository = Repository::discover(repository)?;
    let start = match head {
        Some(head) => repository.revparse_single(head)?.peel_to_commit()?.id(),
        None => repository.head()?.peel_to_commit()?.id(),
    };
    let mut walk = repository.revwalk()?;
    walk.set_sorting(Sort::TIME)?;
    walk.push(start)?;
    let ids: Vec<Oid> =
        walk.flatten().take(most).filter(|id| id.as_bytes().try_into().is_ok_and(|id: CommitId| !known(&id))).collect();
    let mut records = Vec::new();
    for (done, id) in ids.iter().rev().enumerate() {
        on_progress(done, ids.len());
        let commit = repository.find_commit(*id)?;
        let (paths, renames) = changes(&repository, &commit)?;
        records.push(CommitRecord {
            id: commit.id().as_bytes().try_into().unwrap_or_default(),
            parents: commit.parent_ids().filter_map(|id| id.as_bytes().try_into().ok()).collect(),
            time: commit.time().seconds(),
            message: String::from_utf8_lossy(commit.message_bytes()).into_owned(),
            paths,
            renames,
        });
    }
    Ok(records)
}

type Changes = (Vec<String>, Vec<(String, String)>);

fn changes(repository: &Repository, commit: &git2::Commit<'_>) -> Result<Changes, git2::Error> {
    if commit.parent_count() > 1 {
        return Ok((Vec::new(), Vec::new()));
    }
    let before = commit.parent(0).ok().and_then(|parent| parent.tree().ok());
    let after = commit.tree()?;
    let mut options = DiffOptions::new();
    options.skip_binary_check(true);
    let diff = repository.diff_tree_to_tree(before.as_ref(), Some(&after), Some(&mut options))?;
    let mut paths = Vec::new();
    let mut removed: FxHashMap<Oid, String> = FxHashMap::default();
    let mut added: Vec<(Oid, String)> = Vec::new();
    let text = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    for delta in diff.deltas() {
        match delta.status() {
            Delta::Deleted => {
                removed.insert(delta.old_file().id(), text(delta.old_file().path()));
            }
            Delta::Added => {
                let path = text(delta.new_file().path());
                added.push((delta.new_file().id(), path.clone()));
                paths.push(path);
            }
            _ => paths.push(text(delta.new_file().path())),
        }
    }
    let renames = added.into_iter().filter_map(|(id, path)| Some((removed.remove(&id)?, path))).collect();
    Ok((paths, renames))
}
