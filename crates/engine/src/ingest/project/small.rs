//! Reading small files of a repository, safely: regular files within a size limit, never
//! through a link, never a device or a pipe. All reads of repository metadata pass here.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Enough for any `config` or `HEAD`.
pub const SMALL: u64 = 256 << 10;
/// Enough for any list of references.
pub const LISTING: u64 = 16 << 20;

/// The text of a file; none where it is missing, not a regular file, or too large.
pub fn read(path: &Path, limit: u64) -> Option<String> {
    if !is_regular(path) {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The first line, trimmed; none where there is no text.
pub fn read_line(path: &Path) -> Option<String> {
    let text = read(path, SMALL)?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

pub fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// A folder itself, not a link to one.
pub fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
