//! Turns the lines of a conversation between people into link rows.

use backstory_language::talk::{Linked, TalkLine};

use crate::log::Log;
use crate::model::{Class, Event, EvidenceKind, EvidenceRef, SourceKind, span_hash};
use crate::store::{EpisodeNum, LinkRow, StoreError, TurnRow};

/// The text that a row keeps of a line, in bytes.
const LONGEST: usize = 2_000;

/// The number of events that are checked first; mostly, a line is among them.
const SAMPLE: u32 = 50;

/// Do people talk with each other in the events before `until`? One line of a
/// transcript is enough, wherever it stands.
pub fn is_talk(log: &mut Log, episode: EpisodeNum, source: SourceKind, until: u32) -> Result<bool, StoreError> {
    if source != SourceKind::Transcript {
        return Ok(false);
    }
    let until = log.store().last_seq(episode)?.map_or(0, |last| last + 1).min(until);
    let (mut from, mut sample) = (0, SAMPLE);
    while from < until {
        let to = until.min(from.saturating_add(sample));
        if log.store().events_of(episode, from, to)?.iter().any(is_line) {
            return Ok(true);
        }
        (from, sample) = (to, sample.saturating_mul(2));
    }
    Ok(false)
}

/// Is this event a line? Line numbers are positions in the episode.
pub fn is_line(event: &Event) -> bool {
    event.meta.class == Some(Class::Line) && !event.forgotten && !event.meta.own_output
}

pub fn lines(events: &[Event]) -> Vec<TalkLine<'_>> {
    let mut lines = Vec::new();
    for event in events.iter().filter(|event| is_line(event)) {
        let speaker = event.meta.speaker.as_deref().unwrap_or_default();
        lines.push(TalkLine { index: event.seq, speaker, text: &event.text });
    }
    lines
}

/// `events` are those that the lines were made from.
pub fn rows(episode: EpisodeNum, turns: &[TurnRow], events: &[Event], linked: Linked) -> Vec<LinkRow> {
    let event = |anchor: u32| events.binary_search_by_key(&anchor, |event| event.seq).ok().map(|at| &events[at]);
    let mut rows = Vec::new();
    for mut link in linked.links {
        let Some(intent) = event(link.intent_anchor) else { continue };
        let turn = turns.partition_point(|turn| turn.first_seq <= intent.seq).checked_sub(1);
        let consequence = link.consequence.as_ref().and_then(|found| event(found.anchor));
        link.intent_text = beginning(intent).to_owned();
        if let (Some(found), Some(event)) = (&mut link.consequence, consequence) {
            found.text = beginning(event).to_owned();
        }
        rows.push(LinkRow {
            episode,
            turn: turn.map_or(0, |at| turns[at].turn),
            time: intent.time,
            link,
            intent: evidence(intent),
            consequence: consequence.map(evidence),
        });
    }
    rows
}

fn beginning(event: &Event) -> &str {
    &event.text[..event.text.floor_char_boundary(LONGEST)]
}

fn evidence(event: &Event) -> EvidenceRef {
    let text = beginning(event);
    let (kind, end) = (EvidenceKind::of_event(event), text.len() as u32);
    EvidenceRef { kind, id: event.id.0, start: 0, end, hash: span_hash(text) }
}
