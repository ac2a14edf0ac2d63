//! `backstory`: the doors to the memory.
//!
//! Doors translate: they turn what was typed into a question of the engine and
//! the answer into text or JSON. They decide nothing.

mod actors;
mod block;
mod cli;
mod code;
mod commands;
mod config;
mod damage;
mod desk;
mod embedding;
mod endpoint;
mod environment;
mod error;
mod home;
mod hook_events;
mod hook_runs;
mod hooks;
mod limits;
mod marks;
mod mcp;
mod progress;
mod quote;
mod reply;
mod rights;
mod room;
mod roots;
mod scope;
mod screen;
mod setup;
mod shown;
mod suggestions;
mod terminal;
mod tree;
mod unconfirmed;
mod watching;
mod wire;

use std::process::ExitCode;

use commands::Command;

fn main() -> ExitCode {
    terminal::filter_panics();
    rights::keep_private();
    limits::outlive();
    let done = match cli::typed() {
        Ok(Command::Mcp(_)) => mcp::answer(),
        Ok(Command::Serve(command)) => mcp::listen(&command),
        Ok(Command::Hook(command)) => hooks::called(command),
        Ok(command) => cli::run(command),
        Err(cli::MisusedHook) => {
            hooks::note_misuse("the command line is not what `backstory hook` takes");
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
