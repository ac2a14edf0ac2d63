//! What does a person say to an agent?
//!
//! - [`asks`]: what does a prompt ask for, and in how many parts?
//! - [`deferrals`]: does a person postpone something?
//! - [`own_output`]: which parts did Backstory print?
//! - [`replies`]: how does it answer the agent's last message?
//! - [`tool_tags`]: which parts did a host add?

pub mod asks;
mod deferrals;
mod own_output;
pub mod replies;
mod tool_tags;

pub use deferrals::deferral;
pub use own_output::{OWN_CLOSE, OWN_JSON_KEY, OWN_OPEN, blank_own, first_words, foreign_spans, own_spans};
pub use tool_tags::tool_output_spans;
