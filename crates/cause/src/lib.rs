//! Which code, history and memory can be the cause of the problem in a question?
//!
//! - [`tree`]: the index of the code of a working tree.
//! - [`past`]: what earlier changes said.
//! - [`store`]: keeps both up to date on disk.
//! - [`locate`]: question -> the files and functions that can be its cause.
//! - [`relevance`]: what would change the answer, with the chain that leads there.
//! - [`impact`]: what would be affected by a change.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod digest;
pub mod drawing;
pub mod flat;
pub mod impact;
pub mod locate;
pub mod past;
pub mod path_names;
pub mod postings;
pub mod relevance;
pub mod role;
pub mod settings;
pub mod store;
pub mod terms;
pub mod tree;
