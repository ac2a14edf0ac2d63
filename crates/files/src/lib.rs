//! Reads untrusted files safely, writes files that only the owner can read, and checks repositories before opening.
//!
//! A repository or a session may name anything: an endless device, a pipe without a writer, a link to another place. So
//! every such file is opened here ([`open`], [`open_within`]): only regular files, within a size limit, and inside
//! their tree. Only the owner can read what Backstory writes ([`create_dir`], [`for_writing`]).
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
