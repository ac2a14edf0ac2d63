//! Parsers for the languages that people and tools write. Pure functions over text: no I/O, no SQL, no git, no clock.

pub mod clauses;
pub mod commands;
pub mod decisions;
pub mod diagnostics;
pub mod digest;
pub mod embed;
pub mod findings;
pub mod prompts;
pub mod redact;
pub mod shell;
pub mod similarity;
pub mod talk;
pub mod text;
