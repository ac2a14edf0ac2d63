//! Do two statements say different things about the same thing?
//!
//! A statement is read as a claim: a subject with a value. "Use tabs for indentation" and "use
//! spaces for indentation" have the same subject and different values; "always squash" and "never
//! squash" have the same subject and value, but one is negated. Two claims about one subject are
//! mostly both true: another value contradicts only if the subject has one value at a time ("the
//! default port", "my budget") or if both values are numbers or names in code.

use std::collections::BTreeSet;

use backstory_language::text::{Tokenizer, is_stop_word};

use backstory_language::similarity::jaccard;

/// Subjects that share less are different ones.
const SAME_SUBJECT: f32 = 0.75;
/// Values that share less are different ones.
const SAME_VALUE: f32 = 0.5;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    subject: BTreeSet<String>,
    value: BTreeSet<String>,
    /// The rejected choice: `b` in "use a instead of b".
    not: BTreeSet<String>,
    negated: bool,
    /// May the subject have only one such value at a time?
    exclusive: bool,
    /// Something that a person has done or never done.
    experience: bool,
    /// A question with its answer.
    asked: bool,
}

const NEGATIONS: [&str; 13] = [
    "never", "not", "don't", "dont", "doesn't", "no", "avoid", "stop", "cannot", "can't", "mustn't", "shouldn't",
    "won't",
];
/// Verbs between a subject and its value.
const COPULAS: [&str; 13] =
    ["is", "are", "was", "were", "equals", "uses", "means", "lives", "runs", "need", "needs", "require", "requires"];
/// Words before a value.
const CHOOSERS: [&str; 5] = ["use", "prefer", "choose", "pick", "using"];
/// Attributes that have one value at a time.
const ATTRIBUTES: [&str; 28] = [
    "address", "branch", "budget", "database", "date", "deadline", "default", "format", "goal", "host", "language",
    "limit", "model", "name", "owner", "password", "path", "port", "price", "salary", "score", "size", "target",
    "threshold", "time", "timeout", "url", "version",
];
/// Words between a choice and its purpose.
const PURPOSES: [&str; 7] = ["for", "when", "to", "in", "as", "with", "on"];

impl Claim {
    pub fn read(statement: &str) -> Self {
        let lower = statement.to_lowercase().replace('’', "'");
        let words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '`'))
            .map(|word| word.trim_end_matches(['.', '!', '?']))
            .filter(|word| !word.is_empty())
            .collect();
        let experience = matches!(words.first(), Some(&("i" | "i've" | "we" | "we've")));
        if let Some(at) = words.iter().position(|word| *word == "answered:") {
            let (subject, value) = (terms(&words[..at]), terms(&words[at + 1..]));
            return Claim { subject, value, asked: true, ..Claim::default() };
        }
        let words: Vec<&str> = words.iter().map(|word| word.trim_end_matches(':')).collect();
        let (words, excluded) = excluded_choice(&words);
        let negated = words.iter().filter(|word| NEGATIONS.contains(word)).count() % 2 == 1;
        let kept: Vec<&str> = words.iter().copied().filter(|word| !NEGATIONS.contains(word)).collect();
        let (kept, not) = rejected_choice(&kept);
        let not = if not.is_empty() { excluded } else { not };
        let (subject, value, exclusive) = parts(kept);
        let is_figure = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
        let exclusive = exclusive
            || subject.iter().any(|word| ATTRIBUTES.contains(word))
            || value.iter().any(is_figure) && value.len() <= 3;
        let (subject, value, not) = (terms(subject), terms(value), terms(not));
        Claim { subject, value, not, negated, exclusive, experience, asked: false }
    }

    /// Do both have the same subject, but cannot both be true?
    pub fn conflicts(&self, other: &Claim) -> bool {
        if self.asked || other.asked {
            let same_question = self.asked && other.asked && self.subject == other.subject;
            return same_question && !is_same(&self.value, &other.value, SAME_VALUE);
        }
        if !self.not.is_empty() && !self.negated && !other.negated && is_same(&self.not, &other.value, SAME_VALUE) {
            return self.value != other.value
                && (other.subject.is_empty() || is_same(&self.subject, &other.subject, 0.3));
        }
        if self.experience && other.experience && self.negated && !other.negated {
            return is_within(&self.all(), &other.all());
        }
        if self.subject.is_empty() || other.subject.is_empty() {
            // There is only a value: "never squash", "always squash".
            return self.subject == other.subject
                && self.negated != other.negated
                && is_same(&self.value, &other.value, SAME_SUBJECT);
        }
        if !is_same(&self.subject, &other.subject, SAME_SUBJECT) {
            return false;
        }
        match is_same(&self.value, &other.value, SAME_VALUE) {
            true => self.negated != other.negated,
            false => {
                let said = !self.value.is_empty() && !other.value.is_empty();
                said && self.exclusive && other.exclusive && !self.negated && !other.negated
            }
        }
    }

    fn all(&self) -> BTreeSet<String> {
        self.subject.union(&self.value).cloned().collect()
    }
}

/// "I've never met him at a fair" is contradicted by any meeting of his at one:
/// most of what never was must be named in what was.
fn is_within(never: &BTreeSet<String>, was: &BTreeSet<String>) -> bool {
    let both = never.intersection(was).count();
    both >= 3 && both * 5 >= never.len() * 3
}

fn is_same(a: &BTreeSet<String>, b: &BTreeSet<String>, least: f32) -> bool {
    !a.is_empty() && jaccard(a, b) >= least
}

/// "We use a, not b": at most three words after a final "not".
fn excluded_choice<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str]) {
    let chosen = words.iter().take(4).any(|word| CHOOSERS.contains(word));
    match words.iter().rposition(|word| *word == "not").filter(|at| chosen && *at >= 2) {
        Some(at) if (1..=3).contains(&(words.len() - at - 1)) => (&words[..at], &words[at + 1..]),
        _ => (words, &[]),
    }
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

/// The subject, the value, and whether the value excludes others.
fn parts<'a, 'b>(words: &'b [&'a str]) -> (&'b [&'a str], &'b [&'a str], bool) {
    if let Some(chooser) = words.iter().take(4).position(|word| CHOOSERS.contains(word)) {
        let after = &words[chooser + 1..];
        return match after.iter().position(|word| PURPOSES.contains(word)) {
            Some(at) if at > 0 => (&after[at + 1..], &after[..at], true),
            _ => (&[], after, true),
        };
    }
    if let Some(copula) = words.iter().position(|word| COPULAS.contains(word)).filter(|at| *at > 0) {
        return (&words[..copula], &words[copula + 1..], false);
    }
    (&[], words, false)
}

fn terms(words: &[&str]) -> BTreeSet<String> {
    const MINDS: [&str; 11] =
        ["always", "must", "should", "please", "only", "now", "ever", "any", "anyone", "i've", "we've"];
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
        assert!(conflict("We use pnpm, not npm.", "We use yarn, not pnpm."));
        assert!(conflict("Tests need Node 18.", "Tests need Node 20."));
        assert!(conflict("Use pnpm instead of npm", "use npm"));
        assert!(conflict("The main branch is develop", "the main branch is trunk"));
        assert!(conflict("The cache lives 30 seconds", "The cache lives 60 seconds"));
        assert!(conflict(
            "Asked \"Which store should the cache use?\", answered: SQLite",
            "Asked \"Which store should the cache use?\", answered: a plain file"
        ));
    }

    #[test]
    fn what_never_was_and_what_was() {
        assert!(conflict("I met Ola at the book fair in Oslo in 2019", "I've never met Ola at any book fair"));
        assert!(!conflict("I met Ola in Oslo", "I've never been to the book fair in Bergen"));
        assert!(!conflict("I've never met Ola at any book fair", "I've never met Ola at any boat fair"));
    }

    #[test]
    fn different_things_do_not_conflict() {
        assert!(!conflict("Use tabs for indentation", "use tabs for indentation in Go files"));
        assert!(!conflict("Use ruff for linting", "use pytest for tests"));
        assert!(!conflict("Never push to main", "never commit secrets"));
        assert!(!conflict("The default port is 8080", "the default host is localhost"));
        assert!(!conflict("Write docs in English", "write tests first"));
        assert!(!conflict("", "never"));
        assert!(!conflict("Draft orders are cheap", "Draft orders are kept in the index"), "both may hold");
        assert!(!conflict("The config parser is slow", "The config parser is recursive"));
        assert!(!conflict(
            "Asked \"Which store should the cache use?\", answered: SQLite",
            "Asked \"Which store should the queue use?\", answered: a plain file"
        ));
    }
}
