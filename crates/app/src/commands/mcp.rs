use std::path::PathBuf;

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

/// Answer agents over HTTP on this machine (Model Context Protocol)
///
/// The same as `backstory mcp`, for clients that cannot start a program. It
/// listens on 127.0.0.1 only, wants `Authorization: Bearer TOKEN` with every
/// request, and refuses requests that a web page sends. It runs until Ctrl-C.
#[derive(clap::Args)]
pub struct ServeCommand {
    /// The port; 0 takes a free one [default: 7171, or serve.port]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Keep the token in this file: made if it is not there, and not shown
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}
