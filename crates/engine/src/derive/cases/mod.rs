//! What was one piece of work, and what did it come to?
//!
//! - [`turns`]: who said what in a turn?
//! - [`thread`]: which turns belong to one request?
//! - [`work_findings`]: what does a turn of work state that is worth showing?
//! - [`talk_findings`]: what was decided in a conversation with little work?
//! - [`stage`]: which cases are rebuilt when an episode grows?
//!
//! Nothing is rewritten: a finding is a span of the message that states it.

mod stage;
mod talk_findings;
mod thread;
mod turns;
mod work_findings;

pub use stage::{NAME, VERSION, fold};
