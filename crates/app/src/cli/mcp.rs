use std::path::PathBuf;

use crate::error::AppError;
use crate::{home, limits, mcp};

/// Answer an agent over standard input and output (Model Context Protocol)
///
/// A host starts it: `claude mcp add backstory -- backstory mcp`, or in Codex
/// `[mcp_servers.backstory]` with `command = "backstory"` and `args = ["mcp"]`.
/// The tools are those of the command line: search, recall, predict,
/// reconstruct, why, check, pack, remember, outcome, explain, loops, list,
/// forget. They speak of the project of the folder it was started in, or of the
/// one folder that the host names.
#[derive(clap::Args)]
pub struct McpCommand {}

impl McpCommand {
    pub fn run(self) -> Result<(), AppError> {
        limits::share_one_heap();
        // A host shows no more than that a server did not start.
        let (config, mistakes) = home::config_that_counts()?;
        mcp::run(config.mcp.clone(), mistakes)
    }
}

/// Answer agents over HTTP on this machine (Model Context Protocol)
///
/// The same as `backstory mcp`, for clients that cannot start a program. It
/// listens on 127.0.0.1 only, wants `Authorization: Bearer TOKEN` with every
/// request, and refuses requests that a web page sends. It runs until Ctrl-C.
#[derive(clap::Args)]
pub struct ServeCommand {
    /// The port; 0 takes a free one [default: 7171, or serve.port]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Keep the token in this file: made if it is not there, and not shown
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl ServeCommand {
    pub fn run(self) -> Result<(), AppError> {
        limits::share_one_heap();
        let config = home::config()?;
        // A person starts it, and sees what is wrong.
        mcp::serve(config.mcp.clone(), self.port.unwrap_or(config.serve.port), self.token_file.as_deref())
    }
}
