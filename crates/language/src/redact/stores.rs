//! Files that contain secrets, recognised by their content: key stores, lines of keys, lists of users and passwords.

use super::assigned::{is_chosen_password, is_drawn_password};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{Credential, Password, PrivateKey, Token};
use super::placeholder::is_placeholder;
use super::printed::has_prompt;
use super::text::{
    after_line_end, contains_any_case, is_base64_byte, is_blank, is_quote, is_token_byte, rest_of_line, run_end_within,
    run_start, text_before,
};

const LONGEST_STORE: usize = 65_536;
const LONGEST_LINE: usize = 400;
const MOST_LINES: usize = 64;

/// At a part of a name that means a key store: its value is the store in base64.
pub(super) fn check_store(text: &[u8], at: usize, found: &mut Findings) {
    let name_end = run_end_within(text, at, 48, is_token_byte);
    let start =
        run_end_within(text, name_end, 6, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'=' | b':'));
    let end = run_end_within(text, start, LONGEST_STORE, is_base64_byte);
    if start > name_end && end - start >= 120 && !is_placeholder(&text[start..end]) {
        found.add(at, FoundSecret::new(PrivateKey, start..end));
    }
}

/// At `IBAzCC`, six bytes after the start of a base64 PKCS#12 store.
pub(super) fn check_exchange_store(text: &[u8], at: usize, found: &mut Findings) {
    let start = at.saturating_sub(6);
    if !text[start..at].starts_with(b"MII") {
        return;
    }
    let end = run_end_within(text, start, LONGEST_STORE, is_base64_byte);
    if end - start >= 120 {
        found.add(start, FoundSecret::new(PrivateKey, start..end));
    }
}

/// At the name of a key file that ends a command: the lines below are its bytes.
pub(super) fn check_key_lines(text: &[u8], at: usize, found: &mut Findings) {
    const TOOLS: &[&str] = &["cat ", "sed ", "head ", "tail ", "base64 ", "xxd ", "openssl "];
    let before = text_before(text, at, LONGEST_LINE);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    if !has_prompt(line) || !TOOLS.iter().any(|tool| contains_any_case(line, tool)) {
        return;
    }
    let mut next = after_line_end(text, rest_of_line(text, at, LONGEST_LINE).end);
    for _ in 0..MOST_LINES {
        let Some(row) = next else { return };
        let start = run_end_within(text, row, 4, |byte| is_blank(byte) || byte == b'+' && text[row] == b'+');
        let start = if text.get(row) == Some(&b'+') { row + 1 } else { start };
        let line = rest_of_line(text, start, LONGEST_LINE);
        let content = text[line.clone()].trim_ascii_end();
        let is_bytes = content.len() >= 40 && content.iter().all(|&byte| is_base64_byte(byte));
        if !is_bytes {
            return;
        }
        found.add(at, FoundSecret::new(PrivateKey, start..start + content.len()));
        next = after_line_end(text, line.end);
    }
}

/// At the name of a file with lines of `client server secret addresses`.
pub(super) fn check_secrets_file(text: &[u8], at: usize, found: &mut Findings) {
    let mut next = after_line_end(text, rest_of_line(text, at, LONGEST_LINE).end);
    for _ in 0..MOST_LINES {
        let Some(row) = next else { return };
        let line = rest_of_line(text, row, LONGEST_LINE);
        let fields = text[line.clone()].split(|&byte| is_blank(byte)).filter(|field| !field.is_empty());
        let Some(field) = fields.clone().nth(2).filter(|_| fields.count() <= 4) else { return };
        let value = field.trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        if value.len() >= 6 && is_chosen_password(value) && !is_placeholder(value) {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            found.add(at, FoundSecret::new(Password, start..start + value.len()));
        }
        next = after_line_end(text, line.end);
    }
}

/// At `chpasswd:` in cloud-init settings, followed by a list of `user:password`.
pub(super) fn check_user_list(text: &[u8], at: usize, found: &mut Findings) {
    let mut next = after_line_end(text, rest_of_line(text, at, 40).end);
    for _ in 0..8 {
        let Some(row) = next else { return };
        let line = rest_of_line(text, row, LONGEST_LINE);
        let start = run_end_within(text, row, 16, |byte| is_blank(byte) || matches!(byte, b'+' | b'-'));
        let colon = run_end_within(&text[..line.end], start, 32, is_token_byte);
        let end = run_end_within(&text[..line.end], colon + 1, 128, |byte| byte.is_ascii_graphic() && !is_quote(byte));
        let is_pair = text.get(colon) == Some(&b':') && end == line.end;
        if is_pair && end > colon + 6 && is_chosen_password(&text[colon + 1..end]) {
            found.add(at, FoundSecret::new(Password, colon + 1..end));
        }
        next = after_line_end(text, line.end);
    }
}

/// At `accounts: [` in a chain's settings: each private key in the list.
pub(super) fn check_accounts(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, LONGEST_LINE);
    let mut start = line.start;
    while start < line.end && text[start] != b']' {
        let end = run_end_within(&text[..line.end], start, 80, |byte| byte.is_ascii_alphanumeric());
        let word = &text[start..end];
        let digits = word.strip_prefix(b"0x").unwrap_or(word);
        if digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit) && !is_placeholder(digits) {
            found.add(at, FoundSecret::new(PrivateKey, start..end));
        }
        start = end.max(start) + 1;
    }
}

/// At the warning at the start of a Roblox cookie.
pub(super) fn check_warned_cookie(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, 200);
    let Some(bar) = line.clone().find(|&place| text[place..line.end].starts_with(b"|_")) else {
        return;
    };
    let end = run_end_within(text, bar + 2, LONGEST_STORE, |byte| is_token_byte(byte) || byte == b'.');
    if end >= bar + 42 {
        found.add(at, FoundSecret::new(Token, bar + 2..end));
    }
}

/// At `BUNDLE_` and the host of a package source: its value is `user:password`.
pub(super) fn check_bundle_source(text: &[u8], at: usize, found: &mut Findings) {
    let name_end = run_end_within(text, at, 96, is_token_byte);
    let is_host = text[at..name_end].windows(2).any(|pair| pair == b"__");
    let start =
        run_end_within(text, name_end, 4, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'=' | b':'));
    let end = run_end_within(text, start, 160, |byte| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\');
    let colon = text[start..end].iter().position(|&byte| byte == b':').unwrap_or(0);
    let password = start + colon + 1..end;
    if is_host && start > name_end && colon > 0 && password.len() >= 6 && !is_placeholder(&text[password.clone()]) {
        found.add(at, FoundSecret::new(Password, password));
    }
}

/// At `(user/pass…)` after the text it explains: `NAME/…@DB (user/password)`.
pub(super) fn check_explained_login(text: &[u8], at: usize, found: &mut Findings) {
    let end = at - text_before(text, at, 2).iter().rev().take_while(|&&byte| is_blank(byte)).count();
    let start = run_start(text, end, 120, |byte| byte.is_ascii_graphic() && !is_quote(byte));
    let word = &text[start..end];
    let Some(slash) = word.iter().position(|&byte| byte == b'/') else { return };
    let sign = word.iter().rposition(|&byte| byte == b'@').filter(|&sign| sign > slash).unwrap_or(word.len());
    let range = start + slash + 1..start + sign;
    if slash > 0 && is_drawn_password(&text[range.clone()]) {
        found.add(at, FoundSecret::new(Credential, range));
    }
}
