//! Which files changed?

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use walkdir::WalkDir;

use super::Result;

/// Every file and folder below a folder, with what the kernel changes at every write: a file that was created and
/// removed again is visible in its folder's time.
pub struct FolderSnapshot(BTreeMap<String, [i64; 6]>);

impl FolderSnapshot {
    /// Without the contents of `but`.
    pub fn of(root: &Path, but: &Path) -> Result<Self> {
        let mut entries = BTreeMap::new();
        for entry in WalkDir::new(root).into_iter().filter_entry(|entry| entry.path() != but) {
            let entry = entry?;
            let meta = entry.metadata()?;
            // The memory's folder is created in this one, and is not a file.
            let is_parent = Some(entry.path()) == but.parent();
            let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
            let [a, b, c, d] = if is_parent { [0; 4] } else { times };
            let size = if meta.is_dir() { 0 } else { meta.size().cast_signed() };
            let path = entry.path().strip_prefix(root)?.to_string_lossy().into_owned();
            entries.insert(path, [meta.ino().cast_signed(), size, a, b, c, d]);
        }
        Ok(FolderSnapshot(entries))
    }

    /// The paths that were added, removed or changed until `later`.
    pub fn changes(&self, later: &FolderSnapshot) -> Vec<String> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let other = later.0.iter().filter(|(path, stamp)| self.0.get(*path) != Some(stamp)).map(|(path, _)| path);
        gone.chain(other).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_made_and_removed_is_seen() -> Result {
        let root = tempfile::tempdir()?;
        std::fs::create_dir_all(root.path().join("user/.backstory"))?;
        std::fs::create_dir(root.path().join("tmp"))?;
        let home = root.path().join("user/.backstory");
        let before = FolderSnapshot::of(root.path(), &home)?;
        std::fs::write(home.join("log"), "of the memory")?;
        assert_eq!(before.changes(&FolderSnapshot::of(root.path(), &home)?), [""; 0]);
        std::fs::write(root.path().join("tmp/x"), "x")?;
        std::fs::remove_file(root.path().join("tmp/x"))?;
        std::fs::write(root.path().join("user/y"), "y")?;
        assert_eq!(before.changes(&FolderSnapshot::of(root.path(), &home)?), ["tmp", "user/y"]);
        Ok(())
    }
}
