//! What did a person type into the host's memory?
//!
//! A line that begins with `#` is meant to be kept: no guess is needed.

use crate::model::{CardKind, CardSource, Class, Event, EventKind};

use super::{Said, reading, spoken};

/// The host's prefix of a note, as ingest keeps it.
const NOTE: &str = "# ";

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    for event in events.iter().filter(|event| is_note(event)) {
        let words = spoken::trim(&event.text, NOTE.len()..event.text.len());
        let statement = event.text[words.clone()].to_owned();
        let kind = reading::wish(&statement).unwrap_or(CardKind::Fact);
        out.push(Said::by_person(event, words, kind, CardSource::Remembered, statement));
    }
}

fn is_note(event: &Event) -> bool {
    event.kind == EventKind::User
        && event.meta.class == Some(Class::LocalCommand)
        && event.text.starts_with(NOTE)
        && !event.forgotten
        && !event.meta.own_output
}
