//! What was decided in a conversation with little work?
//!
//! The person's own words, and what an agent proposed just before the person agreed or chose it. An
//! accepted recap outweighs its parts. Statements that the person corrected are not presented as
//! valid.

use std::cmp::Reverse;

use backstory_language::findings::{Cue, Cues, Shape};
use backstory_language::prompts::replies::{Reply, chosen, is_mere_assent, options, reply_to};

use crate::model::{EvidenceKind, Finding, Role};

use super::thread::Thread;
use super::turns::{Exchange, Message};
use super::work_findings::finding;

/// The number of statements of one prompt, and of one proposal, that are kept.
const MOST_OF_PROMPT: usize = 4;
const MOST_OF_PROPOSAL: usize = 2;
const MOST_CAUSES: usize = 2;
/// The number of leading statements that are read in a message, and of messages from a concession on.
const MOST_LEADING: usize = 3;
const AFTER_CONCESSION: usize = 3;
/// The weight of a statement that the person refused immediately.
const CORRECTED_AWAY: i32 = 50;
/// The penalty of a retracted statement.
const TAKEN_BACK: i32 = -120;
/// The penalty of statements before an accepted recap.
const BEFORE_RECAP: i32 = -80;

pub fn findings(thread: &Thread<'_>) -> Vec<Finding> {
    let exchanges = &thread.exchanges;
    let recap = (0..exchanges.len()).rev().find(|at| is_recap(exchanges, *at));
    let mut out = Vec::new();
    for (at, exchange) in exchanges.iter().enumerate() {
        let told_again = if recap.is_some_and(|recap| at <= recap) { BEFORE_RECAP } else { 0 };
        if let Some(prompt) = exchange.prompt.filter(|_| at > 0) {
            let before = exchanges[at - 1].last_message();
            out.extend(accepted(before, &exchanges[at - 1], prompt, told_again));
            out.extend(of_person(exchange, prompt, told_again));
        }
        if recap == Some(at) {
            out.extend(exchange.last_message().into_iter().flat_map(|message| of_recap(exchange, message)));
        } else if is_corrected(exchanges, at) {
            out.extend(corrected_away(exchange));
        } else if recap.is_none_or(|recap| at > recap) {
            out.extend(causes(exchange, at, exchanges.len()));
        }
    }
    if let Some(at) = last_concession(exchanges) {
        take_back(&mut out, exchanges[at].turn);
        let after = exchanges[at..].iter().take(AFTER_CONCESSION);
        out.extend(after.flat_map(leading_statements));
    }
    without_doubles(out)
}

/// The statement that the person's next words refuse: a proposal, or an assumed cause.
fn corrected_away(exchange: &Exchange<'_>) -> Option<Finding> {
    let message = exchange.last_message()?;
    let prose = message.passages().into_iter().filter(|passage| passage.shape != Shape::Code);
    let roles = [(Cue::Cause, Role::Refuted), (Cue::Decision, Role::Rejected)];
    prose.into_iter().find_map(|passage| {
        let cues = Cues::of(&message.text()[passage.range.clone()]);
        let (_, role) = roles.into_iter().find(|(cue, _)| cues.has(*cue))?;
        Some(finding(&message, &passage, exchange.turn, role, CORRECTED_AWAY))
    })
}

/// The last message in which the agent admits that an earlier statement was wrong.
fn last_concession(exchanges: &[Exchange<'_>]) -> Option<usize> {
    (1..exchanges.len()).rev().find(|at| {
        let message = exchanges[*at].last_message();
        let admits = |message: Message<'_>| {
            let leading = message.passages().into_iter().take(MOST_LEADING);
            leading.into_iter().any(|passage| Cues::of(&message.text()[passage.range]).has(Cue::Concession))
        };
        message.is_some_and(admits)
    })
}

/// Marks the causes that the agent assumed before that turn as refuted.
fn take_back(findings: &mut [Finding], turn: u32) {
    let by_agent = |finding: &&mut Finding| finding.role == Role::Cause && finding.turn < turn;
    for finding in findings.iter_mut().filter(by_agent) {
        finding.role = Role::Refuted;
        finding.weight += TAKEN_BACK;
    }
}

/// The agent's first statements after a concession: the actual cause.
fn leading_statements(exchange: &Exchange<'_>) -> Vec<Finding> {
    let Some(message) = exchange.last_message() else { return Vec::new() };
    let says = |text: &str| !Cues::of(text).has(Cue::Narration) && !text.trim_end().ends_with(['?', ':']);
    let prose = message.passages().into_iter().filter(|passage| passage.shape != Shape::Code);
    let leading = prose.filter(|passage| says(&message.text()[passage.range.clone()])).take(MOST_LEADING);
    let weigh = |(rank, passage)| finding(&message, &passage, exchange.turn, Role::Cause, 140 - 20 * rank as i32);
    leading.enumerate().map(weigh).collect()
}

/// Keeps a statement that was found twice once, with its higher weight.
fn without_doubles(mut findings: Vec<Finding>) -> Vec<Finding> {
    let by_agent = |finding: &Finding| finding.evidence.kind != EvidenceKind::UserSpan;
    findings.sort_by_key(|finding| (finding.turn, by_agent(finding), finding.evidence.start, Reverse(finding.weight)));
    findings.dedup_by_key(|finding| (finding.evidence.id, finding.evidence.start));
    findings
}

fn of_person(exchange: &Exchange<'_>, prompt: Message<'_>, told_again: i32) -> Vec<Finding> {
    let mere_assent = is_mere_assent(prompt.text());
    let decides = if Cues::of(prompt.text()).has(Cue::Decision) { 20 } else { 0 };
    let base = if mere_assent { 60 } else { 170 + decides };
    let prose = prompt.passages().into_iter().filter(|passage| passage.shape != Shape::Code);
    prose
        .take(MOST_OF_PROMPT)
        .enumerate()
        .map(|(at, passage)| {
            let weight = base + told_again - 20 * at as i32;
            finding(&prompt, &passage, exchange.turn, Role::Decision, weight)
        })
        .collect()
}

/// The agent's proposals that the person accepted or chose.
fn accepted(
    message: Option<Message<'_>>,
    exchange: &Exchange<'_>,
    prompt: Message<'_>,
    told_again: i32,
) -> Vec<Finding> {
    let Some(message) = message else { return Vec::new() };
    let reply = reply_to(message.text(), prompt.text());
    let offered = options(message.text());
    if let Some(option) = chosen(prompt.text(), offered.len()).map(|index| offered[index]) {
        let start = option.as_ptr() as usize - message.text().as_ptr() as usize;
        let evidence = message.evidence(&(start..start + option.len()));
        let weight = 180 + told_again;
        return vec![Finding { role: Role::Accepted, turn: exchange.turn, weight, evidence, heading: None }];
    }
    if reply == Reply::Correction {
        return Vec::new();
    }
    let agrees = reply == Reply::Assent || prompt.text().split_whitespace().nth(8).is_none();
    let (base, most) = if agrees { (150, MOST_OF_PROPOSAL) } else { (90, 1) };
    let mut proposals: Vec<(i32, usize, Finding)> = Vec::new();
    let all: Vec<_> = message.passages().into_iter().filter(|passage| passage.shape != Shape::Code).collect();
    for (at, passage) in all.iter().enumerate() {
        let text = &message.text()[passage.range.clone()];
        let cues = Cues::of(text);
        if cues.has(Cue::Narration) {
            continue;
        }
        let late = (50 * at / all.len().max(2)) as i32;
        let asks = if text.contains('?') { 60 } else { 0 };
        let proposes = if cues.has(Cue::Decision) { 40 } else { 0 };
        let specific = if text.contains('`') || text.bytes().any(|byte| byte.is_ascii_digit()) { 20 } else { 0 };
        let found = finding(&message, passage, exchange.turn, Role::Accepted, 0);
        proposals.push((late + asks + proposes + specific, at, found));
    }
    proposals.sort_by_key(|(score, at, _)| (Reverse(*score), *at));
    proposals.truncate(most);
    let weigh = |(rank, (_, _, found)): (usize, (i32, usize, Finding))| Finding {
        weight: base + told_again - 30 * rank as i32,
        ..found
    };
    let mut kept: Vec<Finding> = proposals.into_iter().enumerate().map(weigh).collect();
    kept.sort_by_key(|finding| finding.evidence.start);
    kept
}

/// Did the agent summarise the conversation without an objection?
fn is_recap(exchanges: &[Exchange<'_>], at: usize) -> bool {
    let Some(message) = exchanges[at].last_message().filter(|_| !is_corrected(exchanges, at)) else { return false };
    let items = message.passages().iter().filter(|passage| passage.shape == Shape::Item).count();
    let asked = exchanges[at].prompt.is_some_and(|prompt| asks_for_recap(prompt.text()));
    asked || (items >= 3 && says_recap(message.text()))
}

/// "recap", "write down what we have".
fn asks_for_recap(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    let words =
        ["recap", "summar", "sum up", "sum it up", "write it down", "write down", "what we have", "zusammenfass"];
    prompt.split_whitespace().nth(40).is_none() && words.iter().any(|word| prompt.contains(word))
}

fn says_recap(message: &str) -> bool {
    let message = message.to_lowercase();
    let words =
        ["in summary", "recap", "to sum up", "the rule is", "rules now", "so the rule", "what we have", "zusammen"];
    words.iter().any(|word| message.contains(word))
}

fn of_recap(exchange: &Exchange<'_>, message: Message<'_>) -> Vec<Finding> {
    let prose = message.passages().into_iter().filter(|passage| passage.shape != Shape::Code);
    prose
        .map(|passage| {
            let weight = if passage.shape == Shape::Item { 260 } else { 220 };
            finding(&message, &passage, exchange.turn, Role::Accepted, weight)
        })
        .collect()
}

fn is_corrected(exchanges: &[Exchange<'_>], at: usize) -> bool {
    let next = exchanges.get(at + 1).and_then(|next| next.prompt);
    let message = exchanges[at].last_message();
    message.zip(next).is_some_and(|(message, next)| reply_to(message.text(), next.text()) == Reply::Correction)
}

/// The causes that the agent found; later ones weigh more, because they may refute earlier ones.
fn causes(exchange: &Exchange<'_>, at: usize, count: usize) -> Vec<Finding> {
    let Some(message) = exchange.last_message() else { return Vec::new() };
    let mut found: Vec<Finding> = Vec::new();
    for passage in message.passages().iter().filter(|passage| passage.shape != Shape::Code) {
        let cues = Cues::of(&message.text()[passage.range.clone()]);
        let says: i32 = [(Cue::Cause, 70), (Cue::Refuted, 30), (Cue::Result, 30)]
            .iter()
            .filter(|(cue, _)| cues.has(*cue))
            .map(|(_, weight)| weight)
            .sum();
        if says > 0 && !cues.has(Cue::Narration) {
            let role = if cues.has(Cue::Cause) || cues.has(Cue::Refuted) { Role::Cause } else { Role::Result };
            let weight = 70 + says + (50 * at / count) as i32;
            found.push(finding(&message, passage, exchange.turn, role, weight));
        }
    }
    found.sort_by_key(|finding| (Reverse(finding.weight), finding.evidence.start));
    found.truncate(MOST_CAUSES);
    for (rank, finding) in found.iter_mut().enumerate() {
        finding.weight -= 30 * rank as i32;
    }
    found.sort_by_key(|finding| finding.evidence.start);
    found
}
