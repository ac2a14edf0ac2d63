//! Where in a printed text does a statement stand?

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

use super::EvalResult;

/// Letters for each token, as the answers of all programs are counted.
const LETTERS_PER_TOKEN: usize = 4;

/// A statement that may be worded in several ways; case does not matter.
pub struct Statement(Regex);

impl Statement {
    fn new(pattern: &str) -> Result<Self, regex::Error> {
        RegexBuilder::new(pattern).case_insensitive(true).dot_matches_new_line(true).build().map(Statement)
    }

    pub fn position(&self, text: &str) -> Option<usize> {
        self.0.find(text).map(|found| found.start())
    }

    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl<'de> Deserialize<'de> for Statement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pattern = String::deserialize(deserializer)?;
        Statement::new(&pattern).map_err(serde::de::Error::custom)
    }
}

/// The beginning that a reader with so many tokens sees.
pub fn first_tokens(text: &str, tokens: usize) -> &str {
    let end = text.char_indices().nth(tokens * LETTERS_PER_TOKEN).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

pub fn tokens(text: &str) -> usize {
    text.chars().count() / LETTERS_PER_TOKEN
}

/// In one line, each run of whitespace one space.
pub fn folded(text: &str) -> String {
    static SPACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\s+").ok());
    replaced(&SPACE, text)
}

/// The same without the margin that quotations have.
pub fn folded_without_margin(text: &str) -> String {
    static MARGIN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^[\s│┃|>]+").ok());
    folded(&replaced(&MARGIN, text))
}

fn replaced(pattern: &Option<Regex>, text: &str) -> String {
    pattern.as_ref().map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, " ").into_owned())
}

/// The rows of a file of JSON lines.
pub fn rows<T: serde::de::DeserializeOwned>(path: &std::path::Path) -> EvalResult<Vec<T>> {
    let text = crate::input::text(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |(at, line)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), at + 1).into())
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_found_across_margins_and_lines() {
        let statement = Statement::new("the clock starts.{0,9}last").expect("a pattern");
        let printed = "1. a question\n   > The CLOCK\n   > starts at the last checkpoint\n";
        assert_eq!(statement.position(&folded_without_margin(printed)), Some(14));
        assert_eq!(statement.position(&folded(printed)), None);
    }

    #[test]
    fn tokens_are_counted_in_letters() {
        assert_eq!(first_tokens("äöüß and more", 1), "äöüß");
        assert_eq!(first_tokens("abc", 1), "abc");
        assert_eq!(tokens("äöüßabc"), 1);
    }
}
