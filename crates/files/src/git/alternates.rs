//! From which other object folders does a repository borrow?

use std::path::{Path, PathBuf};

use super::small;

/// The limit on object folders from which a repository borrows.
pub const MOST_ALTERNATES: usize = 16;

/// The other object folders that an object folder borrows from, as libgit2 reads the list. None if the list is
/// unreadable, too long, or names a folder relative to the working directory.
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

/// The file in which an object folder lists those from which it borrows.
pub fn alternates_file(objects: &Path) -> PathBuf {
    objects.join("info").join("alternates")
}
