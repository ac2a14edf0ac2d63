//! Which folder is this on the disk, whatever it is called?
//!
//! A folder that is moved keeps its number and the time of its making; a copy has others.

use std::path::Path;

/// The number and the time of making, in a form to be kept. None where the file system
/// does not tell both: numbers alone are used again.
pub fn identity(folder: &Path) -> Option<String> {
    let metadata = std::fs::metadata(folder).ok()?;
    let made = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{}:{}", number(&metadata)?, made.as_nanos()))
}

/// Are both paths one folder, seen through two mounts?
pub fn is_same_folder(a: &Path, b: &Path) -> bool {
    let device = |path: &Path| std::fs::metadata(path).ok().and_then(|metadata| device(&metadata));
    device(a).is_some() && device(a) == device(b) && identity(a).is_some() && identity(a) == identity(b)
}

/// Does the owner of a working folder own the repository above it too? Whoever may write
/// to a shared folder could place one there.
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
