//! Which statements in a turn of work matter?
//!
//! The position of a statement matters most: the last message of a turn holds its result. Then its
//! wording, and the person's reply.

use std::cmp::Reverse;
use std::collections::HashSet;

use backstory_language::findings::{Cue, Cues, Passage, Shape};
use backstory_language::prompts::replies::{Reply, reply_to};
use backstory_language::text::Tokenizer;

use crate::model::{Finding, Role};

use super::thread::{Thread, content_words};
use super::turns::{Exchange, Message};

/// The number of statements per turn that are kept.
const MOST_OF_AGENT: usize = 10;
/// A turn of hours states more: one statement more for so many messages.
const MESSAGES_FOR_MORE: usize = 4;
const MOST_OF_LONG_TURN: usize = 30;
const MOST_OF_PERSON: usize = 4;
/// A prompt with more passages contains pasted text.
const PASTED: usize = 12;
/// Long lists and logs are not read completely.
const MOST_PASSAGES: usize = 400;
/// Weights in hundredths, see [`Finding::weight`].
const LEAST_WEIGHT: i32 = 20;
/// What a follow-up of the person counts, and where it decides something.
const OF_PERSON: i32 = 35;
const PERSON_DECIDES: i32 = 180;
/// What a request decides beside what it asks for.
const REQUEST_DECIDES: i32 = 120;
/// The last message of a turn, its first statement, and the last of the messages before it.
const IN_LAST_MESSAGE: i32 = 100;
const LEADING: i32 = 50;
const IN_EARLIER_MESSAGE: usize = 35;
/// What the person's next words refuse.
const REFUSED: i32 = -60;
const UNDER_HEADING: i32 = 50;
const ANNOUNCED: i32 = -120;
const ASKED: i32 = -60;
const NARRATED: i32 = -90;
const BY_CUE: [(Cue, i32); 6] =
    [(Cue::Cause, 35), (Cue::Result, 45), (Cue::Decision, 30), (Cue::Open, 20), (Cue::Failed, 25), (Cue::Refuted, 35)];
const CODE: i32 = -120;
const TABLE_ROW: i32 = -10;
/// At most three words.
const SHORT: i32 = -50;
const NAMES_CODE: i32 = 15;
const HAS_NUMBER: i32 = 10;
const HAS_BOLD: i32 = 15;

pub fn findings(thread: &Thread<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    for (at, exchange) in thread.exchanges.iter().enumerate() {
        let next = thread.exchanges.get(at + 1);
        out.extend(of_person(exchange, at > 0));
        out.extend(of_agent(exchange, &Correction::of(exchange, next)));
    }
    out
}

/// What the person's next prompt refuses of the result of a turn.
#[derive(Default)]
struct Correction {
    corrects: bool,
    /// The words of the prompt that say what is refused; none where it only says no.
    about: HashSet<String>,
}

impl Correction {
    fn of(exchange: &Exchange<'_>, next: Option<&Exchange<'_>>) -> Self {
        let (Some(message), Some(prompt)) = (exchange.last_message(), next.and_then(|next| next.prompt)) else {
            return Correction::default();
        };
        let corrects = reply_to(message.text(), prompt.text()) == Reply::Correction;
        let about = if corrects { content_words(&mut Tokenizer::new(), prompt.text()) } else { HashSet::new() };
        Correction { corrects, about }
    }

    /// A statement of the last message that shares a word with the refusal.
    fn refuses(&self, statement: &str) -> bool {
        self.corrects
            && (self.about.is_empty() || !self.about.is_disjoint(&content_words(&mut Tokenizer::new(), statement)))
    }
}

fn of_person(exchange: &Exchange<'_>, follows: bool) -> Vec<Finding> {
    let mut out = Vec::new();
    if let Some(request) = exchange.prompt.filter(|_| !follows) {
        out.extend(of_request(exchange, &request));
    }
    let prompt = exchange.prompt.filter(|_| follows);
    for message in prompt.iter().chain(&exchange.queued) {
        let replies = matches!(reply_to("", message.text()), Reply::Assent | Reply::Correction);
        let passages = message.passages();
        if passages.len() > PASTED {
            continue;
        }
        for passage in passages.iter().filter(|passage| passage.shape != Shape::Code) {
            let text = &message.text()[passage.range.clone()];
            let cues = Cues::of(text);
            let says = !is_question(text);
            let decides = says && cues.has(Cue::Decision);
            let role = if decides || says && replies { Role::Decision } else { Role::Remark };
            let decision = weigh(PERSON_DECIDES, decides);
            let weight = OF_PERSON + decision + said(message, passage, cues);
            out.push(finding(message, passage, exchange.turn, role, weight));
        }
    }
    best(out, MOST_OF_PERSON)
}

/// What a request decides beside what it asks for first: "don't give it a number".
fn of_request(exchange: &Exchange<'_>, request: &Message<'_>) -> Vec<Finding> {
    let passages = request.passages();
    if passages.len() > PASTED {
        return Vec::new();
    }
    let mut out = Vec::new();
    for passage in passages.iter().skip(1).filter(|passage| passage.shape != Shape::Code) {
        let text = &request.text()[passage.range.clone()];
        let cues = Cues::of(text);
        if cues.has(Cue::Decision) && !is_question(text) {
            let weight = REQUEST_DECIDES + said(request, passage, cues);
            out.push(finding(request, passage, exchange.turn, Role::Decision, weight));
        }
    }
    out
}

/// Nothing but a question.
fn is_question(text: &str) -> bool {
    let text = text.trim_end();
    let asks = text.ends_with(['?', '？']);
    asks && !text.contains(". ") && !text.contains("! ") && !text.contains('\n')
}

fn of_agent(exchange: &Exchange<'_>, correction: &Correction) -> Vec<Finding> {
    let count = exchange.messages.len();
    let mut out = Vec::new();
    for (number, message) in exchange.messages.iter().enumerate() {
        let is_last = number == exchange.closing;
        let place = if is_last { IN_LAST_MESSAGE } else { (IN_EARLIER_MESSAGE * number / count) as i32 };
        for (at, passage) in message.passages().iter().enumerate().take(MOST_PASSAGES) {
            if message.event.meta.own_output && message.is_own_output(&passage.range) {
                continue;
            }
            let text = &message.text()[passage.range.clone()];
            let cues = Cues::of(text);
            let leads = is_last && at == 0;
            let is_refused = is_last && correction.refuses(text);
            let in_message = place + weigh(LEADING, leads) + weigh(REFUSED, is_refused);
            let weight = in_message + agent_said(message, passage, cues) + said(message, passage, cues);
            let role = match is_refused {
                true => refused(cues),
                false if is_possibility(message, passage) => Role::Remark,
                false => role(cues),
            };
            out.push(finding(message, passage, exchange.turn, role, weight));
        }
    }
    for message in &exchange.reports {
        for passage in message.passages().iter().take(MOST_PASSAGES) {
            let cues = Cues::of(&message.text()[passage.range.clone()]);
            let weight = agent_said(message, passage, cues) + said(message, passage, cues);
            out.push(finding(message, passage, exchange.turn, role(cues), weight));
        }
    }
    best(out, (MOST_OF_AGENT + count / MESSAGES_FOR_MORE).min(MOST_OF_LONG_TURN))
}

/// One of several things that may be so.
fn is_possibility(message: &Message<'_>, passage: &Passage) -> bool {
    passage.lead.as_ref().is_some_and(|lead| Cues::of(&message.text()[lead.clone()]).has(Cue::Possible))
}

/// The weight of properties that only agents' statements have.
fn agent_said(message: &Message<'_>, passage: &Passage, cues: Cues) -> i32 {
    let asks = message.text()[passage.range.clone()].trim_end().ends_with(['?', '？']);
    weigh(UNDER_HEADING, passage.heading.is_some()) + weigh(NARRATED, cues.has(Cue::Narration)) + weigh(ASKED, asks)
}

/// The weight of a statement's content, for any speaker.
pub fn said(message: &Message<'_>, passage: &Passage, cues: Cues) -> i32 {
    let text = &message.text()[passage.range.clone()];
    let cues: i32 = BY_CUE.iter().filter(|(cue, _)| cues.has(*cue)).map(|(_, weight)| weight).sum();
    let shape = match passage.shape {
        Shape::Code => CODE,
        Shape::Row => TABLE_ROW,
        Shape::Prose | Shape::Item => 0,
    };
    cues + shape
        + weigh(SHORT, text.split_whitespace().nth(3).is_none())
        + weigh(ANNOUNCED, text.trim_end().ends_with([':', '：']))
        + weigh(NAMES_CODE, text.contains('`'))
        + weigh(HAS_NUMBER, text.bytes().any(|byte| byte.is_ascii_digit()))
        + weigh(HAS_BOLD, text.contains("**"))
}

fn weigh(weight: i32, holds: bool) -> i32 {
    if holds { weight } else { 0 }
}

/// The role of a statement's strongest cue.
pub fn role(cues: Cues) -> Role {
    let roles = [
        (Cue::Cause, Role::Cause),
        (Cue::Refuted, Role::Cause),
        (Cue::Result, Role::Result),
        (Cue::Failed, Role::Tried),
        (Cue::Open, Role::Open),
    ];
    roles.into_iter().find(|(cue, _)| cues.has(*cue)).map_or(Role::Remark, |(_, role)| role)
}

/// What the person's next words refuse: a finding, or else a proposal.
fn refused(cues: Cues) -> Role {
    match role(cues) {
        Role::Cause | Role::Result => Role::Refuted,
        _ if cues.has(Cue::Decision) => Role::Rejected,
        role => role,
    }
}

pub fn finding(message: &Message<'_>, passage: &Passage, turn: u32, role: Role, weight: i32) -> Finding {
    let heading = passage.heading.clone().map(|range| (range.start as u32, range.end as u32));
    Finding { role, turn, weight, evidence: message.evidence(&passage.range), heading }
}

/// The heaviest findings, in their original order.
fn best(mut findings: Vec<Finding>, most: usize) -> Vec<Finding> {
    findings.retain(|finding| finding.weight >= LEAST_WEIGHT);
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|at| Reverse(findings[*at].weight));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|at| findings[at]).collect()
}
