//! How do the pieces of a story look?

use backstory_engine::retrieve::{Prompt, Ran, Written};

use crate::cli::fix::age;
use crate::cli::sessions::short;
use crate::{home, screen};

/// So much of a prompt is shown.
const LONGEST_PROMPT: usize = 600;

/// Opens a section.
pub fn title(text: &str) -> String {
    format!("\n{}\n", screen::paint(screen::BOLD, text))
}

/// What a person said.
pub fn asked(what: &str, prompt: &Prompt) -> String {
    let head = format!("{what} · {} · session {}", screen::time(prompt.time), short(&prompt.session));
    title(&head) + &indented(&screen::clip(&prompt.text, LONGEST_PROMPT))
}

/// When and in which session an edit was made.
pub fn heading(written: &Written) -> String {
    let agent = written.agent.as_deref().map(|agent| format!(" · agent {agent}")).unwrap_or_default();
    format!(
        "{}{} · session {}{agent}",
        screen::time(written.time),
        age(written.time, home::now()),
        short(&written.session)
    )
}

pub fn change(written: &Written) -> String {
    let lines = written.removed.iter().map(|line| format!("   - {line}\n"));
    lines.chain(written.added.iter().map(|line| format!("   + {line}\n"))).collect()
}

/// A check that was run.
pub fn ran(what: &str, ran: &Ran) -> String {
    format!("{}   {}\n", title(&format!("{what} · {}", screen::time(ran.time))), ran.command)
}

pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}
