//! Which input could not be read, where, and why? Bad input is data.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The input was damaged; it was repaired and kept.
    Repaired,
    /// The line or file could not be read and is not in the log.
    Skipped,
}

/// One thing wrong with one place of the input. The reason never quotes the
/// input, so that a forgotten or secret text cannot survive in a report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    pub file: String,
    /// Counted from 1; absent if the problem is with the whole file.
    pub line: Option<u64>,
    pub kind: ProblemKind,
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        let fate = match self.kind {
            ProblemKind::Repaired => "kept",
            ProblemKind::Skipped => "skipped",
        };
        write!(f, ": {} ({fate})", self.reason)
    }
}
