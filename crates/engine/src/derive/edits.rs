//! Which files did the edits of a turn write?
//!
//! Small rows, so that the edits of one file are found without reading sessions;
//! the lines themselves stay in the log.

use crate::log::Log;
use crate::model::{Event, EventKind, writes_files};
use crate::store::{EditRow, StoreError, ViewTx};

use super::Touched;

pub const NAME: &str = "edits";
pub const VERSION: u32 = 1;

pub fn fold(log: &mut Log, tx: &mut ViewTx<'_>, touched: &[Touched]) -> Result<(), StoreError> {
    for episode in touched {
        let new = episode.new_turns(log, tx)?;
        let mut rows = Vec::new();
        for (turn, range) in new.ranges() {
            for call in new.events[range].iter().filter(|event| is_edit(event)) {
                let row = |path: &String| EditRow {
                    episode: episode.num,
                    turn: turn.turn,
                    seq: call.seq,
                    path: path.replace('\\', "/"),
                };
                rows.extend(call.meta.files.iter().map(row));
            }
        }
        tx.replace_edits(episode.num, episode.first_turn, &rows)?;
    }
    Ok(())
}

fn is_edit(event: &Event) -> bool {
    event.kind == EventKind::ToolCall && !event.forgotten && event.meta.tool.as_deref().is_some_and(writes_files)
}
