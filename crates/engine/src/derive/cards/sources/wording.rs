//! Which words of a prompt, or of what was queued while the agent worked, are
//! meant to last?
//!
//! Nearly all prompts are about the moment, and no list of words tells them
//! apart well. So only those count that say of themselves that they last.

use std::ops::Range;

use crate::model::{CardKind, CardSource, Class, Event};

use super::reading::{is_question, is_standing, is_whole, stands_alone, tells_to_remember, wish, without_openers};
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

/// The sentence, or the clause of it that lasts, where that is not how it begins.
fn lasting(text: &str, sentence: Range<usize>) -> Option<(Range<usize>, CardKind)> {
    if is_question(&text[sentence.clone()]) {
        return None;
    }
    let mut parts = clauses(text, sentence.clone());
    let begins_so = parts.first().is_some_and(|first| kind_of(&text[without_openers(text, first.clone())]).is_some());
    let at = if begins_so { 0 } else { parts.len() };
    parts.insert(at, sentence);
    parts.into_iter().find_map(|part| {
        let part = without_openers(text, part);
        kind_of(&text[part.clone()]).map(|kind| (part, kind))
    })
}

fn kind_of(words: &str) -> Option<CardKind> {
    let lasts = |kind: &CardKind| is_standing(words) || *kind == CardKind::Commitment;
    let readable = !is_question(words) && stands_alone(words) && is_whole(words);
    let kind = wish(words).or_else(|| tells_to_remember(words).then_some(CardKind::Fact));
    kind.filter(lasts).filter(|_| readable)
}
