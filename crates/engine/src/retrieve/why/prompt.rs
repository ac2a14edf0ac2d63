//! Which words of a person led to an agent's action?

use crate::log::Log;
use crate::model::{Class, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Timestamp, span_hash};
use crate::store::{EpisodeNum, StoreError, ViewReader};

/// The nesting limit of agents that start agents.
const DEEPEST: usize = 6;

/// A person's words, and their position.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub session: String,
    pub event: EventId,
    pub seq: u32,
    /// The host's id of the record.
    pub record: Option<String>,
    pub time: Option<Timestamp>,
    pub text: String,
    pub evidence: EvidenceRef,
}

/// A position in the run of a session's own agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPosition {
    pub episode: EpisodeNum,
    pub turn: u32,
    /// Before this event.
    pub until: u32,
}

/// For a run that an agent started: the call that started it.
pub fn place_behind(view: &ViewReader<'_>, place: RunPosition) -> Result<RunPosition, StoreError> {
    let mut place = place;
    for _ in 0..DEEPEST {
        let parent = match view.agent(place.episode)? {
            Some(agent) => agent.spawn_chunk.map(|chunk| view.chunk_row(chunk)).transpose()?.flatten(),
            None => None,
        };
        let Some(chunk) = parent else { break };
        place = RunPosition { episode: chunk.episode, turn: chunk.turn, until: u32::MAX };
    }
    Ok(place)
}

/// A person's last words before a place, in its turn.
pub fn said_before(log: &mut Log, view: &ViewReader<'_>, place: RunPosition) -> Result<Option<Prompt>, StoreError> {
    let RunPosition { episode, turn, until } = place;
    let Some(row) = view.turn(episode, turn)? else { return Ok(None) };
    // A turn ends where the next one begins.
    let end = view.turn(episode, turn + 1)?.map_or(u32::MAX, |next| next.first_seq).min(until);
    let events = log.store().events_of(episode, row.first_seq, end)?;
    let Some(said) = events.iter().rev().find(|event| is_said(event)) else { return Ok(None) };
    let session = log.store().episode(episode)?.map(|episode| episode.key.session).unwrap_or_default();
    Ok(Some(Prompt {
        session,
        event: said.id,
        seq: said.seq,
        record: said.meta.record.clone(),
        time: said.time,
        text: said.text.clone(),
        evidence: whole(said, EvidenceKind::UserSpan),
    }))
}

fn is_said(event: &Event) -> bool {
    let class = matches!(event.meta.class, Some(Class::Prompt | Class::Command));
    class && event.kind == EventKind::User && !event.forgotten && !event.text.trim().is_empty()
}

/// All of an event's text.
pub fn whole(event: &Event, kind: EvidenceKind) -> EvidenceRef {
    EvidenceRef { kind, id: event.id.0, start: 0, end: event.text.len() as u32, hash: span_hash(&event.text) }
}
