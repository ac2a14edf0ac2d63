//! Whole screens of the real binary, in a fixed environment.

mod answers;
#[cfg(unix)]
mod bounds;
mod cards;
#[cfg(feature = "causantic")]
mod causantic;
mod causes;
mod concurrent;
mod config;
mod damage;
#[cfg(target_os = "linux")]
mod digest;
mod display;
mod env;
mod errors;
mod exit_codes;
mod faults;
mod fixes;
mod guard;
mod hooks;
mod host;
mod ingest;
mod kill;
mod language;
mod lines;
mod links;
mod log;
mod mcp;
mod models;
mod own_words;
mod projects;
mod reconstruct;
mod retrievals;
mod sessions;
mod setup;
mod stories;
mod stub;
mod summary;
#[cfg(target_os = "linux")]
mod terminal;
mod tidy;
mod watch;
