//! What does a turn add to the book of cards?

use crate::model::{Event, Found};

/// What one turn gives, each with the place of what it rests on. `is_main`: a
/// person speaks in it; the words in a sub-agent's run are another agent's.
pub fn of_turn(events: &[Event], is_main: bool) -> Vec<(u32, Found)> {
    let _ = (events, is_main);
    Vec::new()
}
