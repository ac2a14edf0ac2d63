//! What did earlier changes to these files say?
//!
//! Commit messages are the vocabulary of the people who report and fix; the code has the vocabulary
//! of those who wrote it. Built for one commit: its ancestors, and the files it has.

mod build;
pub mod git;
mod index;

pub use build::build;
pub use git::CommitRecord;
pub use index::{CommitDigest, CommitId, PastCommit, PastIndex, VERSION, ancestors, hex};

use index::CommitRow;
