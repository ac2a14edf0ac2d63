//! How is recalled text quoted, so that no agent takes it for an instruction?
//!
//! - `mark`: which words did tools print or others write? They are marked as untrusted.
//! - `tags`: how can quoted text neither open nor close a mark of ours?

mod mark;
mod tags;

pub use mark::*;
