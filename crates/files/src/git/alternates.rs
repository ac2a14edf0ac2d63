//! From which other object folders does a repository borrow?

use std::path::{Path, PathBuf};

use super::small;

/// A repository may borrow from so many object folders.
pub const MOST_ALTERNATES: usize = 16;

/// The other object folders that an object folder borrows from, as libgit2 reads the list. None where the list cannot
/// be read, is too long, or names a folder in a way that depends on where the process runs.
pub fn alternates(objects: &Path) -> Option<Vec<PathBuf>> {
    let list = alternates_file(objects);
    if std::fs::symlink_metadata(&list).is_err() {
        return Some(Vec::new());
    }
    let text = small::read(&list, small::SMALL)?;
    let lines = text.split(['\n', '\r']).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.take(MOST_ALTERNATES + 1).collect();
    let is_plain = |line: &&str| {
        (line.starts_with('.') || Path::new(line).is_absolute()) && !line.contains(['\0', char::REPLACEMENT_CHARACTER])
    };
    let fits = lines.len() <= MOST_ALTERNATES && lines.iter().all(is_plain);
    fits.then(|| lines.into_iter().map(|line| objects.join(line)).collect())
}

/// Where an object folder lists those that it borrows from.
pub fn alternates_file(objects: &Path) -> PathBuf {
    objects.join("info").join("alternates")
}
