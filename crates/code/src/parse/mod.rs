//! Bytes -> what one file defines and refers to. Never fails: what is wrong becomes a [`ParseProblem`].

mod config;
mod file;
mod functions;
mod grammar;
mod languages;
mod markdown;
mod references;
mod values;
mod walker;

pub use file::{LARGEST_SOURCE_FILE, parse, parse_tree_only};

use file::parse_part;
