//! Reads and writes settings files without losing data.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use backstory_files as files;

use crate::atomic_file::{self, Durability};
use crate::config;
use crate::error::{AppError, ErrorKind as AppErrorKind};

const BACKUP: &str = "backstory-backup";
/// No host has larger settings; the main file of Claude Code keeps a history.
const LARGEST_SETTINGS: u64 = 256 << 20;
const MARK: char = '\u{feff}';

/// The text of a file, or None if it does not exist.
pub fn read(path: &Path) -> Result<Option<String>, AppError> {
    match files::read(path, LARGEST_SETTINGS) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let line = config::first_bad_line(&error);
                Err(AppError::new(AppErrorKind::Failed, format!("{}:{line}: this is not UTF-8", path.display()))
                    .hint("The file was not changed. Correct it and try again."))
            }
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AppError::new(AppErrorKind::Failed, format!("{}: {error}", path.display()))),
    }
}

/// Splits off a byte order mark.
pub fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix(MARK) {
        Some(rest) => (&text[..text.len() - rest.len()], rest),
        None => ("", text),
    }
}

/// May this file be changed? Checked before any change.
pub fn refuse_read_only(path: &Path) -> Result<(), AppError> {
    let target = target(path);
    if std::fs::metadata(&target).is_ok_and(|meta| meta.permissions().readonly()) {
        let message = format!("{} is read-only", path.display());
        return Err(AppError::new(AppErrorKind::Failed, message)
            .hint("Allow writing to it and try again; docs/setup.md shows the entries for who edits it by hand."));
    }
    Ok(())
}

/// Keeps a copy beside the file. Earlier copies are kept; a copy with the same bytes is reused.
pub fn back_up(path: &Path, text: &str) -> Result<PathBuf, AppError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = std::iter::once(format!("{name}.{BACKUP}")).chain((2..).map(|n| format!("{name}.{BACKUP}-{n}")));
    for name in numbered {
        let copy = path.with_file_name(name);
        match files::read(&copy, LARGEST_SETTINGS) {
            Ok(bytes) if bytes == text.as_bytes() => return Ok(copy),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                write(&copy, text, std::fs::metadata(path).ok().map(|meta| meta.permissions()))?;
                return Ok(copy);
            }
            Err(error) => return Err(AppError::new(AppErrorKind::Failed, format!("{}: {error}", copy.display()))),
        }
    }
    Err(AppError::new(AppErrorKind::Failed, format!("{}: no name for a backup is free", path.display())))
}

/// Replaces the file atomically. Links are followed, permissions kept.
pub fn replace(path: &Path, seen: Option<&str>, text: &str) -> Result<(), AppError> {
    let target = target(path);
    if read(&target)?.as_deref() != seen {
        let message = format!("{} has changed in the meantime", path.display());
        return Err(AppError::new(AppErrorKind::Failed, message).hint("Another program writes to it. Try again."));
    }
    write(&target, text, std::fs::metadata(&target).ok().map(|meta| meta.permissions()))
}

fn write(target: &Path, text: &str, permissions: Option<std::fs::Permissions>) -> Result<(), AppError> {
    atomic_file::replace(target, text.as_bytes(), permissions, Durability::Synced)
        .map_err(|error| AppError::new(AppErrorKind::Failed, format!("{}: {error}", target.display())))
}

/// The target of a link, even if it does not exist yet.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..32 {
        match std::fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    path
}

/// Creates the folders above a file, and returns the missing ones.
pub fn make_folders(path: &Path) -> Result<Vec<PathBuf>, AppError> {
    let missing: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    if let Some(folder) = missing.first() {
        std::fs::create_dir_all(folder)
            .map_err(|error| AppError::new(AppErrorKind::Failed, format!("{}: {error}", folder.display())))?;
    }
    Ok(missing)
}
