//! One piece of work, as a person would tell it.

use super::evidence::EvidenceRef;
use super::ids::{CaseId, EventId};
use backstory_language::digest::digest_of;

/// What a finding is to its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What a person chose, corrected or answered, in their own words.
    Decision,
    /// What an agent proposed and the person accepted.
    Accepted,
    /// What an agent proposed and the person refused.
    Rejected,
    /// What an agent held for the cause, and took back later.
    Refuted,
    /// Why something is or was so.
    Cause,
    /// What was done, or is so now.
    Result,
    /// What was tried and did not help.
    Tried,
    /// What is left.
    Open,
    /// Said in passing.
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
    /// How much it says about the case, in hundredths: by where it stands, what it says,
    /// who says it and what the person did next.
    pub weight: i32,
    pub evidence: EvidenceRef,
    /// The heading above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<(u32, u32)>,
}

/// A request with its follow-ups: a run of turns of one episode.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Case {
    pub id: CaseId,
    pub first_turn: u32,
    pub last_turn: u32,
    /// The request, in the person's words.
    pub asked: EvidenceRef,
    /// Mostly words between the two, and little work.
    pub is_talk: bool,
    /// In the order in which they were said.
    pub findings: Vec<Finding>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CaseCommit>,
    /// How the last exchange ended.
    pub end: CaseEnd,
}

/// A commit that was made, as git named it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CaseCommit {
    /// The first digits of its hash.
    pub hash: String,
    pub subject: String,
    /// The line of the output.
    pub evidence: EvidenceRef,
}

/// How the last exchange of a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    /// The agent said something, and asked for nothing.
    Answered,
    /// The agent asked, and nobody answered.
    Asked,
    /// The person stopped the agent, or refused what it wanted to do last.
    Refused,
    /// The agent said nothing after its last call.
    Cut,
}

/// A case keeps its id while it grows: the request that opens it.
pub fn case_id(asked: EventId) -> CaseId {
    CaseId(digest_of("case", &[asked.as_bytes()]))
}
