//! Which files of others are read, and who may read ours? Can a repository be opened without harm?
//!
//! A repository or a session may name anything: a device without an end, a pipe that nobody writes to, a link to
//! another place. So every such file is opened here ([`open`], [`open_within`]): only regular files, within a size,
//! and inside their tree. What Backstory writes is for its owner only ([`create_dir`], [`for_writing`]).
//!
//! [`git`] finds the repository that owns a folder and checks it before libgit2 opens it.

pub mod git;

mod bounded;
mod limited;
mod lines;
mod private;

pub use bounded::{Bounded, open, open_within, read, read_text, read_unlinked, read_within, text_within};
pub use limited::Limited;
pub use lines::{LineEnd, Lines};
pub use private::{create, create_dir, create_new, for_appending, for_writing, write};
