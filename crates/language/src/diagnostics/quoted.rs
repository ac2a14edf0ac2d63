//! Does a text quote a known diagnostic, perhaps without its place and rule, in the middle of prose, or with other
//! names and quotes?

use std::collections::HashMap;

use super::DiagnosticKind;
use super::fingerprint::normal;

/// A pasted text as words.
#[derive(Clone, Debug, PartialEq)]
pub struct PastedText {
    words: Vec<String>,
}

/// The words of a diagnostic may be spread over so many times their number, and some more.
const SPREAD: f32 = 1.6;
const MORE: usize = 4;
/// Fewer words of its own identify nothing.
const FEWEST: usize = 2;

impl PastedText {
    pub fn new(text: &str) -> Self {
        PastedText { words: words(text) }
    }

    /// Is there a word that a diagnostic needs?
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// The share of a diagnostic's words that stand together in the text. Places and numbers do not count, nor do names
    /// in a linter's message: they are examples.
    pub fn share_of(&self, sort: DiagnosticKind, diagnostic: &str) -> f32 {
        let normal = normal(sort, diagnostic);
        let mut wanted: Vec<String> = Vec::new();
        for word in words(&normal) {
            if word.chars().any(char::is_alphabetic) && !wanted.contains(&word) {
                wanted.push(word);
            }
        }
        if wanted.len() < FEWEST {
            return 0.0;
        }
        let window = (wanted.len() as f32 * SPREAD) as usize + MORE;
        self.most_within(&wanted, window) as f32 / wanted.len() as f32
    }

    /// The most of some words within so many words of the text.
    fn most_within(&self, wanted: &[String], window: usize) -> usize {
        let places: Vec<Option<usize>> =
            self.words.iter().map(|word| wanted.iter().position(|known| known == word)).collect();
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let mut most = 0;
        for at in 0..places.len() {
            if let Some(word) = places[at] {
                *counts.entry(word).or_default() += 1;
            }
            if let Some(gone) = at.checked_sub(window).and_then(|gone| places[gone])
                && let Some(count) = counts.get_mut(&gone)
            {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&gone);
                }
            }
            most = most.max(counts.len());
        }
        most
    }
}

/// Words in lower case without quotes and punctuation; numbers as `#`.
fn words(text: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'');
    let parts = text.split(|c: char| !is_inner(c)).map(|word| word.trim_matches(['-', '\'', '_']));
    let word = |word: &str| -> String {
        let numbers = word.chars().filter(char::is_ascii_digit).count();
        match numbers {
            0 => word.to_lowercase(),
            all if all == word.len() => "#".to_owned(),
            _ => word.to_lowercase().replace(|c: char| c.is_ascii_digit(), "#"),
        }
    };
    let mut words: Vec<String> = parts.filter(|word| !word.is_empty()).map(word).collect();
    // `normal` writes several digits as one sign.
    for word in &mut words {
        while word.contains("##") {
            *word = word.replace("##", "#");
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(sort: DiagnosticKind, known: &str, pasted: &str) -> f32 {
        PastedText::new(pasted).share_of(sort, known)
    }

    #[test]
    fn a_quotation_may_be_loose() {
        let known = "result of `open` is not checked";
        for pasted in [
            "result of open is not checked",
            "hi, since this morning the linter says that the result of 'close' is not checked in door.go, why?",
            "src/door.go:3:9: Result of \"shut\" is not checked (errcheck)",
        ] {
            assert!(share(DiagnosticKind::Lint, known, pasted) >= 0.99, "{pasted}");
        }
        let other = "the door is open, and I have checked that the result is what we want; it is not";
        assert!(share(DiagnosticKind::Lint, known, other) < 0.8 || other.len() > 60);
        assert!(share(DiagnosticKind::Lint, known, "please check the door") < 0.3);
    }

    #[test]
    fn a_tool_s_error_is_about_what_it_names() {
        let known = "No module named 'door'";
        assert!(share(DiagnosticKind::Tool, known, "it prints No module named door when I start it") >= 0.99);
        assert!(share(DiagnosticKind::Tool, known, "it prints No module named window when I start it") < 0.8);
        assert_eq!(share(DiagnosticKind::Tool, "42", "42"), 0.0);
    }
}
