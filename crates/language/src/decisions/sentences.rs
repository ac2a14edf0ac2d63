//! Which words of a message can be quoted alone?

use std::ops::Range;

use crate::findings::{Passage, Shape, passages};
use crate::prompts::asks;
use crate::text::{Tokenizer, is_stop_word};

/// What people say before they come to the point.
const ACKNOWLEDGEMENTS: [&str; 63] = [
    "all", "ok", "okay", "k", "good", "great", "nice", "cool", "fine", "fair", "right", "alright", "understood",
    "agreed", "clear", "sure", "exactly", "perfect", "yes", "yep", "yeah", "no", "nah", "nope", "hmm", "hm", "oh",
    "ah", "well", "so", "then", "and", "but", "also", "done", "got", "it", "makes", "sense", "point", "enough", "idea",
    "thought", "catch", "true", "wait", "thanks", "with", "me", "please", "now", "gut", "verstanden", "stimmt",
    "erledigt", "also", "dann", "ja", "nein", "vale", "entendido", "acuerdo", "bien",
];
/// Of these a single one is left out, too.
const OPENERS: [&str; 17] = [
    "ok", "okay", "yes", "yeah", "hmm", "hm", "so", "then", "and", "but", "oh", "ah", "well", "also", "pues", "dann",
    "y",
];
/// A longer beginning says something.
const LONGEST_ACKNOWLEDGEMENT: usize = 4;
/// What follows is a reason.
const REASONS: [&str; 12] = [
    ", because", " because ", ", since ", ", otherwise ", ", so that ", ", as it ", ", as the ", ", weil ", ", sonst ",
    ", porque ", " bc ", ", which ",
];
/// A shorter sentence keeps its reason.
const SHORT: usize = 60;

/// The sentences of prose and lists, in order; code is left out.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let said = passages(text).into_iter().filter(|passage| passage.shape != Shape::Code);
    said.flat_map(|passage| of_passage(text, &passage)).collect()
}

/// The sentences of the first paragraph.
pub fn first_sentences(text: &str) -> Vec<Range<usize>> {
    let first = passages(text).into_iter().next().filter(|passage| passage.shape == Shape::Prose);
    first.map(|passage| of_passage(text, &passage)).unwrap_or_default()
}

fn of_passage(text: &str, passage: &Passage) -> Vec<Range<usize>> {
    let start = passage.range.start;
    let part = &text[passage.range.clone()];
    let inside = asks::sentences(part).into_iter();
    inside.map(|range| start + range.start..start + range.end).collect()
}

/// The sentence without the small talk before it, the mark of a list, and the full stop.
pub fn core(text: &str, sentence: Range<usize>) -> Range<usize> {
    let mut range = trimmed(text, sentence);
    loop {
        let rest = &text[range.clone()];
        let skipped = list_mark(rest).or_else(|| acknowledgement(rest));
        let Some(skipped) = skipped.filter(|skipped| *skipped > 0 && *skipped < rest.len()) else { break };
        range = trimmed(text, range.start + skipped..range.end);
    }
    let kept = text[range.clone()].trim_end_matches(['.', '!', ';', ',', ':', ' ', '*']);
    range.start..range.start + kept.len()
}

fn list_mark(text: &str) -> Option<usize> {
    if text.starts_with('>') {
        return Some(1);
    }
    crate::findings::item_mark(text).map(|mark| mark + 1)
}

/// The length of words like "OK, understood: ".
fn acknowledgement(text: &str) -> Option<usize> {
    let end = text
        .find([',', '.', ':', '!', '—', '–', ';', '\n'])
        .map(|at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    if let Some(end) = end {
        let said: Vec<String> = asks::words(&text[..end]).collect();
        let followed = text[end..].starts_with([' ', '\n', '!', '?']);
        if followed && said.len() <= LONGEST_ACKNOWLEDGEMENT && said.iter().all(|word| is_acknowledgement(word)) {
            return Some(end);
        }
    }
    let first = text.split_whitespace().next().filter(|first| first.starts_with(char::is_alphabetic))?;
    let word = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // "no" alone forbids: "no prompts in hooks".
    OPENERS.contains(&word.as_str()).then_some(first.len())
}

fn is_acknowledgement(word: &str) -> bool {
    ACKNOWLEDGEMENTS.contains(&word)
}

/// What a clause of an experience begins with.
const STORIES: [&str; 16] = [
    "i have", "i had", "we had", "we have", "last year", "last time", "people", "nobody", "our ", "that was", "thats",
    "that's", "i lost", "i saw", "it was", "there are",
];

/// The words before the clause that tells an experience.
pub fn without_story(text: &str) -> &str {
    let cut = text.match_indices(", ").map(|(at, _)| at).find(|at| {
        let rest = text[at + 2..].to_lowercase();
        *at >= 8 && STORIES.iter().any(|story| rest.starts_with(story))
    });
    cut.map_or(text, |at| &text[..at])
}

/// The text without what is in parentheses.
pub fn without_parentheses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut is_code = false;
    for c in text.chars() {
        is_code ^= c == '`';
        match c {
            '(' if !is_code => depth += 1,
            ')' if depth > 0 && !is_code => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let words: Vec<&str> = out.split_whitespace().collect();
    words.join(" ").replace(" ,", ",").replace(" ;", ";")
}

/// The words before the reason.
pub fn without_reason(text: &str) -> &str {
    if text.len() <= SHORT {
        return text;
    }
    let cut = REASONS.iter().filter_map(|reason| text.find(reason)).filter(|at| *at >= 24).min();
    cut.map_or(text, |at| text[..at].trim_end_matches([',', ' ']))
}

pub fn is_question(sentence: &str) -> bool {
    const WORDS: [&str; 30] = [
        "what", "what's", "whats", "why", "how", "where", "which", "who", "whose", "is", "are", "was", "were", "does",
        "did", "has", "can", "could", "would", "should", "shall", "isn't", "doesn't", "und", "wie", "wo", "was",
        "warum", "explain", "recap",
    ];
    let first = asks::words(sentence).next().unwrap_or_default();
    let tag = [" or what", " or not", " right", " no"].iter().any(|tag| sentence.ends_with(tag));
    tag || sentence.trim_end().ends_with(['?', '？']) || sentence.starts_with('¿') || WORDS.contains(&first.as_str())
}

/// The content words of a text, reduced to their stems.
pub fn content(tokenizer: &mut Tokenizer, text: &str) -> Vec<String> {
    let mut terms = tokenizer.strings(text);
    terms.retain(|term| !is_stop_word(term));
    terms.sort();
    terms.dedup();
    terms
}

pub fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}
