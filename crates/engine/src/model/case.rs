//! A case: one piece of work.

use super::evidence::EvidenceRef;
use super::ids::{CaseId, EventId};
use backstory_language::digest::digest_of;

/// The role of a finding in its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Something that a person chose, corrected or answered, in their own words.
    Decision,
    /// An agent's proposal that the person accepted.
    Accepted,
    /// An agent's proposal that the person refused.
    Rejected,
    /// A cause that an agent assumed and retracted later.
    Refuted,
    /// A cause or reason.
    Cause,
    /// Something that was done, or the resulting state.
    Result,
    /// An attempt that did not help.
    Tried,
    /// Unfinished work.
    Open,
    /// A passing remark.
    Remark,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::Decision => "decision",
            Role::Accepted => "accepted",
            Role::Rejected => "rejected",
            Role::Refuted => "refuted",
            Role::Cause => "cause",
            Role::Result => "result",
            Role::Tried => "tried",
            Role::Open => "open",
            Role::Remark => "remark",
        }
    }
}

/// A statement of a case, quoted exactly.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    pub role: Role,
    pub turn: u32,
    /// Its relevance to the case, in hundredths: by its position, its wording, its speaker and the
    /// person's reply.
    pub weight: i32,
    pub evidence: EvidenceRef,
    /// The heading above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<(u32, u32)>,
}

/// A request with its follow-ups: consecutive turns of one episode.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Case {
    pub id: CaseId,
    pub first_turn: u32,
    pub last_turn: u32,
    /// The request, in the person's words.
    pub asked: EvidenceRef,
    /// A conversation with little work.
    pub is_talk: bool,
    /// In the order in which they were said.
    pub findings: Vec<Finding>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CaseCommit>,
    /// How the last exchange ended.
    pub end: CaseEnd,
}

/// A commit that was made, as git printed it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CaseCommit {
    /// The first digits of its hash.
    pub hash: String,
    pub subject: String,
    /// The line of the output.
    pub evidence: EvidenceRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    /// The agent said something without a question.
    Answered,
    /// The agent asked, and nobody answered.
    Asked,
    /// The agent offered to do more.
    Offered,
    /// The person stopped the agent, or rejected its last call.
    Refused,
    /// The agent said nothing after its last call.
    Cut,
}

/// The id comes from the opening request, so it does not change as the case grows.
pub fn case_id(asked: EventId) -> CaseId {
    CaseId(digest_of("case", &[asked.as_bytes()]))
}
