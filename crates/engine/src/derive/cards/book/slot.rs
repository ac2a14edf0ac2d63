//! Do two statements say different things about the same thing?
//!
//! A statement is read as a claim: about a subject, with a value. "Use tabs for
//! indentation" and "use spaces for indentation" have the same subject and other
//! values; "always squash" and "never squash" have the same subject and value
//! and are of opposite minds.

use std::collections::BTreeSet;

use crate::text::{Tokenizer, is_stop_word};

use super::similar::jaccard;

/// Subjects that share less are different ones.
const SAME_SUBJECT: f32 = 0.75;
/// Values that share less are different ones.
const SAME_VALUE: f32 = 0.5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    subject: BTreeSet<String>,
    value: BTreeSet<String>,
    /// What is named as the wrong choice: "use a instead of b".
    not: BTreeSet<String>,
    negated: bool,
}

const NEGATIONS: [&str; 13] = [
    "never", "not", "don't", "dont", "doesn't", "no", "avoid", "stop", "cannot", "can't", "mustn't", "shouldn't",
    "won't",
];
/// Verbs that give a subject its value.
const COPULAS: [&str; 9] = ["is", "are", "was", "were", "equals", "uses", "means", "lives", "runs"];
/// Words before a value.
const CHOOSERS: [&str; 5] = ["use", "prefer", "choose", "pick", "using"];
/// Between what is chosen and what it is chosen for.
const PURPOSES: [&str; 7] = ["for", "when", "to", "in", "as", "with", "on"];

impl Claim {
    pub fn read(statement: &str) -> Self {
        let lower = statement.to_lowercase().replace('’', "'");
        let words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '`'))
            .map(|word| word.trim_end_matches(['.', '!', ':', '?']))
            .filter(|word| !word.is_empty())
            .collect();
        let negated = words.iter().filter(|word| NEGATIONS.contains(word)).count() % 2 == 1;
        let kept: Vec<&str> = words.iter().copied().filter(|word| !NEGATIONS.contains(word)).collect();
        let (kept, not) = rejected_choice(&kept);
        let (subject, value) = parts(kept);
        Claim { subject: terms(subject), value: terms(value), not: terms(not), negated }
    }

    /// The same subject, and not both can hold.
    pub fn conflicts(&self, other: &Claim) -> bool {
        if !self.not.is_empty() && !self.negated && !other.negated && is_same(&self.not, &other.value, SAME_VALUE) {
            return self.value != other.value
                && (other.subject.is_empty() || is_same(&self.subject, &other.subject, 0.3));
        }
        if self.subject.is_empty() || other.subject.is_empty() {
            // Only the value is said: "never squash", "always squash".
            return self.subject == other.subject
                && self.negated != other.negated
                && is_same(&self.value, &other.value, SAME_SUBJECT);
        }
        if !is_same(&self.subject, &other.subject, SAME_SUBJECT) {
            return false;
        }
        match is_same(&self.value, &other.value, SAME_VALUE) {
            true => self.negated != other.negated,
            false => !self.negated && !other.negated && !self.value.is_empty() && !other.value.is_empty(),
        }
    }
}

fn is_same(a: &BTreeSet<String>, b: &BTreeSet<String>, least: f32) -> bool {
    !a.is_empty() && jaccard(a, b) >= least
}

/// "a instead of b", "a rather than b", "a over b".
fn rejected_choice<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
    for at in 1..words.len() {
        let after = match (words[at], words.get(at + 1)) {
            ("instead", Some(&"of")) | ("rather", Some(&"than")) => at + 2,
            ("over", _) => at + 1,
            _ => continue,
        };
        return (&words[..at], &words[after.min(words.len())..]);
    }
    (words, &[])
}

/// What it is about, and what is said of it.
fn parts<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
    if let Some(chooser) = words.iter().take(4).position(|word| CHOOSERS.contains(word)) {
        let after = &words[chooser + 1..];
        return match after.iter().position(|word| PURPOSES.contains(word)) {
            Some(at) if at > 0 => (&after[at + 1..], &after[..at]),
            _ => (&[], after),
        };
    }
    if let Some(copula) = words.iter().position(|word| COPULAS.contains(word)).filter(|at| *at > 0) {
        return (&words[..copula], &words[copula + 1..]);
    }
    (&[], words)
}

fn terms(words: &[&str]) -> BTreeSet<String> {
    const MINDS: [&str; 7] = ["always", "must", "should", "please", "only", "now", "ever"];
    let text = words.iter().filter(|word| !MINDS.contains(word)).copied().collect::<Vec<_>>().join(" ");
    Tokenizer::new().strings(&text).into_iter().filter(|term| !is_stop_word(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(a: &str, b: &str) -> bool {
        let (a, b) = (Claim::read(a), Claim::read(b));
        a.conflicts(&b) || b.conflicts(&a)
    }

    #[test]
    fn the_same_subject_with_another_value() {
        assert!(conflict("Use tabs for indentation", "use spaces for indentation"));
        assert!(conflict("Always squash commits", "never squash commits"));
        assert!(conflict("The default port is 8080", "the default port is 9090"));
        assert!(conflict("Use pnpm instead of npm", "use npm"));
    }

    #[test]
    fn different_things_do_not_conflict() {
        assert!(!conflict("Use tabs for indentation", "use tabs for indentation in Go files"));
        assert!(!conflict("Use ruff for linting", "use pytest for tests"));
        assert!(!conflict("Never push to main", "never commit secrets"));
        assert!(!conflict("The default port is 8080", "the default host is localhost"));
        assert!(!conflict("Write docs in English", "write tests first"));
        assert!(!conflict("", "never"));
    }
}
