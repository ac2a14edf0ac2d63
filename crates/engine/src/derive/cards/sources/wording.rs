//! Which statements in a prompt or queued message are meant to last?
//!
//! Nearly all prompts concern the moment, and no word list distinguishes them well. So only
//! statements count that say themselves that they last, and a few forms of orders that rarely
//! concern the moment.

use std::ops::Range;

use crate::model::{CardKind, CardSource, Class, Event};

use super::markdown::begins_with_order;
use super::reading::{
    asks_to_remember, is_opener, is_question, is_standing, is_whole, reach_of, stands_alone, wish, without_openers,
    words,
};
use super::rules::rule;
use super::spoken::{clauses, own_sentences};
use super::{Said, is_found, is_said_by_person};

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    for event in events.iter().filter(|event| is_said_by_person(event)) {
        let source = match event.meta.class {
            Some(Class::Queued) => CardSource::Queued,
            _ => CardSource::Prompt,
        };
        for sentence in own_sentences(&event.text) {
            let Some((place, kind)) = lasting(&event.text, sentence) else { continue };
            if is_found(out, event, &place) {
                continue;
            }
            let statement = event.text[place.clone()].to_owned();
            out.push(Said::by_person(event, place, kind, source, statement));
        }
    }
}

/// The sentence, or else the clause of it that is meant to last.
fn lasting(text: &str, sentence: Range<usize>) -> Option<(Range<usize>, CardKind)> {
    if is_question(&text[sentence.clone()]) || is_reported(&text[sentence.clone()]) {
        return None;
    }
    let whole = &text[sentence.clone()];
    let mut parts = clauses(text, sentence.clone());
    // Without its condition, or without the rest that limits it ("all of these"), a rule would say
    // more than the person did.
    if begins_with_condition(whole) || reach_of(whole).is_some() || points_around(whole) {
        parts.clear();
    }
    let begins_so = parts.first().is_some_and(|first| kind_of(&text[without_openers(text, first.clone())]).is_some());
    let at = if begins_so { 0 } else { parts.len() };
    parts.insert(at, sentence);
    parts.into_iter().find_map(|part| {
        let part = without_openers(text, part);
        kind_of(&text[part.clone()]).map(|kind| (part, kind))
    })
}

/// "The docs say: 'never …'", "write in the README: never …": the words of others, or text to write.
fn is_reported(sentence: &str) -> bool {
    const WRITES: [&str; 7] = ["write", "add", "put", "insert", "print", "say", "says"];
    let Some((before, after)) = sentence.split_once(": ") else { return false };
    let tells = words(before).iter().any(|word| WRITES.contains(&word.as_str()));
    tells || after.trim_start().starts_with(['\'', '"', '“', '‘', '«'])
}

fn points_around(sentence: &str) -> bool {
    words(sentence).iter().any(|word| matches!(word.as_str(), "these" | "those"))
}

fn begins_with_condition(sentence: &str) -> bool {
    const CONDITIONS: [&str; 16] = [
        "when", "whenever", "if", "before", "after", "for", "on", "in", "at", "during", "while", "with", "unless",
        "until", "once", "from",
    ];
    let said = words(sentence);
    let first = said.iter().find(|word| !is_opener(word));
    first.is_some_and(|first| CONDITIONS.contains(&first.as_str()))
}

/// A rule with emphasis, or with "here", is the same rule.
fn in_plain_words(said: &str) -> Option<String> {
    const STRONG: [&str; 9] = [
        "under no circumstances ", "never, ever ", "never ever ", "don't ever ", "do not ever ",
        "you are not allowed to ", "you're not allowed to ", "make sure you never ", "make sure to never ",
    ];
    const HERE: [&str; 4] = [" here", " in this repo", " in this repository", " in this project"];
    let lower = said.to_lowercase().replace('’', "'");
    let lower = lower.trim_end_matches(['.', '!', ' ']);
    let short = HERE.iter().find_map(|here| lower.strip_suffix(here));
    let rest = short.unwrap_or(lower);
    let weaker = STRONG.iter().find_map(|strong| rest.strip_prefix(strong)).map(|rest| format!("never {rest}"));
    weaker.or_else(|| short.filter(|rest| rest.starts_with("never ")).map(str::to_owned))
}

fn kind_of(said: &str) -> Option<CardKind> {
    match in_plain_words(said) {
        Some(plain) => kind_of_plain(&plain),
        None => kind_of_plain(said),
    }
}

fn kind_of_plain(said: &str) -> Option<CardKind> {
    let lasts = |kind: &CardKind| is_standing(said) || *kind == CardKind::Commitment;
    let readable = !is_question(said) && stands_alone(said) && is_whole(said);
    let kind = wish(said).or_else(|| asks_to_remember(said).then_some(CardKind::Fact));
    // What applies to all repositories does not concern the moment.
    let far = || (reach_of(said).is_some() && begins_with_order(said)).then_some(CardKind::Preference);
    kind.filter(lasts).or_else(far).or_else(|| rule(said)).filter(|_| readable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> Option<&str> {
        lasting(text, 0..text.len()).map(|(place, _)| &text[place])
    }

    #[test]
    fn a_clause_may_last_but_not_without_its_condition() {
        assert_eq!(
            last("paint the one here, we always want round corners on cards"),
            Some("we always want round corners on cards")
        );
        assert_eq!(last("When in doubt, always ask the owner"), Some("When in doubt, always ask the owner"));
        assert_eq!(last("If it is late, never deploy to production"), None, "what is late?");
        assert_eq!(last("fix the header, then the footer"), None);
        assert_eq!(last("From now on run the tests first"), Some("From now on run the tests first"));
        assert_eq!(last("Do not push to main"), Some("Do not push to main"));
        for strong in [
            "Never use npm here.",
            "Don't ever commit to main.",
            "Never, ever push to main.",
            "Under no circumstances push to main.",
            "You are not allowed to push to main.",
            "Make sure you never push to main.",
        ] {
            assert_eq!(last(strong), Some(strong));
        }
        assert_eq!(last("The docs say: 'never run cargo fmt on generated code'."), None);
        assert_eq!(last("Write in the README: never run make deploy on Fridays"), None);
        assert_eq!(last("Use a brush for all of these - do not use the roller"), None);
        assert_eq!(last("paint the door, and don't use npm"), Some("don't use npm"));
    }
}
