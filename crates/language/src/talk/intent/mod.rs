//! Which lines expect an answer, and of which kind?
//!
//! A line is read sentence by sentence and clause by clause; the strongest kind decides (request, declare, propose,
//! question). A request in the form of a question is a request.

mod detector;
mod forms;
mod tables;

pub use detector::{IntentDetector, intents};
