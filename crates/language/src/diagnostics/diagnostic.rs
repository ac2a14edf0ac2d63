//! What is one diagnostic?

use crate::digest::Digest;

/// What kind of complaint it is: this decides whether an earlier fix tells
/// anything to somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticKind {
    /// A rule of a linter or formatter.
    Lint,
    /// The code is not well formed.
    Compile,
    /// A test found something else than it expected.
    Assertion,
    /// The command could not do its work: a wrong flag, a missing file or program.
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

    /// Conventions and the ways of tools come back; what was wrong with one
    /// piece of code hardly does.
    pub fn is_reusable(self) -> bool {
        matches!(self, DiagnosticKind::Lint | DiagnosticKind::Tool)
    }
}

/// One thing that an output complains about.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Diagnostic {
    /// The same for complaints that differ in places, numbers and names only.
    pub print: Digest,
    pub sort: DiagnosticKind,
    /// The rule's name, where the tool says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// As the tool words it, in short.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of code that the tool shows with it, hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u32>,
    /// Where it stands in the output.
    pub start: u32,
    pub end: u32,
    pub hash: Digest,
    /// How often it occurs for this file.
    pub count: u32,
}
