//! Recognizes values in place of a secret: `YOUR_API_KEY`, `${TOKEN}`, `<password>`, `xxxx`, `changeme`,
//! `AKIAIOSFODNN7EXAMPLE`.

use super::MARKER_START;
use super::entropy::TextShape;
use super::text::{contains, contains_any_case, starts_with_any_case};

/// A value that contains one of these is fictional, whatever else it contains. Vendors mark the keys in their
/// documentation this way: `AKIAIOSFODNN7EXAMPLE`.
const TELLING_WORDS: &[&str] = &[
    "example", "placeholder", "changeme", "change_me", "change-me", "replace", "insert", "your_", "your-", "yourkey",
    "yourtoken", "yourpass", "yoursecret", "yourapi", "xxxxx", "dummy", "redacted", "sample", "notreal", "not-real",
    "not_real", "deadbeef", "lorem", "foobar", "1234567890", "abcdefgh", "super-secret", "super_secret", "at-least",
    "at_least", "random-string", "random_string", "generate-", "todo",
];

/// Words without secret meaning. A value made of little else is a placeholder.
const EMPTY_WORDS: &[&str] = &[
    "authorization", "anonymous", "anoncvs", "pserver", "credentials", "credential", "passphrase", "undefined",
    "postgres", "password", "username", "whatever", "anything", "default", "invalid", "private", "service", "passwd",
    "secret", "access", "string", "qwerty", "client", "please", "hidden", "masked", "bearer", "expired", "token",
    "admin", "public", "guest", "local", "empty", "wrong", "valid", "super", "value", "hello", "world", "login",
    "basic", "apikey", "false", "mysql", "redis", "test", "fake", "mock", "stub", "user", "your", "root", "pass",
    "auth", "some", "demo", "true", "none", "null", "todo", "here", "this", "that", "prod", "foo", "bar", "baz", "abc",
    "xyz", "new", "old", "the", "key", "api", "pwd", "dev", "bad", "env", "var", "my", "db", "pw",
];

/// Whether the value is obviously a placeholder. For long tokens, which can contain a short word by chance: only
/// unmistakable signs count.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    TextShape::of(value).is_steady()
        || has_template_signs(value)
        || TELLING_WORDS.iter().any(|word| contains_any_case(value, word))
}

/// Whether the value is a placeholder; also true if it consists of empty words.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    is_stand_in(value) || is_made_of_empty_words(value)
}

/// `${VAR}`, `$(command)`, `{{ template }}`, `<token>`, `***`, `...`, `%s`, a marker.
pub(super) fn has_template_signs(value: &[u8]) -> bool {
    const SIGNS: &[&str] = &["${", "$(", "{{", "#{", "***", "...", "…", "•", "\\u2022"];
    SIGNS.iter().any(|sign| contains(value, sign.as_bytes()))
        || contains(value, MARKER_START.as_bytes())
        || has_format_verb(value)
        || is_bracketed(value)
        || is_variable(value)
}

/// `%s` or `%v`, not as a part of longer text: a password may hold `%va`.
fn has_format_verb(value: &[u8]) -> bool {
    let is_verb = |at: usize| matches!(value[at..], [b'%', b's' | b'v' | b'd' | b'q', ..]);
    let ends = |at: usize| !value.get(at + 2).is_some_and(u8::is_ascii_alphanumeric);
    (0..value.len()).any(|at| is_verb(at) && ends(at))
}

/// `<token>`, `[token]`, `{token}`, `%TOKEN%`, `__TOKEN__`, `@token@`.
fn is_bracketed(value: &[u8]) -> bool {
    matches!(value, [b'<', ..] | [b'[', .., b']'] | [b'{', .., b'}'] | [b'%', .., b'%'] | [b'_', b'_', .., b'_', b'_'])
}

/// `$TOKEN`, `$token`, `$env:TOKEN`.
fn is_variable(value: &[u8]) -> bool {
    let [b'$', name @ ..] = value else {
        return false;
    };
    let name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.');
    name.iter().all(name_byte) && !name.first().is_some_and(u8::is_ascii_digit)
}

/// Whether the word has no secret meaning.
pub(super) fn is_empty_word(word: &[u8]) -> bool {
    EMPTY_WORDS.iter().any(|empty| word.eq_ignore_ascii_case(empty.as_bytes()))
}

fn is_made_of_empty_words(value: &[u8]) -> bool {
    let mut telling = 0;
    let mut at = 0;
    while at < value.len() {
        at += match empty_piece_at(value, at) {
            Some(length) => length,
            None => {
                telling += usize::from(value[at].is_ascii_alphanumeric() || !value[at].is_ascii());
                1
            }
        };
    }
    telling < 4 && telling * 3 < value.len()
}

/// The length of the empty word or counted number (`123`, `2024`) at `at`.
fn empty_piece_at(value: &[u8], at: usize) -> Option<usize> {
    let word = EMPTY_WORDS.iter().find(|word| starts_with_any_case(value, at, word));
    if let Some(word) = word {
        return Some(word.len());
    }
    let digits = value[at..].iter().take_while(|byte| byte.is_ascii_digit());
    let counted = digits.zip(b"1234567890").take_while(|(digit, expected)| digit == expected).count();
    (counted >= 3).then_some(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_placeholders() {
        for value in [
            "YOUR_API_KEY", "your-token-here", "changeme", "xxxxxxxxxxxx", "${TOKEN}", "$TOKEN", "<password>",
            "********", "AKIAIOSFODNN7EXAMPLE", "password123", "Password123!", "test-token", "my-secret-key",
            "user1234", "{{ vault.token }}", "sk-...", "[redacted:token]",
        ] {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn secrets_are_no_placeholders() {
        for value in ["hunter2", "Tr0ub4dor&3", "secret-8f3kd92k", "q7Zk2mXw9LpR4tVb", "$2wQ!x9z"] {
            assert!(!is_placeholder(value.as_bytes()), "{value}");
        }
    }
}
