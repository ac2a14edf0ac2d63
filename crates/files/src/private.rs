//! Folders and files that only their owner may read: the memory contains what people typed.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Creates missing parents too; an existing folder is left unchanged.
pub fn create_dir(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates the file if it is missing and keeps existing content.
pub fn for_writing() -> OpenOptions {
    let mut options = private();
    options.create(true).truncate(false).write(true);
    options
}

/// The same for appending lines.
pub fn for_appending() -> OpenOptions {
    let mut options = private();
    options.create(true).append(true);
    options
}

/// Fails if the file exists.
pub fn create_new(path: &Path) -> io::Result<File> {
    private().write(true).create_new(true).open(path)
}

/// Truncates an existing file.
pub fn create(path: &Path) -> io::Result<File> {
    private().write(true).create(true).truncate(true).open(path)
}

/// Replaces the content of an existing file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    create(path)?.write_all(bytes.as_ref())
}

fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
