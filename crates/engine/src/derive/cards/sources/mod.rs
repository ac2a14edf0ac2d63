//! What does a turn add to the book of cards?
//!
//! Where something was said counts for more than how it was worded:
//!
//! - [`noted`]: what a person typed into the host's memory.
//! - [`instructions`]: what was written into an instruction file ([`markdown`]).
//! - [`rejections`]: why a call was refused.
//! - [`answers`]: what was answered to the agent's questions.
//! - [`chats`]: what people say of themselves where nothing but talk happens.
//! - [`wording`]: what was queued while the agent worked, and prompts, where the
//!   words themselves say that they are meant to last, or are a rule ([`rules`]).
//!
//! Only a person's own words count ([`spoken`]), and only those that can be read
//! on their own ([`reading`]). Nothing found is a good answer.

mod answers;
mod chats;
mod instructions;
mod markdown;
mod noted;
mod reading;
mod rejections;
mod rules;
mod spoken;
mod wording;

use std::ops::Range;

use crate::model::{
    Candidate, CardKind, CardSource, Class, Event, EventKind, EvidenceKind, EvidenceRef, Found, span_hash,
};

use super::topic_of;

/// What one turn gives, each with the place of what it rests on. `is_main`: a
/// person speaks in it; the words in a sub-agent's run are another agent's.
pub fn of_turn(events: &[Event], is_main: bool) -> Vec<(u32, Found)> {
    if !is_main {
        return Vec::new();
    }
    let mut said = Vec::new();
    noted::find(events, &mut said);
    let mut found = instructions::find(events, &mut said);
    rejections::find(events, &mut said);
    answers::find(events, &mut said);
    chats::find(events, &mut said);
    wording::find(events, &mut said);
    found.extend(said.into_iter().filter_map(Said::found));
    // Stable: what an edit takes out goes before what it puts in.
    found.sort_by_key(|(seq, _)| *seq);
    found
}

/// Of which kind is a statement that was written down to be kept? What it tells
/// somebody to do is a wish, however it is worded.
pub fn kind_of_written(statement: &str) -> CardKind {
    let lower = statement.to_lowercase();
    let forbids = ["no ", "under no circumstances "].iter().any(|start| lower.starts_with(start));
    match reading::wish(statement).or_else(|| rules::rule(statement)) {
        Some(kind) => kind,
        None if forbids => CardKind::Constraint,
        None if markdown::begins_with_order(statement) => CardKind::Preference,
        None => CardKind::Fact,
    }
}

/// Something that was said, on its way to becoming a candidate.
#[derive(Debug)]
struct Said {
    seq: u32,
    kind: CardKind,
    source: CardSource,
    statement: String,
    topic: String,
    tags: Vec<String>,
    evidence: Vec<EvidenceRef>,
    time: Option<crate::model::Timestamp>,
}

impl Said {
    /// `event` and `words`: what a person said, and where.
    fn by_person(event: &Event, words: Range<usize>, kind: CardKind, source: CardSource, statement: String) -> Self {
        let topic = topic_of(&statement);
        let evidence = vec![cite(event, words, EvidenceKind::UserSpan)];
        Said { seq: event.seq, kind, source, statement, topic, tags: Vec::new(), evidence, time: event.time }
    }

    fn found(self) -> Option<(u32, Found)> {
        let reach = reading::reach_of(&self.statement);
        let made = Candidate::new(self.kind, self.source, &self.statement, &self.topic, self.evidence, self.time);
        let mut candidate = made.ok()?;
        (candidate.tags, candidate.reach) = (self.tags, reach);
        Some((self.seq, Found::Candidate(candidate)))
    }
}

/// `kind` says whose words they are: a person's may stand inside a tool's output.
fn cite(event: &Event, span: Range<usize>, kind: EvidenceKind) -> EvidenceRef {
    let hash = span_hash(&event.text[span.clone()]);
    EvidenceRef { kind, id: event.id.0, start: span.start as u32, end: span.end as u32, hash }
}

/// Is something of this place a candidate already?
fn is_found(found: &[Said], event: &Event, place: &Range<usize>) -> bool {
    let overlaps = |cited: &EvidenceRef| (cited.start as usize) < place.end && place.start < cited.end as usize;
    found.iter().flat_map(|said| &said.evidence).any(|cited| cited.id == event.id.0 && overlaps(cited))
}

/// A person's words to the agent.
fn is_said_by_person(event: &Event) -> bool {
    let class = matches!(event.meta.class, Some(Class::Prompt | Class::Command | Class::Queued));
    class && event.kind == EventKind::User && !event.forgotten && !event.text.trim().is_empty()
}

/// The result of a call of this turn.
fn output_of<'a>(events: &'a [Event], call: &Event) -> Option<&'a Event> {
    let id = call.meta.tool_use_id.as_deref()?;
    let is_output = |event: &&Event| event.kind == EventKind::ToolOutput && !event.forgotten;
    events.iter().filter(is_output).find(|event| event.meta.tool_use_id.as_deref() == Some(id))
}
