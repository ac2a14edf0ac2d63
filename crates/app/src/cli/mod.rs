//! Parses the command line.

mod typed;

pub use typed::{MisusedHook, run, typed};
