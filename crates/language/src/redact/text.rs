//! Helpers for bytes of text: classes, runs, boundaries, escapes.

use std::ops::Range;

/// Whether the byte can be part of a token or a name: a letter, a digit, `_` or `-`.
pub(super) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

pub(super) fn is_base64_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

pub(super) fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The byte before `at`, if there is one.
pub(super) fn byte_before(text: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|index| text.get(index)).copied()
}

/// The end of the run of bytes from `from` on that satisfy `belongs`.
pub(super) fn run_end(text: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !belongs(byte));
    from + length.unwrap_or(rest.len())
}

/// The same within `limit` bytes. A limit is necessary if the run itself can contain an anchor: many anchors in one
/// long run would make the time quadratic.
pub(super) fn run_end_within(text: &[u8], from: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let end = text.len().min(from.saturating_add(limit));
    run_end(&text[..end], from, belongs)
}

/// Skips bytes that satisfy `is_filler`, and quotes, escaped or not. Stops at a backslash that does not escape a quote,
/// because the value must not start inside an escape.
pub(super) fn skip_to_value(text: &[u8], from: usize, is_filler: impl Fn(u8) -> bool) -> usize {
    let mut at = from;
    loop {
        at = run_end(text, at, &is_filler);
        let quote = run_end(text, at, |byte| byte == b'\\');
        if !text.get(quote).is_some_and(|&byte| is_quote(byte)) {
            return at;
        }
        at = quote + 1;
    }
}

/// The start of the run of bytes before `to` that satisfy `belongs`; reads at most `limit` bytes.
pub(super) fn run_start(text: &[u8], to: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let floor = to.saturating_sub(limit);
    let before = text.get(floor..to).unwrap_or_default();
    let stop = before.iter().rposition(|&byte| !belongs(byte));
    stop.map_or(floor, |index| floor + index + 1)
}

/// Like [`run_start`], but an escape is not part of the word: `\nTOKEN` and `\u0026TOKEN` start at the `T`.
pub(super) fn word_start(text: &[u8], to: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let start = run_start(text, to, limit, belongs);
    if !matches!(byte_before(text, start), Some(b'\\' | b'%')) {
        return start;
    }
    let longest_escape = to.min(start + b"u0026".len());
    let escape_end = (start + 1..=longest_escape).rev().find(|&at| ends_escape(text, at));
    escape_end.unwrap_or(start)
}

pub(super) fn starts_with(text: &[u8], at: usize, prefix: &[u8]) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(prefix))
}

pub(super) fn starts_with_any_case(text: &[u8], at: usize, prefix: &str) -> bool {
    text.get(at..at + prefix.len()).is_some_and(|found| found.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Whether `needle` (lower case) occurs, ignoring letter case.
pub(super) fn contains_any_case(text: &[u8], needle: &str) -> bool {
    text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

pub(super) fn contains(text: &[u8], needle: &[u8]) -> bool {
    text.windows(needle.len()).any(|window| window == needle)
}

/// Whether a token can start at `at`: the byte before is not part of a word, or is the last letter of an escape (`\n`,
/// `\u003d`, `%3D`, a terminal colour).
pub(super) fn can_begin_token(text: &[u8], at: usize) -> bool {
    match byte_before(text, at) {
        Some(before) if is_token_byte(before) => ends_escape(text, at),
        // In `\npm_` the `n` ends a line: no npm token starts here.
        Some(b'\\') => !matches!(text.get(at), Some(b'n' | b't' | b'r' | b'b' | b'f' | b'u')),
        _ => true,
    }
}

/// Whether an escape sequence ends right before `at`.
pub(super) fn ends_escape(text: &[u8], at: usize) -> bool {
    let Some(before) = text.get(at.saturating_sub(6)..at) else {
        return false;
    };
    match before {
        [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] => true,
        [b'\\', b'u', hex @ ..] if hex.len() == 4 => hex.iter().all(u8::is_ascii_hexdigit),
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., b'm'] => ends_terminal_colour(text, at),
        _ => false,
    }
}

/// Whether `[32;1m` (after an escape byte, raw or escaped) ends before `at`.
fn ends_terminal_colour(text: &[u8], at: usize) -> bool {
    let numbers = run_start(text, at - 1, 12, |byte| byte.is_ascii_digit() || byte == b';');
    byte_before(text, numbers) == Some(b'[')
}

/// The part of `text` from `at`, at most `length` bytes, up to a line end (real or escaped) or a marker: used as "near,
/// after".
pub(super) fn rest_of_line(text: &[u8], at: usize, length: usize) -> Range<usize> {
    let limit = text.len().min(at.saturating_add(length));
    let stop = (at..limit).find(|&index| {
        text[index] == b'\n'
            || starts_with(text, index, b"\\n")
            || starts_with(text, index, super::MARKER_START.as_bytes())
    });
    at.min(limit)..stop.unwrap_or(limit)
}

/// The start of the line after a line end at `at`, real or escaped.
pub(super) fn after_line_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at) {
        Some(b'\n') => Some(at + 1),
        _ if starts_with(text, at, b"\\n") => Some(at + 2),
        _ => None,
    }
}

/// The part of `text` before `at`, at most `length` bytes, without markers: used as "near, before".
pub(super) fn text_before(text: &[u8], at: usize, length: usize) -> &[u8] {
    let floor = at.saturating_sub(length);
    let is_marker = |index: &usize| starts_with(text, *index, super::MARKER_START.as_bytes());
    let start = (floor..at).rev().find(is_marker).unwrap_or(floor);
    &text[start..at]
}

/// Decodes base64 or base64url (padding optional), stopping at `limit` output bytes; `None` at an invalid byte.
pub(super) fn decode_base64(text: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut bits: u32 = 0;
    let mut held = 0;
    for &byte in text.iter().take_while(|&&byte| byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push((bits >> held) as u8);
            if decoded.len() >= limit {
                break;
            }
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_end_where_a_token_may_begin() {
        for before in ["", " ", "\\n", "\\u003d", "%3D", "\u{1b}[32m", "\\u001b[1;31m", "é"] {
            let text = format!("{before}ghp_");
            assert!(can_begin_token(text.as_bytes(), before.len()), "{before:?}");
        }
        assert!(!can_begin_token(b"\\npm_", 1));
        for before in ["a", "n", "_", "-", "m", "3D", "u003d"] {
            let text = format!("{before}ghp_");
            assert!(!can_begin_token(text.as_bytes(), before.len()), "{before:?}");
        }
    }

    #[test]
    fn base64_decodes_both_alphabets() {
        assert_eq!(decode_base64(b"eyJhIjox", 99).as_deref(), Some(&b"{\"a\":1"[..]));
        assert_eq!(decode_base64(b"_-8=", 99), decode_base64(b"/+8", 99));
        assert_eq!(decode_base64(b"a*b", 99), None);
    }
}
