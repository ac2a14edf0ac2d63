//! Which rules count whatever the task is?
//!
//! A rule is shown with every task only if a person made it for every task: it says "always" or "never", names no file
//! or code, and is about what an agent does in every session (commit, push, test, answer …), not about a subject of
//! the project.

use std::collections::BTreeSet;

use backstory_language::similarity::Comparer;
use backstory_language::text::is_stop_word;

use crate::model::Card;

use super::named::names_in;

/// Words by which a person says that something holds each time.
const EACH_TIME: [&str; 14] = [
    "always", "never", "don't", "don’t", "do not", "dont", "every time", "each time", "from now on", "in every",
    "whatever", "under no circumstances", "not allowed", "no matter",
];
/// What agents do, and with what, in every session; as terms.
const EVERY_SESSION: [&str; 86] = [
    "alway", "never", "agent", "add", "amend", "answer", "ask", "asked", "befor", "branch", "build", "chang",
    "changelog", "check", "claud", "commit", "conclus", "confirm", "convent", "creat", "directli", "don", "draft",
    "each", "edit", "emoji", "english", "everi", "explicit", "explicitli", "fail", "file", "first", "fix", "forc",
    "format", "git", "github", "hook", "histori", "instal", "instead", "languag", "lint", "linter", "main", "make",
    "master", "me", "merg", "messag", "new", "no", "open", "origin", "packag", "pass", "permiss", "plan", "pr", "pull",
    "push", "question", "readm", "rebas", "releas", "remot", "repo", "repli", "repositori", "request", "review", "run",
    "say", "short", "sign", "skip", "squash", "tag", "test", "turn", "user", "veri", "work", "write", "session",
];
/// So many other words are still no subject of their own.
const MOST_OTHERS: usize = 1;

/// Does it count for every task?
pub fn counts_everywhere(card: &Card, comparer: &mut Comparer) -> bool {
    let lower = card.statement.to_lowercase();
    let says_so = EACH_TIME.iter().any(|words| has_words(&lower, words));
    let names_nothing = names_in(&card.statement).is_empty() && !card.statement.contains('`');
    card.kind.is_normative() && says_so && names_nothing && !has_subject(&comparer.words(&card.statement))
}

fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + words.len()..].chars().next())
    })
}

fn has_subject(words: &BTreeSet<String>) -> bool {
    let others = words.iter().filter(|word| !is_stop_word(word) && !EVERY_SESSION.contains(&word.as_str()));
    others.count() > MOST_OTHERS
}

#[cfg(test)]
mod tests {
    use backstory_language::digest::digest_of;

    use super::*;
    use crate::model::{CardId, CardKind, CardSource, CardStatus, Scope, Truth, Utility};

    fn counts(statement: &str) -> bool {
        let card = Card {
            id: CardId(digest_of("test", &[])),
            kind: CardKind::Constraint,
            statement: statement.to_owned(),
            scope: Scope::global(),
            tags: Vec::new(),
            status: CardStatus::Active,
            put_away: None,
            supersedes: None,
            topic: String::new(),
            evidence: Vec::new(),
            source: CardSource::Remembered,
            created: None,
            renewed: None,
            rule_version: 0,
            rests_on: Vec::new(),
            suspect: Vec::new(),
            truth: Truth::default(),
            utility: Utility::default(),
            disputes: Vec::new(),
            refused: Vec::new(),
            identity: None,
        };
        counts_everywhere(&card, &mut Comparer::new())
    }

    #[test]
    fn a_rule_with_a_subject_of_its_own_waits_for_it() {
        for always in [
            "Never push to main; open a pull request instead.",
            "Always answer in English.",
            "Always run the tests before you commit.",
            "Don't amend commits.",
        ] {
            assert!(counts(always), "{always}");
        }
        for bound in [
            "Prices are integer cents everywhere, never floats.",
            "Never edit src/gen/api.ts by hand.",
            "Always run `make seed` before the tests.",
            "Always close the bottom sheet before navigating on Android.",
            "The default branch is main.",
        ] {
            assert!(!counts(bound), "{bound}");
        }
    }
}
