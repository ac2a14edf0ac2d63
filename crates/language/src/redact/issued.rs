//! Newly created keys that are shown once, licences, and logins in protocol logs.

use std::ops::Range;

use super::assigned::{is_drawn_password, is_drawn_token, is_said_password};
use super::entropy::is_hex;
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{ApiKey, Credential, Password, Token};
use super::placeholder::is_placeholder;
use super::text::{
    after_line_end, byte_before, contains, contains_any_case, is_base64_byte, is_blank, is_quote, is_token_byte,
    rest_of_line, run_end_within, run_start, starts_with, text_before,
};
use super::told::lone_word;

const NEAR: usize = 240;

fn speaks_of_key(text: &[u8]) -> bool {
    ["key", "token", "secret", "password", "credential"].iter().any(|word| contains_any_case(text, word))
}

/// At `again:`, `once:` and the like, the end of the notice above or before a new key.
pub(super) fn check_shown_once(text: &[u8], at: usize, found: &mut Findings) {
    if !speaks_of_key(text_before(text, at, NEAR)) {
        return;
    }
    let line = rest_of_line(text, at, 60);
    let Some(colon) = line.clone().find(|&place| text[place] == b':') else {
        return;
    };
    let start = run_end_within(text, colon + 1, 8, |byte| is_blank(byte) || is_quote(byte) || byte == b'*');
    let value = if start >= line.end {
        after_line_end(text, line.end).and_then(|next| lone_word(text, next, b""))
    } else {
        Some(word_at(text, start))
    };
    if let Some(value) = value.filter(|value| is_drawn_token(&text[value.clone()])) {
        found.add(at, FoundSecret::new(Token, value));
    }
}

/// At `Key: ` that begins a line below a notice that a key was made, and at `:Key = ` of
/// settings in sections.
pub(super) fn check_listed_key(text: &[u8], at: usize, found: &mut Findings) {
    let line_start = run_start(text, at, 24, |byte| is_blank(byte) || matches!(byte, b'+' | b'|' | b'-'));
    let begins_line = line_start == 0 || matches!(text[line_start - 1], b'\n' | b'n');
    let is_section = text[at] == b':';
    if !(is_section || begins_line && speaks_of_key(text_before(text, at, NEAR))) {
        return;
    }
    let name_end = run_end_within(text, at + 1, 8, |byte| byte.is_ascii_alphabetic());
    let start =
        run_end_within(text, name_end, 12, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'=' | b':'));
    let value = word_at(text, start);
    if is_drawn_token(&text[value.clone()]) && !is_hex(&text[value.clone()]) {
        found.add(at, FoundSecret::new(ApiKey, value));
    }
}

/// At `"encoded"` beside an API key: the same key and its id in base64.
pub(super) fn check_encoded_key(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, NEAR);
    let start = run_end_within(text, at + b"\"encoded".len(), 8, |byte| {
        is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'\\')
    });
    let end = run_end_within(text, start, 400, is_base64_byte);
    if end - start >= 32 && contains_any_case(before, "key") && !is_placeholder(&text[start..end]) {
        found.add(at, FoundSecret::new(ApiKey, start..end));
    }
}

/// At `AUTH PLAIN `: user and password in base64.
pub(super) fn check_plain_login(text: &[u8], at: usize, found: &mut Findings) {
    let start = at + b"AUTH PLAIN ".len();
    let end = run_end_within(text, start, 400, is_base64_byte);
    let value = &text[start..end];
    let is_mechanism = !value.iter().any(u8::is_ascii_lowercase) && !value.iter().any(u8::is_ascii_digit);
    if value.len() >= 12 && !is_mechanism && !is_placeholder(value) {
        found.add(at, FoundSecret::new(Credential, start..end));
    }
}

/// At `PASS ` in a protocol log after `USER`.
pub(super) fn check_pass_command(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_end_within(text, at, 12, |byte| byte != b'S') + b"SS ".len();
    let line = rest_of_line(text, start, 140);
    let value = text[line.clone()].trim_ascii_end();
    let before = text_before(text, at, 160);
    let follows_user = contains(before, b"USER ") || contains(before, b"331 ");
    let is_value = value.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'"'));
    if follows_user && is_value && (is_said_password(value) || is_drawn_password(value)) {
        found.add(at, FoundSecret::new(Password, start..start + value.len()));
    }
}

/// At a name or flag for a licence's number: groups of capitals and digits.
pub(super) fn check_serial(text: &[u8], at: usize, found: &mut Findings) {
    let name_end = run_end_within(text, at + 1, 24, |byte| byte.is_ascii_alphabetic() || byte == b'_');
    let start =
        run_end_within(text, name_end, 6, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'=' | b':'));
    let end =
        run_end_within(text, start, 64, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
    let value = &text[start..end];
    let groups = value.split(|&byte| byte == b'-');
    let is_grouped = groups.clone().count() >= 4 && groups.skip(1).all(|group| matches!(group.len(), 4..=8));
    let is_mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_uppercase);
    let ends = text.get(end).is_none_or(|&byte| !is_token_byte(byte));
    if start > name_end && is_grouped && is_mixed && ends && !is_placeholder(value) {
        found.add(at, FoundSecret::new(Credential, start..end));
    }
}

/// At `forKey: "` of a call that stores a value: the value precedes its name.
pub(super) fn check_stored_value(text: &[u8], at: usize, found: &mut Findings) {
    const NAMES: &[&str] = &["token", "password", "secret", "apikey", "api_key", "credential"];
    let name = rest_of_line(text, at + b"forKey: \"".len(), 48);
    let is_telling = NAMES.iter().any(|word| contains_any_case(&text[name.clone()], word));
    let comma = at - text_before(text, at, 4).iter().rev().take_while(|&&byte| is_blank(byte) || byte == b',').count();
    if !is_telling || comma == at || byte_before(text, comma) != Some(b'"') {
        return;
    }
    let start = run_start(text, comma - 1, 400, |byte| byte.is_ascii_graphic() && byte != b'"');
    let value = &text[start..comma - 1];
    if byte_before(text, start) == Some(b'"') && (is_drawn_token(value) || is_drawn_password(value)) {
        found.add(at, FoundSecret::new(Token, start..comma - 1));
    }
}

/// At a call with an account or a region and a key: each string that is a key.
pub(super) fn check_key_call(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, NEAR);
    let open = run_end_within(text, at, 40, |byte| byte != b'(');
    let mut start = open;
    for _ in 0..3 {
        let Some(quote) = (start..line.end).find(|&place| is_quote(text[place]) || text[place] == b')') else {
            return;
        };
        let end = run_end_within(&text[..line.end], quote + 1, 200, |byte| {
            is_token_byte(byte) || matches!(byte, b'+' | b'/' | b'=')
        });
        let value = &text[quote + 1..end];
        let is_key = value.len() >= 32 && (is_hex(value) || is_drawn_token(value)) && !is_placeholder(value);
        if is_quote(text[quote]) && is_key {
            found.add(at, FoundSecret::new(ApiKey, quote + 1..end));
        }
        start = end + 1;
        if !starts_with(text, end, &text[quote..=quote]) {
            return;
        }
    }
}

fn word_at(text: &[u8], start: usize) -> Range<usize> {
    let end = run_end_within(text, start, 400, |byte| {
        byte.is_ascii_graphic() && !is_quote(byte) && !matches!(byte, b'\\' | b',' | b';' | b'<')
    });
    start..end - text.get(start..end).unwrap_or_default().iter().rev().take_while(|&&byte| byte == b'.').count()
}
