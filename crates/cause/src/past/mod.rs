//! What did earlier changes to these files say?
//!
//! Commit messages use the vocabulary of the people who report and fix faults; the code uses that of its authors. Built
//! for one commit: its ancestors, and the files it has.

mod build;
pub mod git;
mod index;

pub use build::build;
pub use git::CommitRecord;
pub use index::{CommitDigest, CommitId, PastCommit, PastIndex, VERSION, ancestors, hex};

use index::CommitRow;
