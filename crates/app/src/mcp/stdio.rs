//! The protocol over standard input and output, for a host that starts us.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use super::server::Server;
use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};
use crate::home;

/// A longer line is dropped unread; calls are refused long before, with an answer.
const LONGEST_LINE: usize = 64 << 20;
/// A call that still runs when the host is gone is not waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Until standard input ends.
pub fn run(settings: McpSettings) -> Result<(), AppError> {
    let server = Server::new(home::current_folder()?, settings);
    let runtime = super::runtime()?;
    let served = runtime.block_on(async move {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_LINE);
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
