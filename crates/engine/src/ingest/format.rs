//! Which format does a file have?

use super::{causantic, claude, codex, transcript};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    ClaudeCode,
    Codex,
    /// Lines with a speaker and a text, as JSON or `Name: text`.
    Transcript,
    /// One JSON document that holds such lines.
    TranscriptDocument,
    /// The database of Causantic, or an archive of it.
    Causantic,
}

impl Format {
    pub const ALL: [Format; 5] =
        [Format::ClaudeCode, Format::Codex, Format::Transcript, Format::TranscriptDocument, Format::Causantic];

    pub fn name(self) -> &'static str {
        match self {
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
            Format::Transcript => "transcript",
            Format::TranscriptDocument => "transcript-json",
            Format::Causantic => "causantic",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Can a file that has grown be read from where the last reading stopped? The other formats are
    /// read whole.
    pub fn can_resume(self) -> bool {
        matches!(self, Format::ClaudeCode | Format::Codex)
    }

    /// Detects the format from a file's first bytes. `None` if unknown.
    pub fn detect(head: &[u8]) -> Option<Self> {
        // First, because an archive may contain the markers of other formats.
        if causantic::looks_like(head) {
            return Some(Format::Causantic);
        }
        let text = String::from_utf8_lossy(head);
        if claude::looks_like(&text) {
            Some(Format::ClaudeCode)
        } else if codex::looks_like(&text) {
            Some(Format::Codex)
        } else {
            transcript::detect(&text)
        }
    }
}
