//! How did an action end?

use super::ids::EventId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    ToolSuccess,
    ToolFailure,
    UserConfirmedHelpful,
    UserCorrected,
}

impl OutcomeKind {
    pub const ALL: [OutcomeKind; 4] = [
        OutcomeKind::ToolSuccess,
        OutcomeKind::ToolFailure,
        OutcomeKind::UserConfirmedHelpful,
        OutcomeKind::UserCorrected,
    ];

    pub fn name(self) -> &'static str {
        match self {
            OutcomeKind::ToolSuccess => "tool_success",
            OutcomeKind::ToolFailure => "tool_failure",
            OutcomeKind::UserConfirmedHelpful => "user_confirmed_helpful",
            OutcomeKind::UserCorrected => "user_corrected",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The basis of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The exit state of the call.
    Exit,
    /// The output of a test run.
    Tests,
    /// The person refused the call.
    Rejected,
    /// The person stopped the agent.
    Interrupted,
    /// The person's words.
    Words,
}

impl Basis {
    pub const ALL: [Basis; 5] = [Basis::Exit, Basis::Tests, Basis::Rejected, Basis::Interrupted, Basis::Words];

    pub fn name(self) -> &'static str {
        match self {
            Basis::Exit => "exit",
            Basis::Tests => "tests",
            Basis::Rejected => "rejected",
            Basis::Interrupted => "interrupted",
            Basis::Words => "words",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|basis| basis.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub kind: OutcomeKind,
    pub basis: Basis,
    /// The event that shows it, and its place in the episode.
    pub event: EventId,
    pub seq: u32,
    /// The call, or the prompt that is confirmed or corrected.
    pub about: EventId,
    /// The test runner.
    pub runner: Option<String>,
}
