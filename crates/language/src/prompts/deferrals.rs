//! Does a person postpone something?

use std::ops::Range;

use super::asks::{is_opener, sentences, words};

/// A longer prompt is about more than a deferral.
const MOST_WORDS: usize = 18;
const FEWEST_WORDS: usize = 3;

/// The sentence of a prompt that postpones something, as a range of bytes.
pub fn deferral(prompt: &str) -> Option<Range<usize>> {
    sentences(prompt).into_iter().find(|range| defers(&prompt[range.clone()]))
}

/// "Leave it for tomorrow", "let's do the docs next time", "we can do that later". Both ends must match: "later" alone
/// occurs in many sentences.
fn defers(sentence: &str) -> bool {
    let all: Vec<String> = words(sentence).skip_while(|word| is_opener(word)).collect();
    let mut said: Vec<&str> = all.iter().map(String::as_str).collect();
    while matches!(said.last(), Some(&("please" | "then" | "ok" | "okay" | "thanks" | "instead"))) {
        said.pop();
    }
    let fits = (FEWEST_WORDS..=MOST_WORDS).contains(&said.len()) && !sentence.contains('?');
    fits && begins(&said) && ends(&said)
}

fn begins(said: &[&str]) -> bool {
    // "I'll be back later" postpones nothing.
    let is_deed = |verb: &&str| !matches!(*verb, "be" | "see" | "talk" | "let" | "know" | "tell" | "not" | "need");
    match said {
        ["leave" | "postpone" | "defer" | "park" | "shelve" | "save", ..] => true,
        ["let's" | "lets" | "we'll" | "i'll", "just" | "rather", verb, ..] => is_deed(verb),
        ["let's" | "lets" | "we'll" | "i'll", verb, ..] => is_deed(verb),
        ["we" | "i", "can" | "will" | "could", verb, ..] => is_deed(verb),
        _ => false,
    }
}

fn ends(said: &[&str]) -> bool {
    match said {
        [.., "later", "on"] | [.., "follow", "up"] => true,
        [.., "next" | "another", "time" | "week" | "session" | "sprint" | "day"] => true,
        [.., "separate" | "future" | "later" | "another" | "next" | "follow-up", what] => {
            matches!(*what, "pr" | "exercise" | "branch" | "change" | "session" | "issue" | "ticket" | "release")
        }
        [.., before, "later"] => !matches!(*before, "or" | "sooner" | "days" | "minutes" | "hours"),
        [.., "tomorrow" | "follow-up" | "followup"] => true,
        [.., "on" | "until" | "till", day] => {
            matches!(*day, "monday" | "tuesday" | "wednesday" | "thursday" | "friday")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_say_that_it_is_put_off() {
        for prompt in [
            "leave it for tomorrow",
            "ok, let's do that later",
            "Looks good. Let's do the docs next time.",
            "we can rename the columns in a separate PR",
            "I'll look at the footer tomorrow",
            "postpone the migration until Monday, please",
        ] {
            assert!(deferral(prompt).is_some(), "{prompt}");
        }
        for prompt in [
            "later",
            "I'll be back later",
            "I'll tell you later",
            "should we do that later?",
            "the job runs again tomorrow",
            "let's check what happens when it is opened later by another process",
            "let's keep it sooner or later",
            "let's not do it tomorrow",
            "leave the door open",
            "add a field that can be filled in later",
        ] {
            assert_eq!(deferral(prompt), None, "{prompt}");
        }
    }
}
