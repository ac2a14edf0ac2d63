//! Serves the protocol over standard input and output, for a host that starts us.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use super::line_transport::LineTransport;
use super::server::Server;
use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};
use crate::home;

/// The wait for running calls after the host is gone.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Runs until standard input ends. Mistakes in the configuration are reported with each answer: nobody reads a server's
/// standard error.
pub fn run(settings: McpSettings, mistakes: Vec<String>) -> Result<(), AppError> {
    let server = Server::new(home::current_folder()?, settings, &mistakes);
    let runtime = super::serve::runtime()?;
    let served = runtime.block_on(async move {
        let (input, output) = stdio_pipes();
        let transport = LineTransport::new(input, output);
        let failed = |error: &dyn std::fmt::Display| {
            AppError::new(ErrorKind::Failed, format!("the client did not begin a session: {error}"))
                .hint("This command speaks the Model Context Protocol: a host starts it, not a person.")
        };
        let running = server.clone().serve(transport).await.map_err(|error| failed(&error))?;
        running.waiting().await.map_err(|error| AppError::new(ErrorKind::Failed, error.to_string()))?;
        server.settle(LAST_WORDS).await;
        Ok(())
    });
    runtime.shutdown_timeout(LAST_WORDS);
    served
}
