//! By which words and which vector is a passage found?
//!
//! Turns chunks into [`passages`], and those into records, postings and vectors. Passages are
//! numbered in their order of arrival. The passages of a replaced chunk are gone, and those after
//! it in the same run get new numbers, so that each knows its predecessor.

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
