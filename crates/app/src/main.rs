//! `backstory`: the surfaces of the memory.
//!
//! A surface (command line, MCP server, hooks) translates a call into a question
//! to the engine, and the answer into text or JSON. It decides nothing.

mod actor_registry;
mod ask_context;
mod atomic_file;
mod cli;
mod code_index;
mod commands;
mod config;
mod damage;
mod disk_space;
mod embedding;
mod endpoint;
mod environment;
mod error;
mod exposure;
mod home;
mod hook_events;
mod hook_runs;
mod hooks;
mod host;
mod json;
mod last_read;
mod managed_block;
mod mcp;
mod own_file;
mod permissions;
mod process_limits;
mod progress;
mod project_suggestions;
mod reply;
mod root_commits;
mod scope;
mod session_watch;
mod setup;
mod terminal;
mod unconfirmed;
mod untrusted;
mod working_tree;

use std::process::ExitCode;

use commands::Command;

fn main() -> ExitCode {
    terminal::filter_panics();
    permissions::keep_private();
    process_limits::survive_file_size_limit();
    let done = match cli::typed() {
        Ok(Command::Mcp(_)) => mcp::answer(),
        Ok(Command::Serve(command)) => mcp::listen(&command),
        Ok(Command::Hook(command)) => hooks::called(&command),
        Ok(command) => cli::run(command),
        Err(cli::MisusedHook) => {
            hooks::note_misuse("the command line is not what `backstory hook` takes");
            Ok(())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::report(&error),
    }
}
