//! By which words and which vector is a passage found?
//!
//! Chunks -> [`passages`] -> records, postings and vectors. Passages get their
//! numbers in the order in which they come; those of a chunk that was replaced
//! are gone, and those after it in the same run are numbered again, so that each
//! knows the one before it.

mod indexer;
mod passages;
mod pending;
mod vectors;

pub(super) use indexer::fold;
pub use indexer::{Indexer, Vectors, session_tag};
pub use passages::{Passage, passages};
pub use pending::{Pending, PendingError, embed_pending, embedded_texts};

pub const NAME: &str = "index";
pub const VERSION: u32 = 5;
