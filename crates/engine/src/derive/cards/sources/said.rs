//! A person's statements, before they become candidates.

use std::ops::Range;

use crate::model::{
    Candidate, CardKind, CardSource, Class, Event, EventKind, EvidenceKind, EvidenceRef, Found, span_hash,
};

use super::super::topic_of;
use super::reading;

#[derive(Debug)]
pub(super) struct Said {
    pub(super) seq: u32,
    pub(super) kind: CardKind,
    pub(super) source: CardSource,
    pub(super) statement: String,
    pub(super) topic: String,
    pub(super) tags: Vec<String>,
    pub(super) evidence: Vec<EvidenceRef>,
    pub(super) time: Option<crate::model::Timestamp>,
}

impl Said {
    /// `event` and `words`: the source of the person's words.
    pub(super) fn by_person(
        event: &Event,
        words: Range<usize>,
        kind: CardKind,
        source: CardSource,
        statement: String,
    ) -> Self {
        let topic = topic_of(&statement);
        let evidence = vec![cite(event, words, EvidenceKind::UserSpan)];
        Said { seq: event.seq, kind, source, statement, topic, tags: Vec::new(), evidence, time: event.time }
    }

    pub(super) fn found(self) -> Option<(u32, Found)> {
        let reach = reading::reach_of(&self.statement);
        let made = Candidate::new(self.kind, self.source, &self.statement, &self.topic, self.evidence, self.time);
        let mut candidate = made.ok()?;
        (candidate.tags, candidate.reach) = (self.tags, reach);
        Some((self.seq, Found::Candidate(candidate)))
    }
}

/// `kind` is the origin of the words: a tool's output may contain a person's.
pub(super) fn cite(event: &Event, span: Range<usize>, kind: EvidenceKind) -> EvidenceRef {
    let hash = span_hash(&event.text[span.clone()]);
    EvidenceRef { kind, id: event.id.0, start: span.start as u32, end: span.end as u32, hash }
}

/// Is there already a candidate from this place?
pub(super) fn is_found(found: &[Said], event: &Event, place: &Range<usize>) -> bool {
    let overlaps = |cited: &EvidenceRef| (cited.start as usize) < place.end && place.start < cited.end as usize;
    found.iter().flat_map(|said| &said.evidence).any(|cited| cited.id == event.id.0 && overlaps(cited))
}

/// A person's words to the agent.
pub(super) fn is_said_by_person(event: &Event) -> bool {
    let class = matches!(event.meta.class, Some(Class::Prompt | Class::Command | Class::Queued));
    class && event.kind == EventKind::User && !event.forgotten && !event.text.trim().is_empty()
}

pub(super) fn output_of<'a>(events: &'a [Event], call: &Event) -> Option<&'a Event> {
    let id = call.meta.tool_use_id.as_deref()?;
    let is_output = |event: &&Event| event.kind == EventKind::ToolOutput && !event.forgotten;
    events.iter().filter(is_output).find(|event| event.meta.tool_use_id.as_deref() == Some(id))
}
