//! The door for agents: tools, resources and prompts over the Model Context Protocol.
//!
//! A tool is a row that names a command of the command line. Its parameters are
//! those of the command, a call becomes the words of the command, and the answer
//! is the command's, so that both doors understand the same and say the same.

mod arguments;
mod call;
mod error;
mod folder;
mod lines;
mod pool;
mod progress;
mod prompts;
mod resources;
mod schema;
mod server;
mod shrink;
mod tools;
mod unread;

mod connections;
mod http;
mod stdio;

pub use http::serve;
pub use stdio::run;

use crate::error::{AppError, ErrorKind};

/// One thread for the line: answers are made by others ([`pool`]), and what is
/// handed from thread to thread only waits to be woken.
fn runtime() -> Result<tokio::runtime::Runtime, AppError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| AppError::new(ErrorKind::Failed, format!("the server cannot start: {error}")))
}
