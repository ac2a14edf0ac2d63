//! Why is it so?
//!
//! - [`why_line`]: the conversation that put a line of code where it is.

mod line;
mod prompt;

pub use line::{LineQuestion, LineStory, Proof, Ran, Written, why_line};
pub use prompt::Prompt;
