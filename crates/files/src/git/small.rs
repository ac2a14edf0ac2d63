//! Reads small files of a repository safely: regular files within a size limit, never through a link, never a device or
//! a pipe. All reads of repository metadata go through here.

use std::fs;
use std::path::Path;

use crate as files;

/// Enough for any `config` or `HEAD`.
pub const SMALL: u64 = 256 << 10;
/// Enough for any list of references.
pub const LISTING: u64 = 16 << 20;

/// The text of a file; None if it is missing, a link, not a regular file, or too large.
pub fn read(path: &Path, limit: u64) -> Option<String> {
    let bytes = files::read_unlinked(path, limit).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first line, trimmed; None if there is no text.
pub fn read_line(path: &Path) -> Option<String> {
    let text = read(path, SMALL)?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

pub fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Is it a folder, and not a link to one?
pub fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
