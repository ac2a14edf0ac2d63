//! What could be shown? By words and meaning, by names, along the graph, from history and memory.
//!
//! - `causes`: what can be the cause.
//! - `literals`: where a quoted text stands in the code.
//! - `settings`: what is configured, where a likely place reads it.
//! - `users`: who uses what is named, where that is asked for.
//! - `explaining`: tests, pages and past commits, which explain and are no cause.
//! - `remembered`: what was said and done before, about the question and about the places above.

mod causes;
mod explaining;
mod gather;
mod literals;
mod remembered;
mod settings;
mod users;

pub use explaining::matching_commits;
pub use gather::{DocumentCandidate, Gather, Way};

use gather::{BY_WORDS, EXPLAINS, document_link, has_words};
