use std::ffi::OsString;

/// Answer a host's hook: what Claude Code and Codex call by themselves
///
/// EVENT is session-start, user-prompt-submit, pre-tool-use, post-tool-use,
/// pre-compact, session-end, subagent-stop, stop or notify. The host's JSON comes
/// on standard input (of Codex's notify: as the last argument); one JSON object or
/// nothing is printed. It always ends with code 0: what goes wrong is one line in
/// hooks.log of the memory's folder, and `backstory status` shows the last run of
/// each hook. `backstory init` registers hooks; people never call this.
///
/// Try it: echo '{"cwd":"'$PWD'"}' | backstory hook session-start
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct HookCommand {
    /// What the host is at
    pub event: String,
    /// Who calls: claude or codex
    #[arg(long, value_name = "HOST", default_value = "claude")]
    pub host: String,
    /// The host's JSON, where it comes as an argument
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
