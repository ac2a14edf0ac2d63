//! Who claims which consequence?
//!
//! Strong intents claim first, in line order, each the best that no other strong one has. Then weak ones, which share.
//! A kernel only proposes: candidates that break an invariant are rejected here.

use std::collections::HashMap;
use std::sync::Arc;

use crate::talk::{CausalLink, Consequence, ConsequenceType, Strength, link_id};

use super::consequence::Consequences;
use super::kernel::{Intent, Kernel, KernelInput, ReplyCandidate};
use super::ordinals::Ordinals;

/// The outcome for an intent's candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub intent: Intent,
    /// The least score of a claim.
    pub least: f32,
    /// In line order.
    pub candidates: Vec<Weighed>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    pub candidate: ReplyCandidate,
    pub fate: LinkFate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFate {
    Won,
    /// Another candidate was better.
    Outscored,
    /// The strong intent at this position has it.
    TakenBy(usize),
    BelowLeast,
    Refused(Broken),
}

/// The rule that a candidate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    NoSuchLine,
    NotAfter,
    /// By the asker, or by someone who does not answer.
    NotAnAnswerer,
    TooFar,
    AcrossExcluded,
    NoScore,
}

impl Broken {
    pub fn reason(self) -> &'static str {
        match self {
            Broken::NoSuchLine => "there is no such line",
            Broken::NotAfter => "not after the intent",
            Broken::NotAnAnswerer => "not by somebody who answers",
            Broken::TooFar => "too far away",
            Broken::AcrossExcluded => "across excluded lines",
            Broken::NoScore => "the score is no number",
        }
    }
}

/// Links for all intents, including unclaimed ones, in line order; and a trace for each of them.
pub fn claim(input: &KernelInput<'_>, intents: &[Intent], kernel: &dyn Kernel) -> (Vec<CausalLink>, Vec<Trace>) {
    let mut traces = proposals(input, intents, kernel);
    let mut taken: HashMap<usize, usize> = HashMap::new();
    for strength in [Strength::Strong, Strength::Weak] {
        for trace in traces.iter_mut().filter(|trace| trace.intent.strength == strength) {
            decide(trace, &mut taken);
        }
    }
    let mut consequences = Consequences::new(input.setting);
    let parameters = parameters(input);
    let links = traces.iter().map(|trace| link(input, kernel, trace, &mut consequences, &parameters)).collect();
    (links, traces)
}

fn proposals(input: &KernelInput<'_>, intents: &[Intent], kernel: &dyn Kernel) -> Vec<Trace> {
    let ordinals = Ordinals::new(input.lines, input.parts);
    let mut proposed = kernel.candidates(input, intents).into_iter();
    let weigh = |intent: &Intent| {
        let mut candidates = proposed.next().unwrap_or_default();
        candidates.sort_by_key(|candidate| candidate.at);
        candidates.dedup_by_key(|candidate| candidate.at);
        let candidates = candidates.into_iter().map(|candidate| checked(input, &ordinals, intent, candidate)).collect();
        Trace { intent: *intent, least: kernel.least(intent.strength, input.params), candidates }
    };
    intents.iter().map(weigh).collect()
}

/// A valid candidate starts as outscored. Both distances are computed here, not taken from the kernel.
fn checked(input: &KernelInput<'_>, ordinals: &Ordinals, intent: &Intent, mut candidate: ReplyCandidate) -> Weighed {
    let at = candidate.at;
    let fate = if at >= input.lines.len() {
        LinkFate::Refused(Broken::NoSuchLine)
    } else if at <= intent.at {
        LinkFate::Refused(Broken::NotAfter)
    } else if input.mask.any_excluded(intent.at, at) {
        LinkFate::Refused(Broken::AcrossExcluded)
    } else {
        candidate.gap = (at - intent.at) as u32;
        match ordinals.of(intent.at, at) {
            None => LinkFate::Refused(Broken::NotAnAnswerer),
            Some(ordinal) => {
                candidate.ordinal = ordinal;
                if ordinal > input.params.k_local {
                    LinkFate::Refused(Broken::TooFar)
                } else if !candidate.score.is_finite() {
                    LinkFate::Refused(Broken::NoScore)
                } else {
                    LinkFate::Outscored
                }
            }
        }
    };
    Weighed { candidate, fate }
}

/// The best wins; among equals, the nearest.
fn decide(trace: &mut Trace, taken: &mut HashMap<usize, usize>) {
    let is_strong = trace.intent.strength == Strength::Strong;
    let mut best: Option<usize> = None;
    for at in 0..trace.candidates.len() {
        let Weighed { candidate, fate } = &mut trace.candidates[at];
        if *fate != LinkFate::Outscored {
            continue;
        }
        if candidate.score < trace.least {
            *fate = LinkFate::BelowLeast;
        } else if let Some(owner) = taken.get(&candidate.at).filter(|_| is_strong) {
            *fate = LinkFate::TakenBy(*owner);
        } else if best.is_none_or(|best| trace.candidates[at].candidate.score > trace.candidates[best].candidate.score)
        {
            best = Some(at);
        }
    }
    let Some(best) = best else { return };
    trace.candidates[best].fate = LinkFate::Won;
    if is_strong {
        taken.insert(trace.candidates[best].candidate.at, trace.intent.at);
    }
}

/// What the kernel was given, as JSON.
fn parameters(input: &KernelInput<'_>) -> Arc<str> {
    let mut parameters = serde_json::json!(input.params);
    parameters["setting"] = serde_json::json!(input.setting);
    parameters.to_string().into()
}

fn link(
    input: &KernelInput<'_>,
    kernel: &dyn Kernel,
    trace: &Trace,
    consequences: &mut Consequences,
    parameters: &Arc<str>,
) -> CausalLink {
    let line = &input.lines[trace.intent.at];
    let (name, version) = (kernel.name(), kernel.version());
    let won = trace.candidates.iter().find(|weighed| weighed.fate == LinkFate::Won);
    let consequence = won.map(|Weighed { candidate, .. }| Consequence {
        text: input.lines[candidate.at].text.to_owned(),
        anchor: input.lines[candidate.at].index,
        distance: candidate.ordinal,
        line_gap: candidate.gap,
        score: candidate.score,
        parts: candidate.parts.iter().map(|(name, part)| ((*name).into(), *part)).collect(),
    });
    CausalLink {
        id: link_id(input.session, name, version, line.index, line.text),
        session: input.session.to_owned(),
        actor: line.speaker.to_owned(),
        intent_text: line.text.to_owned(),
        intent_type: trace.intent.kind,
        intent_strength: trace.intent.strength,
        intent_anchor: line.index,
        consequence_type: consequence.as_ref().map_or(ConsequenceType::None, |found| consequences.kind(&found.text)),
        consequence,
        kernel: name.into(),
        kernel_version: version,
        kernel_params: parameters.clone(),
    }
}
