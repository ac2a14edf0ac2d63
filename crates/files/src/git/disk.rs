//! Identifies a folder on disk independently of its path.
//!
//! A moved folder keeps its inode number and creation time; a copy has others.

use std::path::Path;

/// The inode number and creation time as a string. None if the file system does not report both: inode numbers alone
/// are reused.
pub fn identity(folder: &Path) -> Option<String> {
    let metadata = std::fs::metadata(folder).ok()?;
    let made = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{}:{}", number(&metadata)?, made.as_nanos()))
}

/// Are both paths the same folder, possibly through two mounts?
pub fn is_same_folder(a: &Path, b: &Path) -> bool {
    let device = |path: &Path| std::fs::metadata(path).ok().and_then(|metadata| device(&metadata));
    device(a).is_some() && device(a) == device(b) && identity(a).is_some() && identity(a) == identity(b)
}

/// Does the owner of a working folder also own the repository above it? Anyone who may write to a shared folder could
/// place a repository there.
pub fn has_same_owner(repository: &Path, folder: &Path) -> bool {
    let owner = |path: &Path| std::fs::metadata(path).ok().and_then(|metadata| owner(&metadata));
    match (owner(repository), owner(folder)) {
        (Some(repository), Some(folder)) => repository == folder || folder == 0,
        _ => true,
    }
}

#[cfg(unix)]
fn number(metadata: &std::fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(metadata))
}

#[cfg(unix)]
fn device(metadata: &std::fs::Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::dev(metadata))
}

#[cfg(unix)]
fn owner(metadata: &std::fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn number(_: &std::fs::Metadata) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn device(_: &std::fs::Metadata) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn owner(_: &std::fs::Metadata) -> Option<u32> {
    None
}
