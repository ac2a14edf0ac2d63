//! What did a conversation decide?

use backstory_language::decisions::{Binding, Refusal, Ruling, Span, Speaker, Utterance, read};

use crate::model::{
    Case, Class, Decided, DecidedPart, Event, EventKind, EvidenceRef, Firmness, Found, RefusedOption, is_prompt,
    says_something,
};

use super::cite;

/// Longer prompts hold pasted text.
const LONGEST_PROMPT: usize = 1_500;

/// Only conversations are read: prompts between pieces of work are about the moment.
pub fn may_decide(case: &Case) -> bool {
    case.is_talk
}

/// `events`: those of the case.
pub fn of_case(case: &Case, events: &[Event]) -> Vec<Found> {
    if !may_decide(case) {
        return Vec::new();
    }
    let said: Vec<(&Event, Speaker)> = events.iter().filter_map(|event| Some((event, speaker(event)?))).collect();
    let talk: Vec<Utterance<'_>> =
        said.iter().map(|(event, speaker)| Utterance { speaker: *speaker, text: &event.text }).collect();
    let decisions = read(&talk);
    let cite = |span: &Span| {
        let event = said[span.message].0;
        cite(event, span.range.clone(), crate::model::EvidenceKind::of_event(event))
    };
    let parts: Vec<DecidedPart> = decisions.rulings.iter().map(|ruling| part(ruling, &cite)).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let refused = decisions.refusals.iter().map(|refusal| option(refusal, &talk, &cite)).collect();
    let time = decisions.rulings.iter().filter_map(|ruling| said[ruling.bound.message].0.time).max();
    let (subject, changed, kept) = (decisions.subject, decisions.discussed.changed, decisions.discussed.kept);
    vec![Found::Decided(Decided { subject, parts, refused, changed, kept, time })]
}

fn speaker(event: &Event) -> Option<Speaker> {
    let is_said = !event.forgotten && !event.meta.own_output && says_something(&event.text);
    match event.kind {
        EventKind::Assistant if is_said => Some(Speaker::Agent),
        EventKind::User if is_said && is_prompt(event) && event.meta.class != Some(Class::Teammate) => {
            (event.text.len() <= LONGEST_PROMPT).then_some(Speaker::Person)
        }
        _ => None,
    }
}

fn part(ruling: &Ruling, cite: &dyn Fn(&Span) -> EvidenceRef) -> DecidedPart {
    let firmness = if ruling.binding == Binding::Accepted { Firmness::Agreed } else { Firmness::Firm };
    let (said, bound) = (cite(&ruling.said), cite(&ruling.bound));
    DecidedPart { text: ruling.text.clone(), weight: ruling.weight, firmness, said, bound }
}

fn option(refusal: &Refusal, talk: &[Utterance<'_>], cite: &dyn Fn(&Span) -> EvidenceRef) -> RefusedOption {
    let text = |span: &Span| talk[span.message].text[span.range.clone()].to_owned();
    let (proposal, because) = (text(&refusal.proposal), text(&refusal.because));
    RefusedOption { proposal, because, evidence: cite(&refusal.because) }
}
