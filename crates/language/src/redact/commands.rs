//! Passwords on the command lines of programs that take one: `mysql -p…`,
//! `docker login -p …`, `echo … | sudo -S`.

use std::ops::Range;

use super::authorization::check_cookie_pairs;
use super::entropy::looks_random;
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind::{Password, Token};
use super::placeholder::{has_template_signs, is_placeholder};
use super::programs::{COMMANDS, EXEC_FORMS, POSITIONAL, SecretPlace, Takes};
use super::rules::token_at;
use super::text::{contains_any_case, is_quote, run_end, run_end_within, starts_with, text_before};

/// At most this much of a command line is read.
const LONGEST_COMMAND: usize = 512;

/// No command has more secrets; more matches are several commands.
const MOST_VALUES: usize = 3;

/// The starts of commands; used as anchors.
pub(super) fn command_starts() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.start)
}

/// The same for commands with a plain word as the secret.
pub(super) fn positional_starts() -> impl Iterator<Item = &'static str> {
    POSITIONAL.iter().map(|(start, _)| *start)
}

/// At the start of a command that has flags for secrets.
pub(super) fn check_command(text: &[u8], at: usize, found: &mut Findings) {
    // `mysql ` in `automysql `, `http -` in `xhttp -`: another program.
    if at > 0 && text[at - 1].is_ascii_alphanumeric() && !super::text::ends_escape(text, at) {
        return;
    }
    for command in COMMANDS.iter().filter(|command| starts_with(text, at, command.start.as_bytes())) {
        let from = at + command.start.trim_end_matches(['-', ' ']).len();
        let mut words = Words::new(text, from);
        let mut values = 0;
        while let Some(word) = words.next().filter(|_| values < MOST_VALUES) {
            for &(flag, takes) in command.flags {
                if let Some(value) = flag_value(text, &word, flag, takes, &mut words) {
                    values += 1;
                    check_value(text, at, value, takes, found);
                }
            }
        }
    }
}

/// The value of the flag, from this word or the next one.
fn flag_value(text: &[u8], word: &Range<usize>, flag: &str, takes: Takes, words: &mut Words) -> Option<Range<usize>> {
    let raw = &text[word.clone()];
    // `-su`: the last of several flags in one word.
    let is_bundle = takes == Takes::Pair
        && flag == "-u"
        && matches!(raw.len(), 3..=6)
        && raw.starts_with(b"-")
        && raw[1..].iter().all(u8::is_ascii_alphabetic)
        && raw.ends_with(b"u");
    let rest = if is_bundle { &[] } else { raw.strip_prefix(flag.as_bytes())? };
    if rest.is_empty() || is_bundle {
        return (takes != Takes::Glued).then(|| words.next()).flatten().map(|next| inside_quotes(text, next));
    }
    if let Some(value) = rest.strip_prefix(b"=").filter(|_| flag.starts_with("--")) {
        return Some(inside_quotes(text, word.end - value.len()..word.end));
    }
    if let Some(value) = rest.strip_prefix(b":").filter(|_| flag.starts_with('/')) {
        return Some(inside_quotes(text, word.end - value.len()..word.end));
    }
    let glues = matches!(takes, Takes::Glued | Takes::Either | Takes::Pair | Takes::Percent);
    let is_short = flag.len() == 2;
    (glues && is_short).then(|| inside_quotes(text, word.start + flag.len()..word.end))
}

fn check_value(text: &[u8], anchor: usize, value: Range<usize>, takes: Takes, found: &mut Findings) {
    let after = |sign: u8| {
        let at = text[value.clone()].iter().position(|&byte| byte == sign)?;
        Some(inside_quotes(text, value.start + at + 1..value.end))
    };
    let secret = match takes {
        Takes::Next | Takes::Glued | Takes::Either => Some(value),
        Takes::Pair => after(b':'),
        Takes::Percent => percent_password(text, value),
        Takes::Comma => after(b','),
        Takes::Prefixed => starts_with(text, value.start, b"pass:").then(|| value.start + 5..value.end),
        Takes::Cookies => {
            check_cookie_pairs(text, anchor, value, found);
            None
        }
    };
    if let Some(secret) = secret {
        add_given(text, anchor, secret, found);
    }
}

/// The password in `user%password` or `DOMAIN\user%password`.
fn percent_password(text: &[u8], value: Range<usize>) -> Option<Range<usize>> {
    let goes_on = |byte: u8| !byte.is_ascii_whitespace() && !is_quote(byte);
    let end = run_end_within(text, value.end, 128, goes_on);
    let sign = text[value.start..end].iter().position(|&byte| byte == b'%')?;
    Some(inside_quotes(text, value.start + sign + 1..end))
}

/// At a command with a plain word as the secret.
pub(super) fn check_positional(text: &[u8], at: usize, found: &mut Findings) {
    for &(start, place) in POSITIONAL.iter().filter(|(start, _)| starts_with(text, at, start.as_bytes())) {
        let from = at + start.trim_end_matches(['-', ' ']).len();
        let from =
            if place == SecretPlace::Last { run_end(text, from, |byte| !byte.is_ascii_whitespace()) } else { from };
        let words: Vec<Range<usize>> = Words::new(text, from).collect();
        let mut plain = words.iter().filter(|word| text[word.start] != b'-');
        let is_batch = || words.iter().any(|word| text[word.start] == b'-' && text[word.clone()].contains(&b'b'));
        let word = match place {
            SecretPlace::First | SecretPlace::Word | SecretPlace::Login => plain.next(),
            SecretPlace::Second => plain.nth(1).filter(|word| !matches!(text[word.start], b'/' | b'+')),
            SecretPlace::Target => plain.next().filter(|word| text[(*word).clone()].contains(&b'@')),
            SecretPlace::Third => plain.nth(2),
            SecretPlace::Fourth => plain.nth(3),
            SecretPlace::Last | SecretPlace::LastWord => plain.next_back(),
            SecretPlace::LastQuoted => plain.next_back().filter(|word| is_quote(text[word.start])),
            SecretPlace::Colon => plain.next().filter(|word| text[(*word).clone()].contains(&b':')),
            SecretPlace::Snmp | SecretPlace::Acl => {
                check_each(text, at, place, &words, found);
                None
            }
            SecretPlace::LastPair => plain.next_back().filter(|word| text[(*word).clone()].contains(&b':')),
            SecretPlace::OfBatch => plain.next_back().filter(|_| is_batch()),
            SecretPlace::Quoted => plain.next().filter(|word| is_quote(text[word.start]) || text[word.start] == b'\\'),
        };
        if let Some(word) = word {
            let value = inside_quotes(text, word.clone());
            let value = match place {
                SecretPlace::Login => login_password(text, value),
                SecretPlace::Target => target_password(text, value),
                // Both halves of such a pair are random.
                SecretPlace::LastPair
                    if text[value.clone()].iter().all(|&byte| byte.is_ascii_hexdigit() || byte == b':') =>
                {
                    value
                }
                SecretPlace::LastPair | SecretPlace::Colon => {
                    let colon = text[value.clone()].iter().position(|&byte| byte == b':');
                    value.start + colon.map_or(0, |colon| colon + 1)..value.end
                }
                _ => value,
            };
            let needs_digit =
                matches!(place, SecretPlace::First | SecretPlace::LastWord | SecretPlace::Word | SecretPlace::Colon);
            let is_token = !needs_digit || is_unlike_words(&text[value.clone()]);
            if is_token {
                add_given(text, at, value, found);
            }
        }
    }
}

/// Every quoted word, or every word that starts with the sign of a password.
fn check_each(text: &[u8], at: usize, place: SecretPlace, words: &[Range<usize>], found: &mut Findings) {
    for word in words {
        let is_quoted = is_quote(text[word.start]) || text[word.start] == b'\\';
        match place {
            SecretPlace::Snmp if is_quoted => add_given(text, at, inside_quotes(text, word.clone()), found),
            SecretPlace::Acl if text[word.start] == b'>' => add_given(text, at, word.start + 1..word.end, found),
            _ => {}
        }
    }
}

/// At the name of a program in a list of words: `["mysql", "-u", "root", "-p…"]`.
pub(super) fn check_exec_form(text: &[u8], at: usize, found: &mut Findings) {
    let mark = text[at];
    let name_end = run_end_within(text, at + 1, 32, |byte| byte != mark);
    let limit = text.len().min(at + LONGEST_COMMAND);
    let end = run_end(&text[..limit], at, |byte| byte != b']' && byte != b'\n');
    let Some(command) =
        COMMANDS.iter().find(|command| command.start.trim_ascii_end().as_bytes() == &text[at + 1..name_end])
    else {
        return;
    };
    let mut flag_before = None;
    let mut start = name_end + 1;
    while let Some(open) = (start..end).find(|&index| text[index] == mark) {
        let close = run_end(&text[..end], open + 1, |byte| byte != mark && byte != b'\\');
        let word = open + 1..close;
        if let Some(takes) = flag_before.take() {
            check_value(text, at, word.clone(), takes, found);
        }
        for &(flag, takes) in command.flags {
            match text[word.clone()].strip_prefix(flag.as_bytes()) {
                Some([]) if takes != Takes::Glued => flag_before = Some(takes),
                Some(rest @ [_, ..]) if flag.len() == 2 && matches!(takes, Takes::Glued | Takes::Either) => {
                    check_value(text, at, close - rest.len()..close, takes, found);
                }
                _ => {}
            }
        }
        start = close + 1;
    }
}

/// The starts of word lists; used as anchors.
pub(super) fn exec_forms() -> impl Iterator<Item = &'static str> {
    EXEC_FORMS.iter().copied()
}

/// At `<<<`: the input of a program that reads a password, or of a password variable.
pub(super) fn check_here_string(text: &[u8], at: usize, found: &mut Findings) {
    const READERS: &[&str] =
        &["passw", "passphrase", "secret", "token", "_key", "sudo -s", "_pass", "login", "cryptsetup"];
    let before = text_before(text, at, 160);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    if !READERS.iter().any(|reader| contains_any_case(line, reader)) {
        return;
    }
    if let Some(word) = Words::new(text, at + b"<<<".len()).next() {
        let value = inside_quotes(text, word);
        let is_pair = contains_any_case(line, "chpasswd");
        let colon = text[value.clone()].iter().position(|&byte| byte == b':').filter(|_| is_pair);
        add_given(text, at, value.start + colon.map_or(0, |colon| colon + 1)..value.end, found);
    }
}

/// The password in `user/password@host`; empty if there is none.
fn login_password(text: &[u8], login: Range<usize>) -> Range<usize> {
    let word = &text[login.clone()];
    let slash = word.iter().position(|&byte| byte == b'/');
    let sign = word.iter().rposition(|&byte| byte == b'@');
    match (slash, sign) {
        (Some(slash), Some(sign)) if slash > 0 && slash < sign => login.start + slash + 1..login.start + sign,
        _ => login.start..login.start,
    }
}

/// The password in `domain/user:password@host`; empty if there is none.
fn target_password(text: &[u8], target: Range<usize>) -> Range<usize> {
    let word = &text[target.clone()];
    let colon = word.iter().position(|&byte| byte == b':');
    let sign = word.iter().rposition(|&byte| byte == b'@');
    match (colon, sign) {
        (Some(colon), Some(sign)) if colon < sign => target.start + colon + 1..target.start + sign,
        _ => target.start..target.start,
    }
}

/// At `| base64 -d` on a line that names what is decoded.
pub(super) fn check_decoded(text: &[u8], at: usize, found: &mut Findings) {
    const NAMES: &[&str] = &["password", "secret", "token", "passwd", "api key", "credential"];
    let before = text_before(text, at, 120);
    let line = at - before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default().len();
    let end = super::text::rest_of_line(text, at, 120).end;
    if NAMES.iter().any(|name| contains_any_case(&text[line..end], name)) {
        check_piped(text, at + 2, found);
    }
}

/// At `--password-stdin`, `sudo -S`, `chpasswd` or the like: the echoed input.
pub(super) fn check_piped(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, 256);
    let line = before.iter().rposition(|&byte| byte == b'\n').map_or(before, |end| &before[end + 1..]);
    let start = at - line.len();
    for echo in ["echo ", "printf "] {
        let Some(place) = line.windows(echo.len()).rposition(|window| window == echo.as_bytes()) else {
            continue;
        };
        let mut words = Words::new(text, start + place + echo.len());
        let Some(word) = words.by_ref().find(|word| text[word.start] != b'-') else {
            continue;
        };
        let is_last = words.next().is_none() && text.get(words.at) == Some(&b'|') && words.at <= at;
        let value = inside_quotes(text, word);
        let is_pair = starts_with(text, at, b"chpasswd");
        let colon = text[value.clone()].iter().position(|&byte| byte == b':').filter(|_| is_pair);
        if is_last && is_pair == colon.is_some() {
            let secret = colon.map_or(value.clone(), |colon| value.start + colon + 1..value.end);
            add_given(text, start + place, secret, found);
        }
    }
    if let Some(here) = (at..text.len().min(at + 80)).find(|&index| starts_with(text, index, b"<<<"))
        && !text[at..here].contains(&b'\n')
        && let Some(word) = Words::new(text, here + 3).next()
    {
        add_given(text, at, inside_quotes(text, word), found);
    }
}

/// At `--from-literal`: `kubectl create secret generic db --from-literal=name=value`.
pub(super) fn check_literal(text: &[u8], at: usize, found: &mut Findings) {
    if !contains_any_case(text_before(text, at, 256), "secret") {
        return;
    }
    let start = at + b"--from-literal".len();
    let start = run_end_within(text, start, 2, |byte| matches!(byte, b'=' | b' '));
    let Some(word) = Words::new(text, start).next() else {
        return;
    };
    if let Some(equals) = text[word.clone()].iter().position(|&byte| byte == b'=') {
        add_given(text, at, inside_quotes(text, word.start + equals + 1..word.end), found);
    }
}

/// At `secrets set `, as in `fly secrets set NAME=value`: every value.
pub(super) fn check_secrets_set(text: &[u8], at: usize, found: &mut Findings) {
    for word in Words::new(text, at + b"secrets set".len()) {
        let raw = &text[word.clone()];
        if let Some(equals) = raw.iter().position(|&byte| byte == b'=').filter(|_| raw[0].is_ascii_uppercase()) {
            add_given(text, at, inside_quotes(text, word.start + equals + 1..word.end), found);
        }
    }
}

/// At ` /user:` of `net use`: the password precedes it, or follows the user.
pub(super) fn check_net_use(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, 200);
    if !contains_any_case(before, "net use") {
        return;
    }
    let start = at - before.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let is_share = text[start..at].contains(&b'\\') || text[start..at].ends_with(b":");
    if is_share {
        let mut words = Words::new(text, at).skip(1);
        if let Some(word) = words.next().filter(|word| text[word.start] != b'/') {
            add_given(text, at, inside_quotes(text, word), found);
        }
    } else {
        add_given(text, start, inside_quotes(text, start..at), found);
    }
}

/// At ` /p:` of programs with flags in this style.
pub(super) fn check_slash_flag(text: &[u8], at: usize, found: &mut Findings) {
    let before = text_before(text, at, 160);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let has_user = ["/u:", "/user:", "rdp"].iter().any(|flag| contains_any_case(line, flag));
    if let Some(word) = Words::new(text, at + 1).next().filter(|_| has_user) {
        add_given(text, at, inside_quotes(text, (word.start + 3).min(word.end)..word.end), found);
    }
}

/// At `<(echo `, where a file with a password is expected.
pub(super) fn check_substituted(text: &[u8], at: usize, found: &mut Findings) {
    let expects_password = contains_any_case(text_before(text, at, 40), "pass");
    if let Some(word) = Words::new(text, run_end_within(text, at, 16, |byte| byte != b'e') + b"echo ".len())
        .next()
        .filter(|_| expects_password)
    {
        add_given(text, at, inside_quotes(text, word), found);
    }
}

/// Whether a word of a command is unlike a word of a sentence about the command.
fn is_unlike_words(value: &[u8]) -> bool {
    value.iter().any(|byte| !byte.is_ascii_lowercase() && *byte != b'-')
}

fn add_given(text: &[u8], anchor: usize, range: Range<usize>, found: &mut Findings) {
    let value = &text[range.clone()];
    let is_number = value.iter().all(u8::is_ascii_digit) && value.len() < 6;
    let begins_otherwise = match value {
        [b'$', digit, ..] if digit.is_ascii_digit() => value.len() < 8,
        [b'-', ..] => !looks_random(value),
        _ => matches!(value.first(), None | Some(b'$' | b'<' | b'{' | b'@' | b'(' | b'/' | b'.' | b'~' | b'!')),
    };
    if value.len() < 4 || is_number || begins_otherwise || has_template_signs(value) || is_placeholder(value) {
        return;
    }
    let issued = token_at(text, range.start);
    let kind = issued.map_or(if value.len() >= 40 { Token } else { Password }, |token| token.kind);
    found.add(anchor, FoundSecret::new(kind, range));
}

/// The words of a command line, with their quotes, up to its end.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
    limit: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a [u8], from: usize) -> Self {
        let at = from.min(text.len());
        Words { text, at, limit: text.len().min(at + LONGEST_COMMAND) }
    }
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.at = skip_gap(self.text, self.at, self.limit);
        let start = self.at;
        let mut quote = None;
        while self.at < self.limit {
            let byte = self.text[self.at];
            let escape = run_end_within(self.text, self.at, 16, |byte| byte == b'\\');
            match (quote, self.text.get(escape)) {
                (_, Some(b'\n')) => break,
                // A line end inside a JSON string, in or after an escaped quote.
                (None, Some(b'n' | b'r')) if ends_line(escape - self.at) => break,
                (None, _) if byte.is_ascii_whitespace() || matches!(byte, b'|' | b';' | b'`') => break,
                (None, _) if byte == b'&' && self.text.get(self.at + 1) == Some(&b'&') => break,
                (None, Some(&mark)) if is_quote(mark) => quote = Some((mark, escape - self.at)),
                (Some((open, depth)), Some(&mark)) if mark == open && escape - self.at == depth => quote = None,
                _ => {}
            }
            self.at = escape.max(self.at) + 1;
        }
        self.at = self.at.min(self.limit);
        (self.at > start).then_some(start..self.at)
    }
}

/// Whether that many backslashes before an `n` mean a line end, rather than a continued line.
fn ends_line(backslashes: usize) -> bool {
    matches!(backslashes, 1 | 2 | 4)
}

/// Skips blanks and line ends after a backslash.
fn skip_gap(text: &[u8], from: usize, limit: usize) -> usize {
    let mut at = from;
    while at < limit {
        let escape = run_end_within(text, at, 16, |byte| byte == b'\\');
        let goes_on = escape > at
            && (text.get(escape) == Some(&b'\n') || matches!(text.get(escape), Some(b'n')) && !ends_line(escape - at));
        match text[at] {
            b' ' | b'\t' => at += 1,
            _ if goes_on => at = escape + 1,
            _ => break,
        }
    }
    at
}

/// The word without its quotes; a part of it if a quote or backslash is inside.
fn inside_quotes(text: &[u8], word: Range<usize>) -> Range<usize> {
    let quote = run_end(&text[..word.end], word.start, |byte| byte == b'\\');
    let is_quoted = text[..word.end].get(quote).is_some_and(|&byte| is_quote(byte));
    let start = if is_quoted { quote + 1 } else { word.start };
    let stop = |byte: &u8| *byte == b'\\' || is_quote(*byte) || byte.is_ascii_control();
    let length = text[start..word.end].iter().position(stop).unwrap_or(word.end - start);
    let mut end = start + length;
    while !is_quoted && end > start && matches!(text[end - 1], b')' | b',' | b'.') {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let bytes = text.as_bytes();
        Words::new(bytes, 0)
            .map(|word| String::from_utf8_lossy(&bytes[inside_quotes(bytes, word)]).into_owned())
            .collect()
    }

    #[test]
    fn a_command_ends_where_the_shell_ends_it() {
        assert_eq!(words("-u root -p'a b' shop | gzip"), ["-u", "root", "-p", "shop"]);
        assert_eq!(words("a \\\n  b\nc"), ["a", "b"]);
        assert_eq!(words("a \\\"b c\\\" d\\nnext"), ["a", "b c", "d"]);
        assert_eq!(words("a && b"), ["a"]);
    }
}
