use std::path::PathBuf;

/// Serve an agent over standard input and output (Model Context Protocol)
///
/// A host starts this command. In Codex, register it as `[mcp_servers.backstory]` with
/// `command = "backstory"` and `args = ["mcp"]`. Its tools are search, recall, predict,
/// reconstruct, why, check, pack, remember, outcome, explain, loops, list and forget.
/// They use the project of the folder that it was started in, or of the one folder that
/// the host names.
#[derive(clap::Args)]
pub struct McpCommand {}

/// Serve agents over HTTP on this machine (Model Context Protocol)
///
/// The same as `backstory mcp`, for clients that cannot start a program. It listens on
/// 127.0.0.1 only, requires `Authorization: Bearer TOKEN` in every request, rejects
/// requests from web pages, and runs until Ctrl-C.
#[derive(clap::Args)]
pub struct ServeCommand {
    /// The port; 0 chooses a free one [default: 7171, or serve.port]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Keep the token in this file instead of printing it; created if missing
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}
