//! Executes a plan file by file, and records each file as soon as it is done.

use std::path::{Path, PathBuf};

use backstory_files as files;

use super::{Change, Plan, Record, Settings, file};
use crate::error::{AppError, ErrorKind};

/// The result for one file.
pub struct Applied {
    pub path: PathBuf,
    pub fate: FileOutcome,
}

pub enum FileOutcome {
    /// The file is new.
    Made,
    /// A copy of the old file is kept.
    Changed { backup: PathBuf },
    /// Our entries were removed; this copy differs from the current file.
    Restored { backup: Option<PathBuf> },
    /// The file had been created for our entries.
    Removed,
}

pub fn apply(plan: &Plan, home: &Path) -> Result<Vec<Applied>, AppError> {
    let mut record = Record::load(home);
    if plan.changes.iter().any(|change| !change.is_none()) {
        // An unrecorded change could not be undone.
        record.can_be_saved(home)?;
    }
    let mut done = Vec::new();
    let made: Vec<PathBuf> = record.files.iter().flat_map(|file| file.folders.clone()).collect();
    for change in plan.changes.iter().filter(|change| !change.is_none()) {
        let fate = match change.edited.removed.is_empty() {
            true => put(change, &mut record)?,
            false => take_back(change, &mut record)?,
        };
        record.save(home)?;
        done.push(Applied { path: change.settings.path.clone(), fate });
    }
    if done.iter().any(|file| matches!(file.fate, FileOutcome::Removed)) {
        // Non-empty folders are kept.
        made.iter().filter(|folder| std::fs::remove_dir(folder).is_ok()).count();
    }
    Ok(done)
}

fn put(change: &Change, record: &mut Record) -> Result<FileOutcome, AppError> {
    let path = &change.settings.path;
    let folders = file::make_folders(path)?;
    let backup = change.before.as_deref().map(|text| file::back_up(path, text)).transpose()?;
    file::replace(path, change.before.as_deref(), &change.edited.text)?;
    let entry = record.entry(path);
    entry.made |= change.before.is_none();
    entry.folders.extend(folders);
    entry.created.extend(change.edited.created.iter().filter(|name| !name.is_empty()).cloned());
    Ok(match backup {
        Some(backup) => {
            entry.backups.push(backup.clone());
            FileOutcome::Changed { backup }
        }
        None => FileOutcome::Made,
    })
}

fn take_back(change: &Change, record: &mut Record) -> Result<FileOutcome, AppError> {
    let path = &change.settings.path;
    let known = record.of(path).cloned().unwrap_or_default();
    let removed = known.made && Settings::is_void(&change.edited.text);
    if removed {
        std::fs::remove_file(path)
            .map_err(|error| AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display())))?;
    } else {
        file::replace(path, change.before.as_deref(), &change.edited.text)?;
    }
    let backup = drop_needless(&known.backups, &change.edited.text, removed);
    record.drop(path);
    Ok(if removed { FileOutcome::Removed } else { FileOutcome::Restored { backup } })
}

/// Deletes backups that equal the file, and those of a file that was ours. Returns a remaining one.
fn drop_needless(backups: &[PathBuf], text: &str, removed: bool) -> Option<PathBuf> {
    let needless =
        |path: &PathBuf| removed || files::read(path, text.len() as u64).is_ok_and(|bytes| bytes == text.as_bytes());
    let is_restored = backups.first().is_some_and(needless);
    let kept: Vec<&PathBuf> = backups.iter().filter(|path| !(is_restored || needless(path))).collect();
    for path in backups.iter().filter(|path| !kept.contains(path)) {
        let _ = std::fs::remove_file(path);
    }
    kept.first().map(|path| (*path).clone())
}

/// The memory's files in its home. Other files are not ours.
const DATA: [&str; 18] = [
    "log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "memo.sqlite", "memo.sqlite-wal", "memo.sqlite-shm",
    "forgetting.json", "derive.lock", "embed.lock", "import.lock", "import", "hints", "last-read", "config.toml",
    "hooks.log", "setup.json", "views", "hooks",
];

/// Deletes the memory. Returns the remaining files in the folder.
pub fn delete_data(home: &Path) -> Result<Vec<String>, AppError> {
    for name in DATA {
        let path = home.join(name);
        let gone = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        match gone {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display())));
            }
            _ => {}
        }
    }
    let left = std::fs::read_dir(home).into_iter().flatten().flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if left.is_empty() {
        let _ = std::fs::remove_dir(home);
    }
    Ok(left)
}
