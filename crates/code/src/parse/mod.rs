//! Bytes -> the definitions and references of one file. Never fails: problems become [`ParseProblem`]s.

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
