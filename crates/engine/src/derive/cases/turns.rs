//! Who said what in a turn, and how did it end?

use std::collections::HashSet;
use std::ops::Range;

use backstory_language::commands::made_commit;
use backstory_language::findings::{Passage, passages};
use backstory_language::prompts::replies::{Closing, closing_of};
use backstory_language::prompts::{first_words, foreign_spans, tool_output_spans};

use crate::model::{
    CaseCommit, CaseEnd, Class, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Exit, Timestamp, is_prompt,
    is_shell, says_something, span_hash,
};
use crate::store::TurnRow;

use super::super::links::agent::without_queued_copies;

/// A message that can be quoted.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub event: &'a Event,
}

/// A person's prompt and everything until the next one.
pub struct Exchange<'a> {
    pub turn: u32,
    /// The turn that it follows; after a rewind not the previous one.
    pub parent: Option<u32>,
    pub prompt: Option<Message<'a>>,
    /// Messages that the person added while the agent worked.
    pub queued: Vec<Message<'a>>,
    pub messages: Vec<Message<'a>>,
    /// Which of them says what the turn came to: the last that is no remark about a late report.
    pub closing: usize,
    /// Reports of sub-agents and teammates.
    pub reports: Vec<Message<'a>>,
    pub commits: Vec<CaseCommit>,
    pub end: CaseEnd,
    pub calls: usize,
    pub began: Option<Timestamp>,
    pub ended: Option<Timestamp>,
}

/// A teammate's message begins a turn, but is no request.
fn is_of_person(event: &Event) -> bool {
    is_prompt(event) && event.meta.class != Some(Class::Teammate)
}

/// The maximum length of a request that is shown.
const LONGEST_REQUEST: usize = 600;

/// A longer answer to the report of a task is more than a remark, and so is one after more calls.
const LONGEST_ASIDE: usize = 300;
const CALLS_FOR_REPORT: usize = 1;

impl<'a> Exchange<'a> {
    pub fn of_turn(row: &TurnRow, events: &'a [Event], next: Option<&'a Event>) -> Self {
        let mut prompts =
            without_queued_copies(events, next).filter(|event| is_of_person(event)).map(|event| Message { event });
        let said = |kind: EventKind| {
            events.iter().filter(move |event| event.kind == kind && !event.forgotten && !event.meta.own_output)
        };
        let messages = said(EventKind::Assistant).filter(|event| says_something(&event.text));
        let messages: Vec<Message<'a>> = messages.map(|event| Message { event }).collect();
        let by_teammate = said(EventKind::User).filter(|event| event.meta.class == Some(Class::Teammate));
        let reports = said(EventKind::ToolOutput).filter(|event| event.meta.spawned.is_some()).chain(by_teammate);
        Exchange {
            turn: row.turn,
            parent: row.parent,
            prompt: prompts.next(),
            queued: prompts.collect(),
            closing: closing(events, &messages),
            messages,
            reports: reports.map(|event| Message { event }).collect(),
            commits: commits(events),
            end: end(events),
            calls: said(EventKind::ToolCall).count(),
            began: events.iter().find_map(|event| event.time),
            ended: events.iter().rev().find_map(|event| event.time),
        }
    }

    pub fn prompt_words(&self) -> usize {
        self.prompt.map_or(0, |prompt| prompt.text().split_whitespace().count())
    }

    /// The agent's last message, to which the next prompt replies.
    pub fn last_message(&self) -> Option<Message<'a>> {
        self.messages.last().copied()
    }

    pub fn said(&self) -> usize {
        self.messages.iter().map(|message| message.text().len()).sum()
    }
}

fn closing(events: &[Event], messages: &[Message<'_>]) -> usize {
    let mut calls_since_report = None;
    let mut asides: HashSet<EventId> = HashSet::new();
    for event in events {
        match event.kind {
            _ if event.meta.class == Some(Class::Notification) => calls_since_report = Some(0),
            EventKind::ToolCall => calls_since_report = calls_since_report.map(|calls| calls + 1),
            EventKind::Assistant
                if calls_since_report.is_some_and(|calls| calls <= CALLS_FOR_REPORT)
                    && event.text.len() < LONGEST_ASIDE =>
            {
                asides.insert(event.id);
            }
            _ => {}
        }
    }
    let last = messages.len().saturating_sub(1);
    messages.iter().rposition(|message| !asides.contains(&message.event.id)).unwrap_or(last)
}

/// The commits in the output of `git commit`.
fn commits(events: &[Event]) -> Vec<CaseCommit> {
    let calls = events.iter().filter(|event| event.kind == EventKind::ToolCall && is_shell(event));
    let of_git: HashSet<&str> =
        calls.filter(|call| call.text.contains("git")).filter_map(|call| call.meta.tool_use_id.as_deref()).collect();
    let outputs = events.iter().filter(|event| event.kind == EventKind::ToolOutput && !event.forgotten);
    let printed = outputs.filter(|event| event.meta.tool_use_id.as_deref().is_some_and(|id| of_git.contains(id)));
    printed.flat_map(commits_named).collect()
}

fn commits_named(output: &Event) -> Vec<CaseCommit> {
    let mut commits = Vec::new();
    let mut at = 0;
    for line in output.text.split('\n') {
        if let Some(made) = made_commit(line) {
            let evidence = Message { event: output }.evidence(&(at..at + line.len()));
            commits.push(CaseCommit { hash: made.hash.to_owned(), subject: made.subject.to_owned(), evidence });
        }
        at += line.len() + 1;
    }
    commits
}

fn end(events: &[Event]) -> CaseEnd {
    let is_work =
        |event: &&Event| matches!(event.kind, EventKind::Assistant | EventKind::ToolCall | EventKind::ToolOutput);
    let last = events.iter().rposition(|event| is_work(&event));
    let is_stopped =
        events[last.map_or(0, |at| at + 1)..].iter().any(|event| event.meta.class == Some(Class::Interruption));
    let Some(last) = last.map(|at| &events[at]) else { return CaseEnd::Cut };
    match (last.meta.exit, last.kind) {
        (Some(Exit::Rejected), _) => CaseEnd::Refused,
        (Some(Exit::Interrupted), _) => CaseEnd::Cut,
        (_, EventKind::Assistant) if is_stopped => CaseEnd::Cut,
        (_, EventKind::Assistant) => match closing_of(&last.text) {
            Closing::Statement => CaseEnd::Answered,
            Closing::Offer => CaseEnd::Offered,
            Closing::Question => CaseEnd::Asked,
        },
        _ => CaseEnd::Cut,
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

    /// The statements of the message, without tool output in it.
    pub fn passages(&self) -> Vec<Passage> {
        let printed = tool_output_spans(self.text());
        let is_said = |passage: &Passage| {
            printed.iter().all(|span| passage.range.end <= span.start || span.end <= passage.range.start)
        };
        passages(self.text()).into_iter().filter(is_said).collect()
    }

    /// Backstory's own output is not a statement.
    pub fn is_own_output(&self, range: &Range<usize>) -> bool {
        !foreign_spans(self.text()).iter().any(|span| span.start <= range.start && range.end <= span.end)
    }

    /// The person's words up to the first tool output in them.
    pub fn asked(&self) -> EvidenceRef {
        let mut words = first_words(self.text()).unwrap_or(0..self.text().len());
        for printed in tool_output_spans(self.text()) {
            match printed.start <= words.start {
                true => words.start = printed.end.clamp(words.start, words.end),
                false => words.end = printed.start.min(words.end),
            }
        }
        let end = self.text().floor_char_boundary(words.end.min(words.start + LONGEST_REQUEST));
        self.evidence(&(words.start..end))
    }
}
