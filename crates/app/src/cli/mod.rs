//! The command line: which command was typed, or what is wrong with it?

mod typed;

pub use typed::{MisusedHook, run, typed};
