//! Which intent had which consequence?

use std::borrow::Cow;
use std::sync::Arc;

use crate::digest::digest_of;

crate::ids! {
    /// One intent, with its consequence if it had one.
    LinkId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentType {
    Question,
    Declare,
    Propose,
    Request,
}

impl IntentType {
    pub const ALL: [IntentType; 4] =
        [IntentType::Question, IntentType::Declare, IntentType::Propose, IntentType::Request];

    pub fn name(self) -> &'static str {
        match self {
            IntentType::Question => "question",
            IntentType::Declare => "declare",
            IntentType::Propose => "propose",
            IntentType::Request => "request",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A question may share its answer with others; a declaration, proposal or request needs its own.
    pub fn strength(self) -> Strength {
        if self == IntentType::Question { Strength::Weak } else { Strength::Strong }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    Strong,
    Weak,
}

impl Strength {
    pub fn name(self) -> &'static str {
        match self {
            Strength::Strong => "strong",
            Strength::Weak => "weak",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        [Strength::Strong, Strength::Weak].into_iter().find(|strength| strength.name() == name)
    }
}

/// The kind of answer; never a condition for being one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsequenceType {
    Roll,
    Deterministic,
    Information,
    Commitment,
    DmStatement,
    Other,
    /// There is no consequence.
    None,
}

impl ConsequenceType {
    pub const ALL: [ConsequenceType; 7] = [
        ConsequenceType::Roll,
        ConsequenceType::Deterministic,
        ConsequenceType::Information,
        ConsequenceType::Commitment,
        ConsequenceType::DmStatement,
        ConsequenceType::Other,
        ConsequenceType::None,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ConsequenceType::Roll => "roll",
            ConsequenceType::Deterministic => "deterministic",
            ConsequenceType::Information => "information",
            ConsequenceType::Commitment => "commitment",
            ConsequenceType::DmStatement => "dm_statement",
            ConsequenceType::Other => "other",
            ConsequenceType::None => "none",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An intent, and the consequence it claimed, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct CausalLink {
    pub id: LinkId,
    pub session: String,
    pub actor: String,
    pub intent_text: String,
    pub intent_type: IntentType,
    pub intent_strength: Strength,
    /// The line's position in its transcript.
    pub intent_anchor: u32,
    pub consequence_type: ConsequenceType,
    pub consequence: Option<Consequence>,
    pub kernel: Cow<'static, str>,
    pub kernel_version: u32,
    /// The kernel's parameters, as a JSON object.
    pub kernel_params: Arc<str>,
}

/// What answered an intent.
#[derive(Clone, Debug, PartialEq)]
pub struct Consequence {
    pub text: String,
    pub anchor: u32,
    /// Its number among the lines after the intent by speakers who answer: 1 is the next.
    pub distance: u32,
    /// Lines from the intent to here: 1 is the next.
    pub line_gap: u32,
    pub score: f32,
    /// The parts of the score.
    pub parts: Vec<(Cow<'static, str>, f32)>,
}

impl CausalLink {
    pub fn claimed(&self) -> bool {
        self.consequence.is_some()
    }
}

/// The same transcript and kernel give the same ids.
pub fn link_id(session: &str, kernel: &str, kernel_version: u32, intent_anchor: u32, intent_text: &str) -> LinkId {
    let (version, anchor) = (kernel_version.to_le_bytes(), intent_anchor.to_le_bytes());
    LinkId(digest_of("link", &[session.as_bytes(), kernel.as_bytes(), &version, &anchor, intent_text.as_bytes()]))
}
