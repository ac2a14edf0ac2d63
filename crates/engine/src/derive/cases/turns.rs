//! Who said what in a turn?

use std::ops::Range;

use backstory_language::prompts::{first_words, foreign_spans};

use crate::model::{Event, EventKind, EvidenceKind, EvidenceRef, Timestamp, is_prompt, span_hash};
use crate::store::TurnRow;

use super::super::links::agent::without_queued_copies;

/// A message, with what of it may be quoted.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub event: &'a Event,
}

/// What a person asked and what the agent said until the next prompt.
pub struct Exchange<'a> {
    pub turn: u32,
    /// The turn that it follows; another one than the one before after a rewind.
    pub parent: Option<u32>,
    pub prompt: Option<Message<'a>>,
    /// What the person added while the agent worked.
    pub queued: Vec<Message<'a>>,
    pub messages: Vec<Message<'a>>,
    /// What sub-agents reported.
    pub reports: Vec<Message<'a>>,
    pub calls: usize,
    pub began: Option<Timestamp>,
    pub ended: Option<Timestamp>,
}

/// The request as it is shown is no longer than this.
const LONGEST_REQUEST: usize = 600;

impl<'a> Exchange<'a> {
    pub fn of_turn(row: &TurnRow, events: &'a [Event], next: Option<&'a Event>) -> Self {
        let mut prompts =
            without_queued_copies(events, next).filter(|event| is_prompt(event)).map(|event| Message { event });
        let said = |kind: EventKind| {
            events.iter().filter(move |event| event.kind == kind && !event.forgotten && !event.meta.own_output)
        };
        let messages = said(EventKind::Assistant).filter(|event| first_words(&event.text).is_some());
        let reports = said(EventKind::ToolOutput).filter(|event| event.meta.spawned.is_some());
        Exchange {
            turn: row.turn,
            parent: row.parent,
            prompt: prompts.next(),
            queued: prompts.collect(),
            messages: messages.map(|event| Message { event }).collect(),
            reports: reports.map(|event| Message { event }).collect(),
            calls: said(EventKind::ToolCall).count(),
            began: events.iter().find_map(|event| event.time),
            ended: events.iter().rev().find_map(|event| event.time),
        }
    }

    pub fn prompt_words(&self) -> usize {
        self.prompt.map_or(0, |prompt| prompt.text().split_whitespace().count())
    }

    /// The agent's last message, which a reply answers.
    pub fn last_message(&self) -> Option<Message<'a>> {
        self.messages.last().copied()
    }

    pub fn said(&self) -> usize {
        self.messages.iter().map(|message| message.text().len()).sum()
    }
}

impl<'a> Message<'a> {
    pub fn text(&self) -> &'a str {
        &self.event.text
    }

    pub fn evidence(&self, range: &Range<usize>) -> EvidenceRef {
        EvidenceRef {
            kind: EvidenceKind::of_event(self.event),
            id: self.event.id.0,
            start: range.start as u32,
            end: range.end as u32,
            hash: span_hash(&self.event.text[range.clone()]),
        }
    }

    /// What Backstory itself printed is nobody's statement.
    pub fn is_own_output(&self, range: &Range<usize>) -> bool {
        !foreign_spans(self.text()).iter().any(|span| span.start <= range.start && range.end <= span.end)
    }

    /// The person's words, from their beginning.
    pub fn asked(&self) -> EvidenceRef {
        let words = first_words(self.text()).unwrap_or(0..self.text().len());
        let end = self.text().floor_char_boundary(words.end.min(words.start + LONGEST_REQUEST));
        self.evidence(&(words.start..end))
    }
}
