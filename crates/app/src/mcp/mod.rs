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

mod http;
mod stdio;

pub use http::serve;
pub use stdio::run;

use crate::error::{AppError, ErrorKind};

/// Whoever uses the memory waits for one answer at a time; a second worker keeps
/// the line free meanwhile.
fn runtime() -> Result<tokio::runtime::Runtime, AppError> {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| AppError::new(ErrorKind::Failed, format!("the server cannot start: {error}")))
}
