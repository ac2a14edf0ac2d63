//! What did Backstory answer, and how sure was it? Events of its own, so that stated
//! probabilities can be compared with outcomes.

use super::ids::{EventId, ProjectId};
use super::outcome::OutcomeKind;

/// The session id of such events.
pub const RETRIEVALS_SESSION: &str = "retrievals";

/// A stated probability covers this many of the first documents.
pub const STATED_OF: usize = 5;

/// The input of a retrieval. The question is the event's text.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Retrieval {
    pub verb: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The host's session that asked, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub mode: String,
    /// The stated probability that the cause is among the first five, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<f32>,
    /// Best first.
    pub documents: Vec<RetrievedDocument>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RetrievedDocument {
    pub id: String,
    pub kind: String,
    /// From the root of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first and the last, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub score: f32,
    /// The probability that this is the cause.
    pub stated: f32,
}

/// The input of an outcome that a person records of a retrieval.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RetrievalOutcome {
    pub retrieval: EventId,
    pub outcome: OutcomeKind,
    /// Which of its documents was the cause, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<usize>,
}

impl RetrievalOutcome {
    /// Was the cause among the first five? If it is named, its number says so.
    pub fn is_among_first(&self) -> bool {
        match self.cause {
            Some(cause) => (1..=STATED_OF).contains(&cause),
            None => matches!(self.outcome, OutcomeKind::UserConfirmedHelpful | OutcomeKind::ToolSuccess),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Digest;

    #[test]
    fn a_named_cause_says_whether_it_was_among_the_first() {
        let said =
            |outcome, cause| RetrievalOutcome { retrieval: EventId(Digest([0; 16])), outcome, cause }.is_among_first();
        assert!(said(OutcomeKind::UserConfirmedHelpful, None));
        assert!(!said(OutcomeKind::UserCorrected, None));
        assert!(said(OutcomeKind::UserCorrected, Some(2)), "another document, but one that was shown early");
        assert!(!said(OutcomeKind::UserConfirmedHelpful, Some(6)));
    }
}
