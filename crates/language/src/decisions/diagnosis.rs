//! What was the cause after all, where an earlier diagnosis was taken back?

use crate::findings::{Cue, Cues};
use crate::prompts::replies::{Reply, reply_to};

use super::dialogue::{Span, Utterance, Voice};
use super::sentences::{core, is_question, sentences};
use super::words::{announces, is_praise, proposes, specific};

/// What was found out, with the words that say it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub parts: Vec<DiagnosisPart>,
    /// The person's words that went on from it.
    pub confirmed: Span,
    /// What was assumed before.
    pub refuted: Option<Span>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DiagnosisPart {
    pub text: String,
    pub said: Span,
    pub weight: i32,
}

/// The number of leading statements in which an agent takes something back.
const LEADING: usize = 4;
/// The agent's messages that tell the cause and its cure.
const MOST_MESSAGES: usize = 5;
const LONGEST: usize = 230;
/// The weights of a statement: a cause, what was done, and what it names.
const CAUSE: i32 = 60;
const CURE: i32 = 40;
const LEAST: i32 = 60;

/// The diagnosis that stands at the end.
pub fn diagnosis(talk: &[Utterance<'_>]) -> Option<Diagnosis> {
    let is_agent = |at: &usize| talk[*at].speaker == Voice::Agent;
    let admits = |at: &usize| {
        let text = talk[*at].text;
        sentences(text).into_iter().take(LEADING).any(|range| concedes(&text[range]))
    };
    let taken_back = (0..talk.len()).rev().filter(is_agent).find(admits)?;
    let confirmed = confirmation(talk, taken_back)?;
    let telling = (taken_back..talk.len()).filter(is_agent).take(MOST_MESSAGES);
    let parts: Vec<DiagnosisPart> = telling.flat_map(|message| parts_of(message, talk[message].text)).collect();
    let refuted = (0..taken_back).rev().filter(is_agent).find_map(|message| assumed(message, talk[message].text));
    (!parts.is_empty()).then_some(Diagnosis { parts, confirmed, refuted })
}

fn concedes(text: &str) -> bool {
    const OWN: [&str; 5] = ["wasn't right", "diagnosis was", "theory was", "not what i thought", "lag falsch"];
    let said = text.to_lowercase();
    Cues::of(text).has(Cue::Concession) || OWN.iter().any(|words| said.contains(words))
}

/// The last reply of the person that does not contradict.
fn confirmation(talk: &[Utterance<'_>], after: usize) -> Option<Span> {
    let replies: Vec<usize> = (after + 1..talk.len()).filter(|at| talk[*at].speaker == Voice::Person).collect();
    let message = *replies.last()?;
    let agrees = reply_to(talk[message - 1].text, talk[message].text) != Reply::Correction;
    let range = super::sentences::trimmed(talk[message].text, 0..talk[message].text.len());
    agrees.then_some(Span { message, range })
}

fn parts_of(message: usize, text: &str) -> Vec<DiagnosisPart> {
    let mut parts = Vec::new();
    for sentence in sentences(text) {
        if is_question(&text[sentence.clone()]) {
            continue;
        }
        let concludes = text[sentence.clone()].to_lowercase().starts_with("so ");
        let range = core(text, sentence);
        let said = &text[range.clone()];
        let cues = Cues::of(said);
        let is_told = !cues.has(Cue::Narration) && !is_praise(said) && !announces(said) && said.len() <= LONGEST;
        let is_plan = proposes(said) && !cues.has(Cue::Cause);
        let tells_cause = concludes || cues.has(Cue::Cause) || cues.has(Cue::Refuted);
        let weight = i32::from(tells_cause) * CAUSE + i32::from(cues.has(Cue::Result)) * CURE + specific(said);
        // "You're right" alone says nothing.
        let only_concedes = concedes(said) && !said.contains(": ");
        if is_told && !is_plan && !only_concedes && weight >= LEAST {
            parts.push(DiagnosisPart { text: said.to_owned(), said: Span { message, range }, weight });
        }
    }
    parts
}

/// The cause that was assumed.
fn assumed(message: usize, text: &str) -> Option<Span> {
    let ranges = sentences(text).into_iter().map(|sentence| core(text, sentence));
    let is_cause = |text: &str| Cues::of(text).has(Cue::Cause) && text.len() <= LONGEST;
    ranges.into_iter().find(|range| is_cause(&text[range.clone()])).map(|range| Span { message, range })
}
