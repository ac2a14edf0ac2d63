//! What may change a card set?

use crate::model::{Candidate, Card, CardAct, EventId, Scope, Timestamp};
use crate::store::EpisodeNum;

/// Something that may change the card set.
#[derive(Clone, Debug, PartialEq)]
pub struct CardEntry {
    pub time: Option<Timestamp>,
    pub what: CardChange,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CardChange {
    Candidate {
        episode: EpisodeNum,
        turn: u32,
        candidate: Candidate,
    },
    /// A statement was taken out of an instruction file.
    Withdrawn {
        episode: EpisodeNum,
        statement: String,
        file: String,
    },
    /// A card of another card set is to count as far as this one.
    TakenOver {
        card: Box<Card>,
        scope: Scope,
    },
    /// `text`: what was said with it.
    Act {
        event: EventId,
        act: CardAct,
        text: String,
    },
}
