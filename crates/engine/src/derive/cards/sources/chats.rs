//! What do people say about themselves in sessions without any work?
//!
//! In a chat a person states as much as they ask: preferences, plans, numbers and dates. These are
//! in clauses before the question: "I prefer mornings, can you …?"

use std::ops::Range;

use crate::model::{CardKind, CardSource, Class, Event, EventKind};

use super::reading::{is_whole, stands_alone, words};
use super::spoken::{clauses, own_sentences};
use super::{Said, is_said_by_person};

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    if !is_chat(events) {
        return;
    }
    for event in events.iter().filter(|event| is_said_by_person(event) && event.meta.class == Some(Class::Prompt)) {
        for sentence in own_sentences(&event.text) {
            for clause in stated(&event.text, sentence) {
                let words = &event.text[clause.clone()];
                let Some(kind) = kind_of(words).filter(|_| stands_alone(words) && is_whole(words)) else { continue };
                out.push(Said::by_person(event, clause, kind, CardSource::Prompt, words.to_owned()));
            }
        }
    }
}

/// Agents' hosts record a folder, and agents call tools.
fn is_chat(events: &[Event]) -> bool {
    let works = |event: &Event| {
        matches!(event.kind, EventKind::ToolCall | EventKind::ToolOutput | EventKind::Thinking)
            || event.meta.cwd.is_some()
            || event.meta.version.is_some()
    };
    !events.iter().any(works)
}

/// The spans of a sentence in which the person states something.
fn stated(text: &str, sentence: Range<usize>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for clause in clauses(text, sentence) {
        let said = words(&text[clause.clone()]);
        let said: Vec<&str> = said.iter().map(String::as_str).skip_while(|word| is_joint(word)).collect();
        if begins_statement(&said) {
            out.push(after_joints(text, clause));
            open = true;
        } else if open && goes_on(&said) {
            if let Some(last) = out.last_mut() {
                last.end = clause.end;
            }
        } else {
            open = false;
        }
    }
    out.into_iter().map(|range| without_end(text, range)).collect()
}

fn is_joint(word: &str) -> bool {
    matches!(word, "and" | "but" | "so" | "since" | "because" | "as" | "well" | "also" | "considering" | "especially")
}

fn after_joints(text: &str, clause: Range<usize>) -> Range<usize> {
    let mut start = clause.start;
    while let Some(word) = text[start..clause.end].split_whitespace().next() {
        if !is_joint(&word.to_lowercase()) {
            break;
        }
        start += word.len();
        start += text[start..clause.end].len() - text[start..clause.end].trim_start().len();
    }
    start..clause.end
}

/// "I have …", "my budget is …"; not "I'm not sure", "I was wondering".
fn begins_statement(said: &[&str]) -> bool {
    const UNSURE: [&str; 32] = [
        "anxious", "appreciate", "confused", "considering", "curious", "debating", "deciding", "excited", "feel",
        "feeling", "felt", "guess", "help", "hoping", "if", "kinda", "looking", "might", "nervous", "overwhelmed",
        "sorta", "struggling", "stuck", "sure", "tempted", "thinking", "torn", "trying", "unsure", "wonder",
        "wondering", "worried",
    ];
    let unsure = said.iter().take(8).any(|word| UNSURE.contains(word));
    let me = matches!(
        said.first(),
        Some(&("i" | "i've" | "i'm" | "i'll" | "i'd" | "my" | "our" | "we" | "we've" | "we're"))
    );
    me && !unsure && said.len() >= 4
}

/// A clause that belongs to the statement before it.
fn goes_on(said: &[&str]) -> bool {
    const TURNS: [&str; 44] = [
        "can", "could", "what", "what's", "how", "why", "do", "does", "did", "is", "are", "should", "would", "will",
        "any", "got", "which", "where", "when", "who", "i", "i'm", "i've", "it's", "it", "this", "that", "please",
        "you", "considering", "given", "maybe", "like", "right", "then", "if", "though", "thanks", "let's", "she",
        "was", "were", "has", "am",
    ];
    said.first().is_some_and(|first| !TURNS.contains(first))
}

fn without_end(text: &str, range: Range<usize>) -> Range<usize> {
    let kept = text[range.clone()].trim_end_matches(['?', '.', '!', ',', '-', ' ']);
    range.start..range.start + kept.len()
}

fn kind_of(clause: &str) -> Option<CardKind> {
    let said = words(clause);
    let get = |at: usize| said.get(at).map(String::as_str).unwrap_or_default();
    match (get(0), get(1)) {
        ("i", "prefer" | "like" | "love" | "hate" | "dislike" | "enjoy" | "always" | "usually") | ("i'd", "rather") => {
            Some(CardKind::Preference)
        }
        ("i've", "decided" | "committed" | "agreed" | "chosen")
        | ("i", "decided" | "agreed" | "chose" | "plan" | "promised") => Some(CardKind::Commitment),
        ("i'm", "planning") => Some(CardKind::Commitment),
        ("i've", "never") => Some(CardKind::Fact),
        ("i", "have") if get(2) == "never" => Some(CardKind::Fact),
        ("i'm" | "i'd" | "i'll", _) if !has_figure(clause) => None,
        _ => has_figure(clause).then_some(CardKind::Fact),
    }
}

/// A number, an amount or a date: something that may change later.
fn has_figure(clause: &str) -> bool {
    clause.split_whitespace().any(|word| word.chars().any(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<&str> {
        let sentences = own_sentences(text).into_iter();
        sentences.flat_map(|sentence| stated(text, sentence)).map(|range| &text[range]).collect()
    }

    #[test]
    fn what_is_told_stands_before_what_is_asked() {
        assert_eq!(
            said("I prefer rooms with a view, quiet and high up, can you find one?"),
            ["I prefer rooms with a view, quiet and high up"]
        );
        assert_eq!(
            said("I'm kinda stuck, but my budget is 900 euros, so how far does that go?"),
            ["my budget is 900 euros"]
        );
        assert_eq!(said("what do you think?"), [""; 0]);
    }

    #[test]
    fn kinds_of_what_people_tell() {
        assert_eq!(kind_of("I prefer trains over planes"), Some(CardKind::Preference));
        assert_eq!(kind_of("I decided to take the early train"), Some(CardKind::Commitment));
        assert_eq!(kind_of("I've never been to Oslo"), Some(CardKind::Fact));
        assert_eq!(kind_of("my train leaves at 7:40"), Some(CardKind::Fact));
        assert_eq!(kind_of("I have a nice dog"), None);
    }
}
