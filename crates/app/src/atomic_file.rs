//! Replaces a file in one step: readers see either the old bytes or the new ones.

use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;

/// Must the new bytes survive a power failure?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    Synced,
    /// For data that may be lost.
    Unsynced,
}

/// Without `permissions` only its owner can read the file.
pub fn replace(path: &Path, bytes: &[u8], permissions: Option<Permissions>, durability: Durability) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut fresh = tempfile::Builder::new().prefix(".backstory-").tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    if let Some(permissions) = permissions {
        fresh.as_file().set_permissions(permissions)?;
    }
    if durability == Durability::Synced {
        fresh.as_file().sync_all()?;
    }
    fresh.persist(path).map(drop).map_err(|error| error.error)
}
