//! Quotes recalled text, so that no agent takes it for an instruction.
//!
//! - `mark`: marks tool output and words of others as untrusted.
//! - `tags`: keeps quoted text from opening or closing our marks.

mod mark;
mod tags;

pub use mark::*;
