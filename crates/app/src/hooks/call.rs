//! How does a host call a hook, and where is what it says?

use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use crate::commands::hook::HookCommand;
use crate::error::AppError;
use crate::terminal;

use super::{Event, Host};

/// More than this of the host's JSON is not read.
const MOST_INPUT: u64 = 32 << 20;
/// A hook does not wait longer for the host's JSON.
const STDIN_TIMEOUT: Duration = Duration::from_secs(3);

pub fn called(command: HookCommand) -> Result<(), AppError> {
    let given = command.arguments.last().cloned();
    if given.is_none() && std::io::stdin().is_terminal() {
        return terminal::print(
            "Hosts call this by themselves, with JSON on standard input. `backstory init` registers it;\n\
                 `backstory hook --help` says more.\n",
        );
    }
    let default = if Event::parse(&command.event) == Some(Event::Notify) { Host::Codex } else { Host::Claude };
    let host = Host::parse(&command.host).unwrap_or(default);
    super::run(&command.event, host, || match given {
        Some(json) => Ok(json.to_string_lossy().into_owned().into_bytes()),
        None => from_input(),
    });
    Ok(())
}

/// A host that says nothing must not hold its own session up.
fn from_input() -> Result<Vec<u8>, String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes);
        // Nobody listens any more after the timeout.
        let _ = send.send(read.map(|_| bytes).map_err(|error| format!("standard input: {}", error.kind())));
    });
    receive.recv_timeout(STDIN_TIMEOUT).unwrap_or_else(|_| Err("the host did not finish what it sends".to_owned()))
}
