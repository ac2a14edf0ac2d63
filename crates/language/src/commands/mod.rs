//! What is the purpose of a command line?
//!
//! - [`commits`]: which commit did git report?
//! - [`line`]: what does it run, apart from details that vary between runs?
//! - [`runner`]: which runner does it use for tests or checks?

mod commits;
pub mod line;
mod runner;

pub use commits::{MadeCommit, made_commit};
pub use runner::{same_tests, test_runner};
