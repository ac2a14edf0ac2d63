//! Which cards were shown, and to whom?

use backstory_engine::Memory;
use backstory_engine::model::{CardId, Channel, Door, EventKind, Exposure};

use crate::environment;
use crate::error::AppError;

/// Cards that were shown, on which occasion, to which session.
pub struct Showing {
    pub channel: Channel,
    pub cards: Vec<CardId>,
    pub session: Option<String>,
}

/// Notes in the log that cards were shown. It changes no answer before the
/// session that saw them goes on. Who opened a memory that may only be read was
/// told that nothing is noted.
pub fn shown(memory: &mut Memory, door: Option<Door>, what: Showing, asked: String) -> Result<(), AppError> {
    let Showing { channel, cards, session } = what;
    if !cards.is_empty() && !memory.is_read_only() {
        let exposure = Exposure { channel, cards, session, door };
        memory.log().append_of_cards(EventKind::Exposure, environment::now(), asked, &exposure)?;
    }
    Ok(())
}
