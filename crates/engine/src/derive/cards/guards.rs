//! For which actions has a card to be looked at? What does it forbid?
//!
//! What a constraint forbids stands behind a "never", a "not", an "avoid" or an
//! "instead of". A card is found by one of those words and then read as a whole.

use std::collections::BTreeSet;

use crate::model::{CardId, CardKind, CardSource, CardStatus};
use crate::store::CardRow;
use crate::text::{Tokenizer, is_stop_word};

use super::troubles::command;
use super::troubles::tell::{COMMAND_TAG, ERROR_TAG};

/// The words by which each card is found, for those that anything can be found by.
pub fn of_cards(rows: &[CardRow]) -> Vec<(CardId, Vec<String>)> {
    let mut reader = Reader::new();
    let mut out = Vec::new();
    for CardRow { card, .. } in rows {
        if !matches!(card.status, CardStatus::Active | CardStatus::NeedsRecheck) {
            continue;
        }
        let words = match card.kind {
            CardKind::Constraint | CardKind::Commitment => {
                reader.forbidden(&card.statement).into_iter().flat_map(|clause| clause.words).collect()
            }
            CardKind::Fact | CardKind::NegativeResult | CardKind::Tactic => {
                let mut words = error_tags(&card.tags);
                words.extend(command_keys(card.source, &card.tags, &card.statement));
                words
            }
            CardKind::Preference => BTreeSet::new(),
        };
        if !words.is_empty() {
            out.push((card.id, words.into_iter().collect()));
        }
    }
    out
}

fn error_tags(tags: &[String]) -> BTreeSet<String> {
    tags.iter().filter(|tag| tag.starts_with(ERROR_TAG)).cloned().collect()
}

/// The commands that a card warns of. An attempt is about an error: its command
/// is run again and again without anything being wrong with that.
pub fn command_keys(source: CardSource, tags: &[String], statement: &str) -> BTreeSet<String> {
    match source {
        CardSource::Correction => tags.iter().filter(|tag| tag.starts_with(COMMAND_TAG)).cloned().collect(),
        CardSource::Remembered | CardSource::Instructions | CardSource::Import => {
            statement.split('`').skip(1).step_by(2).take(1).map(command_key).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Under which a command is found.
pub fn command_key(line: &str) -> String {
    let normal = command::normal_form(line);
    let form = if normal.is_empty() { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { normal };
    format!("{COMMAND_TAG}{form}")
}

/// Something that a statement forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The words that tell what.
    pub words: BTreeSet<String>,
    /// It names a command or a path literally: all of it must be there.
    pub is_code: bool,
}

impl Clause {
    /// Most of what is forbidden must be in the action: one common word proves nothing.
    pub fn matches(&self, action: &BTreeSet<String>) -> bool {
        let shared = self.words.intersection(action).count();
        match (self.is_code, self.words.len()) {
            (_, 0) => false,
            (true, all) => shared == all,
            (false, 1) => false,
            (false, all) => shared >= 2 && shared * 3 >= all * 2,
        }
    }
}

/// Reads statements and actions into the same words.
pub struct Reader {
    tokenizer: Tokenizer,
}

impl Reader {
    pub fn new() -> Self {
        Reader { tokenizer: Tokenizer::new() }
    }

    /// The words of an action. Whole identifiers and paths count in their parts.
    pub fn words(&mut self, text: &str) -> BTreeSet<String> {
        let terms = self.tokenizer.strings(text);
        terms.into_iter().filter(|term| !is_stop_word(term) && !is_filler(term)).collect()
    }

    /// What a statement forbids.
    pub fn forbidden(&mut self, statement: &str) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for sentence in statement.split_inclusive(['.', ';', '!']) {
            if let Some(forbidden) = after_negation(sentence) {
                clauses.extend(self.clauses(forbidden));
            }
        }
        clauses
    }

    fn clauses(&mut self, forbidden: &str) -> Vec<Clause> {
        let codes: Vec<&str> = forbidden.split('`').skip(1).step_by(2).filter(|code| !code.trim().is_empty()).collect();
        if !codes.is_empty() {
            let clauses = codes.into_iter().map(|code| Clause { words: self.words(code), is_code: true });
            return clauses.filter(|clause| !clause.words.is_empty()).collect();
        }
        let words = self.words(forbidden);
        if words.is_empty() { Vec::new() } else { vec![Clause { words, is_code: false }] }
    }
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

/// Words that any action may have.
fn is_filler(term: &str) -> bool {
    matches!(term, "use" | "run" | "make" | "do" | "ever" | "any" | "directly" | "please" | "file" | "files")
}

const NEGATIONS: [&str; 17] = [
    "never", "don't", "don’t", "dont", "do not", "must not", "mustn't", "mustn’t", "should not", "shouldn't",
    "shouldn’t", "may not", "cannot", "avoid", "instead of", "rather than", "forbidden to",
];
/// Where what is forbidden ends.
const ENDS: [&str; 8] = [" unless ", " without ", " but ", " because ", " since ", " except ", " so that ", ", use "];

fn after_negation(sentence: &str) -> Option<&str> {
    // Folded byte by byte, so that places stay where they are.
    let lower = sentence.to_ascii_lowercase();
    let found = NEGATIONS.iter().filter_map(|word| whole_word(&lower, word).map(|at| at + word.len())).min()?;
    let rest = &sentence[found..];
    let end = ENDS.iter().filter_map(|end| lower[found..].find(end)).min().unwrap_or(rest.len());
    Some(&rest[..end]).filter(|rest| !rest.trim().is_empty())
}

fn whole_word(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !is_letter(text[..*at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbids(statement: &str, action: &str) -> bool {
        let mut reader = Reader::new();
        let action = reader.words(action);
        reader.forbidden(statement).iter().any(|clause| clause.matches(&action))
    }

    #[test]
    fn what_stands_behind_a_never_is_forbidden() {
        assert!(forbids("Never push to main.", "git push origin main"));
        assert!(!forbids("Never push to main.", "git push origin feature"));
        assert!(!forbids("Always push to main.", "git push origin main"));
        assert!(forbids("Don't edit generated files under src/gen", "edit src/gen/api.ts generated"));
        assert!(forbids("Use `pnpm add` instead of `npm install`.", "npm install left-pad"));
        assert!(!forbids("Use `pnpm add` instead of `npm install`.", "pnpm add left-pad"));
        assert!(!forbids("Never commit without running the tests", "git status"));
    }
}
