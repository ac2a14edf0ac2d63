use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use crate::error::AppError;
use crate::hooks::{self, Event, Host};
use crate::screen;

/// More than this of the host's JSON is not read.
const MOST_INPUT: u64 = 32 << 20;
/// Longer than this a host is not waited for.
const PATIENCE: Duration = Duration::from_secs(3);

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
    event: String,
    /// Who calls: claude or codex
    #[arg(long, value_name = "HOST", default_value = "claude")]
    host: String,
    /// The host's JSON, where it comes as an argument
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl HookCommand {
    pub fn run(self) -> Result<(), AppError> {
        let given = self.arguments.last().cloned();
        if given.is_none() && std::io::stdin().is_terminal() {
            return screen::print(
                "Hosts call this by themselves, with JSON on standard input. `backstory init` registers it;\n\
                 `backstory hook --help` says more.\n",
            );
        }
        let default = if Event::parse(&self.event) == Some(Event::Notify) { Host::Codex } else { Host::Claude };
        let host = Host::parse(&self.host).unwrap_or(default);
        hooks::run(&self.event, host, || match given {
            Some(json) => Ok(json.to_string_lossy().into_owned().into_bytes()),
            None => from_input(),
        });
        Ok(())
    }
}

/// A host that says nothing must not hold its own session up.
fn from_input() -> Result<Vec<u8>, String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
        // Nobody listens any more once the patience is over.
        let _ = send.send(read.map(|_| bytes).map_err(|error| format!("standard input: {}", error.kind())));
    });
    receive.recv_timeout(PATIENCE).unwrap_or_else(|_| Err("the host did not finish what it sends".to_owned()))
}
