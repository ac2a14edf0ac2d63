//! What can go wrong with the log?

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("line {line}: {reason}")]
    Import { line: u64, reason: String },
}
