//! Credentials of HTTP requests: `Bearer …`, `Basic …`, `curl -u`, cookies.

use std::ops::Range;

use super::assigned::{is_chosen_password, is_drawn_password};
use super::entropy::looks_random;
use super::findings::{Findings, FoundSecret};
use super::jwt::jwt_at;
use super::kind::SecretKind::*;
use super::placeholder::{is_placeholder, is_stand_in};
use super::rules::token_at;
use super::text::{
    byte_before, contains_any_case, decode_base64, is_base64_byte, is_blank, is_quote, is_token_byte, rest_of_line,
    run_end, run_end_within, skip_to_value, starts_with_any_case, text_before,
};

/// A longer run of such bytes is data.
const LONGEST_CREDENTIAL: usize = 4096;
const LONGEST_PASSWORD: usize = 128;
const LONGEST_COOKIES: usize = 2048;

const SCHEMES: &[&str] = &["token", "bot", "apikey", "api-key", "key", "ssws", "genie-key"];

/// Leaves out the scheme at the start of an Authorization value.
pub(super) fn skip_scheme(text: &[u8], value: Range<usize>) -> Range<usize> {
    for scheme in SCHEMES {
        let end = value.start + scheme.len();
        if starts_with_any_case(text, value.start, scheme) && text.get(end).is_some_and(|&byte| is_blank(byte)) {
            let start = run_end(text, end, is_blank);
            // An unquoted value ended at the blank after the scheme.
            let end = if value.end > start {
                value.end
            } else {
                run_end_within(text, start, LONGEST_CREDENTIAL, is_credential_byte)
            };
            return start..end;
        }
    }
    value
}

/// Whether the value starts with a scheme that has its own anchor and check.
pub(super) fn has_checked_scheme(text: &[u8], at: usize) -> bool {
    ["bearer ", "basic "].iter().any(|scheme| starts_with_any_case(text, at, scheme))
}

fn is_credential_byte(byte: u8) -> bool {
    is_token_byte(byte) || is_base64_byte(byte) || matches!(byte, b'.' | b'~' | b':')
}

/// At `bearer`, with or without the header's name before it.
pub(super) fn check_bearer(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"bearer".len();
    let start = skip_to_value(text, after, |byte| is_blank(byte) || byte == b':');
    let run_end = run_end_within(text, start, LONGEST_CREDENTIAL, is_credential_byte);
    if start == after || run_end - start == LONGEST_CREDENTIAL {
        return;
    }
    // A full stop at the end of a sentence is not part of the token.
    let stops = text[start..run_end].iter().rev();
    let end = run_end - stops.take_while(|&&byte| byte == b'.' || byte == b':').count();
    let value = &text[start..end];
    // After the header's name, a short token counts too.
    let is_header = || contains_any_case(text_before(text, at, 24), "authorization");
    let is_mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let is_short = (8..40).contains(&value.len()) && is_mixed && is_header() && !is_placeholder(value);
    if (value.len() >= 16 && looks_random(value) || is_short) && !is_stand_in(value) {
        let issued = token_at(text, start).or_else(|| jwt_at(text, start));
        let kind = issued.map_or(BearerToken, |finding| finding.kind);
        found.add(at, FoundSecret::new(kind, start..end));
    }
}

/// At `basic `: base64 of `user:password`.
pub(super) fn check_basic(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_end(text, at + b"basic".len(), is_blank);
    let end = run_end(text, start, is_base64_byte);
    let is_header = || contains_any_case(text_before(text, at, 24), "authorization");
    let is_long = end - start >= 40 && looks_random(&text[start..end]) && is_header();
    if end - start < 8 || text.get(end) == Some(&b'.') || !is_long && !is_basic_credential(&text[start..end]) {
        return;
    }
    found.add(at, FoundSecret::new(BasicAuth, start..end));
}

pub(super) fn is_basic_credential(value: &[u8]) -> bool {
    let Some(pair) = decode_base64(value, 512) else {
        return false;
    };
    let Some(colon) = pair.iter().position(|&byte| byte == b':') else {
        return false;
    };
    let password = &pair[colon + 1..];
    let printable = pair.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    printable && password.len() >= 4 && !is_placeholder(password) && password != b"open sesame"
}

/// At ` -u ` or ` --user `: `curl -u name:password`.
pub(super) fn check_user_flag(text: &[u8], at: usize, found: &mut Findings) {
    let flag_end = run_end(text, at + 1, is_token_byte);
    let start = skip_to_value(text, flag_end, is_blank);
    let user_end = run_end_within(text, start, LONGEST_CREDENTIAL, |byte| is_argument_byte(byte) && byte != b':');
    if text.get(user_end) != Some(&b':') {
        return;
    }
    // The password may have quotes of its own: name:'password'.
    let start_of_password = run_end(text, user_end + 1, is_quote);
    let end = run_end_within(text, start_of_password, LONGEST_CREDENTIAL, is_argument_byte);
    let (user, password) = (&text[start..user_end], &text[start_of_password..end]);
    let calls_curl = || contains_any_case(text_before(text, at, 512), "curl");
    if is_given_password(user, password) && (is_drawn_password(password) && user.len() > 1 || calls_curl()) {
        let issued = token_at(text, start_of_password);
        let kind = issued.map_or(Password, |token| token.kind);
        found.add(at, FoundSecret::new(kind, start_of_password..end));
    }
}

fn is_argument_byte(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'\\'
}

fn is_given_password(user: &[u8], password: &[u8]) -> bool {
    let is_number = password.iter().all(u8::is_ascii_digit);
    (6..LONGEST_PASSWORD).contains(&password.len())
        && password != user
        && !is_number
        && !is_placeholder(password)
        && !password.starts_with(b"//")
}

/// At `authorization`: the value after the scheme, whatever the scheme is. Bearer and Basic have their own checks.
pub(super) fn check_authorization(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"authorization".len();
    let start = skip_to_value(text, after, |byte| matches!(byte, b':' | b'=' | b',' | b' ' | b'\t' | b']'));
    if start == after || has_checked_scheme(text, start) {
        return;
    }
    let scheme_end = run_end_within(text, start, 32, is_token_byte);
    let value = run_end_within(text, scheme_end, 4, is_blank);
    if value == scheme_end || !text.get(start).is_some_and(u8::is_ascii_alphabetic) {
        return;
    }
    let line = rest_of_line(text, value, LONGEST_COOKIES);
    if has_parameters(&text[line.clone()]) {
        check_parameters(text, at, line, found);
        return;
    }
    let end = run_end_within(text, value, LONGEST_CREDENTIAL, is_credential_byte);
    let credential = &text[value..end];
    let is_mixed = credential.iter().any(u8::is_ascii_digit) && credential.iter().any(u8::is_ascii_alphabetic);
    let ends = text
        .get(end)
        .is_none_or(|&byte| byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'\\' | b',' | b'}' | b'`'));
    if credential.len() >= 12 && is_mixed && ends && !is_placeholder(credential) {
        found.add(at, FoundSecret::new(Credential, value..end));
    }
}

/// Whether the text begins with `name=value` or `name="value"`.
fn has_parameters(text: &[u8]) -> bool {
    let name_end = run_end_within(text, 0, 32, is_token_byte);
    name_end > 0 && text.get(name_end) == Some(&b'=') && !matches!(text.get(name_end + 1), None | Some(b'=' | b' '))
}

/// The random values of `Digest username="…", response="…"` and the like.
fn check_parameters(text: &[u8], anchor: usize, line: Range<usize>, found: &mut Findings) {
    let mut at = line.start;
    while at < line.end {
        let name_end = run_end(&text[..line.end], at, is_token_byte);
        if text.get(name_end) != Some(&b'=') {
            at = name_end + 1;
            continue;
        }
        let start = skip_to_value(text, name_end + 1, |_| false).min(line.end);
        let end = run_end(&text[..line.end], start, |byte| is_credential_byte(byte) || byte == b'%');
        let value = &text[start..end];
        if value.len() >= 16 && looks_random(value) && !is_stand_in(value) {
            found.add(anchor, FoundSecret::new(Credential, start..end));
        }
        at = end.max(start) + 1;
    }
}

/// At `identified by` of SQL: a quoted password follows.
pub(super) fn check_identified_by(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"identified by".len();
    let start = skip_to_value(text, after, is_blank);
    let Some(quote) = byte_before(text, start).filter(|&byte| is_quote(byte)) else {
        return;
    };
    let end = run_end_within(text, start, LONGEST_PASSWORD, |byte| byte != quote && byte != b'\\' && byte != b'\n');
    let password = &text[start..end];
    let is_chosen = is_chosen_password(password);
    if end - start < LONGEST_PASSWORD && is_chosen && !is_placeholder(password) {
        found.add(at, FoundSecret::new(Password, start..end));
    }
}

/// At `cookie`: the session cookies of a Cookie or Set-Cookie header.
pub(super) fn check_cookie(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"cookie".len();
    if !matches!(text.get(after), Some(b':' | b'"' | b'\'' | b'\\')) {
        return;
    }
    let start = skip_to_value(text, after, |byte| matches!(byte, b':' | b' ' | b'='));
    let line = rest_of_line(text, start, LONGEST_COOKIES);
    check_cookie_pairs(text, at, line, found);
}

/// The cookies `name=value; name=value` in the range.
pub(super) fn check_cookie_pairs(text: &[u8], anchor: usize, range: Range<usize>, found: &mut Findings) {
    let mut next = Some(range.start);
    while let Some(pair) = next.filter(|&pair| pair < range.end) {
        next = check_cookie_pair(text, anchor, pair, found);
    }
}

/// Checks the cookie `name=value` at `pair`; returns the position of the next, if any.
fn check_cookie_pair(text: &[u8], anchor: usize, pair: usize, found: &mut Findings) -> Option<usize> {
    let name_end = run_end_within(text, pair, LONGEST_COOKIES, |byte| is_token_byte(byte) || byte == b'.');
    if text.get(name_end) != Some(&b'=') {
        return None;
    }
    let start = name_end + 1;
    let end = run_end_within(text, start, LONGEST_COOKIES, |byte| is_credential_byte(byte) || byte == b'%');
    let (name, value) = (&text[pair..name_end], &text[start..end]);
    let is_long = value.len() >= if names_session(name) { 12 } else { 20 };
    if is_long && !counts_visits(name) && looks_random(value) && !is_stand_in(value) {
        found.add(anchor, FoundSecret::new(SessionCookie, start..end));
    }
    let next = run_end(text, end, |byte| byte == b';' || byte == b' ');
    (next > end).then_some(next)
}

/// Cookies that count visitors.
fn counts_visits(name: &[u8]) -> bool {
    ["_ga", "_gid", "utm", "_fbp", "_hj", "consent", "ajs_", "amplitude", "mp_"]
        .iter()
        .any(|known| name.len() >= known.len() && name[..known.len()].eq_ignore_ascii_case(known.as_bytes()))
}

fn names_session(name: &[u8]) -> bool {
    ["sess", "sid", "auth", "token", "jwt", "login", "remember"].iter().any(|word| contains_any_case(name, word))
}
