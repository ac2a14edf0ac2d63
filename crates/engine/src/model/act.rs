//! What did a person do with cards, and which cards were shown? Events of Backstory's own, so
//! that cards remain a fold over the log.

use super::card::{CardKind, CardSource, Scope};
use super::evidence::EvidenceRef;
use super::ids::CardId;
use super::outcome::OutcomeKind;

/// The session id of such events.
pub const CARDS_SESSION: &str = "cards";

/// The input of a judgement about cards. The person's words are the event's text.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum CardAct {
    /// The text is the statement, in the person's own words.
    Add {
        /// The statement, if it is not the text itself; the text is then its evidence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        statement: Option<String>,
        kind: CardKind,
        scope: Scope,
        source: CardSource,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rests_on: Vec<CardId>,
        /// The evidence of an imported card, in addition to the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<EvidenceRef>,
    },
    /// The text is the new statement; the old card is superseded.
    Edit {
        card: CardId,
    },
    Confirm {
        card: CardId,
    },
    /// The text says why.
    Dispute {
        card: CardId,
        /// Evidence against it, in addition to the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence: Option<EvidenceRef>,
    },
    Archive {
        card: CardId,
    },
    Restore {
        card: CardId,
    },
    Promote {
        card: CardId,
        scope: Scope,
    },
}

impl CardAct {
    /// A card that rests on the words of its event alone.
    pub fn add(kind: CardKind, scope: Scope, source: CardSource) -> Self {
        let (tags, rests_on, evidence) = (Vec::new(), Vec::new(), Vec::new());
        CardAct::Add { statement: None, kind, scope, source, tags, rests_on, evidence }
    }

    /// The card that it is about; none for an added card, whose id follows from its words.
    pub fn card(&self) -> Option<CardId> {
        match self {
            CardAct::Add { .. } => None,
            CardAct::Edit { card }
            | CardAct::Confirm { card }
            | CardAct::Dispute { card, .. }
            | CardAct::Archive { card }
            | CardAct::Restore { card }
            | CardAct::Promote { card, .. } => Some(*card),
        }
    }
}

/// The occasion on which a card was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    AutoPack,
    Search,
    ExplicitRead,
    Check,
}

impl Channel {
    pub fn name(self) -> &'static str {
        match self {
            Channel::AutoPack => "auto_pack",
            Channel::Search => "search",
            Channel::ExplicitRead => "explicit_read",
            Channel::Check => "check",
        }
    }
}

/// The surface that asked or showed something, if it was not the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// A hook of the host.
    Hook,
    /// A tool that an agent called.
    Mcp,
}

/// The input of an exposure: cards that were shown together, best first.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Exposure {
    pub channel: Channel,
    pub cards: Vec<CardId>,
    /// The host's session that saw them, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// In the log its name is `door`.
    #[serde(rename = "door", default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surface>,
}

/// The input of an outcome that a person records.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HandOutcome {
    pub outcome: OutcomeKind,
    pub session: String,
    /// In the log its name is `door`.
    #[serde(rename = "door", default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<Surface>,
}
