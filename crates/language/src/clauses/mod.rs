//! What does a sentence forbid or require, and does it apply to an action?
//!
//! - [`clause`]: what does a statement forbid or require?
//! - [`action`]: what is an action about to do? [`branches`]: on which branch?
//! - [`subcommands`]: which task does a program run? [`run_time_words`]: what can an argument be that is known only at run
//!   time?
//!
//! A rule is found by one of its forbidden words and then read as a whole.

mod action;
mod branches;
mod clause;
mod reader;
mod run_time_words;
mod subcommands;

pub use action::{ANYTHING, Action};
pub use clause::{Bind, Clause};
pub use reader::{ClauseReader, failing_codes};
