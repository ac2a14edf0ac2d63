//! How do the pieces of a story look?

use backstory_engine::retrieve::{CardHere, CheckPassed, FailureHere, Prompt, Relation, SessionEdit};

use crate::commands::answer::statement;
use crate::commands::fix::age;
use crate::commands::sessions::short;
use crate::{environment, terminal};

/// So much of a prompt is shown.
const LONGEST_PROMPT: usize = 600;

/// Opens a section.
pub fn title(text: &str) -> String {
    format!("\n{}\n", terminal::paint(terminal::BOLD, text))
}

/// What a person said.
pub fn asked(what: &str, prompt: &Prompt) -> String {
    let head = format!("{what} · {} · session {}", terminal::time(prompt.time), short(&prompt.session));
    title(&head) + &indented(&terminal::clip(&prompt.text, LONGEST_PROMPT))
}

/// When and in which session an edit was made.
pub fn heading(written: &SessionEdit) -> String {
    let agent = written.agent.as_deref().map(|agent| format!(" · agent {agent}")).unwrap_or_default();
    format!(
        "{}{} · session {}{agent}",
        terminal::time(written.time),
        age(written.time, environment::now()),
        short(&written.session)
    )
}

pub fn change(written: &SessionEdit) -> String {
    let lines = written.removed.iter().map(|line| format!("   - {line}\n"));
    lines.chain(written.added.iter().map(|line| format!("   + {line}\n"))).collect()
}

/// A check that was run.
pub fn ran(what: &str, ran: &CheckPassed) -> String {
    format!("{}   {}\n", title(&format!("{what} · {}", terminal::time(ran.time))), ran.command)
}

pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}

/// What must be respected at a place, and what went wrong there.
pub fn known_here(cards: &[CardHere], failures: &[FailureHere], place: &str) -> String {
    let mut out = String::new();
    if !cards.is_empty() {
        out.push_str(&title("Constraints here"));
        out.extend(cards.iter().map(card));
    }
    if !failures.is_empty() {
        out.push_str(&title("Failures here"));
        out.extend(failures.iter().map(|here| failure(here, place)));
    }
    out
}

fn card(here: &CardHere) -> String {
    let doubt = here.doubt.as_deref().map(|doubt| terminal::paint(terminal::WARN, &format!(" ({doubt})")));
    let cite = format!("[card {} · {} · {}]", here.card.id.short(), here.card.kind.name(), here.card.status.name());
    format!("   {}{} {}\n", statement(&here.card), doubt.unwrap_or_default(), terminal::paint(terminal::DIM, &cite))
}

fn failure(here: &FailureHere, place: &str) -> String {
    let rule = here.failure.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    let what = match here.relation {
        Relation::Resolved => format!("the edit that wrote {place} resolved it"),
        Relation::Shown if here.failure.resolution.is_some() => format!("it was about {place}, and was resolved"),
        Relation::Shown => format!("it was about {place}"),
    };
    let head = format!("{}{rule}", terminal::foreign(&terminal::clip(&here.failure.text, 160)));
    let when = format!("{} · session {}", terminal::time(here.failure.time), short(&here.session));
    format!(
        "   `{}`: {head}\n   {}\n",
        here.failure.command,
        terminal::paint(terminal::DIM, &format!("{when} · {what}"))
    )
}
