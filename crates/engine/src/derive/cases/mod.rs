//! Which pieces of work are there, and what was the result of each?
//!
//! - [`turns`]: who said what in a turn?
//! - [`thread`]: which turns belong to one request?
//! - [`work`]: which statements in a turn of work matter?
//! - [`talk`]: what was decided in a conversation with little work?
//! - [`stage`]: which cases are derived again when an episode grows?
//!
//! Text is quoted, not rewritten: a finding is a span of the message that states it.

mod stage;
mod talk;
mod thread;
mod turns;
mod work;

pub use stage::{NAME, VERSION, fold};
