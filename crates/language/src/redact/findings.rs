//! Collects the findings in one text.

use std::ops::Range;

use super::MARKER_START;
use super::kind::SecretKind;
use super::text::{contains, is_token_byte, run_end, starts_with};

/// A secret: its kind, and its range in the given text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    pub kind: SecretKind,
    /// Its range in bytes.
    pub range: Range<usize>,
}

impl FoundSecret {
    pub(super) fn new(kind: SecretKind, range: Range<usize>) -> Self {
        FoundSecret { kind, range }
    }
}

/// Collects findings; allocates nothing until the first.
pub(super) struct Findings<'a> {
    text: &'a [u8],
    list: Vec<FoundSecret>,
    /// The end of the last window that a whole-document check has seen.
    window_end: usize,
}

impl<'a> Findings<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Findings { text, list: Vec::new(), window_end: 0 }
    }

    /// Whether `at` is inside the last finding, so that no check is needed there.
    #[inline]
    pub(super) fn cover(&self, at: usize) -> bool {
        let recent = self.list.iter().rev().take(4);
        recent.into_iter().any(|found| found.range.contains(&at))
    }

    /// Whether a whole-document check has seen this place.
    pub(super) fn window_covers(&self, at: usize) -> bool {
        at < self.window_end
    }

    /// The part of the window that no whole-document check has seen; `None` if its middle was seen. So a long run of
    /// documents is checked only once.
    pub(super) fn open_window(&mut self, window: Range<usize>) -> Option<Range<usize>> {
        let start = window.start.max(self.window_end);
        if window.end <= self.window_end || start >= window.end {
            return None;
        }
        self.window_end = window.end;
        Some(start..window.end)
    }

    /// Records a finding whose evidence starts at `anchor`. Markers of an earlier redaction are neither evidence nor
    /// part of a secret, so a second redaction changes nothing.
    pub(super) fn add(&mut self, anchor: usize, finding: FoundSecret) {
        let FoundSecret { kind, mut range } = finding;
        // Adjacent token bytes are redacted too: a marker before them must not change the result of a second redaction.
        range.end = run_end(self.text, range.end, is_token_byte);
        let seen = &self.text[anchor.min(range.start)..range.end];
        let has_marker = contains(seen, MARKER_START.as_bytes())
            || is_before_marker(self.text, range.end)
            || is_inside_marker(self.text, anchor)
            || is_inside_marker(self.text, range.start)
            || is_inside_marker(self.text, range.end);
        if !range.is_empty() && !has_marker {
            debug_assert!(is_whole(self.text, &range), "{kind} cuts a character");
            self.list.push(FoundSecret { kind, range });
        }
    }

    /// The findings in text order, with overlapping ones merged.
    pub(super) fn into_sorted(mut self) -> Vec<FoundSecret> {
        self.list.sort_by_key(|found| found.range.start);
        self.list.dedup_by(|next, kept| {
            let overlap = next.range.start < kept.range.end;
            if overlap {
                kept.range.end = kept.range.end.max(next.range.end);
            }
            overlap
        });
        self.list
    }
}

/// Whether a marker follows, possibly after bytes that are trimmed off the end of a value.
fn is_before_marker(text: &[u8], at: usize) -> bool {
    let next = run_end(text, at, |byte| matches!(byte, b'.' | b':' | b')' | b']' | b'}'));
    starts_with(text, next, MARKER_START.as_bytes())
}

/// Whether the range starts and ends between characters. Always true, because checks end at ASCII bytes only.
fn is_whole(text: &[u8], range: &Range<usize>) -> bool {
    let is_inner = |at: usize| text.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
    !is_inner(range.start) && !is_inner(range.end)
}

/// Whether `at` is inside a `[redacted:…]` marker.
fn is_inside_marker(text: &[u8], at: usize) -> bool {
    const LONGEST_MARKER: usize = 48;
    let floor = at.saturating_sub(LONGEST_MARKER);
    let Some(open) = text[floor..at].iter().rposition(|&byte| byte == b'[') else {
        return false;
    };
    let name = floor + open + MARKER_START.len();
    let end = run_end(text, name, |byte| byte.is_ascii_lowercase() || byte == b'-');
    starts_with(text, floor + open, MARKER_START.as_bytes()) && end >= at && text.get(end) == Some(&b']')
}
