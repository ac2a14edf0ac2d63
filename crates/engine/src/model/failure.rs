//! Which diagnostics did a failing command print, and how did they end?

use backstory_language::diagnostics::{Diagnostic, DiagnosticKind};
use backstory_language::digest::Digest;

use super::evidence::EvidenceRef;
use super::ids::EventId;
use super::time::Timestamp;

/// A command line as it was run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CheckRun {
    pub turn: u32,
    pub seq: u32,
    /// Its checks in normal form. Without a check, the command itself, which may have helped.
    pub commands: Vec<String>,
    /// Each check as typed, with its environment variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<String>,
    /// Commands before the first check of the line; in a line without a check, commands that may
    /// make a check pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    pub is_check: bool,
    pub passed: bool,
    /// The output was cut (`| tail`): a diagnostic that it does not show may still exist.
    pub is_cut: bool,
    pub call: EventId,
    pub output: EventId,
    /// The beginning of the output, or the line that reports success.
    pub shown: EvidenceRef,
    pub time: Option<Timestamp>,
    pub diagnostics: Vec<Diagnostic>,
}

/// An edit of a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EditMade {
    pub turn: u32,
    pub seq: u32,
    pub file: String,
    pub call: EventId,
    /// The first of the replaced lines, hashed.
    pub before: Vec<u32>,
    /// How many lines it changed.
    pub size: u32,
}

/// What made a diagnostic go away.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Remedy {
    /// Edits of the very line that the tool showed.
    Line { edits: Vec<EventId> },
    /// Edits of the file that the tool named.
    File { edits: Vec<EventId> },
    /// Edits of other files.
    Elsewhere { edits: Vec<EventId> },
    /// Commands that were run, and no edit.
    Commands { commands: Vec<String> },
    /// Nothing but another form of the command: `PYTHONPATH=src pytest` for `pytest`.
    Form { command: String, instead_of: String },
    /// Unknown.
    Nothing,
}

impl Remedy {
    pub fn edits(&self) -> &[EventId] {
        match self {
            Remedy::Line { edits } | Remedy::File { edits } | Remedy::Elsewhere { edits } => edits,
            Remedy::Commands { .. } | Remedy::Form { .. } | Remedy::Nothing => &[],
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Remedy::Line { .. } => "line",
            Remedy::File { .. } => "file",
            Remedy::Elsewhere { .. } => "elsewhere",
            Remedy::Commands { .. } => "commands",
            Remedy::Form { .. } => "form",
            Remedy::Nothing => "nothing",
        }
    }
}

/// How a diagnostic was resolved.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Resolution {
    pub turn: u32,
    pub seq: u32,
    pub time: Option<Timestamp>,
    pub remedy: Remedy,
    /// Lines that the remedy changed.
    pub size: u32,
    /// All edits between the last failure and the pass.
    pub edits_between: u32,
    /// Commands between them that may have helped, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran_between: Vec<String>,
    /// What the passing run printed.
    pub passed: EvidenceRef,
}

/// A change of more lines than this cannot be stated in a sentence.
pub const LONGEST_CHANGE: u32 = 12;

impl Resolution {
    /// Is it clear enough what helped for others to use it?
    pub fn is_clear(&self) -> bool {
        match &self.remedy {
            Remedy::Line { .. } => self.size <= LONGEST_CHANGE,
            Remedy::File { edits } => edits.len() == 1 && self.size <= LONGEST_CHANGE,
            Remedy::Commands { .. } | Remedy::Form { .. } => true,
            Remedy::Elsewhere { .. } | Remedy::Nothing => false,
        }
    }
}

/// An edit after which the diagnostic remained.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attempt {
    pub turn: u32,
    pub seq: u32,
    pub time: Option<Timestamp>,
    pub edits: Vec<EventId>,
    pub size: u32,
    /// The line of code that was shown with the diagnostic before it, hashed.
    pub code: Option<u32>,
    /// The diagnostic after it.
    pub failed: EvidenceRef,
}

/// A diagnostic of a command about a file, from its first occurrence on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Failure {
    /// The name in stored rows is `print`.
    #[serde(rename = "print")]
    pub fingerprint: Digest,
    /// The same for all diagnostics of the rule. The name in stored rows is `rule_print`.
    #[serde(rename = "rule_print")]
    pub rule_fingerprint: Option<Digest>,
    pub sort: DiagnosticKind,
    pub rule: Option<String>,
    pub text: String,
    pub command: String,
    /// The command checks nothing, such as an install.
    #[serde(default)]
    pub of_helper: bool,
    pub file: Option<String>,
    /// The line of code last shown with it, hashed.
    pub code: Option<u32>,
    pub seq: u32,
    pub time: Option<Timestamp>,
    pub failed: EvidenceRef,
    pub attempts: Vec<Attempt>,
    pub resolution: Option<Resolution>,
}
