//! What a command asks and what it gets back, on any surface. One file per
//! command; its doc comment is the help.

mod agents;
mod answer;
mod argv;
mod ask;
pub mod callers;
pub mod cards;
mod case_story;
pub mod cases;
mod check;
mod clusters;
mod completions;
mod config;
mod demo;
mod doctor;
mod entities;
mod episodic;
mod examples;
mod explain;
mod fix;
mod forget;
mod free_text;
mod help;
mod hints;
pub mod hook;
pub mod index_code;
mod ingest;
pub mod init;
mod links;
mod list;
mod log;
mod loops;
mod maintain;
mod man;
pub mod mcp;
mod outcome;
pub mod pack;
mod page;
mod passages;
pub mod projects;
pub mod query;
mod rebuild;
mod reconstruct;
mod remember;
mod root;
mod search;
pub mod sessions;
mod show;
pub mod status;
mod summary;
mod uninstall;
mod watch;
pub mod why;

pub use root::{Command, Parsed, command, display_of_help, parse, typed};

use root::{Answers, print_answer};
