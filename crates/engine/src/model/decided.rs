//! What a conversation decided, before it becomes cards.

use super::evidence::EvidenceRef;
use super::time::Timestamp;

/// The decisions of one case.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Decided {
    /// What it is about.
    pub subject: String,
    pub parts: Vec<DecidedPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedOption>,
    /// Stems of what was decided, of what was said to stay as it is, and of all else that was said:
    /// a later conversation is compared with earlier ones by these.
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    pub spoken: Vec<String>,
    /// How often it refers to something that was decided before.
    #[serde(default)]
    pub references: usize,
    pub time: Option<Timestamp>,
}

/// How binding a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Firmness {
    /// The person said it, chose it, or accepted a recap that says it.
    Firm,
    /// The person agreed to a proposal.
    Agreed,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DecidedPart {
    pub text: String,
    pub weight: i32,
    pub firmness: Firmness,
    /// The words that say it.
    pub said: EvidenceRef,
    /// The person's words that made it binding.
    pub bound: EvidenceRef,
}

/// How a failure was fixed, to be told together with others of the same rule.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FixNote {
    pub rule: String,
    pub command: String,
    /// What the tool says.
    pub text: String,
    /// What was done.
    pub done: String,
}

/// An option that was proposed and refused, so that nobody proposes it again.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RefusedOption {
    pub proposal: String,
    pub because: String,
    /// The words that refuse it.
    pub evidence: EvidenceRef,
}
