//! `backstory`: the doors to the memory.
//!
//! Doors translate: they turn what was typed into a question of the engine and
//! the answer into text or JSON. They decide nothing.

mod actors;
mod block;
mod cli;
mod code;
mod config;
mod desk;
mod embedding;
mod endpoint;
mod error;
mod home;
mod hooks;
mod limits;
mod marks;
mod mcp;
mod quote;
mod reply;
mod rights;
mod room;
mod roots;
mod screen;
mod setup;
mod terminal;
mod tree;
mod unconfirmed;
mod watching;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    terminal::filter_panics();
    rights::keep_private();
    limits::outlive();
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
