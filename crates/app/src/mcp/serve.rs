//! Starts the server.

use crate::commands::mcp::ServeCommand;
use crate::error::{AppError, ErrorKind};
use crate::{home, process_limits};

use super::{http, stdio};

/// Over standard input and output.
pub fn answer() -> Result<(), AppError> {
    process_limits::share_one_heap();
    // A host would only show that a server did not start.
    let (config, mistakes) = home::config_that_counts()?;
    stdio::run(config.mcp.clone(), mistakes)
}

/// Over HTTP. A person starts it and sees errors.
pub fn listen(command: &ServeCommand) -> Result<(), AppError> {
    process_limits::share_one_heap();
    let config = home::config()?;
    http::serve(config.mcp.clone(), command.port.unwrap_or(config.serve.port), command.token_file.as_deref())
}

/// One thread for the connection: the threads of [`super::pool`] make the answers, and handing work between more
/// threads would only add wake-ups.
pub fn runtime() -> Result<tokio::runtime::Runtime, AppError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| AppError::new(ErrorKind::Failed, format!("the server cannot start: {error}")))
}
