//! What did a conversation decide?

use std::ops::Range;

use backstory_language::decisions::{
    Binding, Diagnosis, Discussed, Refusal, Ruling, Span, Utterance, Voice, WeighedPart, choices, diagnosis, read,
    statements,
};
use backstory_language::prompts::replies::{Reply, reply_to};

use crate::model::{
    Candidate, CardKind, CardSource, Case, Class, Decided, DecidedPart, Event, EventKind, EvidenceKind, EvidenceRef,
    Firmness, Found, LONGEST_STATEMENT, RefusedOption, Timestamp, is_prompt, says_something,
};

use super::spoken::own_sentences;
use super::{Said, cite, kind_of_written};

/// Longer prompts hold pasted text.
const LONGEST_PROMPT: usize = 1_500;

/// `events`: those of the case. Where an agent works, most prompts are about the moment: only
/// choices count, and a conversation is read as a whole.
pub fn of_case(case: &Case, events: &[Event]) -> Vec<(u32, Found)> {
    if case.is_talk { conversation(events) } else { choices_in_work(events) }
}

/// What a person chose, unless their next words take it back.
fn choices_in_work(events: &[Event]) -> Vec<(u32, Found)> {
    let prompts: Vec<&Event> = events.iter().filter(|event| voice(event) == Some(Voice::Person)).collect();
    let mut out = Vec::new();
    for (at, prompt) in prompts.iter().enumerate() {
        let is_taken_back = prompts.get(at + 1).is_some_and(|next| reply_to("", &next.text) == Reply::Correction);
        let own = own_sentences(&prompt.text);
        let is_own = |place: &Range<usize>| own.iter().any(|own| own.start <= place.start && place.end <= own.end);
        for place in choices(&prompt.text).into_iter().filter(|place| !is_taken_back && is_own(place)) {
            let statement = prompt.text[place.clone()].to_owned();
            let kind = kind_of_written(&statement);
            let kind = if kind == CardKind::Constraint { kind } else { CardKind::Preference };
            let said = Said::by_person(prompt, place, kind, CardSource::Decision, statement);
            out.extend(said.found());
        }
    }
    out
}

fn conversation(events: &[Event]) -> Vec<(u32, Found)> {
    let said: Vec<(&Event, Voice)> = events.iter().filter_map(|event| Some((event, voice(event)?))).collect();
    let talk: Vec<Utterance<'_>> =
        said.iter().map(|(event, speaker)| Utterance { speaker: *speaker, text: &event.text }).collect();
    let decisions = read(&talk);
    let cite = |span: &Span| {
        let event = said[span.message].0;
        cite(event, span.range.clone(), EvidenceKind::of_event(event))
    };
    let seq = events.first().map_or(0, |event| event.seq);
    let mut out: Vec<(u32, Found)> = Vec::new();
    if let Some(found) = diagnosis(&talk) {
        let time = said[found.confirmed.message].0.time;
        let fact = cause(&decisions.subject, &found, &talk, &cite).and_then(|fact| fact.at(time));
        out.extend(fact.map(|fact| (seq, Found::Candidate(fact))));
    }
    let parts: Vec<DecidedPart> = decisions.rulings.iter().map(|ruling| part(ruling, &cite)).collect();
    if parts.is_empty() {
        return out;
    }
    let refused = decisions.refusals.iter().map(|refusal| option(refusal, &talk, &cite)).collect();
    let time = decisions.rulings.iter().filter_map(|ruling| said[ruling.bound.message].0.time).max();
    let (subject, discussed) = (decisions.subject, decisions.discussed);
    let Discussed { changed, kept, spoken, references } = discussed;
    out.push((seq, Found::Decided(Decided { subject, parts, refused, changed, kept, spoken, references, time })));
    out
}

fn voice(event: &Event) -> Option<Voice> {
    let is_said = !event.forgotten && !event.meta.own_output && says_something(&event.text);
    match event.kind {
        EventKind::Assistant if is_said => Some(Voice::Agent),
        EventKind::User if is_said && is_prompt(event) && event.meta.class != Some(Class::Teammate) => {
            (event.text.len() <= LONGEST_PROMPT).then_some(Voice::Person)
        }
        _ => None,
    }
}

fn part(ruling: &Ruling, cite: &dyn Fn(&Span) -> EvidenceRef) -> DecidedPart {
    let firmness = if ruling.binding == Binding::Accepted { Firmness::Agreed } else { Firmness::Firm };
    let (said, bound) = (cite(&ruling.said), cite(&ruling.bound));
    DecidedPart { text: ruling.text.clone(), weight: ruling.weight, firmness, said, bound }
}

/// A fact about the cause that was found after all.
struct Cause {
    statement: String,
    topic: String,
    evidence: Vec<EvidenceRef>,
    refuted: Option<RefusedOption>,
}

impl Cause {
    fn at(self, time: Option<Timestamp>) -> Option<Candidate> {
        let source = CardSource::Decision;
        let made = Candidate::new(CardKind::Fact, source, &self.statement, &self.topic, self.evidence, time);
        let mut candidate = made.ok()?;
        candidate.refused = self.refuted.into_iter().collect();
        Some(candidate)
    }
}

fn cause(
    subject: &str,
    found: &Diagnosis,
    talk: &[Utterance<'_>],
    cite: &dyn Fn(&Span) -> EvidenceRef,
) -> Option<Cause> {
    let weighed: Vec<WeighedPart<'_>> =
        found.parts.iter().map(|part| WeighedPart { text: &part.text, weight: part.weight }).collect();
    let told = statements(subject, &weighed, LONGEST_STATEMENT).into_iter().next()?;
    let parts = told.parts.iter().map(|part| &found.parts[*part]);
    let confirmed = cite(&found.confirmed);
    let evidence = std::iter::once(confirmed).chain(parts.map(|part| cite(&part.said))).collect();
    let because = found.parts.first().map(|part| part.text.clone()).unwrap_or_default();
    let refuted = found.refuted.as_ref().map(|span| {
        let proposal = talk[span.message].text[span.range.clone()].to_owned();
        RefusedOption { proposal, because, evidence: cite(span) }
    });
    Some(Cause { statement: told.text, topic: subject.to_lowercase(), evidence, refuted })
}

fn option(refusal: &Refusal, talk: &[Utterance<'_>], cite: &dyn Fn(&Span) -> EvidenceRef) -> RefusedOption {
    let text = |span: &Span| talk[span.message].text[span.range.clone()].to_owned();
    let (proposal, because) = (text(&refusal.proposal), text(&refusal.because));
    RefusedOption { proposal, because, evidence: cite(&refusal.because) }
}
