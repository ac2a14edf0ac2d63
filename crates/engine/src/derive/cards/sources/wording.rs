//! Which words of a prompt, or of what was queued while the agent worked, are
//! meant to last?
//!
//! Nearly all prompts are about the moment, and no list of words tells them
//! apart well. So only those count that say of themselves that they last.

use crate::model::{CardSource, Class, Event};

use super::reading::{is_question, is_standing, is_whole, stands_alone, wish, without_openers};
use super::spoken::own_sentences;
use super::{Said, is_said_by_person};

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    for event in events.iter().filter(|event| is_said_by_person(event)) {
        let source = match event.meta.class {
            Some(Class::Queued) => CardSource::Queued,
            _ => CardSource::Prompt,
        };
        for sentence in own_sentences(&event.text) {
            let place = without_openers(&event.text, sentence);
            let words = &event.text[place.clone()];
            let kind = wish(words).filter(|kind| is_standing(words) || *kind == crate::model::CardKind::Commitment);
            if let Some(kind) = kind.filter(|_| !is_question(words) && stands_alone(words) && is_whole(words)) {
                let statement = words.to_owned();
                out.push(Said::by_person(event, place, kind, source, statement));
            }
        }
    }
}
