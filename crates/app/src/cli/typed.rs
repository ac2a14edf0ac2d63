//! Which command was typed, or what is wrong with it?

use crate::commands::{self, Command};
use crate::error::AppError;
use crate::{config, damage, terminal};

/// A hook was called with words that it does not take. A host may take any exit code but 0
/// for a veto, so this is no usage error.
pub struct MisusedHook;

/// The command that was typed. Ends the process where there is none, with what is wrong or
/// the help that was asked for.
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

/// Says what is wrong with what was typed, or the help that was asked for.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        terminal::print_error(&text);
    } else {
        // Whoever stopped reading wants no more.
        let _ = terminal::print_text(&text);
    }
    std::process::exit(error.exit_code())
}

/// The first word that is no option of ours.
fn is_hook() -> bool {
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            // These take the next word.
            Some("--config" | "--color") => drop(words.next()),
            Some(option) if option.starts_with("--") => {}
            _ => return word == "hook",
        }
    }
    false
}
