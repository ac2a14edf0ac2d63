//! Which repository owns a folder, and can it be opened without harm?
//!
//! - [`small`]: reads the small files of a repository safely.
//! - [`disk`], [`config`], [`alternates`]: what a repository says about itself.
//! - [`owner`]: which repository really owns a folder?
//! - [`open`]: checks a repository before libgit2 opens it.

pub mod small;

pub mod disk;

mod alternates;
mod config;
mod open;
mod owner;

pub use alternates::{MOST_ALTERNATES, alternates, alternates_file};
pub use config::GitConfig;
pub use open::{LARGEST_BLOB, discover, has_plain_rules, history, open, size_at_head};
pub use owner::{Around, OwningRepository, around, beginning_at, tree_around};
