//! Which process may write the views, and when may index files be removed?

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use super::sqlite::StoreError;
use backstory_files as files;

/// Held while views are written. The operating system releases it when the
/// process ends, however it ends.
#[derive(Debug)]
pub struct DeriveLock {
    _file: File,
}

impl DeriveLock {
    /// `None` when another process holds it: that process does the work.
    pub fn try_take(path: &Path) -> Result<Option<Self>, StoreError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(DeriveLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(StoreError::Io { file: path.to_owned(), source }),
        }
    }

    /// Waits for the lock: a rebuild or a forget must not be skipped.
    pub fn take(path: &Path) -> Result<Self, StoreError> {
        let file = open(path)?;
        file.lock().map_err(|source| StoreError::Io { file: path.to_owned(), source })?;
        Ok(DeriveLock { _file: file })
    }
}

/// A reader of the index holds it from before it reads the rows until it has opened the files that
/// they name, because a writer may replace these files meanwhile. Readers do not wait for each
/// other.
#[derive(Debug)]
pub struct ReadLock {
    /// None if the file does not exist and cannot be created.
    _file: Option<File>,
}

impl ReadLock {
    pub fn take(path: &Path) -> Result<Self, StoreError> {
        let file = match open(path) {
            // A reader without write permission can hold it, too.
            Err(StoreError::ReadOnly) => File::open(path).ok(),
            opened => Some(opened?),
        };
        if let Some(file) = &file {
            file.lock_shared().map_err(|source| StoreError::Io { file: path.to_owned(), source })?;
        }
        Ok(ReadLock { _file: file })
    }

    /// Runs `remove` if no process reads; otherwise does nothing.
    pub fn unless_read(path: &Path, remove: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => remove(),
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Error(source)) => Err(StoreError::Io { file: path.to_owned(), source }),
        }
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    files::for_writing().open(path).map_err(|source| match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => StoreError::ReadOnly,
        _ => StoreError::Io { file: path.to_owned(), source },
    })
}
