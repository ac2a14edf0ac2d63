//! Which passages does a chunk have, and which fields do their texts belong to?

use crate::derive::chunk::QUEUED;
use crate::model::{ChunkBody, Part, PartKind, edits_file, writes_files};
use crate::store::index::{Field, PassageKind};

/// Long answers match everything; their beginning shows the topic.
const HEAD_OF_ANSWER: u32 = 600;
/// People paste text; their request comes first or is short.
const HEAD_OF_PROMPT: u32 = 1_500;
/// More text hardly changes a vector.
const EMBEDDED: usize = 1_000;

/// A prompt, an answer, or a call with its result.
#[derive(Debug)]
pub struct Passage<'a> {
    pub kind: PassageKind,
    /// The range of its parts in the chunk, including the thinking before it.
    pub parts: (usize, usize),
    body: &'a ChunkBody,
}

pub fn passages(body: &ChunkBody) -> Vec<Passage<'_>> {
    let mut found: Vec<Passage<'_>> = Vec::new();
    let mut from = 0;
    for (at, part) in body.parts.iter().enumerate() {
        let kind = match part.kind {
            PartKind::Thinking => continue,
            PartKind::User => PassageKind::User,
            PartKind::Assistant => PassageKind::Assistant,
            PartKind::Note => PassageKind::Note,
            PartKind::ToolCall | PartKind::ToolOutput => PassageKind::Call,
        };
        let parts = (from, at + 1);
        from = at + 1;
        match found.last_mut() {
            Some(call) if part.kind == PartKind::ToolOutput && call.kind == PassageKind::Call => call.parts.1 = at + 1,
            _ => found.push(Passage { kind, parts, body }),
        }
    }
    // Thinking with nothing after it.
    match found.last_mut() {
        Some(last) => last.parts.1 = body.parts.len(),
        None if !body.parts.is_empty() => {
            found.push(Passage { kind: PassageKind::Assistant, parts: (0, body.parts.len()), body });
        }
        None => {}
    }
    found
}

impl<'a> Passage<'a> {
    fn own_parts(&self) -> &'a [Part] {
        &self.body.parts[self.parts.0..self.parts.1]
    }

    /// Texts with the field they belong to.
    pub fn texts(&self) -> Vec<(Field, &'a str)> {
        let mut texts = Vec::new();
        for part in self.own_parts() {
            match part.kind {
                PartKind::User => cut(part, HEAD_OF_PROMPT, &mut texts),
                PartKind::Assistant => cut(part, HEAD_OF_ANSWER, &mut texts),
                PartKind::Note => texts.push((Field::Content, part.text.as_str())),
                PartKind::Thinking => texts.push((Field::Thinking, part.text.as_str())),
                PartKind::ToolCall => call(part, &mut texts),
                PartKind::ToolOutput => texts.push((Field::Output, part.text.as_str())),
            }
            if let Some(label) = part.label.as_ref().filter(|label| *label != QUEUED) {
                texts.push((Field::Place, label.as_str()));
            }
        }
        texts
    }

    pub fn asks(&self) -> bool {
        let said = self.own_parts().iter().rfind(|part| matches!(part.kind, PartKind::User | PartKind::Assistant));
        said.is_some_and(|part| part.text.trim_end().ends_with(['?', '？']))
    }

    pub fn writes(&self) -> bool {
        let mut calls = self.own_parts().iter().filter(|part| part.kind == PartKind::ToolCall);
        calls.any(|part| part.label.as_deref().is_some_and(writes_files))
    }

    /// The text for the vector: no names and no thinking, and output only if there is nothing else.
    pub fn embedded_text(&self) -> &'a str {
        let part = |wanted: &[PartKind]| self.own_parts().iter().find(|part| wanted.contains(&part.kind));
        let said = part(&[PartKind::User, PartKind::Assistant, PartKind::ToolCall, PartKind::Note]);
        let text = said.or_else(|| part(&[PartKind::ToolOutput])).map_or("", |part| part.text.as_str());
        &text[..text.floor_char_boundary(EMBEDDED)]
    }
}

/// The head of an event's text is content, the rest its tail.
fn cut<'a>(part: &'a Part, head: u32, texts: &mut Vec<(Field, &'a str)>) {
    let left = head.saturating_sub(part.start) as usize;
    let at = part.text.floor_char_boundary(left);
    if at > 0 {
        texts.push((Field::Content, &part.text[..at]));
    }
    if at < part.text.len() {
        texts.push((Field::Tail, &part.text[at..]));
    }
}

/// An edit is content under a path; other calls are commands and places.
fn call<'a>(part: &'a Part, texts: &mut Vec<(Field, &'a str)>) {
    match part.label.as_deref() {
        Some(tool) if edits_file(tool) => {
            let (path, change) = part.text.split_once('\n').unwrap_or((&part.text, ""));
            texts.push((Field::Place, path));
            // Added lines are content, removed lines count less.
            for line in change.lines() {
                texts.push((if line.starts_with('-') { Field::Tail } else { Field::Content }, line));
            }
        }
        Some("Task" | "Agent" | "SendMessage" | "ExitPlanMode" | "AskUserQuestion" | "apply_patch") => {
            texts.push((Field::Content, &part.text));
        }
        // It is repeated at every step and would outweigh the steps.
        Some("TodoWrite") => texts.push((Field::Tail, &part.text)),
        _ => texts.push((Field::Place, &part.text)),
    }
}
