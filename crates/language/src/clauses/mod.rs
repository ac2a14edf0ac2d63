//! What does a sentence forbid or ask for, and does it speak against an action?
//!
//! - [`clause`]: what does a statement forbid, or ask for?
//! - [`action`]: what is somebody about to do? [`branches`]: on which branch?
//! - [`subcommands`]: what is a program told to do? [`patterns`]: what can an argument
//!   be that is only known at run time?
//!
//! A rule is found by one of the words of what it forbids and then read as a whole.

mod action;
mod branches;
mod clause;
mod patterns;
mod reader;
mod subcommands;

pub use action::{ANYTHING, Action};
pub use clause::{Bind, Clause};
pub use reader::{ClauseReader, failing_codes};
