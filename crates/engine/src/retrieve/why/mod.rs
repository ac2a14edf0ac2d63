//! Why is the code as it is?
//!
//! - [`why_line`]: the conversation that wrote a line of code.
//! - [`why_file`]: the work that wrote each line of a file.
//! - [`why_commit`]: the conversations behind the lines of a commit.
//! - [`why_location`]: what was said and done about a function or a type.
//! - [`recollect_question`], [`recollect_location`]: what the memory adds to a question about the code.

mod commit;
mod edits;
mod file;
mod guess;
mod here;
mod host_messages;
mod line;
mod lines;
mod location;
mod made;
mod prompt;
mod reason;
mod recollection;

pub(super) use edits::{FileEdit, PathMatch, is_same_file, latest_edits_of};

pub use commit::{CommitPart, CommitQuestion, CommitStory, LaterEdit, LinesOf, MovedLines, PartEdit, why_commit};
pub use edits::{CheckPassed, SessionEdit, is_distinctive};
pub use file::{FileLine, FileQuestion, FileRange, FileStory, FileWork, why_file};
pub use guess::{Guess, GuessGround};
pub use here::{CardHere, FailureHere, NamedHere, Relation};
pub use line::{Committed, LineQuestion, LineStory, Proof, why_line};
pub use location::{Decision, LocationQuestion, LocationStory, why_location};
pub use made::CommitCall;
pub use prompt::Prompt;
pub use reason::{CaseBehind, Quote};
pub use recollection::{
    Recollection, RecollectionAuthor, RecollectionSource, TreeLocation, recollect_location, recollect_question,
    why_tree_location,
};
