//! Replaces secrets in text by markers such as `[redacted:github-token]`, before the
//! text is written anywhere.
//!
//! How it works: one pass over the text (`prefilter`) finds the places where a
//! secret might stand or be announced: a vendor's prefix (`ghp_`), a telling word
//! (`password`), a sign (`://`, `-----BEGIN`). At each such place (`anchors`) a small
//! hand-written check looks at the neighbourhood only:
//!
//! - `rules`: tokens with a prefix (`prefixes`): alphabet and length must fit;
//! - `assigned`: a secret-like name (`names`), then its value (`values`), which must
//!   look random (`entropy`) or like a password, and not like a `placeholder`;
//!   With a clear name a plain word (`words`) is enough where only text can stand;
//! - `commands`: the flags and words with which programs (`programs`) take a password;
//! - `told`, `columns`: a name in a sentence, a heading or a column, and the value apart from it;
//! - `calls`, `said`, `printed`: arguments of calls, sentences and tables, the line that a
//!   command printed;
//! - `manifests`, `records`, `blocks`, `stores`: documents, lines of fields, keys and their pieces;
//! - `issued`: keys shown once, licences, logins in the log of a protocol;
//! - `jwt`, `urls`, `authorization`, `context`: forms of their own.
//!
//! Text in which nothing is found is given back as it came, without any allocation.
//!
//! Decisions:
//! - Redacting redacted text changes nothing: markers are never evidence and never
//!   part of a secret, a secret is taken with all that is glued to it, and a text in
//!   which something was found is looked at again.
//! - Text may be raw or the inside of JSON (escaped once or more). A secret never
//!   takes a quote or half an escape with it: JSON stays valid.
//! - Keys that documentation shows as examples and marks as such (`…EXAMPLE`), the
//!   token of jwt.io and other placeholders stay readable: they are public.
//! - Hashes of passwords (bcrypt, argon2 …) and public keys stay; but the hash beside its
//!   user in a password file goes.
//! - Of a URL with credentials only the password goes; of an assignment only the value.
//! - A value of its own, without prefix, form or name, is never taken for a secret: hashes,
//!   ids and base64 data look the same.
//!
//! Known to be missed (the positives that `planted` marks as hard are such cases): a
//! plain word or phrase where code could stand as well (`password = word`); a word, or two
//! joined ones, apart from its name in a sentence; a value named only by a comment behind
//! it; what a command printed, where the command stands in another event; one broken into several strings; lines from the middle of a
//! key, without its first or last one; raw `/` in a URL's password; JSON that escapes `/`
//! or writes quotes as `\u0022`; UUIDs under a vague name.

mod anchors;
mod assigned;
mod authorization;
mod blocks;
mod calls;
mod columns;
mod commands;
mod context;
mod entropy;
mod findings;
mod issued;
mod jwt;
mod kind;
mod manifests;
mod names;
mod placeholder;
pub mod planted;
mod prefilter;
mod prefixes;
mod printed;
mod programs;
mod records;
mod rules;
mod said;
mod stores;
#[cfg(test)]
#[allow(clippy::print_stdout, reason = "a failing test prints what it missed")]
mod tests;
mod text;
mod told;
mod urls;
mod values;
mod words;

use std::borrow::Cow;

use anchors::{Check, anchors};
pub use findings::Finding;
use findings::Findings;
pub use kind::SecretKind;
use prefilter::Prefilter;

/// How every marker begins.
pub const MARKER_START: &str = "[redacted:";

/// Finds and replaces secrets. Build it once and share it; it never changes.
pub struct Redactor {
    prefilter: Prefilter,
    checks: Vec<Check>,
    anchor_lengths: Vec<usize>,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text with markers in place of secrets; borrowed when there were none.
    pub text: Cow<'a, str>,
    /// What was found, in text order; the ranges are those of the text given.
    pub found: Vec<Finding>,
}

impl Redactor {
    /// Builds the tables; takes about a millisecond.
    pub fn new() -> Self {
        let (literals, checks) = anchors();
        let anchor_lengths = literals.iter().map(|literal| literal.text.len()).collect();
        Redactor { prefilter: Prefilter::new(literals), checks, anchor_lengths }
    }

    /// The text with every secret replaced by a marker that names its kind.
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        let found = self.find(text);
        let text = if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replace(text, &found)) };
        Redacted { text, found }
    }

    /// The secrets in the text, in text order; they do not overlap.
    ///
    /// Where one secret stands right beside another, the second may come to light only
    /// when the first is gone. So the text is looked at until nothing more is found:
    /// that, too, makes redaction idempotent. Nearly always the second look is the last.
    pub fn find(&self, text: &str) -> Vec<Finding> {
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

    /// One look at the text.
    fn look(&self, text: &str) -> Vec<Finding> {
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

/// Gives findings in a redacted text the ranges they have in the original, of which
/// `replaced` was taken out. No finding takes in a marker, so each lies between two.
fn in_original(findings: Vec<Finding>, replaced: &[Finding]) -> Vec<Finding> {
    let mut replaced = replaced.iter().peekable();
    let (mut added, mut removed) = (0, 0);
    let to_original = |mut finding: Finding| {
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

fn replace(text: &str, found: &[Finding]) -> String {
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
