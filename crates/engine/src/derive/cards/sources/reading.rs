//! Can a sentence be read on its own, of what kind is it, and what is its scope?

use std::ops::Range;

use crate::model::{CardKind, LONGEST_STATEMENT, Tier};

/// Shorter sentences say too little.
const FEWEST_WORDS: usize = 4;
/// From this word on, "it" has an antecedent in the sentence.
const ANTECEDENT: usize = 4;

/// Lower-case words without the marks around them.
pub fn words(text: &str) -> Vec<String> {
    let inner = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'").to_lowercase();
    text.split_whitespace().map(inner).filter(|word| !word.is_empty()).collect()
}

/// Small talk before a statement.
const OPENERS: [&str; 26] = [
    "and", "but", "so", "also", "ok", "okay", "yes", "yeah", "yep", "no", "nope", "hmm", "well", "please", "btw",
    "hey", "hi", "oh", "ah", "right", "sure", "great", "cool", "lol", "actually", "thanks",
];

pub fn is_opener(word: &str) -> bool {
    OPENERS.contains(&word)
}

/// The sentence without its introductory small talk.
pub fn without_openers(text: &str, sentence: Range<usize>) -> Range<usize> {
    let mut start = sentence.start;
    while let Some(word) = text[start..sentence.end].split_whitespace().next() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if !bare.is_empty() && !OPENERS.contains(&bare.as_str()) {
            break;
        }
        start += word.len();
        start += text[start..sentence.end].len() - text[start..sentence.end].trim_start().len();
    }
    start..sentence.end
}

/// Words that begin a question.
const ASKING: [&str; 34] = [
    "what", "what's", "why", "how", "where", "when", "which", "who", "whose", "is", "are", "was", "were", "do", "does",
    "did", "has", "have", "can", "could", "would", "will", "shall", "should", "isn't", "doesn't", "aren't", "can't",
    "couldn't", "wouldn't", "shouldn't", "any", "wondering", "q",
];

pub fn is_question(sentence: &str) -> bool {
    let ends = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let said = words(sentence);
    let first = said.first().map(String::as_str).unwrap_or_default();
    let wonders = |word: &String| matches!(word.as_str(), "wonder" | "wondering");
    // "when in doubt, …", "have a look" and "do not push" are no questions.
    let orders = first == "do" && said.get(1).is_some_and(|next| next == "not");
    let subordinate = (orders || matches!(first, "when" | "have")) && !sentence.contains('?');
    ends.ends_with('?') || ASKING.contains(&first) && !subordinate || said.iter().take(6).any(wonders)
}

/// Words that refer to something outside the sentence if they begin it.
const POINTERS: [&str; 29] = [
    "it", "it's", "its", "this", "that", "that's", "these", "those", "they", "they're", "them", "he", "he's", "she",
    "she's", "him", "her", "such", "same", "both", "neither", "which", "then", "otherwise", "instead", "there", "here",
    "because", "or",
];

/// Things that need no name, because they are where the sentence is said.
const AROUND: [&str; 12] = [
    "project", "repo", "repository", "codebase", "package", "crate", "workspace", "team", "company", "organisation",
    "organization", "app",
];

/// Does it name everything that it refers to?
pub fn stands_alone(sentence: &str) -> bool {
    let said = words(sentence);
    let get = |at: usize| said.get(at).map(String::as_str).unwrap_or_default();
    let first = get(0);
    let on_condition = first == "if" && matches!(get(1), "so" | "not");
    let is_short = matches!((first, get(1)), ("always" | "never", _) | ("don't" | "dont", "use"));
    let is_rule = said.len() + 1 == FEWEST_WORDS && is_short;
    if said.len() < FEWEST_WORDS && !is_rule || POINTERS.contains(&first) || on_condition {
        return false;
    }
    let points = said.iter().enumerate().any(|(at, word)| match word.as_str() {
        "this" | "these" | "those" => !AROUND.contains(&get(at + 1)),
        "it" | "it's" | "them" | "its" => at < ANTECEDENT,
        "that" => {
            at + 1 == said.len() || get(at + 1) == "one" || matches!(get(at.wrapping_sub(1)), "like" | "do" | "did")
        }
        "one" => at + 1 == said.len() || matches!(get(at.wrapping_sub(1)), "the" | "other"),
        "above" | "below" | "here" | "there" | "too" | "again" | "either" => at + 1 == said.len(),
        "option" | "options" => get(at + 1).chars().all(|c| c.is_ascii_digit()) && !get(at + 1).is_empty(),
        _ => false,
    });
    let numbered = sentence
        .split_whitespace()
        .any(|word| word.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    !points && !numbered && !sentence.contains("[image") && !sentence.contains("://")
}

/// Is it short enough, and are its quotes and brackets whole?
pub fn is_whole(statement: &str) -> bool {
    let balanced = |open: char, close: char| statement.matches(open).count() == statement.matches(close).count();
    statement.chars().count() <= LONGEST_STATEMENT
        && statement.matches('`').count().is_multiple_of(2)
        && balanced('(', ')')
        && balanced('[', ']')
}

/// The kind of a wish. None if it is no wish.
pub fn wish(sentence: &str) -> Option<CardKind> {
    let said = words(sentence);
    let clauses = clause_starts(sentence);
    if is_commitment(&said) {
        Some(CardKind::Commitment)
    } else if clauses.iter().any(|clause| forbids_or_demands(clause)) || said.iter().any(|word| is_must(word)) {
        Some(CardKind::Constraint)
    } else if prefers(&said) {
        Some(CardKind::Preference)
    } else {
        None
    }
}

fn is_must(word: &str) -> bool {
    matches!(word, "must" | "mustn't" | "forbidden" | "mandatory")
}

/// The words of each clause: after a comma, a colon, a dash, an "and".
fn clause_starts(sentence: &str) -> Vec<Vec<String>> {
    let parts = sentence.split([',', ':', ';', '(', '—', '–']).flat_map(|part| part.split(" - "));
    parts.map(words).filter(|words| !words.is_empty()).collect()
}

/// "Never …", "don't …", "we always …", "you should not …", "I don't want …".
fn forbids_or_demands(clause: &[String]) -> bool {
    let at = clause.iter().position(|word| !is_subject(word) && !OPENERS.contains(&word.as_str())).unwrap_or(0);
    let word = |offset: usize| clause.get(at + offset).map(String::as_str).unwrap_or_default();
    let has_subject = clause[..at].iter().any(|word| is_subject(word));
    match (word(0), word(1)) {
        ("never" | "always" | "avoid", next) => !next.is_empty() && !is_tale(next),
        ("don't" | "dont", verb) => !is_of_mind(verb) && !verb.is_empty(),
        ("do" | "should" | "must" | "can" | "may", "not") => !is_of_mind(word(2)),
        ("shouldn't" | "mustn't", _) => true,
        ("let's", "not") => true,
        ("did" | "didn't", _) => {
            has_subject
                && clause.iter().any(|word| word == "not" || word == "didn't")
                && clause.iter().any(|word| matches!(word.as_str(), "say" | "ask" | "tell"))
        }
        ("only", "use" | "run" | "commit" | "push" | "edit" | "change" | "write") => true,
        _ => false,
    }
}

fn is_subject(word: &str) -> bool {
    matches!(word, "we" | "you" | "i" | "one" | "agents" | "claude" | "they")
}

/// Verbs that report something instead of demanding it.
fn is_tale(verb: &str) -> bool {
    const VERBS: [&str; 8] = ["need", "embed", "feed", "proceed", "exceed", "seed", "succeed", "shed"];
    verb.ends_with("ed") && !VERBS.contains(&verb)
        || matches!(verb, "had" | "was" | "were" | "got" | "saw" | "did" | "went" | "been" | "met")
}

/// "I don't know" forbids nothing.
fn is_of_mind(verb: &str) -> bool {
    matches!(
        verb,
        "know"
            | "think"
            | "see"
            | "understand"
            | "remember"
            | "have"
            | "get"
            | "believe"
            | "mind"
            | "care"
            | "really"
            | "feel"
            | "recall"
            | "even"
            | "find"
            | "seem"
            | "need"
            | "worry"
    )
}

/// A plan of the speaker that is not for now.
fn is_commitment(said: &[String]) -> bool {
    let pairs: Vec<(&str, &str)> = said.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let will = said.iter().any(|word| matches!(word.as_str(), "i'll" | "we'll"))
        || pairs.iter().any(|pair| {
            matches!(pair, ("i" | "we", "will") | ("i" | "we", "promised") | ("going", "to") | ("plan", "to"))
        });
    let leaves = pairs.iter().any(|pair| matches!(pair, ("let's", "leave" | "defer" | "postpone")));
    let later = said.iter().any(|word| {
        matches!(
            word.as_str(),
            "later"
                | "tomorrow"
                | "follow-up"
                | "followup"
                | "eventually"
                | "monday"
                | "tuesday"
                | "wednesday"
                | "thursday"
                | "friday"
        )
    }) || pairs.iter().any(|pair| {
        matches!(
            pair,
            ("follow", "up")
                | ("next", "week" | "month" | "release" | "sprint" | "pr" | "version" | "time" | "quarter")
                | (
                    "separate" | "another" | "future" | "later",
                    "pr" | "release" | "version" | "change" | "branch" | "exercise"
                )
        )
    });
    (will || leaves) && later
}

/// "I prefer …", "we want …", "use a instead of b", "… should …".
fn prefers(said: &[String]) -> bool {
    let has = |words: &[&str]| said.iter().any(|word| words.contains(&word.as_str()));
    let pair = |a: &str, b: &str| said.windows(2).any(|pair| pair[0] == a && pair[1] == b);
    let wants = ["i", "we"].iter().any(|who| ["want", "prefer", "like", "need"].iter().any(|verb| pair(who, verb)));
    let first = said.iter().find(|word| !OPENERS.contains(&word.as_str())).map(String::as_str).unwrap_or_default();
    wants
        || has(&["prefer", "preferably"])
        || has(&["should"])
        || matches!(first, "use" | "keep" | "stick" | "stop" | "leave") && !said.join(" ").starts_with("keep in mind")
}

/// Does the sentence say of itself that it is meant to last?
pub fn is_standing(sentence: &str) -> bool {
    let said = words(sentence);
    let phrase = |phrase: &str| {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        said.windows(wanted.len()).any(|found| found.iter().zip(&wanted).all(|(a, b)| a == b))
    };
    const LASTING: [&str; 21] = [
        "from now on", "in the future", "in future", "going forward", "every time", "each time", "as a rule",
        "in general", "for future reference", "keep in mind", "our convention", "by convention", "we always",
        "we never", "i always want", "i prefer", "i'd prefer", "we prefer", "i would prefer", "remember that",
        "remember to",
    ];
    let demands = clause_starts(sentence).iter().any(|clause| {
        let openers = clause.iter().take_while(|word| OPENERS.contains(&word.as_str())).count();
        matches!(clause.get(openers).map(String::as_str), Some("always" | "never")) && clause.len() > openers + 2
    });
    demands || LASTING.iter().any(|words| phrase(words)) || reach_of(sentence).is_some()
}

/// "Keep in mind that …": what follows is a fact to remember.
pub fn asks_to_remember(sentence: &str) -> bool {
    let said = words(sentence).join(" ");
    ["keep in mind", "remember that", "note that", "for future reference"].iter().any(|words| said.starts_with(words))
}

/// The scope that the words name, if any.
pub fn reach_of(sentence: &str) -> Option<Tier> {
    let said = format!(" {} ", words(sentence).join(" "));
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    const EVERYWHERE: [&str; 5] =
        ["apply everywhere", "applies everywhere", "in every project", "in all projects", "in all my projects"];
    const REPOSITORIES: [&str; 8] = [
        "in all my repos", "in all my repositories", "in all repos", "in all our repos", "across my repos",
        "across all my repos", "across all repos", "in every repo",
    ];
    let ends_everywhere = said.ends_with(" everywhere ") && wish(sentence) == Some(CardKind::Constraint);
    let begins_everywhere = said.starts_with(" everywhere ");
    if has(&EVERYWHERE) || begins_everywhere || ends_everywhere && has(&["always", "never"]) {
        Some(Tier::Global)
    } else if has(&REPOSITORIES) {
        Some(Tier::Domain)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_outside_cannot_be_read_alone() {
        for alone in [
            "Never push to the main branch",
            "Tests of this project need a running database",
            "Cache the result and drop it after a minute",
            "I prefer short answers over long ones",
        ] {
            assert!(stands_alone(alone), "{alone}");
        }
        for pointing in [
            "It should be faster than before",
            "never do this in a loop",
            "make it blue and round",
            "use the other one",
            "If not, ask the owner of the file",
            "we do the one here as well",
            "let's take option 2 for now",
            "fix #12 before the release",
            "do not do it like that",
            "never ever",
        ] {
            assert!(!stands_alone(pointing), "{pointing}");
        }
    }

    #[test]
    fn wishes_are_told_by_what_they_say() {
        use CardKind::{Commitment, Constraint, Preference};
        for (sentence, kind) in [
            ("Never push to main", Some(Constraint)),
            ("please don't commit generated files", Some(Constraint)),
            ("The id must be unique", Some(Constraint)),
            ("I don't want colours in the log", Some(Constraint)),
            ("When in doubt, always ask first", Some(Constraint)),
            ("we never deploy on Fridays", Some(Constraint)),
            ("I'll rename the columns in a follow-up", Some(Commitment)),
            ("I prefer tables over lists", Some(Preference)),
            ("Use pnpm instead of npm", Some(Preference)),
            ("The writer never creates files", None),
            ("On start: always added when missing", None),
            ("Using a lock instead of a channel causes trouble", None),
            ("I don't know what happened", None),
            ("we never had such an error", None),
            ("the build is slow", None),
        ] {
            assert_eq!(wish(sentence), kind, "{sentence}");
        }
    }

    #[test]
    fn questions_are_no_statements() {
        for question in
            ["can we use tabs", "why not?", "any way to skip it", "hm, is it done? 😅", "I wonder if we must"]
        {
            assert!(is_question(question), "{question}");
        }
        for statement in ["When in doubt, ask.", "Use tabs.", "have a look at the logs"] {
            assert!(!is_question(statement), "{statement}");
        }
    }

    #[test]
    fn only_plain_words_reach_further() {
        assert_eq!(reach_of("In all my repos, use tabs"), Some(Tier::Domain));
        assert_eq!(reach_of("Never use emojis, this applies everywhere"), Some(Tier::Global));
        assert_eq!(reach_of("Never use emojis everywhere"), Some(Tier::Global));
        assert_eq!(reach_of("the name is everywhere"), None);
        assert_eq!(reach_of("Use tabs"), None);
    }

    #[test]
    fn small_talk_is_cut_off() {
        let text = "ok, and please use tabs";
        assert_eq!(&text[without_openers(text, 0..text.len())], "use tabs");
        assert_eq!(without_openers("ok", 0..2), 2..2);
    }
}
