//! What is one diagnostic?

use crate::digest::Digest;

/// The kind of a diagnostic. It decides whether an earlier fix can help with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticKind {
    /// A rule of a linter or formatter.
    Lint,
    /// The code is malformed.
    Compile,
    /// A test found something other than expected.
    Assertion,
    /// The command failed to work: a wrong flag, a missing file or program.
    Tool,
    Other,
}

impl DiagnosticKind {
    pub fn name(self) -> &'static str {
        match self {
            DiagnosticKind::Lint => "lint",
            DiagnosticKind::Compile => "compile",
            DiagnosticKind::Assertion => "assertion",
            DiagnosticKind::Tool => "tool",
            DiagnosticKind::Other => "other",
        }
    }

    /// Violations of conventions and wrong uses of tools recur; a fault in one piece of code rarely does.
    pub fn is_reusable(self) -> bool {
        matches!(self, DiagnosticKind::Lint | DiagnosticKind::Tool)
    }
}

/// One error or warning in an output.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Diagnostic {
    /// Equal for diagnostics that differ only in places, numbers and names. The name in stored rows is `print`.
    #[serde(rename = "print")]
    pub fingerprint: Digest,
    pub sort: DiagnosticKind,
    /// The rule's name, if the tool prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The tool's words, shortened.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of code that the tool shows with it, hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u32>,
    /// Its bytes in the output.
    pub start: u32,
    pub end: u32,
    pub hash: Digest,
    /// How often it occurs for this file.
    pub count: u32,
}
