//! Private keys written as blocks: PEM, OpenSSH, PGP, PuTTY.
//!
//! A block is walked line by line rather than searched for its END line, because it may be cut short, carry line
//! numbers, file names or diff signs, or be in a JSON string (escaped line ends) or in source code (one quoted string
//! per line). Without a BEGIN line, a key is recognised by its END line or its first bytes.

use super::entropy::looks_random;
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::PrivateKey;
use super::text::{
    byte_before, can_begin_token, contains, decode_base64, is_base64_byte, is_quote, run_end, run_end_within,
    starts_with, word_start,
};

/// Less key material than this is an illustration (`MIIE...`), not a key.
const LEAST_MATERIAL: usize = 40;
/// A shorter line counts as key material only right before the END line.
const SHORTEST_LINE: usize = 16;
/// What may stand between two lines: line end, quotes, line number, indentation.
const LONGEST_GAP: usize = 48;
const LONGEST_HEADER: usize = 160;
/// Less than this without a BEGIN line is not a key.
const LEAST_BARE_MATERIAL: usize = 56;
/// The longest prefix that a log or a search puts before each line.
const LONGEST_LINE_PREFIX: usize = 120;
/// No key has more lines.
const MOST_LINES: usize = 400;

/// At `-----BEGIN`.
pub(super) fn check_pem(text: &[u8], at: usize, found: &mut Findings) {
    let label = at + b"-----BEGIN".len();
    let label_end = run_end(text, label, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let is_static = starts_with(text, label, b" OpenVPN Static key V1-----");
    if is_static {
        let start = label + b" OpenVPN Static key V1-----".len();
        if let Some(end) = key_material_end(text, start) {
            found.add(at, FoundSecret::new(PrivateKey, at..end));
        }
        return;
    }
    let is_private_key = contains(&text[label..label_end], b"PRIVATE KEY");
    if !is_private_key || !starts_with(text, label_end, b"-----") {
        return;
    }
    if let Some(end) = key_material_end(text, label_end + 5) {
        found.add(at, FoundSecret::new(PrivateKey, at..end));
    }
}

/// At `Private-Lines:` of a PuTTY key file: a count, then that many lines.
pub(super) fn check_putty(text: &[u8], at: usize, found: &mut Findings) {
    let colon = at + b"Private-Lines".len();
    let count = run_end(text, colon + 1, |byte| byte == b' ');
    let start = run_end(text, count, |byte| byte.is_ascii_digit());
    if let Some(end) = key_material_end(text, start) {
        found.add(at, FoundSecret::new(PrivateKey, at..end));
    }
}

/// At `-----END`, if the BEGIN line did not reveal the key.
pub(super) fn check_pem_end(text: &[u8], at: usize, found: &mut Findings) {
    let end = end_of_end_line(text, at);
    if !contains(&text[at..end], b"PRIVATE KEY") {
        return;
    }
    let mut start = at;
    let mut material = 0;
    for _ in 0..MOST_LINES {
        let Some((line, length)) = line_before(text, start) else {
            break;
        };
        // Only the last line of a key is short.
        if length < SHORTEST_LINE && material > 0 || length == 0 {
            break;
        }
        start = line;
        material += length;
    }
    if material >= LEAST_MATERIAL {
        found.add(start, FoundSecret::new(PrivateKey, start..end));
    }
}

/// The base64 at the end of the line before `at`: its start and length.
fn line_before(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let floor = at.saturating_sub(LONGEST_LINE_PREFIX);
    let is_break = |index: usize| text[index] == b'\n' || starts_with(text, index, b"\\n");
    let line_end = (floor..at).rev().find(|&index| is_break(index))?;
    let is_trailing = |byte: u8| matches!(byte, b'\r' | b'\\' | b',' | b' ' | b'+') || is_quote(byte);
    let mut end = line_end;
    while end > 0 && is_trailing(text[end - 1]) && line_end - end < 8 {
        end -= 1;
    }
    // The `r` of an escaped `\\r\\n`.
    if end >= 2 && &text[end - 2..end] == b"\\r" {
        end -= 2;
    }
    let start = word_start(text, end, 200, is_base64_byte);
    Some((start, end - start))
}

/// At `MII` or another start of a base64 private key: a sequence whose first member is a number, the version.
/// Certificates and public keys start with another sequence.
pub(super) fn check_key_bytes(text: &[u8], at: usize, found: &mut Findings) {
    if !can_begin_token(text, at) && !is_after_line_label(text, at) {
        return;
    }
    let line_end = run_end_within(text, at, 24, is_base64_byte);
    let Some(bytes) = decode_base64(&text[at..line_end], 12) else {
        return;
    };
    if is_private_key(&bytes)
        && let Some(end) = material_end(text, at, LEAST_BARE_MATERIAL)
    {
        found.add(at, FoundSecret::new(PrivateKey, at..end));
    }
}

/// `+MII…` in a diff.
fn is_after_line_label(text: &[u8], at: usize) -> bool {
    matches!(byte_before(text, at), Some(b'+' | b'-'))
}

fn is_private_key(der: &[u8]) -> bool {
    let inner = match der {
        [0x30, 0x82, _, _, inner @ ..] | [0x30, 0x81, _, inner @ ..] => inner,
        [0x30, length, inner @ ..] if *length < 0x80 => inner,
        _ => return der.starts_with(b"openssh-key"),
    };
    // A version, then the modulus, the algorithm, or the key of an elliptic curve.
    matches!(inner, [0x02, 0x01, 0 | 1, 0x02 | 0x04 | 0x30, ..])
}

/// At `LS0tLS1CRUdJTi`, base64 of `-----BEGIN`.
pub(super) fn check_encoded_pem(text: &[u8], at: usize, found: &mut Findings) {
    let line_end = run_end_within(text, at, 100, is_base64_byte);
    let Some(bytes) = decode_base64(&text[at..line_end], 64) else {
        return;
    };
    if contains(&bytes, b"PRIVATE KEY")
        && let Some(end) = material_end(text, at, LEAST_BARE_MATERIAL)
    {
        found.add(at, FoundSecret::new(PrivateKey, at..end));
    }
}

/// The end of the key material that starts at `start`, including its END line.
fn key_material_end(text: &[u8], start: usize) -> Option<usize> {
    material_end(text, start, LEAST_MATERIAL)
}

fn material_end(text: &[u8], start: usize, least: usize) -> Option<usize> {
    let mut material = 0;
    let mut end = start;
    let mut next = skip_gap(text, start);
    while let Some(at) = next {
        if starts_with(text, at, b"-----END") {
            end = end_of_end_line(text, at);
            break;
        }
        if let Some(header_end) = header_end(text, at) {
            next = skip_gap(text, header_end);
            continue;
        }
        let Some((from, line_end)) = material_line(text, at) else {
            break;
        };
        if starts_with(text, from, b"-----END") {
            end = end_of_end_line(text, from);
            break;
        }
        material += line_end - from;
        end = line_end;
        next = skip_gap(text, line_end);
    }
    (material >= least).then_some(end)
}

/// The key material of the line at `at`: all of it, or the part at its end after a file name or a time. Also the END
/// line after such a prefix.
fn material_line(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = run_end(text, at, is_base64_byte);
    let stops = text
        .get(end)
        .is_none_or(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b',' | b'-' | b'<') || is_quote(byte));
    if stops && (end - at >= SHORTEST_LINE || end > at && comes_before_end_line(text, end)) {
        return Some((at, end));
    }
    let line_end =
        run_end_within(text, at, LONGEST_LINE_PREFIX + 200, |byte| byte != b'\n' && byte != b'\\' && !is_quote(byte));
    let is_trailing = |byte: u8| byte.is_ascii_whitespace();
    let mut end = line_end;
    while end > at && is_trailing(text[end - 1]) {
        end -= 1;
    }
    if let Some(mark) = (at..end).find(|&index| starts_with(text, index, b"-----END")) {
        return Some((mark, end));
    }
    let start = word_start(text, end, 200, is_base64_byte);
    let fits = start > at
        && start - at <= LONGEST_LINE_PREFIX
        && matches!(text[start - 1], b':' | b'-' | b' ' | b'\t' | b'|' | b'>' | b']');
    let is_line = end - start >= 40
        || end - start >= 24 && looks_random(&text[start..end])
        || end > start && comes_before_end_line(text, end);
    (fits && is_line).then_some((start, end))
}

fn comes_before_end_line(text: &[u8], at: usize) -> bool {
    let marks_end = |next: usize| {
        let line_end = run_end_within(text, next, LONGEST_LINE_PREFIX, |byte| byte != b'\n' && byte != b'\\');
        contains(&text[next..text.len().min(line_end + 12)], b"-----END")
    };
    skip_gap(text, at).is_some_and(|next| {
        // A PGP block ends with a checksum line.
        let checksum_end = run_end(text, next, is_base64_byte);
        marks_end(next)
            || checksum_end - next <= 5
                && skip_gap(text, checksum_end).is_some_and(|last| starts_with(text, last, b"-----END"))
    })
}

fn end_of_end_line(text: &[u8], at: usize) -> usize {
    let label_end = run_end(text, at + 5, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    run_end(text, label_end, |byte| byte == b'-')
}

/// The start of the next line's content; `None` when it is too far away.
fn skip_gap(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        let escape = matches!(text.get(at + 1), Some(b'n' | b'r' | b't'));
        let step = match byte {
            b'\\' if escape => 2,
            b'\\' | b'\n' | b'\r' | b'\t' | b' ' | b'"' | b'\'' | b'`' | b',' | b'>' | b'|' | b'*' | b'#' => 1,
            _ if starts_with(text, at, "→".as_bytes()) => "→".len(),
            b'-' if starts_with(text, at, b"------END") => 1,
            b'+' | b'-' | b'0'..=b'9' => match line_label_end(text, at) {
                Some(end) => end - at,
                None => break,
            },
            _ => break,
        };
        at += step;
    }
    (at - from <= LONGEST_GAP).then_some(at)
}

/// The end of a line number (`12→`, `12:`, `12|`) or of a lone `+` (a diff, a sum).
fn line_label_end(text: &[u8], at: usize) -> Option<usize> {
    let number_end = run_end(text, at, |byte| byte.is_ascii_digit());
    if number_end == at {
        let lone = matches!(text.get(at + 1), Some(b' ' | b'\t' | b'\n' | b'\\' | b'"'));
        let begins_line = text[..at].ends_with(b"\n") || text[..at].ends_with(b"\\n");
        let is_sign = text[at] == b'+' || text.get(at + 1) != Some(&b'-');
        return (is_sign && (lone || begins_line)).then_some(at + 1);
    }
    let labels = starts_with(text, number_end, "→".as_bytes())
        || matches!(text.get(number_end), Some(b':' | b'|' | b'\t' | b' ' | b'-'));
    let is_label_sign = |byte: u8| matches!(byte, b':' | b'|' | b'-');
    let goes_on = !starts_with(text, number_end, b"-----END");
    (labels && goes_on).then(|| run_end_within(text, number_end, 1, is_label_sign))
}

/// The end of a header line of an encrypted or PGP key (`Proc-Type: 4,ENCRYPTED`).
fn header_end(text: &[u8], at: usize) -> Option<usize> {
    const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"];
    HEADERS
        .iter()
        .any(|header| starts_with(text, at, header.as_bytes()))
        .then(|| run_end_within(text, at, LONGEST_HEADER, |byte| byte != b'\n' && byte != b'\\' && byte != b'"'))
}
