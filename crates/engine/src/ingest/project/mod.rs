//! Which project does a working folder belong to?
//!
//! - [`backstory_files::git`]: which repository really owns a folder?
//! - [`remote`], [`history`]: what does the repository itself contain?
//! - [`evidence`]: all of that, and what the session recorded.
//! - [`known`]: is it a project that the log knows?
//!
//! `docs/decisions/0009-project-identity.md` gives the rules and their reasons.

mod evidence;
mod history;
mod known;
mod remote;
mod resolve;

pub use evidence::{Recorded, branch_around, is_mark_of_long_history, mark_of_long_history, project_tree};
pub use remote::is_same as is_same_remote;
pub use resolve::{Projects, SessionPlace};
