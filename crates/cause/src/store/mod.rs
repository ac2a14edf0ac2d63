//! What is kept of a working tree: parsed files and commits in SQLite, the indexes beside it.
//!
//! Nothing here is the only copy of anything: the folder may be deleted at any time.

mod code_store;
mod database;
mod listing;
mod rules;
mod update;
mod walk;

pub use code_store::{Code, CodeStore, CodeStoreError};
pub use update::{FileProblem, UpdateOptions, UpdateProgress, UpdateReport, UpdateStep, build_tree, read_content};
