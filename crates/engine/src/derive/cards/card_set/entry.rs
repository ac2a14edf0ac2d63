//! What can change a card set?

use crate::model::{Candidate, Card, CardAct, EventId, Scope, Timestamp};
use crate::store::EpisodeNum;

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
    /// A statement was removed from an instruction file.
    Withdrawn {
        episode: EpisodeNum,
        statement: String,
        file: String,
    },
    /// An instruction file was written whole.
    Rewritten {
        episode: EpisodeNum,
        file: String,
        statements: Vec<String>,
    },
    /// A card of another card set is promoted to this scope.
    TakenOver {
        card: Box<Card>,
        scope: Scope,
    },
    /// `text`: the words that came with it.
    Act {
        event: EventId,
        act: CardAct,
        text: String,
    },
}
