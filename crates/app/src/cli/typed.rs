//! Parses the command line, or reports its faults.

use crate::commands::{self, Command};
use crate::error::AppError;
use crate::{config, damage, terminal};

/// A hook was called with unknown arguments. A host may treat any exit code but 0 as a veto, so this is not a usage
/// error.
pub struct MisusedHook;

/// The parsed command. On a fault or a request for help, prints it and ends the process.
pub fn typed() -> Result<Command, MisusedHook> {
    match commands::typed() {
        Ok(cli) => {
            terminal::use_display(cli.display());
            config::use_flags(cli.config);
            Ok(cli.command)
        }
        Err(error) if is_hook() && error.use_stderr() => Err(MisusedHook),
        Err(error) => {
            terminal::use_display(commands::display_of_help());
            refuse(&error)
        }
    }
}

pub fn run(command: Command) -> Result<(), AppError> {
    command.run().map_err(damage::repaired)
}

/// Prints the fault, or the requested help.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        terminal::print_error(&text);
    } else {
        // A reader who closed the pipe wants no more.
        let _ = terminal::print_text(&text);
    }
    std::process::exit(error.exit_code())
}

/// Is the first word that is not our option `hook`?
fn is_hook() -> bool {
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            // These options take the next word.
            Some("--config" | "--color") => drop(words.next()),
            Some(option) if option.starts_with("--") => {}
            _ => return word == "hook",
        }
    }
    false
}
