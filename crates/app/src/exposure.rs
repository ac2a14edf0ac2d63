//! Records which cards were shown, on which surface, to which session.

use backstory_engine::Memory;
use backstory_engine::model::{CardId, Channel, EventKind, Exposure, Surface};

use crate::environment;
use crate::error::AppError;

/// Shown cards, with the occasion and the session.
pub struct ShownCards {
    pub channel: Channel,
    pub cards: Vec<CardId>,
    pub session: Option<String>,
}

/// Records in the log that cards were shown. This affects answers only after the session continues. A read-only memory
/// records nothing, which was reported when it was opened.
pub fn record(memory: &mut Memory, surface: Option<Surface>, shown: ShownCards, asked: String) -> Result<(), AppError> {
    let ShownCards { channel, cards, session } = shown;
    if !cards.is_empty() && !memory.is_read_only() {
        let exposure = Exposure { channel, cards, session, surface };
        memory.log().append_of_cards(EventKind::Exposure, environment::now(), asked, &exposure)?;
    }
    Ok(())
}
