//! What is a command line for?
//!
//! - [`commits`]: which commit does git say that it made?
//! - [`line`]: what does it run, without what differs from run to run?
//! - [`runner`]: with what does it run tests or checks?

mod commits;
pub mod line;
mod runner;

pub use commits::{MadeCommit, made_commit};
pub use runner::{same_tests, test_runner};
