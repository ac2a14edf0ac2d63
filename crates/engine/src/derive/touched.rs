//! Which turns of an episode are new to a stage?

use std::borrow::Cow;
use std::ops::Range;

use crate::log::Log;
use crate::model::{Chunk, Episode, Event, Timestamp};
use crate::store::{EpisodeNum, StoreError, TurnRow, ViewTx};

use super::slices::events_of;

/// An episode that has new events.
pub struct Touched {
    pub num: EpisodeNum,
    pub episode: Episode,
    /// The rows from here on are new to at least one later stage.
    pub first_turn: u32,
    /// When the earliest new chunk begins.
    pub from: Option<Timestamp>,
    /// The chunks from there on, and their events, if they were just derived.
    pub chunks: Option<Vec<Chunk>>,
    pub events: Option<Vec<Event>>,
}

/// Turns with the events they were made from.
pub struct NewTurns<'a> {
    pub turns: Vec<TurnRow>,
    pub events: Cow<'a, [Event]>,
}

impl NewTurns<'_> {
    /// Each turn, and where its events are.
    pub fn ranges(&self) -> impl Iterator<Item = (&TurnRow, Range<usize>)> {
        self.turns.iter().enumerate().map(|(at, turn)| {
            let until = self.turns.get(at + 1).map_or(u32::MAX, |next| next.first_seq);
            let place = |seq| self.events.partition_point(|event| event.seq < seq);
            (turn, place(turn.first_seq)..place(until))
        })
    }
}

impl Touched {
    /// The whole of an episode whose chunks exist already.
    pub(super) fn whole(tx: &ViewTx<'_>, num: EpisodeNum, episode: Episode) -> Result<Self, StoreError> {
        let from = tx.read().earliest_chunk(num, 0)?;
        Ok(Touched { num, episode, first_turn: 0, from, chunks: None, events: None })
    }

    /// The turns from the first new one on. Reads the log if a later stage starts over.
    pub fn new_turns(&self, log: &mut Log, tx: &ViewTx<'_>) -> Result<NewTurns<'_>, StoreError> {
        let mut turns = tx.read().turns(self.num)?;
        turns.retain(|turn| turn.turn >= self.first_turn);
        let events = match (&self.events, turns.first()) {
            (Some(events), _) => Cow::Borrowed(events.as_slice()),
            (None, Some(first)) => {
                let folded = tx.read().run(self.num)?.map_or(0, |run| run.next_seq);
                Cow::Owned(events_of(log, self.num, first.first_seq, folded)?)
            }
            (None, None) => Cow::Owned(Vec::new()),
        };
        Ok(NewTurns { turns, events })
    }

    /// The turns from an earlier one on.
    pub fn turns_from(&self, log: &mut Log, tx: &ViewTx<'_>, from: u32) -> Result<NewTurns<'_>, StoreError> {
        if from >= self.first_turn {
            return self.new_turns(log, tx);
        }
        let mut turns: Vec<TurnRow> = tx.read().turns(self.num)?;
        turns.retain(|turn| turn.turn >= from);
        let first = turns.first().map_or(0, |turn| turn.first_seq);
        let folded = tx.read().run(self.num)?.map_or(0, |run| run.next_seq);
        Ok(NewTurns { turns, events: events_of(log, self.num, first, folded)?.into() })
    }

    pub fn is_main(&self) -> bool {
        self.episode.key.agent.is_none()
    }
}
