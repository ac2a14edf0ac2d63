//! Private keys written as blocks: PEM, OpenSSH, PGP, PuTTY.
//!
//! A block is walked line by line rather than searched for its END line, because it
//! may be cut short, carry line numbers or diff signs, or stand in a JSON string
//! (escaped line ends) or in source code (a quoted string a line).

use super::findings::{Finding, Findings};
use super::kind::SecretKind::PrivateKey;
use super::text::{contains, is_base64_byte, run_end, run_end_within, starts_with};

/// Less key material than this is an illustration (`MIIE...`), not a key.
const LEAST_MATERIAL: usize = 40;
/// A shorter line is taken for key material only right before the END line.
const SHORTEST_LINE: usize = 16;
/// What may stand between two lines: line end, quotes, line number, indentation.
const LONGEST_GAP: usize = 48;
const LONGEST_HEADER: usize = 160;

/// At `-----BEGIN`.
pub(super) fn check_pem(text: &[u8], at: usize, found: &mut Findings) {
    let label = at + b"-----BEGIN".len();
    let label_end = run_end(text, label, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let is_private_key = contains(&text[label..label_end], b"PRIVATE KEY");
    if !is_private_key || !starts_with(text, label_end, b"-----") {
        return;
    }
    if let Some(end) = key_material_end(text, label_end + 5) {
        found.add(at, Finding::new(PrivateKey, at..end));
    }
}

/// At `Private-Lines:` of a PuTTY key file: a count, then that many lines.
pub(super) fn check_putty(text: &[u8], at: usize, found: &mut Findings) {
    let colon = at + b"Private-Lines".len();
    let count = run_end(text, colon + 1, |byte| byte == b' ');
    let start = run_end(text, count, |byte| byte.is_ascii_digit());
    if let Some(end) = key_material_end(text, start) {
        found.add(at, Finding::new(PrivateKey, at..end));
    }
}

/// Where the key material that begins at `start` ends, its END line included.
fn key_material_end(text: &[u8], start: usize) -> Option<usize> {
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
        let line_end = run_end(text, at, is_base64_byte);
        let is_line = line_end - at >= SHORTEST_LINE || comes_before_end_line(text, line_end);
        if line_end == at || !is_line {
            break;
        }
        material += line_end - at;
        end = line_end;
        next = skip_gap(text, line_end);
    }
    (material >= LEAST_MATERIAL).then_some(end)
}

fn comes_before_end_line(text: &[u8], at: usize) -> bool {
    skip_gap(text, at).is_some_and(|next| {
        // A PGP block ends in a checksum line of its own.
        let checksum_end = run_end(text, next, is_base64_byte);
        starts_with(text, next, b"-----END")
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
            b'+' | b'0'..=b'9' => match line_label_end(text, at) {
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
        return (lone || text.get(at.wrapping_sub(1)) == Some(&b'\n')).then_some(at + 1);
    }
    let labels =
        starts_with(text, number_end, "→".as_bytes()) || matches!(text.get(number_end), Some(b':' | b'|' | b'\t'));
    labels.then(|| run_end(text, number_end, |byte| byte == b':' || byte == b'|'))
}

/// The end of a header line of an encrypted or PGP key (`Proc-Type: 4,ENCRYPTED`).
fn header_end(text: &[u8], at: usize) -> Option<usize> {
    const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"];
    HEADERS
        .iter()
        .any(|header| starts_with(text, at, header.as_bytes()))
        .then(|| run_end_within(text, at, LONGEST_HEADER, |byte| byte != b'\n' && byte != b'\\' && byte != b'"'))
}
