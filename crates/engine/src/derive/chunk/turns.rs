//! Where does a turn begin, and which branch is active?

use crate::model::{Class, Event};
use crate::store::{TurnRow, TurnState};

/// Transcripts of many speakers have no prompts; this many lines make a turn.
const LINES_PER_TURN: usize = 100;

/// A run of events: from a prompt to the next.
pub(super) struct TurnEvents<'a> {
    pub events: &'a [Event],
}

impl TurnEvents<'_> {
    pub fn first_seq(&self) -> u32 {
        self.events.first().map_or(0, |event| event.seq)
    }
}

/// Cuts events, of which the first begins a turn, into turns.
pub(super) fn cut(events: &[Event]) -> Vec<TurnEvents<'_>> {
    let mut turns = Vec::new();
    let mut start = 0;
    let mut lines = 0;
    for (index, event) in events.iter().enumerate() {
        let is_line = event.meta.class == Some(Class::Line);
        // Several messages of one record came at once: they open one turn.
        let same_record =
            index > 0 && event.meta.record.is_some() && event.meta.record == events[index - 1].meta.record;
        let opens = (event.starts_turn() && !same_record) || (is_line && lines == LINES_PER_TURN);
        if index > start && opens {
            turns.push(TurnEvents { events: &events[start..index] });
            start = index;
            lines = 0;
        }
        lines += usize::from(is_line);
    }
    if start < events.len() {
        turns.push(TurnEvents { events: &events[start..] });
    }
    turns
}

/// The events of an episode, turn by turn, each with what the next turn begins with.
pub fn cut_turns(events: &[Event]) -> Vec<(&[Event], Option<&Event>)> {
    let turns = cut(events);
    let firsts = turns.iter().skip(1).map(|turn| turn.events.first()).chain([None]);
    turns.iter().map(|turn| turn.events).zip(firsts).collect()
}

/// The active branch is the newest turn with its ancestors. `joined` are turns that it also
/// continues (a queued message or the end of a background task may arrive late). Returns the
/// turns whose state changes.
pub(super) fn changes_of_state(turns: &[TurnRow], joined: &[u32]) -> Vec<(u32, TurnState)> {
    let mut active = vec![false; turns.len()];
    let newest = turns.last().map(|turn| turn.turn);
    for leaf in newest.iter().chain(joined) {
        let mut at = Some(*leaf as usize);
        while let Some(index) = at.filter(|index| *index < turns.len() && !active[*index]) {
            active[index] = true;
            at = turns[index].parent.map(|parent| parent as usize);
        }
    }
    let changed = turns.iter().zip(active).filter(|(row, is_active)| row.active != *is_active);
    let state = |is_active| if is_active { TurnState::Active } else { TurnState::Abandoned };
    changed.map(|(row, is_active)| (row.turn, state(is_active))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(turn: u32, parent: Option<u32>) -> TurnRow {
        TurnRow { turn, first_seq: turn, parent, active: true }
    }

    #[test]
    fn a_rewind_leaves_the_old_branch_behind() {
        let turns = [turn(0, None), turn(1, Some(0)), turn(2, Some(1)), turn(3, Some(0))];
        assert_eq!(changes_of_state(&turns, &[]), [(1, TurnState::Abandoned), (2, TurnState::Abandoned)]);
        assert_eq!(changes_of_state(&turns, &[1]), [(2, TurnState::Abandoned)], "what goes on is not abandoned");
        assert_eq!(changes_of_state(&[], &[7]), []);
        assert_eq!(changes_of_state(&[turn(0, Some(0))], &[]), [], "a loop ends");
    }
}
