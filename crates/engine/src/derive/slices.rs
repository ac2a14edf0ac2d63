//! Which events are folded next?

use crate::log::Log;
use crate::model::{Event, EventKind};
use crate::store::{EpisodeNum, StoreError};

/// The amount of the log per transaction: bounds memory and duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLimit {
    /// Bytes of text.
    pub bytes: usize,
    pub events: usize,
}

impl SliceLimit {
    pub const LONG: SliceLimit = SliceLimit { bytes: 16 << 20, events: 20_000 };
    /// For callers with a deadline: a slice is not interrupted.
    pub const SHORT: SliceLimit = SliceLimit { bytes: 256 << 10, events: 300 };
}

pub(super) fn next_slice(log: &mut Log, cursor: u64, limit: SliceLimit) -> Result<Vec<Event>, StoreError> {
    let mut slice = Vec::new();
    let mut bytes = 0;
    log.store().scan(cursor, |event| {
        let event = shortened(event);
        bytes += event.text.len();
        slice.push(event);
        bytes < limit.bytes && slice.len() < limit.events
    })?;
    Ok(slice)
}

/// The bytes of a message that stages read, which bounds the time of a slice. The log keeps the
/// whole message.
const LONGEST_MESSAGE: usize = 1 << 20;

/// An event as the stages see it.
pub(super) fn shortened(mut event: Event) -> Event {
    let is_message = matches!(event.kind, EventKind::User | EventKind::Assistant | EventKind::Thinking);
    if is_message && event.text.len() > LONGEST_MESSAGE {
        event.text.truncate(event.text.floor_char_boundary(LONGEST_MESSAGE));
        event.text.shrink_to_fit();
    }
    event
}

/// Events of an episode, as the stages see them.
pub(super) fn events_of(log: &mut Log, episode: EpisodeNum, from: u32, to: u32) -> Result<Vec<Event>, StoreError> {
    Ok(log.store().events_of(episode, from, to)?.into_iter().map(shortened).collect())
}
