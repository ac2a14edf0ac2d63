//! What does a turn of a session give?

use crate::model::{Event, Found};

use super::said::Said;
use super::{answers, chats, instructions, noted, rejections, wording};

/// Each finding with the place of what it rests on. Only for turns in which a person speaks.
pub fn of_turn(events: &[Event]) -> Vec<(u32, Found)> {
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
