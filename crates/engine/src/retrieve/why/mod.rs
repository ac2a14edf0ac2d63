//! Why is it so?
//!
//! - [`why_line`]: the conversation that put a line of code where it is.
//! - [`why_commit`]: the conversations behind the lines of a commit.
//! - [`why_place`]: what was said and done about a function or a type.

mod commit;
mod edits;
mod here;
mod line;
mod lines;
mod made;
mod place;
mod prompt;

pub(super) use edits::is_same_file;

pub use commit::{CommitPart, CommitQuestion, CommitStory, LaterEdit, LinesOf, MovedLines, PartEdit, why_commit};
pub use edits::{Ran, Written, is_telling};
pub use here::{CardHere, Named as NamedHere, Relation, TroubleHere};
pub use line::{LineQuestion, LineStory, Proof, why_line};
pub use made::Made;
pub use place::{Decision, PlaceQuestion, PlaceStory, why_place};
pub use prompt::Prompt;
