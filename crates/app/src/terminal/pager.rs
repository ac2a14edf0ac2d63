//! Shows text that is longer than the screen in a pager, only on a terminal: nothing else starts a program.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::environment;

/// The program and its arguments; None if paging is disabled.
pub fn chosen() -> Option<Vec<String>> {
    let named = ["BACKSTORY_PAGER", "PAGER"].into_iter().find_map(environment::variable_or_empty);
    words_of(named.as_deref().unwrap_or("less"))
}

/// An empty value and `cat` disable paging.
fn words_of(named: &str) -> Option<Vec<String>> {
    let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    let is_off = words.is_empty() || words == ["cat"];
    (!is_off).then_some(words)
}

/// Shows the text, and waits until the person has read it. False if the pager could not be started; then nothing was
/// shown.
pub fn show(words: &[String], text: &str) -> io::Result<bool> {
    let Some(mut child) = start(words) else { return Ok(false) };
    // Ctrl-C is for the pager.
    let ignored = Arc::new(AtomicBool::new(false));
    let registered = signal_hook::flag::register(signal_hook::consts::SIGINT, ignored);
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text.as_bytes()) {
            // The person quit the pager.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            written => written?,
        }
    }
    let ended = child.wait();
    if let Ok(id) = registered {
        signal_hook::low_level::unregister(id);
    }
    ended.map(|_| true)
}

fn start(words: &[String]) -> Option<Child> {
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped());
    // Show colours, do not clear the screen, and quit if one screen is enough.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if environment::variable(name).is_none() {
            command.env(name, value);
        }
    }
    command.spawn().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_cat_turn_it_off() {
        assert_eq!((words_of(""), words_of(" cat "), words_of("  ")), (None, None, None));
        assert_eq!(words_of("less -S"), Some(vec!["less".to_owned(), "-S".to_owned()]));
    }

    #[test]
    fn a_pager_that_is_missing_shows_nothing() {
        assert!(matches!(show(&["there-is-no-such-pager".to_owned()], "x"), Ok(false)));
        assert!(matches!(show(&["true".to_owned()], &"x".repeat(1 << 20)), Ok(true)), "it may end early");
    }
}
