//! Why did a person reject a call?
//!
//! Questions and requests to wait are not reasons, and orders for the moment do not last. A reason
//! that refers to the rejected call is stated together with it.

use backstory_language::shell::{self, CommandPlace, Operator};

use crate::model::{CardSource, Event, EventKind, reason_of_rejection};

use super::reading::{is_question, is_whole, stands_alone, wish, without_openers, words};
use super::spoken::own_sentences;
use super::{Said, output_of};

/// A shorter reason is stated together with the rejected call.
const LONG_ENOUGH: usize = 8;
/// The number of characters that identify a command.
const LONGEST_PART: usize = 60;

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    for call in events.iter().filter(|event| event.kind == EventKind::ToolCall && !event.forgotten) {
        // Here the text is the host's, about the questions; it is not the person's.
        if call.meta.tool.as_deref() == Some("AskUserQuestion") {
            continue;
        }
        let Some(output) = output_of(events, call) else { continue };
        let Some(reason) = reason_of_rejection(output) else { continue };
        let from = output.text.len() - output.text.trim_end().len();
        let start = output.text.len() - from - reason.len();
        for sentence in own_sentences(reason) {
            let sentence = without_openers(reason, sentence);
            let words = &reason[sentence.clone()];
            if let Some((kind, statement)) = wish(words).zip(statement(call, words)) {
                let place = start + sentence.start..start + sentence.end;
                out.push(Said::by_person(output, place, kind, CardSource::Rejection, statement));
            }
        }
    }
}

fn statement(call: &Event, reason: &str) -> Option<String> {
    let said = words(reason);
    let first = said.first().map(String::as_str).unwrap_or_default();
    if is_question(reason) || said.len() < 3 || is_wait(first) || is_pointer(first) {
        return None;
    }
    let text = match stands_alone(reason) && said.len() >= LONG_ENOUGH {
        true => reason.to_owned(),
        false => format!("{} was refused: {reason}", refused(call)?),
    };
    is_whole(&text).then_some(text)
}

fn is_wait(first: &str) -> bool {
    matches!(first, "wait" | "stop" | "hold" | "sorry")
}

/// Only words after an order may refer to the rejected call.
fn is_pointer(first: &str) -> bool {
    matches!(first, "it" | "it's" | "this" | "that" | "that's" | "these" | "those" | "they")
}

/// The rejected action of the agent.
fn refused(call: &Event) -> Option<String> {
    let tool = call.meta.tool.as_deref()?;
    match tool {
        "ExitPlanMode" => Some("A plan".to_owned()),
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" | "apply_patch" => {
            let name = call.meta.files.first()?.rsplit(['/', '\\']).next()?;
            Some(format!("A change of `{name}`"))
        }
        "Bash" | "shell" | "exec_command" | "local_shell" | "shell_command" => {
            command(&call.text).map(|command| format!("`{command}`"))
        }
        tool => Some(format!("`{}`", tool.rsplit("__").next().unwrap_or(tool))),
    }
}

/// The first and the last part of a command line, without long arguments.
fn command(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let parts: Vec<String> = joined_by_and(line)
        .into_iter()
        .map(short)
        .filter(|part| !part.is_empty() && !part.starts_with("cd "))
        .collect();
    match parts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [first, .., last] => Some(format!("{first} && {last}")),
    }
}

/// The parts of a line between `&&`.
fn joined_by_and(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let commands = shell::read(line).commands;
    for command in commands.iter().filter(|command| command.place == CommandPlace::Line && command.end == Operator::And)
    {
        let rest = &line[command.span.end..];
        let Some(at) = rest.find("&&").filter(|_| command.span.end >= from) else { continue };
        parts.push(&line[from..command.span.end + at]);
        from = command.span.end + at + 2;
    }
    parts.push(&line[from..]);
    parts
}

fn short(part: &str) -> String {
    let part = part.split(['"', '\'', '`', '<']).next().unwrap_or_default().trim();
    let mut kept = String::new();
    for word in part.split_whitespace() {
        if kept.len() + word.len() > LONGEST_PART {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_shortly() {
        assert_eq!(
            command("cd /w && git add a.md && git commit -m \"x\""),
            Some("git add a.md && git commit -m".to_owned())
        );
        assert_eq!(command("\nmake deploy"), Some("make deploy".to_owned()));
        assert_eq!(command("'x'"), None);
    }
}
