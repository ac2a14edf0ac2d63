//! Agent sessions, linked by structure: a prompt and everything until the next
//! one, a call and its result.
//!
//! - [`steps`]: what did the agent do and say?
//! - [`answers`]: which step answers which part?
//! - [`outcomes`]: how did calls end, and what did the person say of it?

mod answers;
mod outcomes;
mod steps;

use backstory_language::prompts::asks::{self, Ask};
use backstory_language::prompts::foreign_spans;

use crate::derive::chunk::is_told_later;
use crate::model::{
    CausalLink, Class, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Outcome, link_id, span_hash,
};
use crate::store::LinkRow;

pub use outcomes::{is_shell, prints_failed_tests, reason_of_rejection};
pub use steps::{Step, of_turn as steps_of};

/// The name under which these links are stored.
pub const KERNEL: &str = "structure";
pub const KERNEL_VERSION: u32 = 1;

/// A link's text is a span of its event no longer than this.
const LONGEST: usize = 600;
/// How many prompts back a correction is looked for.
pub const REACH: usize = 8;

/// What one turn gives.
#[derive(Debug, Default)]
pub struct OfTurn {
    pub links: Vec<LinkRow>,
    pub outcomes: Vec<Outcome>,
    /// Calls that write down what is to be done.
    pub notes: Vec<(u32, EventId)>,
}

/// What is known of an earlier prompt, for corrections that reach back to it.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub prompt: EventId,
    /// The prompt's and the answer's words.
    pub text: String,
}

/// Where the turn stands.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub session: &'a str,
    /// The sub-agent, if it is one's run.
    pub agent: Option<&'a str>,
    pub episode: crate::store::EpisodeNum,
    pub turn: u32,
}

/// `next`: what the next turn begins with, if there is one. `earlier`: the
/// prompts before, newest last.
pub fn of_turn(place: Place<'_>, events: &[Event], next: Option<&Event>, earlier: &[Earlier]) -> OfTurn {
    let steps = steps::of_turn(events);
    let prompts: Vec<&Event> = told_once(events, next).filter(|event| is_prompt(event)).collect();
    let outcomes = outcomes::of_turn(events, prompts.first().copied(), &steps, earlier);
    let mut out = OfTurn { outcomes, ..OfTurn::default() };
    for (number, prompt) in prompts.iter().enumerate() {
        let until = prompts.get(number + 1).map_or(u32::MAX, |next| next.seq);
        let after: Vec<&Step<'_>> = steps.iter().filter(|step| step.seq > prompt.seq && step.seq < until).collect();
        let asks = asks::of_prompt(&prompt.text);
        for (ask, answer) in asks.iter().zip(answers::of_asks(&prompt.text, &asks, &after)) {
            out.links.push(link(place, prompt, ask, answer));
        }
    }
    for event in events.iter().filter(|event| event.kind == EventKind::ToolCall) {
        if event.meta.tool.as_deref().is_some_and(notes_tasks) {
            out.notes.push((event.seq, event.id));
        }
    }
    out
}

/// A turn's events without copies of what is told where it was delivered: the
/// host writes down what waits in the queue, too.
pub fn told_once<'a>(events: &'a [Event], next: Option<&'a Event>) -> impl Iterator<Item = &'a Event> {
    let later = move |at: usize| events[at + 1..].iter().chain(next);
    events.iter().enumerate().filter(move |(at, event)| !is_told_later(event, later(*at))).map(|(_, event)| event)
}

/// The parts of one prompt are one. Only as many as a correction can reach, so
/// that it does not matter in how many steps the session was read.
pub fn remember(earlier: &mut Vec<Earlier>, links: &[LinkRow]) {
    for row in links {
        let prompt = EventId(row.intent.id);
        let answer = row.link.consequence.as_ref().map_or("", |consequence| &consequence.text);
        let words = format!("{} {answer} ", row.link.intent_text);
        match earlier.last_mut().filter(|last| last.prompt == prompt) {
            Some(last) => last.text.push_str(&words),
            None => earlier.push(Earlier { prompt, text: words }),
        }
    }
    let reach = earlier.len().saturating_sub(REACH);
    earlier.drain(..reach);
}

/// Words of a person, or of a lead to a teammate, that want something done.
/// What Backstory printed is nobody's wish.
pub fn is_prompt(event: &Event) -> bool {
    let asks = matches!(event.meta.class, Some(Class::Prompt | Class::Teammate | Class::Queued | Class::Command));
    asks && event.kind == EventKind::User && !event.forgotten && !event.text.trim().is_empty()
}

/// Tools with which agents keep lists of what is to be done.
fn notes_tasks(tool: &str) -> bool {
    matches!(tool, "TodoWrite" | "TaskCreate" | "TaskUpdate" | "update_plan")
}

fn link(place: Place<'_>, prompt: &Event, ask: &Ask, answer: Option<answers::Answer<'_>>) -> LinkRow {
    let intent = Span::of(prompt, ask.start, ask.end);
    let intent_text = intent.text.to_owned();
    let actor = prompt.meta.from.clone().unwrap_or_else(|| "user".to_owned());
    let run = format!("{} {}", place.session, place.agent.unwrap_or_default());
    let id = link_id(&run, KERNEL, KERNEL_VERSION, prompt.seq, &intent_text);
    let consequence_evidence = answer.as_ref().map(|answer| answer.step.evidence());
    let link = CausalLink {
        id,
        session: place.session.to_owned(),
        actor,
        intent_text,
        intent_type: ask.kind,
        intent_strength: ask.kind.strength(),
        intent_anchor: prompt.seq,
        consequence_type: answers::consequence_type(ask.kind, answer.as_ref()),
        consequence: answer.map(|answer| answer.consequence(prompt.seq)),
        kernel: KERNEL.into(),
        kernel_version: KERNEL_VERSION,
        kernel_params: "{}".into(),
    };
    LinkRow {
        episode: place.episode,
        turn: place.turn,
        time: prompt.time,
        link,
        intent: intent.evidence(prompt),
        consequence: consequence_evidence,
    }
}

/// All words of a text that Backstory did not print.
fn without_own(text: &str) -> String {
    foreign_spans(text).into_iter().map(|span| &text[span]).collect::<Vec<_>>().join(" ")
}

/// A part of an event's text, not too long to be kept.
pub(super) struct Span<'a> {
    start: usize,
    pub text: &'a str,
}

impl<'a> Span<'a> {
    pub fn of(event: &'a Event, start: usize, end: usize) -> Self {
        let end = event.text.floor_char_boundary(end.min(start + LONGEST));
        Span { start, text: &event.text[start..end] }
    }

    pub fn evidence(&self, event: &Event) -> EvidenceRef {
        EvidenceRef {
            kind: EvidenceKind::of_event(event),
            id: event.id.0,
            start: self.start as u32,
            end: (self.start + self.text.len()) as u32,
            hash: span_hash(self.text),
        }
    }
}
