//! Renders the pieces of a story.

use backstory_engine::model::{EvidenceKind, Role, Timestamp};
use backstory_engine::retrieve::{
    CardHere, CaseBehind, CheckPassed, FailureHere, Prompt, Quote, Relation, SessionEdit,
};

use backstory_language::findings::item_mark;
use backstory_language::prompts::replies::is_mere_assent;

use crate::commands::answer::statement;
use crate::commands::fix::age;
use crate::commands::sessions::short;
use crate::{environment, terminal};

/// At most this much of a prompt is shown.
const SHOWN_PROMPT_WHOLE: usize = 600;
/// The limit if other words are beside it.
const LONGEST_OF_SEVERAL: usize = 240;

/// Opens a section.
pub fn title(text: &str) -> String {
    format!("\n{}\n", terminal::paint(terminal::BOLD, text))
}

/// The request and the result of the work.
pub fn asked(what: &str, prompt: Option<&Prompt>, reason: Option<&CaseBehind>) -> String {
    let time = prompt.map(|prompt| prompt.time).or(reason.map(|reason| reason.asked.time)).flatten();
    let session = prompt.map(|prompt| prompt.session.as_str()).or(reason.map(|reason| reason.session.as_str()));
    title(&format!("{what} · {}", cited(time, session.unwrap_or_default(), reason))) + &work(prompt, reason)
}

/// `2026-02-03 10:00 · session 1a5d7500 · case 9f3c1e2a`.
pub fn cited(time: Option<Timestamp>, session: &str, reason: Option<&CaseBehind>) -> String {
    let case = reason.map(|reason| format!(" · case {}", reason.case.short())).unwrap_or_default();
    format!("{} · session {}{case}", terminal::time(time), short(session))
}

/// The request that opened the work, the words just before the edit and what they accept, and the result of the work.
pub fn work(prompt: Option<&Prompt>, reason: Option<&CaseBehind>) -> String {
    let said = prompt.map(|prompt| prompt.text.as_str());
    let Some(reason) = reason else { return indented(&terminal::clip(said.unwrap_or_default(), SHOWN_PROMPT_WHOLE)) };
    let is_opening = prompt.is_none_or(|prompt| prompt.evidence.id == reason.asked.evidence.id);
    let mut out = match (said, is_opening) {
        (Some(said), true) => indented(&terminal::clip(said, SHOWN_PROMPT_WHOLE)),
        (None, true) => indented(&terminal::clip(&reason.asked.text, SHOWN_PROMPT_WHOLE)),
        (said, false) => {
            let then = one_line(said.unwrap_or_default());
            indented(&terminal::clip(&reason.asked.text, LONGEST_OF_SEVERAL)) + &format!("   then: {then}\n")
        }
    };
    out.extend(reason.accepted.iter().map(|quote| labelled("in answer to", quote)));
    out.extend(reason.findings.iter().map(|(role, quote)| labelled(role_name(*role), quote)));
    out
}

/// The request in one line.
pub fn request(prompt: Option<&Prompt>, reason: Option<&CaseBehind>) -> Option<String> {
    let opening = reason.map(|reason| reason.asked.text.as_str());
    let said = prompt.map(|prompt| prompt.text.as_str()).filter(|said| opening.is_none() || !is_mere_assent(said));
    said.or(opening).map(one_line)
}

/// The request that opened the work, in one line.
pub fn opening(prompt: Option<&Prompt>, reason: Option<&CaseBehind>) -> Option<String> {
    let asked = reason.map(|reason| reason.asked.text.as_str());
    asked.or(prompt.map(|prompt| prompt.text.as_str())).map(one_line)
}

/// What was asked for within work whose request is shown already.
pub fn then_asked(prompt: Option<&Prompt>, reason: Option<&CaseBehind>) -> String {
    let said = prompt.map(|prompt| format!("   then: {}\n", one_line(&prompt.text))).unwrap_or_default();
    let accepted = reason.into_iter().flat_map(|reason| &reason.accepted);
    accepted.fold(said, |said, quote| said + &labelled("in answer to", quote))
}

fn labelled(what: &str, quote: &Quote) -> String {
    let text = one_line(&quote.text);
    // A sub-agent's report came as tool output.
    let text = match quote.evidence.kind {
        EvidenceKind::ToolOutput => terminal::foreign(&text),
        _ => text,
    };
    format!("   {what}: {text}\n")
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Decision | Role::Accepted => "decided",
        other => other.name(),
    }
}

/// Without the list marker, which means nothing alone.
fn one_line(text: &str) -> String {
    let text = text.trim();
    let text = item_mark(text).map_or(text, |mark| &text[mark..]);
    terminal::clip(&text.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_OF_SEVERAL)
}

/// The time and session of an edit.
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

/// A check and its result.
pub fn ran(what: &str, ran: &CheckPassed) -> String {
    format!("{}   {}\n", title(&format!("{what} · {}", terminal::time(ran.time))), ran.command)
}

pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}

/// The rules and the failures at a place.
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
