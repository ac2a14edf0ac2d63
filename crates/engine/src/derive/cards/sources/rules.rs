//! Which orders of a prompt are rules?
//!
//! Most orders concern the moment ("don't change anything, just tell me"). These forms rarely do:
//! they forbid something that agents do in every session, contain nothing that limits them to now,
//! and begin with the order.

use crate::model::CardKind;

use super::markdown::begins_with_order;
use super::reading::{is_opener, wish, words};

/// What agents do in every session.
const DEEDS: [&str; 16] = [
    "push", "force-push", "commit", "merge", "amend", "rebase", "squash", "deploy", "publish", "install", "use",
    "edit", "touch", "modify", "skip", "mock",
];
/// The subset for descriptions of what people do: "we don't use a lock here" describes the code.
const OURS: [&str; 9] = ["push", "force-push", "commit", "merge", "amend", "rebase", "deploy", "publish", "squash"];
/// Activities that agents are asked to stop.
const HABITS: [&str; 16] = [
    "adding", "creating", "writing", "using", "committing", "pushing", "asking", "running", "mocking", "explaining",
    "summarizing", "summarising", "apologizing", "apologising", "amending", "installing",
];
/// Words that limit an order to the moment.
const MOMENTARY: [&str; 18] = [
    "anything", "yet", "now", "just", "today", "tonight", "still", "until", "till", "once", "everything", "all",
    "first", "instead", "else", "moment", "time", "above",
];
/// Words that refer to something mentioned before.
const POINTERS: [&str; 6] = ["it", "that", "this", "those", "these", "them"];
/// Choosing one of these over another is a permanent choice.
const TOOLS: [&str; 36] = [
    "npm", "pnpm", "yarn", "bun", "deno", "pip", "uv", "poetry", "pipenv", "conda", "make", "just", "jest", "vitest",
    "mocha", "pytest", "unittest", "docker", "podman", "tabs", "spaces", "cargo", "nextest", "eslint", "biome",
    "prettier", "black", "ruff", "grep", "rg", "ripgrep", "python", "python3", "webpack", "vite", "mise",
];

/// The kind of rule that a sentence states.
pub fn rule(sentence: &str) -> Option<CardKind> {
    let said = without_greeting(sentence);
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    // Later clauses give a reason or an alternative.
    let clauses = sentence.split([',', ';', '(', '—', '–']).map(without_greeting);
    let head: Vec<String> = clauses.into_iter().find(|clause| !clause.is_empty()).unwrap_or_default();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    from_now_on(&said).or_else(|| chooses_tool(&said)).or_else(|| {
        let rest = forbidden(&head)?;
        let points = rest.get(1).is_some_and(|object| POINTERS.contains(object));
        let is_momentary = points || rest.iter().any(|word| MOMENTARY.contains(word));
        (!is_momentary && rest.len() >= 2).then_some(CardKind::Constraint)
    })
}

fn without_greeting(text: &str) -> Vec<String> {
    words(text).into_iter().skip_while(|word| is_opener(word) || is_name(word)).collect()
}

fn is_name(word: &str) -> bool {
    matches!(word, "claude" | "codex" | "agent")
}

/// The forbidden action, from its verb on.
fn forbidden<'a>(said: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let (at, deeds) = match said {
        ["don't" | "dont", ..] => (1, &DEEDS[..]),
        ["do", "not", ..] => (2, &DEEDS[..]),
        ["you", "must" | "should" | "may", "not", ..] => (3, &DEEDS[..]),
        ["you", "mustn't" | "shouldn't", ..] => (2, &DEEDS[..]),
        ["we", "don't" | "dont", ..] => (2, &OURS[..]),
        ["we", "do", "not", ..] => (3, &OURS[..]),
        ["stop", verb, ..] if HABITS.contains(verb) => return Some(&said[1..]),
        ["only", verb, rest @ ..] if OURS.contains(verb) && matches!(rest, ["when" | "if" | "after", _, ..]) => {
            return Some(&said[1..]);
        }
        ["you" | "we" | "agents", "should" | "must", "always" | "never", _, ..] => return Some(&said[3..]),
        _ => return None,
    };
    said.get(at).filter(|verb| deeds.contains(verb)).map(|_| &said[at..])
}

/// "From now on run the tests before you commit."
fn from_now_on(said: &[&str]) -> Option<CardKind> {
    let rest = match said {
        ["from", "now", "on", rest @ ..] | ["in", "the", "future", rest @ ..] => rest,
        ["going" | "moving", "forward", rest @ ..] | ["in", "future", rest @ ..] => rest,
        ["for", "the", "future", rest @ ..] => rest,
        _ => return None,
    };
    let rest = rest.strip_prefix(&["please"]).unwrap_or(rest).join(" ");
    match wish(&rest) {
        Some(CardKind::Preference) if forbids_one_of_two(&rest) => Some(CardKind::Constraint),
        None if begins_with_order(&rest) => Some(CardKind::Preference),
        kind => kind,
    }
}

fn forbids_one_of_two(said: &str) -> bool {
    [" instead of ", " rather than ", " not ", " never "].iter().any(|word| said.contains(word))
}

/// "Use pnpm, never npm", "use uv instead of pip".
fn chooses_tool(said: &[&str]) -> Option<CardKind> {
    let said = said.strip_prefix(&["always"]).unwrap_or(said);
    let ["use", right, rest @ ..] = said else { return None };
    let wrong = match rest {
        ["never" | "not", wrong, ..] => wrong,
        ["instead", "of", wrong, ..] | ["rather", "than", wrong, ..] | ["and", "not" | "never", wrong, ..] => wrong,
        _ => return None,
    };
    (TOOLS.contains(right) && TOOLS.contains(wrong)).then_some(CardKind::Constraint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_that_last_are_rules() {
        for sentence in [
            "Don't push to main.",
            "please don’t commit generated files",
            "Claude, do not edit the files in src/gen",
            "you must not force-push to shared branches",
            "use pnpm, never npm",
            "Use uv instead of pip",
            "we don't merge without a review",
            "stop adding comments to every line",
            "please stop committing the lock file",
            "Only commit when I ask for it",
            "you should always run the linter before a commit",
            "From now on never touch the migrations",
            "from now on use tabs instead of spaces",
        ] {
            assert_eq!(rule(sentence), Some(CardKind::Constraint), "{sentence}");
        }
        for sentence in ["From now on, run the tests before committing", "Going forward please write short answers"] {
            assert_eq!(rule(sentence), Some(CardKind::Preference), "{sentence}");
        }
    }

    #[test]
    fn orders_of_the_moment_are_none() {
        for sentence in [
            "don't change anything, just let me know",
            "Don't commit yet",
            "don't push it",
            "do not use that one here",
            "don't fix the test, only look at it",
            "we don't use a lock in the writer",
            "we don't have a user entity",
            "Stop truncating names in the list",
            "use the id instead of the name",
            "don't forget the footer",
            "I don't commit often",
            "Only commit the header",
        ] {
            assert_eq!(rule(sentence), None, "{sentence}");
        }
    }
}
