//! Finds the secrets in a text and replaces them.

use std::borrow::Cow;

use super::MARKER_START;
use super::anchors::{AnchorCheck, anchors};
use super::findings::Findings;
use super::findings::FoundSecret;
use super::kind::SecretKind;
use super::prefilter::Prefilter;

/// Finds and replaces secrets. Build it once and share it; it never changes.
pub struct Redactor {
    prefilter: Prefilter,
    checks: Vec<AnchorCheck>,
    anchor_lengths: Vec<usize>,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text with markers in place of secrets; borrowed if there were none.
    pub text: Cow<'a, str>,
    /// The findings in text order; the ranges refer to the given text.
    pub found: Vec<FoundSecret>,
}

impl Redactor {
    /// Builds the tables; takes about a millisecond.
    pub fn new() -> Self {
        let (literals, checks) = anchors();
        let anchor_lengths = literals.iter().map(|literal| literal.text.len()).collect();
        Redactor { prefilter: Prefilter::new(literals), checks, anchor_lengths }
    }

    /// Replaces every secret in the text with a marker that names its kind.
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        let found = self.find(text);
        let text = if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replace(text, &found)) };
        Redacted { text, found }
    }

    /// The secrets in the text, in text order; they do not overlap.
    ///
    /// A secret right beside another may be found only after the first is replaced. So passes repeat until nothing more
    /// is found, which also makes redaction idempotent. The second pass is nearly always the last.
    pub fn find(&self, text: &str) -> Vec<FoundSecret> {
        const MOST_LOOKS: usize = 8;
        let mut found = self.look(text);
        for _ in 1..MOST_LOOKS {
            if found.is_empty() {
                break;
            }
            let more = self.look(&replace(text, &found));
            if more.is_empty() {
                break;
            }
            let more = in_original(more, &found);
            found.extend(more);
            found.sort_by_key(|finding| finding.range.start);
        }
        found
    }

    /// One pass over the text.
    fn look(&self, text: &str) -> Vec<FoundSecret> {
        let bytes = text.as_bytes();
        let mut found = Findings::new(bytes);
        self.prefilter.scan(bytes, |anchor, at| {
            if !found.cover(at) {
                self.checks[anchor].run(bytes, at, self.anchor_lengths[anchor], &mut found);
            }
        });
        found.into_sorted()
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Redactor::new()
    }
}

/// Converts the ranges of findings in a redacted text to the original, from which `replaced` was removed. No finding
/// includes a marker, so each lies between two.
fn in_original(findings: Vec<FoundSecret>, replaced: &[FoundSecret]) -> Vec<FoundSecret> {
    let mut replaced = replaced.iter().peekable();
    let (mut added, mut removed) = (0, 0);
    let to_original = |mut finding: FoundSecret| {
        while let Some(before) = replaced.next_if(|before| before.range.start + added <= finding.range.start + removed)
        {
            added += marker_length(before.kind);
            removed += before.range.len();
        }
        let shift = |at: usize| at + removed - added;
        finding.range = shift(finding.range.start)..shift(finding.range.end);
        finding
    };
    findings.into_iter().map(to_original).collect()
}

fn marker_length(kind: SecretKind) -> usize {
    MARKER_START.len() + kind.name().len() + "]".len()
}

fn replace(text: &str, found: &[FoundSecret]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut kept_to = 0;
    for finding in found {
        redacted.push_str(&text[kept_to..finding.range.start]);
        redacted.push_str(MARKER_START);
        redacted.push_str(finding.kind.name());
        redacted.push(']');
        kept_to = finding.range.end;
    }
    redacted.push_str(&text[kept_to..]);
    redacted
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a failing test prints what it missed")]
mod tests;
