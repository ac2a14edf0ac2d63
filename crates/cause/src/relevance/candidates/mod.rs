//! Which documents could be shown? Found by words and meaning, by names, along the graph, from history and memory.
//!
//! - `causes`: possible causes.
//! - `literals`: where a quoted text is in the code.
//! - `settings`: configuration keys that a likely place reads.
//! - `users`: users of the named entities, if the question asks for them.
//! - `explaining`: tests, pages and past commits, which explain but cannot be the cause.
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
