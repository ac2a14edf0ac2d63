use std::ffi::OsString;

/// Answer a hook of Claude Code or Codex
///
/// Hosts call this command; `backstory init` registers it. EVENT is session-start,
/// user-prompt-submit, pre-tool-use, post-tool-use, pre-compact, session-end,
/// subagent-stop, stop or notify. The host's JSON comes on standard input (for Codex's
/// notify, as the last argument). The command prints one JSON object or nothing and
/// always exits with 0. Errors go to hooks.log in the memory's folder; `backstory
/// status` shows the last run of each hook.
#[derive(clap::Args)]
pub struct HookCommand {
    /// The host event
    pub event: String,
    /// The host: claude or codex
    #[arg(long, value_name = "HOST", default_value = "claude")]
    pub host: String,
    /// The host's JSON, if it comes as an argument
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
