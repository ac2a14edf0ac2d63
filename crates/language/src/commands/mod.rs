//! What is a command line for?
//!
//! - [`line`]: what does it run, without what differs from run to run?
//! - [`runner`]: with what does it run tests or checks?

pub mod line;
mod runner;

pub use runner::{same_tests, test_runner};
