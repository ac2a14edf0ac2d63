//! Passwords passed by position: `getConnection(url, user, …)`, Go data sources, a client's account and token.

use std::ops::Range;

use super::assigned::{is_chosen_password, is_drawn_password, is_drawn_token};
use super::entropy::is_hex;
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{ApiKey, Password, PrivateKey, Secret, TwilioKey, UrlPassword};
use super::placeholder::is_placeholder;
use super::text::{
    contains_any_case, is_blank, is_lower_hex, is_quote, is_token_byte, run_end_within, run_start, starts_with,
    text_before,
};

const LONGEST: usize = 200;

/// At a call that connects or logs in, and its bracket: the password is the third argument after an address and a user,
/// or the second after a user.
pub(super) fn check_connection(text: &[u8], at: usize, found: &mut Findings) {
    const THREE: &[&str] = &[
        "getConnection(", "new PDO(", "mysqli_connect(", "new mysqli(", "create_superuser(", "create_user(",
        "createUser(", "PlainAuth(", "pymysql.connect(", "MySQLdb.connect(", "mysql_connect(", "Sequelize(",
        "ftplib.FTP(", "objects.create_user(", "EmailAndPassword(",
    ];
    let place = if THREE.iter().any(|call| starts_with(text, at, call.as_bytes())) { 3 } else { 2 };
    let mut next = run_end_within(text, at, 40, |byte| byte != b'(') + 1;
    let mut given = 0;
    for _ in 1..place {
        let end = match string_at(text, next) {
            Some(string) => run_end_within(text, string.end, 4, |byte| byte == b'\\') + 1,
            None => run_end_within(text, next, 64, |byte| is_token_byte(byte) || matches!(byte, b'$' | b'.')),
        };
        if text.get(end) != Some(&b',') {
            break; // one argument fewer: the last is the password
        }
        next = end + 1;
        given += 1;
    }
    if given < 1 || given + 1 < place && !starts_with(text, at, b"EmailAndPassword(") {
        return;
    }
    let Some(range) = string_at(text, next) else {
        return;
    };
    let password = &text[range.clone()];
    if is_chosen_password(password) && password.iter().all(u8::is_ascii_graphic) && !is_placeholder(password) {
        found.add(at, FoundSecret::new(Password, range));
    }
}

fn string_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = run_end_within(text, at, 12, |byte| is_blank(byte) || byte == b'\n');
    let quote = run_end_within(text, start, 4, |byte| byte == b'\\');
    let &mark = text.get(quote).filter(|&&byte| is_quote(byte))?;
    let end = run_end_within(text, quote + 1, LONGEST, |byte| byte != mark && byte != b'\\' && byte != b'\n');
    let close = end + (quote - start);
    (text.get(close) == Some(&mark)).then_some(quote + 1..end)
}

/// At a call whose first string is the password itself: `Hash::make("…")`.
pub(super) fn check_hashed(text: &[u8], at: usize, found: &mut Findings) {
    let open = run_end_within(text, at, 40, |byte| byte != b'(');
    let Some(range) = string_at(text, open + 1) else {
        return;
    };
    let password = &text[range.clone()];
    let is_plain = password.iter().all(u8::is_ascii_graphic) && !is_placeholder(password);
    if is_plain && is_drawn_password(password) {
        found.add(at, FoundSecret::new(Password, range));
    }
}

/// At a call that signs or checks a token: the second argument is the key.
pub(super) fn check_signing(text: &[u8], at: usize, found: &mut Findings) {
    let open = run_end_within(text, at, 40, |byte| byte != b'(');
    let limit = text.len().min(open + LONGEST);
    let mut depth = 0;
    let mut next = open;
    while next < limit {
        match text[next] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            b',' if depth == 1 => break,
            b'\n' => return,
            _ => {}
        }
        next += 1;
    }
    if let Some(range) = string_at(text, next + 1).filter(|_| next < limit) {
        let key = &text[range.clone()];
        let is_key = is_drawn_token(key) || is_chosen_password(key) || is_drawn_password(key);
        if is_key && key.iter().all(u8::is_ascii_graphic) && !is_placeholder(key) {
            found.add(at, FoundSecret::new(Secret, range));
        }
    }
}

/// At a constructor or initializer of a client: its only string is a key if it is random.
pub(super) fn check_client(text: &[u8], at: usize, found: &mut Findings) {
    let open = run_end_within(text, at, 24, |byte| byte != b'(');
    if let Some(range) = string_at(text, open + 1) {
        let key = &text[range.clone()];
        if is_drawn_token(key) && !is_hex(key) && key.iter().all(|&byte| is_token_byte(byte) || byte == b'.') {
            found.add(at, FoundSecret::new(ApiKey, range));
        }
    }
}

/// At a call that creates an account from a private key: 32 bytes in hex.
pub(super) fn check_wallet(text: &[u8], at: usize, found: &mut Findings) {
    let open = run_end_within(text, at, 24, |byte| byte != b'(');
    if let Some(range) = string_at(text, open + 1) {
        let key = &text[range.clone()];
        let digits = key.strip_prefix(b"0x").unwrap_or(key);
        if digits.len() == 64 && is_hex(digits) && !is_placeholder(digits) {
            found.add(at, FoundSecret::new(PrivateKey, range));
        }
    }
}

/// At `key` in an object or a section of settings about access.
pub(super) fn check_plain_key(text: &[u8], at: usize, found: &mut Findings) {
    const CONTEXT: &[&str] = &[
        "jwt", "api", "auth", "account", "secret", "credential", "admin", "token", "access", "config:set", "username",
    ];
    let before = text_before(text, at, 160);
    if !CONTEXT.iter().any(|word| contains_any_case(before, word)) {
        return;
    }
    let name_end = run_end_within(text, at, 8, |byte| !matches!(byte, b'=' | b':'));
    let start = run_end_within(text, name_end + 1, 8, |byte| is_blank(byte) || is_quote(byte));
    let end =
        run_end_within(text, start, LONGEST, |byte| is_token_byte(byte) || matches!(byte, b'/' | b'+' | b'=' | b':'));
    let ends = text.get(end).is_none_or(|&byte| is_quote(byte) || byte == b'\n' || byte == b'\r' || byte == b'\\');
    let key = &text[start..end];
    let is_pair = end - start == 89 && text[start + 24] == b':' && is_hex(&key[..24]) && is_hex(&key[25..]);
    let is_account = key.len() == 32 && contains_any_case(before, "\"username");
    let is_key = key.len() >= 24 && is_drawn_token(key) && (is_account || !is_hex(key)) && !key.contains(&b':');
    if ends && (is_pair || is_key) {
        found.add(at, FoundSecret::new(ApiKey, start..end));
    }
}

/// At `@tcp(` or `@unix(`: the password of a data source precedes it.
pub(super) fn check_data_source(text: &[u8], at: usize, found: &mut Findings) {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\';
    let start = run_start(text, at, LONGEST, is_part);
    let Some(colon) = text[start..at].iter().position(|&byte| byte == b':') else {
        return;
    };
    let range = start + colon + 1..at;
    let password = &text[range.clone()];
    let is_template = password.starts_with(b"%") || password.iter().any(|byte| matches!(byte, b'{' | b'<'));
    if colon > 0 && password.len() >= 3 && !is_template && !is_placeholder(password) {
        found.add(start, FoundSecret::new(UrlPassword, range));
    }
}

/// At `Client("AC`: a Twilio account, which its token may follow.
pub(super) fn check_account(text: &[u8], at: usize, found: &mut Findings) {
    let account = at + b"Client('AC".len();
    let end = run_end_within(text, account, 33, is_lower_hex);
    let start = run_end_within(text, end, 8, |byte| is_quote(byte) || matches!(byte, b',' | b' ' | b':'));
    let token_end = run_end_within(text, start, 33, is_lower_hex);
    if end - account == 32 && start > end && token_end - start == 32 {
        found.add(at, FoundSecret::new(TwilioKey, start..token_end));
    }
}

/// At `send "` of a script that answers prompts.
pub(super) fn check_answer(text: &[u8], at: usize, found: &mut Findings) {
    let before = super::text::text_before(text, at, 120);
    let start = at + b"send".len();
    let start = run_end_within(text, start, 12, |byte| is_quote(byte) || matches!(byte, b' ' | b'-' | b'\\'));
    let end = run_end_within(text, start, LONGEST, |byte| {
        byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\' && byte != b'$'
    });
    let value = &text[start..end];
    let is_answer =
        super::text::contains_any_case(before, "assword") || super::text::contains_any_case(before, "assphrase");
    let ends = starts_with(text, end, b"\\") || text.get(end).is_some_and(|&byte| is_quote(byte));
    if is_answer && ends && value.len() >= 5 && !matches!(value, b"yes" | b"exit" | b"logout") && !is_placeholder(value)
    {
        found.add(at, FoundSecret::new(Password, start..end));
    }
}

/// At `nseal key`: a number, a colon, the key.
pub(super) fn check_unseal_key(text: &[u8], at: usize, found: &mut Findings) {
    let after = at + b"nseal key".len();
    let colon = run_end_within(text, after, 6, |byte| is_blank(byte) || byte.is_ascii_digit());
    let start = run_end_within(text, colon + 1, 6, is_blank);
    let end = run_end_within(text, start, LONGEST, super::text::is_base64_byte);
    if text.get(colon) == Some(&b':') && end.saturating_sub(start) >= 32 && !is_placeholder(&text[start..end]) {
        found.add(at, FoundSecret::new(Password, start..end));
    }
}
