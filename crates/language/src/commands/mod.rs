//! What is the purpose of a command line?
//!
//! - [`commits`]: which commit did git report?
//! - [`line`]: what does it run, apart from details that vary between runs?
//! - [`own`]: does it print only what Backstory printed?
//! - [`runner`]: which runner does it use for tests or checks?

mod commits;
pub mod line;
mod own;
mod runner;

pub use commits::{MadeCommit, SHORTEST_HASH, made_commit};
pub use own::prints_only_own_output;
pub use runner::{same_tests, test_runner};
