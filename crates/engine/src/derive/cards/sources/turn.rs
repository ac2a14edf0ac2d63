//! What does a turn of a session give?

use crate::model::{Event, Found};

use super::said::Said;
use super::{answers, chats, instructions, noted, rejections, wording};

/// Each finding with the position of its evidence. Only turns in which a person speaks have any.
pub fn of_turn(events: &[Event]) -> Vec<(u32, Found)> {
    let mut said = Vec::new();
    noted::find(events, &mut said);
    let mut found = instructions::find(events, &mut said);
    rejections::find(events, &mut said);
    answers::find(events, &mut said);
    chats::find(events, &mut said);
    wording::find(events, &mut said);
    found.extend(said.into_iter().filter_map(Said::found));
    // A stable sort: removals of an edit stay before its additions.
    found.sort_by_key(|(seq, _)| *seq);
    found
}
