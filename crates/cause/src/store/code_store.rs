//! The folder of a code index, and the errors of using it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use backstory_files as files;
use rusqlite::ErrorCode;

use super::database::Database;
use crate::flat::Flat;
use crate::past::{self, PastIndex};
use crate::tree::{self, TreeIndex};

#[derive(Debug, thiserror::Error)]
pub enum CodeStoreError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path} holds {files} files that could be read, and is no git repository")]
    TooLarge { path: PathBuf, files: usize },
    #[error("the code index {path}: {source}")]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("{path}: git cannot read the history: {reason}")]
    History { path: PathBuf, reason: String },
}

impl CodeStoreError {
    /// Is the only problem that the folder is not writable?
    pub fn is_forbidden(&self) -> bool {
        match self {
            CodeStoreError::Io { source, .. } => {
                matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
            }
            CodeStoreError::Database { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
            ),
            CodeStoreError::TooLarge { .. } | CodeStoreError::History { .. } => false,
        }
    }
}

/// The index of one working tree.
pub struct CodeStore {
    pub(super) folder: PathBuf,
    pub(super) database: Database,
}

const TREE: &str = "tree.flat";
const PAST: &str = "past.flat";

/// The inputs of a question: the code, and the messages of its changes.
pub struct Code {
    pub tree: TreeIndex,
    pub past: PastIndex,
}

impl CodeStore {
    /// Opens or creates the index in `folder`.
    pub fn open(folder: &Path) -> Result<Self, CodeStoreError> {
        files::create_dir(folder).map_err(|source| CodeStoreError::Io { path: folder.to_owned(), source })?;
        let database = Database::open(&folder.join("files.sqlite"))?;
        Ok(Self { folder: folder.to_owned(), database })
    }

    /// None if it was never built, or by another version.
    pub fn load(&self) -> Option<Code> {
        Self::load_from(&self.folder)
    }

    /// Loads from a folder that may be read-only.
    pub fn load_from(folder: &Path) -> Option<Code> {
        let tree = TreeIndex::new(Flat::open(&folder.join(TREE), tree::VERSION)?);
        let past = PastIndex::new(Flat::open(&folder.join(PAST), past::VERSION)?);
        Some(Code { tree, past })
    }

    pub(super) fn tree_file(&self) -> PathBuf {
        self.folder.join(TREE)
    }

    pub(super) fn past_file(&self) -> PathBuf {
        self.folder.join(PAST)
    }
}
