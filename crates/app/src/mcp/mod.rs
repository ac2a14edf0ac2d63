//! The surface for agents: tools, resources and prompts over the Model Context Protocol.
//!
//! A tool is a row that names a command of the command line. Its parameters are
//! those of the command, a call becomes the words of the command, and the answer
//! is the command's, so that both surfaces understand and say the same.

mod arguments;
mod call;
mod error;
mod folder;
mod line_transport;
mod malformed;
mod pool;
mod progress;
mod prompts;
mod resources;
mod schema;
mod server;
mod shrink;
mod tools;

mod connections;
mod http;
mod stdio;

use crate::commands::mcp::ServeCommand;
use crate::error::{AppError, ErrorKind};
use crate::{home, process_limits};

/// Over standard input and output.
pub fn answer() -> Result<(), AppError> {
    process_limits::share_one_heap();
    // A host shows no more than that a server did not start.
    let (config, mistakes) = home::config_that_counts()?;
    stdio::run(config.mcp.clone(), mistakes)
}

/// Over HTTP. A person starts it, and sees what is wrong.
pub fn listen(command: &ServeCommand) -> Result<(), AppError> {
    process_limits::share_one_heap();
    let config = home::config()?;
    http::serve(config.mcp.clone(), command.port.unwrap_or(config.serve.port), command.token_file.as_deref())
}

/// One thread for the line: answers are made by others ([`pool`]), and what is
/// handed from thread to thread only waits to be woken.
fn runtime() -> Result<tokio::runtime::Runtime, AppError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| AppError::new(ErrorKind::Failed, format!("the server cannot start: {error}")))
}
