//! Folders and files that only their owner may read: the memory holds what people
//! typed.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// With the folders around it; one that is there stays as it is.
pub(super) fn create_dir(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates the file where there is none and keeps what one holds.
pub(super) fn for_writing() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
