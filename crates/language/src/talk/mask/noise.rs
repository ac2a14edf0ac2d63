//! Lines without content: empty, only in brackets, only punctuation. A line of only question marks is a question, not
//! noise.

use super::detect::{RegimeDetector, SeenLine};
use super::{ExcludedRange, MaskReason};

#[derive(Default)]
pub struct Noise(Vec<ExcludedRange>);

impl RegimeDetector for Noise {
    fn see(&mut self, seen: &SeenLine<'_>) {
        if is_noise(seen.text) {
            self.0.push(ExcludedRange { start: seen.place, end: seen.place, reason: MaskReason::Noise });
        }
    }

    fn end(self: Box<Self>) -> Vec<ExcludedRange> {
        self.0
    }
}

pub fn is_noise(text: &str) -> bool {
    if !text.contains(char::is_alphanumeric) {
        return !text.contains('?');
    }
    only_brackets(text)
}

/// All letters are in `[…]`, `(…)` or `*…*`. `((…))` is speech.
fn only_brackets(text: &str) -> bool {
    if text.trim_start().starts_with("((") {
        return false;
    }
    let mut closes: Option<char> = None;
    for c in text.chars() {
        match (closes, c) {
            (Some(end), c) if c == end => closes = None,
            (Some(_), _) => {}
            (None, '[') => closes = Some(']'),
            (None, '(') => closes = Some(')'),
            (None, '*') => closes = Some('*'),
            (None, c) if c.is_alphanumeric() => return false,
            (None, _) => {}
        }
    }
    closes.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_say_nothing() {
        for text in ["", "   ", "...", "-", "[laughter]", "(sighs)", "(sighs) ... [door]", "*shrugs*", ":)"] {
            assert!(is_noise(text), "{text:?}");
        }
        for text in ["17", "?", "??", "(sighs) fine", "[OOC] brb", "((brb))", "* one item", "(unclosed"] {
            assert!(!is_noise(text), "{text:?}");
        }
    }
}
