//! Tokens with recognizable prefixes.

use super::entropy::{TextShape, looks_random};
use super::findings::FoundSecret;
use super::kind::SecretKind;
use super::placeholder::is_stand_in;
use super::prefixes::{COMMON_PREFIX_RULES, RULES};
use super::text::{can_begin_token, is_base64_byte, is_lower_hex, is_token_byte, run_end_within, starts_with};

/// A longer run of such bytes is data, not a token.
const LONGEST_BODY: usize = 4096;

/// The possible bytes of a token's body.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// `A-Z`, `2-7`
    Base32,
    /// `0-9`, `a-f`
    Hex,
    /// `0-9`, `a-f`, `-`
    HexDash,
    /// `A-Z`, `0-9`
    Upper,
    /// `A-Z`, `a-z`, `0-9`
    Alnum,
    /// letters, digits, `_`, `-`
    Token,
    /// letters, digits, `_`, `-`, `.`
    Dotted,
    /// letters, digits, `+`, `/`, `=`, `_`, `-`
    Base64,
    /// letters, digits, `$`, `_`
    Dollar,
}

impl Body {
    fn contains(self, byte: u8) -> bool {
        match self {
            Body::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Body::Hex => is_lower_hex(byte),
            Body::HexDash => is_lower_hex(byte) || byte == b'-',
            Body::Upper => matches!(byte, b'A'..=b'Z' | b'0'..=b'9'),
            Body::Alnum => byte.is_ascii_alphanumeric(),
            Body::Token => is_token_byte(byte),
            Body::Dotted => is_token_byte(byte) || byte == b'.',
            Body::Base64 => is_base64_byte(byte) || is_token_byte(byte),
            Body::Dollar => byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'_'),
        }
    }
}

/// A prefix and the form of the token's body.
pub(super) struct TokenRule {
    kind: SecretKind,
    pub(super) prefix: &'static str,
    body: Body,
    shortest: usize,
    longest: usize,
}

/// A token without fixed length: at least `shortest` bytes of body.
pub(super) const fn open(kind: SecretKind, prefix: &'static str, body: Body, shortest: usize) -> TokenRule {
    sized(kind, prefix, body, shortest, usize::MAX)
}

/// A token of known length; a longer run of such bytes is something else.
pub(super) const fn sized(
    kind: SecretKind,
    prefix: &'static str,
    body: Body,
    shortest: usize,
    longest: usize,
) -> TokenRule {
    TokenRule { kind, prefix, body, shortest, longest }
}

/// The token at `at`, if any.
pub(super) fn token_at(text: &[u8], at: usize) -> Option<FoundSecret> {
    if !can_begin_token(text, at) {
        return None;
    }
    let mut rules = RULES.iter().chain(COMMON_PREFIX_RULES);
    rules.find_map(|rule| rule.token_at(text, at))
}

impl TokenRule {
    fn token_at(&self, text: &[u8], at: usize) -> Option<FoundSecret> {
        if !starts_with(text, at, self.prefix.as_bytes()) {
            return None;
        }
        let start = at + self.prefix.len();
        let end = self.body_end(text, start)?;
        let body = &text[start..end];
        if is_stand_in(body) || !self.is_plausible(body) {
            return None;
        }
        Some(FoundSecret::new(self.kind, at..end))
    }

    /// The end of the body, if its length is valid. An open body includes adjacent token bytes: no part of a token may
    /// be left beside its marker.
    fn body_end(&self, text: &[u8], start: usize) -> Option<usize> {
        let limit = self.longest.saturating_add(1).min(LONGEST_BODY);
        let mut end = run_end_within(text, start, limit, |byte| self.body.contains(byte));
        while end > start && text[end - 1] == b'.' {
            end -= 1; // the full stop of a sentence
        }
        let length = end - start;
        if length < self.shortest || length > self.longest || length >= LONGEST_BODY {
            return None;
        }
        let glued_end = run_end_within(text, end, LONGEST_BODY, is_token_byte);
        let fixed = self.longest != usize::MAX;
        (glued_end == end || !fixed).then_some(glued_end)
    }

    /// The prefix is sufficient unless words or a pattern follow. If the prefix could be a word, the body must look
    /// random.
    fn is_plausible(&self, body: &[u8]) -> bool {
        let shape = TextShape::of(body);
        match self.body {
            Body::Base32 | Body::Upper => shape.distinct >= 6,
            Body::Hex | Body::HexDash => shape.distinct >= 7 && shape.digits > 0 && shape.lower > 0,
            _ if self.prefix.len() < 4 => looks_random(body),
            _ => shape.distinct >= 8 && !shape.is_wordy() && (shape.digits > 0 || shape.upper > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of that many bytes that looks random.
    fn body(kind: Body, length: usize, seed: u32) -> Vec<u8> {
        let letters: Vec<u8> =
            (b'0'..=b'z').filter(|&byte| byte.is_ascii_alphanumeric() && kind.contains(byte)).collect();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            letters[(state >> 16) as usize % letters.len()]
        };
        (0..length).map(|_| next()).collect()
    }

    fn is_found(rule: &TokenRule, length: usize) -> bool {
        let found = |seed| {
            let text = [rule.prefix.as_bytes(), &body(rule.body, length, seed)].concat();
            rule.token_at(&text, 0).is_some_and(|finding| finding.range == (0..text.len()))
        };
        (1..20).any(found)
    }

    #[test]
    fn each_prefix_takes_a_body_of_its_length_and_no_other() {
        for rule in RULES.iter().chain(COMMON_PREFIX_RULES) {
            assert!(is_found(rule, rule.shortest), "{}: not found", rule.prefix);
            assert!(!is_found(rule, rule.shortest - 1), "{}: too short", rule.prefix);
            if rule.longest != usize::MAX {
                assert!(!is_found(rule, rule.longest + 1), "{}: too long", rule.prefix);
            }
        }
    }
}
