//! Secrets in the documents of tools: Kubernetes manifests, Terraform state, JSON web keys.

use std::ops::Range;

use super::entropy::looks_random;
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{Password, PrivateKey, Secret};
use super::placeholder::is_placeholder;
use super::text::{
    contains, decode_base64, ends_escape, is_blank, is_quote, is_token_byte, run_end, run_end_within, run_start,
    starts_with,
};

/// The maximum distance from the line that identifies a document.
const WINDOW: usize = 6 * 1024;
/// No document has more; more matches are data.
const MOST_SECTIONS: usize = 16;

/// At `kind: Secret` or `"kind":"Secret"`: every value below `data` and `stringData`.
pub(super) fn check_kubernetes_secret(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"kind".len();
    let value =
        run_end_within(text, after, 16, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'\\'));
    let end = value + b"Secret".len();
    let is_secret = starts_with(text, value, b"Secret") && !text.get(end).is_some_and(|&byte| is_token_byte(byte));
    if !is_secret || found.window_covers(at) {
        return;
    }
    let Some(window) = found.open_window(document_around(text, at)) else {
        return;
    };
    let is_json = text[after..value].iter().any(|&byte| is_quote(byte));
    for (start, anchor) in sections(text, window.clone()).into_iter().take(MOST_SECTIONS) {
        if is_json {
            check_json_section(text, anchor, start..window.end, found);
        } else {
            check_yaml_section(text, anchor, start..window.end, found);
        }
    }
}

/// At `Secret"`: the same in JSON, with the name before it.
pub(super) fn check_kubernetes_json(text: &[u8], at: usize, found: &mut Findings) {
    let name_end = run_start(text, at, 16, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'\\'));
    if text[..name_end].ends_with(b"kind") {
        check_kubernetes_secret(text, name_end - b"kind".len(), found);
    }
}

/// The text around `at` up to `---` lines, at most a window either way.
fn document_around(text: &[u8], at: usize) -> Range<usize> {
    let floor = at.saturating_sub(WINDOW);
    let limit = text.len().min(at + WINDOW);
    let parts = |index: &usize| starts_with(text, *index, b"\n---\n") || starts_with(text, *index, b"\\n---\\n");
    let start = (floor..at).rev().find(parts).unwrap_or(floor);
    start..(at..limit).find(parts).unwrap_or(limit)
}

/// The `data:` and `stringData:` sections in the window: the end and the start of each.
fn sections(text: &[u8], window: Range<usize>) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    for at in window.clone() {
        let name = if starts_with(text, at, b"data") {
            4
        } else if starts_with(text, at, b"stringData") {
            10
        } else {
            continue;
        };
        let begins = at == 0 || !is_token_byte(text[at - 1]) || text[at - 1] == b'-' || ends_escape(text, at);
        let end = at + name;
        let colon = run_end_within(text, end, 8, |byte| is_quote(byte) || byte == b'\\');
        if begins && text.get(colon) == Some(&b':') {
            list.push((colon + 1, at));
        }
    }
    list
}

/// Lines `name: value` that are indented deeper than their section's line.
fn check_yaml_section(text: &[u8], anchor: usize, range: Range<usize>, found: &mut Findings) {
    let section_column = column_of(text, anchor);
    let mut at = next_line(text, range.start, range.end);
    while let Some(start) = at {
        let line_end = line_end(text, start, range.end);
        let line = &text[start..line_end];
        let Some(colon) = line.windows(2).rposition(|pair| pair == b": ") else {
            break;
        };
        let name = run_start(text, start + colon, 80, |byte| is_token_byte(byte) || byte == b'.');
        if name < start || name - start < section_column + 2 {
            break;
        }
        let value = run_end(text, start + colon + 1, |byte| is_blank(byte) || is_quote(byte));
        let end = run_end(&text[..line_end], value, |byte| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\');
        add_value(text, anchor, value.min(end)..end, found);
        at = next_line(text, line_end, range.end);
    }
}

/// Pairs `"name": "value"` up to the brace that closes the section.
fn check_json_section(text: &[u8], anchor: usize, range: Range<usize>, found: &mut Findings) {
    let mut at = range.start;
    let mut strings = 0;
    while at < range.end && text[at] != b'}' {
        if !is_quote(text[at]) {
            at += 1;
            continue;
        }
        let mark = text[at];
        let end = run_end(&text[..range.end], at + 1, |byte| byte != mark && byte != b'\\');
        strings += 1;
        if strings % 2 == 0 {
            add_value(text, anchor, at + 1..end, found);
        }
        // Past the closing quote, which may be escaped.
        at = run_end(&text[..range.end], end, |byte| byte == b'\\') + 1;
    }
}

fn add_value(text: &[u8], anchor: usize, range: Range<usize>, found: &mut Findings) {
    let value = &text[range.clone()];
    let decoded = decode_base64(value, 256).unwrap_or_default();
    let is_readable = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_graphic);
    let stands_in = is_placeholder(value) || is_readable(&decoded) && is_placeholder(&decoded);
    let is_reference = matches!(value.first(), Some(b'$' | b'{' | b'<' | b'|' | b'>' | b'!' | b'*' | b'&'));
    if value.len() >= 6 && !stands_in && !is_reference {
        found.add(anchor.min(range.start), FoundSecret::new(Secret, range));
    }
}

fn column_of(text: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(400);
    let line = (floor..at).rev().find(|&index| text[index] == b'\n' || ends_with_line_end(text, index + 1));
    at - line.map_or(floor, |index| index + 1)
}

fn ends_with_line_end(text: &[u8], at: usize) -> bool {
    text[..at].ends_with(b"\\n")
}

fn line_end(text: &[u8], from: usize, limit: usize) -> usize {
    let is_end = |index: &usize| {
        text[*index] == b'\n'
            || text[*index] == b'\r'
            || starts_with(text, *index, b"\\n")
            || starts_with(text, *index, b"\\r")
    };
    (from..limit).find(is_end).unwrap_or(limit)
}

/// The start of the line after the one at `from`.
fn next_line(text: &[u8], from: usize, limit: usize) -> Option<usize> {
    let mut at = line_end(text, from, limit);
    while at < limit {
        at = match text[at] {
            b'\n' => return Some(at + 1).filter(|&start| start < limit),
            b'\r' => at + 1,
            b'\\' if text.get(at + 1) == Some(&b'n') => return Some(at + 2).filter(|&start| start < limit),
            b'\\' => at + if text.get(at + 1) == Some(&b'r') { 2 } else { 1 },
            _ => return None,
        };
    }
    None
}

/// At `random_password` in a state file: the result follows later.
pub(super) fn check_random_password(text: &[u8], at: usize, found: &mut Findings) {
    let limit = text.len().min(at + 600);
    // In a state file the type may follow the attributes.
    let is_type = at.checked_sub(1).is_some_and(|before| is_quote(text[before]));
    let at = if is_type && !contains(&text[at..limit], b"result") { at.saturating_sub(400) } else { at };
    for name in ["result", "bcrypt_hash"] {
        let Some(place) = (at..limit).find(|&index| starts_with(text, index, name.as_bytes())) else {
            continue;
        };
        let colon = run_end_within(text, place + name.len(), 8, |byte| is_quote(byte) || byte == b'\\');
        if text.get(colon) != Some(&b':') {
            continue;
        }
        let start = run_end_within(text, colon + 1, 12, |byte| is_quote(byte) || is_blank(byte) || byte == b'\\');
        let end = run_end_within(text, start, 256, |byte| !is_quote(byte) && byte != b'\\' && byte != b'\n');
        if end - start >= 6 && !is_placeholder(&text[start..end]) {
            found.add(at, FoundSecret::new(Password, start..end));
        }
    }
}

/// At `kty`: the private members of a JSON web key.
pub(super) fn check_web_key(text: &[u8], at: usize, found: &mut Findings) {
    const NEAR: usize = 2048;
    if found.window_covers(at) {
        return;
    }
    let floor = at.saturating_sub(NEAR);
    let start = text[floor..at].iter().rposition(|&byte| byte == b'{').map_or(floor, |open| floor + open);
    let limit = text.len().min(at + NEAR);
    let end = text[at..limit].iter().position(|&byte| byte == b'}').map_or(limit, |close| at + close);
    let Some(window) = found.open_window(start..end) else {
        return;
    };
    let is_symmetric = contains(&text[window.clone()], b"oct");
    for index in window.start..window.end {
        let is_member = matches!(text[index], b'd' | b'p' | b'q') || text[index] == b'k' && is_symmetric;
        let before = index.checked_sub(1).map(|before| text[before]);
        if !is_member || !before.is_some_and(is_quote) {
            continue;
        }
        let colon = run_end_within(text, index + 1, 8, |byte| is_quote(byte) || byte == b'\\');
        if colon == index + 1 || text.get(colon) != Some(&b':') {
            continue;
        }
        let value = run_end_within(text, colon + 1, 12, |byte| is_quote(byte) || is_blank(byte) || byte == b'\\');
        let value_end = run_end(&text[..window.end], value, is_token_byte);
        if value_end - value >= 20 && looks_random(&text[value..value_end]) {
            found.add(start, FoundSecret::new(PrivateKey, value..value_end));
        }
    }
}
