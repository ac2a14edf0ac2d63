//! Passwords in sentences and tables: `creds: admin:…`, `Passwort: …`.

use std::ops::Range;

use super::assigned::{is_drawn_password, is_said_password, names_user};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{Password, Token};
use super::placeholder::is_placeholder;
use super::text::{
    after_line_end, byte_before, contains_any_case, is_blank, is_quote, is_token_byte, rest_of_line, run_end_within,
};
use super::text::{starts_with, starts_with_any_case, text_before};
use super::told::{Promise, check_sentence};

/// The maximum distance between a password and the word that announces it.
const NEAR: usize = 96;
const LONGEST: usize = 128;
/// No table of passwords has more rows.
const MOST_ROWS: usize = 32;

/// Words between the word for a password and the password itself.
const VERBS: &[&str] = &[
    "is ", "was ", "ist ", "lautet ", "est ", "es ", "é ", "è ", "= ", "to ", "jest ", "är ", "er ", "是", "は", "为",
];

/// The word for a password in other languages. A colon or a verb must follow.
pub(super) const FOREIGN_WORDS: &[&str] = &[
    "passwort", "kennwort", "mot de passe", "contraseña", "Contraseña", "Lösenord", "Hasło", "Mot de passe",
    "wachtwoord", "senha", "parola", "пароль", "Пароль", "密码", "密碼", "パスワード", "비밀번호", "lösenord", "hasło",
    "adgangskode", "passord",
];

/// At such a word.
pub(super) fn check_foreign_word(text: &[u8], at: usize, found: &mut Findings) {
    let known = FOREIGN_WORDS.iter().find(|word| starts_with_any_case(text, at, word));
    let word_end = at + known.map_or(0, |word| word.len());
    let word_end = run_end_within(text, word_end, 12, |byte| byte.is_ascii_alphabetic());
    let is_said = after_announcement(text, word_end).is_some_and(|start| add_said(text, at, start, found));
    if !is_said {
        check_sentence(text, at, word_end, Promise::Password, Password, found);
    }
}

/// The word for a token or key in other languages.
pub(super) const FOREIGN_TOKENS: &[&str] = &[
    "zugangstoken", "schlüssel", "Schlüssel", "clé api", "Clé api", "clé API", "clé d'api", "clave de api",
    "clave api", "chiave api", "chave de api", "jeton", "токен", "Токен", "ключ", "Ключ", "密钥", "令牌", "トークン",
    "apiキー", "토큰", "sleutel", "klucz",
];

/// At such a word.
pub(super) fn check_foreign_token(text: &[u8], at: usize, found: &mut Findings) {
    let known = FOREIGN_TOKENS.iter().find(|word| starts_with_any_case(text, at, word));
    let word_end = at + known.map_or(0, |word| word.len());
    check_sentence(text, at, word_end, Promise::Token, Token, found);
}

/// At ` PAT `, a personal access token.
pub(super) fn check_access_token(text: &[u8], at: usize, found: &mut Findings) {
    check_sentence(text, at, at + b" PAT".len(), Promise::Token, Token, found);
}

/// At ` pass ` near the mention of an account: `as ubuntu, pass …`.
pub(super) fn check_pass_word(text: &[u8], at: usize, found: &mut Findings) {
    if speaks_of_account(text, at) {
        let range = value_at(text, at + b" pass ".len());
        if is_drawn_password(&text[range.clone()]) {
            found.add(at, FoundSecret::new(Password, range));
        }
    }
}

/// At `New value:` below a line about a password.
pub(super) fn check_new_value(text: &[u8], at: usize, found: &mut Findings) {
    if contains_any_case(text_before(text, at, 200), "password") {
        let start = run_end_within(text, at + b"ew value:".len(), 8, is_blank);
        let end =
            run_end_within(text, start, LONGEST, |byte| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\');
        if end - start >= 8 && !is_placeholder(&text[start..end]) {
            found.add(at, FoundSecret::new(Password, start..end));
        }
    }
}

/// At `PIN:`: digits, perhaps in groups.
pub(super) fn check_pin(text: &[u8], at: usize, found: &mut Findings) {
    let start = run_end_within(text, at + b"PIN:".len(), 4, is_blank);
    let end = run_end_within(text, start, 24, |byte| byte.is_ascii_digit() || byte == b'-');
    let digits = text[start..end].iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_date = text[start..end].iter().filter(|&&byte| byte == b'-').count() == 2 && digits == 8;
    if (6..=12).contains(&digits) && !is_date && !is_placeholder(&text[start..end]) {
        found.add(at, FoundSecret::new(Password, start..end));
    }
}

/// At `log in to` and the like: `… with admin / …`, `… as admin:…`.
pub(super) fn check_login_sentence(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, 2 * NEAR);
    for joint in line {
        let length = match text[joint] {
            b':' => 1,
            b'/' if starts_with(text, joint - 1, b" / ") => 2,
            _ => continue,
        };
        let range = value_at(text, joint + length);
        if is_drawn_password(&text[range.clone()]) && byte_before(text, joint).is_some_and(|byte| byte != b'"') {
            found.add(at, FoundSecret::new(Password, range));
            return;
        }
    }
}

/// At `credentials for` and `basic auth`: `user:password@host`, `user:password`.
pub(super) fn check_credentials_of(text: &[u8], at: usize, found: &mut Findings) {
    for colon in rest_of_line(text, at, 2 * NEAR) {
        let begins = colon > at && is_token_byte(text[colon - 1]) && text[colon] == b':';
        if !begins || text.get(colon + 1).is_none_or(|&byte| is_blank(byte) || byte == b'/') {
            continue;
        }
        let range = value_at(text, colon + 1);
        let sign = text[range.clone()].iter().rposition(|&byte| byte == b'@');
        let range = range.start..sign.map_or(range.end, |sign| range.start + sign);
        if is_drawn_password(&text[range.clone()]) {
            found.add(at, FoundSecret::new(Password, range));
            return;
        }
    }
}

/// At `pw` as a word: `pw: …`, `try pw …`. The anchor includes the byte before it.
pub(super) fn check_short_word(text: &[u8], at: usize, found: &mut Findings) {
    let end = at + b" pw".len();
    let start = after_announcement(text, end).unwrap_or_else(|| run_end_within(text, end, 4, is_blank));
    add_said(text, at, start, found);
}

/// At `creds`, `login with`, `basic auth` and the like: a pair `user:password` or
/// `user / password` may follow.
pub(super) fn check_pair(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, NEAR);
    for colon in line.clone() {
        let is_joint = text[colon] == b':' || starts_with(text, colon, b" / ");
        let user_byte = byte_before(text, colon).is_some_and(|byte| is_token_byte(byte) || byte == b'`');
        if !is_joint || !user_byte {
            continue;
        }
        let start = if text[colon] == b':' { colon + 1 } else { colon + 3 };
        if text.get(start).is_some_and(|&byte| !is_blank(byte)) && add_said(text, at, start, found) {
            return;
        }
    }
}

/// At `password from`, `typed` and the like: a password, and possibly a second after `to`.
pub(super) fn check_change(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, NEAR);
    let is_typed = starts_with(text, at, b"I ");
    if is_typed && !contains_any_case(text_before(text, at, 60), "password") {
        return;
    }
    let mark = if is_typed { "ed " } else { " from " };
    let Some(place) = line.clone().find(|&place| starts_with(text, place, mark.as_bytes())) else {
        return;
    };
    let first = value_at(text, place + mark.len());
    let second = run_end_within(text, first.end, 2, |byte| is_quote(byte) || byte == b'*');
    add_said(text, at, first.start, found);
    if starts_with(text, second, b" to ") {
        add_said(text, at, second + 4, found);
    }
}

/// At `temporary password`: it follows the last colon of the line.
pub(super) fn check_announced(text: &[u8], at: usize, found: &mut Findings) {
    let line = rest_of_line(text, at, NEAR + LONGEST);
    let colon = line.clone().rev().find(|&place| starts_with(text, place, b": "));
    if let Some(colon) = colon {
        let start = colon + 2;
        let end =
            run_end_within(text, start, LONGEST, |byte| byte.is_ascii_graphic() && !is_quote(byte) && byte != b'\\');
        if end >= line.end && end - start >= 8 && text[start..end].iter().any(|byte| !byte.is_ascii_lowercase()) {
            found.add(at, FoundSecret::new(Password, start..end));
        }
    }
}

/// At a cell `password |`, which may head a column of a table.
pub(super) fn check_table(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, 240);
    let head = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let column = head.iter().filter(|&&byte| byte == b'|').count();
    let Some(mut row) = after_line_end(text, rest_of_line(text, at, NEAR * 4).end) else {
        return;
    };
    for _ in 0..MOST_ROWS {
        let line = rest_of_line(text, row, NEAR * 4);
        if column == 0 || line.is_empty() || !text[line.clone()].contains(&b'|') {
            return;
        }
        let cell = line.clone().filter(|&place| text[place] == b'|').nth(column - 1);
        if let Some(cell) = cell {
            let start = run_end_within(text, cell + 1, 40, |byte| is_blank(byte) || byte == b'`');
            add_said(text, at, start, found);
        }
        let Some(next) = after_line_end(text, line.end) else {
            return;
        };
        row = next;
    }
}

/// At `recovery codes` or `backup codes`: the lines below are codes.
pub(super) fn check_codes(text: &[u8], at: usize, found: &mut Findings) {
    let Some(mut row) = after_line_end(text, rest_of_line(text, at, NEAR).end) else {
        return;
    };
    let mut first_length = None;
    for _ in 0..MOST_ROWS {
        let line = rest_of_line(text, row, NEAR);
        let is_mark = |byte: u8| is_blank(byte) || matches!(byte, b'+' | b'*' | b'-' | b'`');
        let start = run_end_within(text, line.start, 12, is_mark);
        let end = run_end_within(text, start, 40, is_token_byte);
        let code = text.get(start..end).unwrap_or_default();
        let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_like_first = first_length == Some(code.len()) && (digits > 0 || code.contains(&b'-'));
        let is_code = (8..=32).contains(&code.len()) && (digits > 1 || is_like_first || digits > 0 && is_halved(code));
        if !is_code || end < line.end && text[end] != b'`' {
            return;
        }
        first_length = first_length.or(Some(code.len()));
        found.add(at, FoundSecret::new(Password, start..end));
        let Some(next) = after_line_end(text, line.end) else {
            return;
        };
        row = next;
    }
}

/// Two halves of the same length, joined by a hyphen.
fn is_halved(code: &[u8]) -> bool {
    code.len() % 2 == 1 && code[code.len() / 2] == b'-'
}

/// The start of the value after a colon or a verb.
fn after_announcement(text: &[u8], at: usize) -> Option<usize> {
    let blank = run_end_within(text, at, 4, |byte| is_blank(byte) || byte == b'*');
    for sign in [":", "=", "："] {
        if starts_with(text, blank, sign.as_bytes()) {
            return Some(run_end_within(text, blank + sign.len(), 8, |byte| is_blank(byte) || byte == b'*'));
        }
    }
    let verb = VERBS.iter().find(|verb| starts_with_any_case(text, blank, verb))?;
    (blank > at || !verb.is_ascii()).then(|| run_end_within(text, blank + verb.len(), 4, is_blank))
}

/// The word at `start`, without its quotes and punctuation.
fn value_at(text: &[u8], start: usize) -> Range<usize> {
    let mark = ["« ", "«\u{a0}", "«", "„", "“", "「"].iter().find(|mark| starts_with(text, start, mark.as_bytes()));
    let start = start + mark.map_or(0, |mark| mark.len());
    let start = run_end_within(text, start, 4, |byte| is_quote(byte) || byte == b'*');
    let end = run_end_within(text, start, LONGEST, |byte| {
        !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b'\\' | b'|' | b'<' | b',' | b';')
    });
    let is_stop = |byte: &&u8| matches!(byte, b'.' | b':' | b')' | b']' | b'}' | b'*' | b'?');
    start..end - text[start..end].iter().rev().take_while(is_stop).count()
}

fn add_said(text: &[u8], anchor: usize, start: usize, found: &mut Findings) -> bool {
    let range = value_at(text, start);
    let is_string = || byte_before(text, range.start).is_some_and(is_quote) && is_drawn_password(&text[range.clone()]);
    let fits = range.len() < LONGEST && (is_said_password(&text[range.clone()]) || is_string());
    if fits {
        found.add(anchor, FoundSecret::new(Password, range));
    }
    fits
}

/// Is the text before about an account?
pub(super) fn speaks_of_account(text: &[u8], at: usize) -> bool {
    let before = text_before(text, at, 80);
    names_user(before) || contains_any_case(before, "ssh ") || before.contains(&b'@')
}
