//! Secrets announced by a name elsewhere on the line or above it: in a sentence (`the password of the box is …`), as a
//! heading (`Your new token:`, then the token on a separate line), as a command that prints it.

use std::ops::Range;

use super::assigned::{is_drawn_password, is_drawn_token};
use super::columns::{check_columns, check_insert};
use super::findings::{Findings, FoundSecret};
use super::kind::SecretKind;
use super::names::{Name, NameFamily};
use super::printed::has_prompt;
use super::rules::token_at;
use super::text::{
    after_line_end, contains_any_case, is_blank, is_quote, rest_of_line, run_end_within, run_start, text_before,
};
use super::words::{is_chosen_word, is_known, is_phrase};

/// At most this much of a sentence is read.
const LONGEST_SENTENCE: usize = 160;
const LONGEST_LINE: usize = 240;
const LONGEST_SECRET: usize = 1024;
/// No sentence has more words between the name and the secret.
const MOST_WORDS: usize = 24;

/// Words that the secret follows.
const ANNOUNCING: &[&str] = &[
    "is", "was", "be", "to", "as", "now", "are", "use", "=", "-", "->", "=>", "ist", "lautet", "lauten", "war", "auf",
    "est", "es", "era", "sera", "é", "è", "jest", "to:", "er", "är", "on", "это", "have", "been", "gave", "—", "–",
];

/// Words that make the following text a statement about the secret.
const ABOUT: &[&str] = &[
    "hash", "hashed", "hashes", "sha", "sha256", "md5", "digest", "checksum", "fingerprint", "id", "ids", "length",
    "format", "like", "e.g.", "example", "regex", "pattern", "commit", "public", "encrypted", "count", "limit",
    "revision", "version", "prefix", "field", "named", "called", "name", "file", "path", "column", "header", "type",
];

/// The kind of evidence that a name gives: which values may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    Password,
    Token,
}

impl Promise {
    pub(super) fn of(family: NameFamily) -> Option<Self> {
        match family {
            NameFamily::Password | NameFamily::Pass => Some(Promise::Password),
            NameFamily::Secret | NameFamily::Token | NameFamily::Key | NameFamily::Credential => Some(Promise::Token),
            NameFamily::Vendor | NameFamily::Auth => None,
        }
    }

    fn is_kept_by(self, value: &[u8]) -> bool {
        match self {
            Promise::Password => is_drawn_password(value),
            Promise::Token => is_drawn_token(value),
        }
    }
}

/// At a name without a value directly after it.
pub(super) fn check_told(text: &[u8], name: &Name, found: &mut Findings) {
    let Some(promise) = Promise::of(name.family) else {
        return;
    };
    check_named_after(text, name, promise, found);
    check_columns(text, name, found);
    check_insert(text, name, found);
    let line = rest_of_line(text, name.end, LONGEST_LINE);
    check_sentence(text, name.start, line.start, promise, name.kind, found);
    check_below(text, name, promise, line, found);
}

/// The value before its name: `use … as the password`.
fn check_named_after(text: &[u8], name: &Name, promise: Promise, found: &mut Findings) {
    const JOINTS: &[&str] = &[
        " as password ", " as ", " as the ", " as its ", " as my ", " as our ", " is the ", " is my ", " is our ",
        " is your ",
    ];
    let before = text_before(text, name.start, 12);
    let ends = |joint: &&&str| {
        before.len() >= joint.len() && before[before.len() - joint.len()..].eq_ignore_ascii_case(joint.as_bytes())
    };
    let Some(joint) = JOINTS.iter().find(ends) else {
        return;
    };
    let end = name.start - joint.len();
    let start = run_start(text, end, 128, |byte| byte.is_ascii_graphic());
    let value = bare(text, start..end);
    if promise.is_kept_by(&text[value.clone()]) {
        found.add(name.start, FoundSecret::new(name.kind, value));
    }
}

/// Each word of the line from `from` on that follows an announcing word.
pub(super) fn check_sentence(
    text: &[u8],
    anchor: usize,
    from: usize,
    promise: Promise,
    kind: SecretKind,
    found: &mut Findings,
) {
    let line = rest_of_line(text, from, LONGEST_SENTENCE);
    let mut at = line.start;
    let mut is_announced = text.get(at).is_some_and(|&byte| is_blank(byte) || byte == b'`' || byte == b'*');
    let mut is_direct = is_announced;
    for _ in 0..MOST_WORDS {
        let start = run_end_within(text, at, 40, |byte| is_blank(byte) || byte == b'*');
        if start >= line.end || is_blank(text[start]) {
            return;
        }
        let end = run_end_within(&text[..line.end], start, LONGEST_SECRET, |byte| !is_blank(byte));
        let word = &text[start..end];
        let is_marked = start > from && matches!(word[0], b'(' | b'`');
        if is_announced || is_marked {
            if let Some(phrase) = quoted_phrase(text, start, line.end).filter(|_| promise == Promise::Password) {
                at = phrase.end + 1;
                found.add(anchor, FoundSecret::new(kind, phrase));
                is_announced = false;
                continue;
            }
            let value = bare(text, start..end);
            let is_code = || text[from..start].iter().any(|byte| matches!(byte, b'(' | b'[' | b']'));
            let is_quoted_word =
                || is_string(text, &value) && !is_code() && !is_direct && is_chosen_word(&text[value.clone()]);
            let is_kept = promise.is_kept_by(&text[value.clone()]);
            if is_kept || is_announced && promise == Promise::Password && is_quoted_word() {
                let kind = token_at(text, value.start).map_or(kind, |token| token.kind);
                found.add(anchor, FoundSecret::new(kind, value));
            }
        }
        if ends_sentence(word) || ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about.as_bytes())) {
            return;
        }
        is_announced = announces(word);
        is_direct = false;
        at = end;
    }
}

fn announces(word: &[u8]) -> bool {
    word.ends_with(b":")
        || word.ends_with("：".as_bytes())
        || word.ends_with("是".as_bytes())
        || word.ends_with("は".as_bytes())
        || ANNOUNCING.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether the word ends a sentence or a statement of code.
fn ends_sentence(word: &[u8]) -> bool {
    let has_code = word.iter().any(|byte| matches!(byte, b'{' | b'}' | b';' | b'<' | b'>'));
    let is_stop = word.ends_with(b".") && word.len() > 3 || word.ends_with(b"?") || word.ends_with(b"!");
    (has_code && word != b"->" && word != b"=>") || is_stop
}

/// The word without surrounding quotes, brackets and punctuation.
fn bare(text: &[u8], word: Range<usize>) -> Range<usize> {
    let is_opening = |byte: u8| is_quote(byte) || matches!(byte, b'(' | b'[' | b'*');
    let start = run_end_within(&text[..word.end], word.start, 4, is_opening);
    let stop = |byte: &u8| is_quote(*byte) || matches!(byte, b'\\' | b',' | b';' | b'<' | b'|') || !byte.is_ascii();
    let length = text[start..word.end].iter().position(stop).unwrap_or(word.end - start);
    let mut end = start + length;
    while end > start && matches!(text[end - 1], b'.' | b':' | b')' | b']' | b'?' | b'*') {
        end -= 1;
    }
    start..end
}

/// Whether the value is in the quotes of a string.
fn is_string(text: &[u8], value: &Range<usize>) -> bool {
    let before = value.start.checked_sub(1).map(|index| text[index]);
    matches!(before, Some(b'"' | b'\'')) && text.get(value.end).copied() == before
}

/// A quoted phrase of words at `start`.
fn quoted_phrase(text: &[u8], start: usize, limit: usize) -> Option<Range<usize>> {
    let quote = run_end_within(&text[..limit], start, 2, |byte| byte == b'\\');
    let &mark = text.get(quote).filter(|&&byte| is_quote(byte))?;
    let end =
        run_end_within(&text[..limit], quote + 1, LONGEST_SENTENCE, |byte| byte.is_ascii_lowercase() || byte == b' ');
    let words = &text[quote + 1..end];
    let closes = matches!(text.get(end), Some(&byte) if byte == mark || byte == b'\\');
    let says_else = || words.split(|&byte| byte == b' ').any(is_known);
    (closes && is_phrase(words) && !says_else()).then_some(quote + 1..end)
}

/// The line below a heading that ends with a colon, or below a command that prints it.
fn check_below(text: &[u8], name: &Name, promise: Promise, line: Range<usize>, found: &mut Findings) {
    let Some(next) = after_line_end(text, line.end) else {
        return;
    };
    let heading = text[line.clone()].trim_ascii_end();
    let ends_in_colon = heading.ends_with(b":") || heading.is_empty() && text[..name.end].ends_with(b":");
    let before = text_before(text, name.start, LONGEST_LINE);
    let before = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_command = || has_prompt(before) && !is_about(before) && !is_about(heading);
    if !ends_in_colon && !is_command() {
        return;
    }
    let prefix = log_prefix(before);
    let Some(value) = lone_word(text, next, prefix) else {
        return;
    };
    let is_key = promise == Promise::Token && is_drawn_token(&text[value.clone()]);
    let is_password = promise == Promise::Password && is_lone_password(&text[value.clone()]);
    if is_key || is_password {
        found.add(name.start, FoundSecret::new(name.kind, value));
    }
}

/// Whether a command is about secrets in general rather than about one.
fn is_about(command: &[u8]) -> bool {
    const TOOLS: &[&str] = &["grep", "git", "rg", "find", "ls", "wc", "diff", "sed", "awk", "cargo", "vim", "less"];
    let is_tool = |word: &[u8]| TOOLS.iter().any(|tool| word == tool.as_bytes());
    let asks_setting = contains_any_case(command, "config ");
    command.split(|&byte| is_blank(byte)).any(is_tool) && !asks_setting
        || [
            "public", ".pub", "hash", "sha256", "md5", ".md", ".rs", ".py", ".ts", ".js", ".go", ".json", ".yaml",
            ".yml",
        ]
        .iter()
        .any(|word| contains_any_case(command, word))
}

fn is_lone_password(value: &[u8]) -> bool {
    is_drawn_password(value) || is_drawn_token(value)
}

/// A log's prefix of each line: `name_1  | `.
fn log_prefix(line: &[u8]) -> &[u8] {
    let bar = line.iter().position(|&byte| byte == b'|').filter(|&bar| bar < 40);
    bar.map_or(&line[..0], |bar| &line[..=bar])
}

/// The only word of the first non-blank line from `from` on.
pub(super) fn lone_word(text: &[u8], from: usize, prefix: &[u8]) -> Option<Range<usize>> {
    let mut row = from;
    for _ in 0..3 {
        let begin = if text[row..].starts_with(prefix) { row + prefix.len() } else { row };
        let is_margin = |byte: u8| is_blank(byte) || matches!(byte, b'+' | b'>');
        let start = run_end_within(text, begin, 16, is_margin);
        let start = run_end_within(text, start, 2, is_quote);
        let line = rest_of_line(text, start, LONGEST_SECRET);
        let content = text[line.clone()].trim_ascii_end();
        if content.is_empty() || content.iter().all(|byte| matches!(byte, b'-' | b'=' | b'*')) {
            row = after_line_end(text, line.end)?;
            continue;
        }
        let is_word = |byte: u8| byte.is_ascii_graphic() && !is_quote(byte) && !matches!(byte, b'\\' | b'<' | b'{');
        let end = run_end_within(&text[..line.end], start, LONGEST_SECRET, is_word);
        let rest = text[end..line.end].trim_ascii();
        let fills = rest.is_empty() || matches!(rest, b"\"" | b"'" | b"`" | b"\",");
        return (fills && end > start).then_some(start..end);
    }
    None
}
