//! Which case does an edit belong to, and what was its result?
//!
//! The words just before an edit are often a mere "yes": then the accepted proposal, and the request that opened the
//! work, give the reason.

use std::cmp::Reverse;

use backstory_language::findings::passages;
use backstory_language::prompts::replies::{Reply, chosen, is_mere_assent, options, reply_to};

use crate::log::Log;
use crate::model::{
    Case, CaseId, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Finding, Role, Timestamp, span_hash,
};
use crate::store::{CaseRow, EpisodeNum, StoreError, ViewReader};

use super::prompt::{Prompt, RunPosition, place_behind, said_before};

/// A longer reply is meaningful by itself.
const LONG_REPLY: usize = 20;
/// A shorter last sentence ("Shall I do that?") needs the one before it.
const SHORT_PROPOSAL: usize = 60;
/// At most this many options are quoted.
const MOST_OPTIONS: usize = 4;
/// A request that says little continues an earlier one, at most this many cases back.
const MOST_BACK: usize = 5;
/// The deduction for each turn between a finding and the edit, in hundredths.
const TURN_AWAY: i32 = 30;
/// Findings with less weight are left out.
const LEAST_WEIGHT: i32 = 60;

/// Words of a session, quoted exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    pub text: String,
    pub time: Option<Timestamp>,
    pub evidence: EvidenceRef,
}

/// The case that an edit belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseBehind {
    pub case: CaseId,
    pub session: String,
    /// The first and last turn.
    pub turns: (u32, u32),
    /// The request that opened it.
    pub asked: Quote,
    /// The proposal that the words just before the edit accept, if they say little themselves.
    pub accepted: Vec<Quote>,
    /// Its cause, decision and result; at most one of each, near the edit.
    pub findings: Vec<(Role, Quote)>,
}

/// The reason for an edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behind {
    pub prompt: Option<Prompt>,
    pub reason: Option<CaseBehind>,
}

/// For a run that an agent started, the reason for that agent's call.
pub fn behind(log: &mut Log, view: &ViewReader<'_>, place: RunPosition) -> Result<Behind, StoreError> {
    let place = place_behind(view, place)?;
    let prompt = said_before(log, view, place)?;
    let reason = reason(log, view, place, prompt.as_ref())?;
    Ok(Behind { prompt, reason })
}

fn reason(
    log: &mut Log,
    view: &ViewReader<'_>,
    place: RunPosition,
    prompt: Option<&Prompt>,
) -> Result<Option<CaseBehind>, StoreError> {
    let Some(CaseRow { episode, case }) = view.case_of_turn(place.episode, place.turn)? else { return Ok(None) };
    let Some(asked) = opening(log, view, episode, &case)? else { return Ok(None) };
    let accepted = match prompt {
        Some(prompt) => accepted(log, view, place, prompt)?,
        None => Vec::new(),
    };
    let shown = [Some(asked.evidence.id), prompt.map(|prompt| prompt.event.0)];
    let mut findings = Vec::new();
    for of_role in telling(&case, place.turn) {
        for finding in of_role.into_iter().filter(|finding| !shown.contains(&Some(finding.evidence.id))) {
            if let Some(quote) = quote_of(log, &finding.evidence)?.filter(|quote| is_statement(&quote.text)) {
                findings.push((finding.role, quote));
                break;
            }
        }
    }
    let session = log.store().episode(episode)?.map(|episode| episode.key.session).unwrap_or_default();
    Ok(Some(CaseBehind { case: case.id, session, turns: (case.first_turn, case.last_turn), asked, accepted, findings }))
}

/// The request that opened the work. If that is a mere "go on", the one before it.
fn opening(
    log: &mut Log,
    view: &ViewReader<'_>,
    episode: EpisodeNum,
    case: &Case,
) -> Result<Option<Quote>, StoreError> {
    let own = quote_of(log, &case.asked)?;
    let (mut earlier, mut turn) = (own.clone(), case.first_turn);
    for _ in 0..MOST_BACK {
        if !earlier.as_ref().is_some_and(|asked| is_mere_assent(&asked.text)) || turn == 0 {
            break;
        }
        let Some(before) = view.case_of_turn(episode, turn - 1)? else { return Ok(own) };
        (earlier, turn) = (quote_of(log, &before.case.asked)?, before.case.first_turn);
    }
    Ok(earlier.or(own))
}

/// The agent's proposal, if a prompt is little more than an answer to it.
fn accepted(
    log: &mut Log,
    view: &ViewReader<'_>,
    place: RunPosition,
    prompt: &Prompt,
) -> Result<Vec<Quote>, StoreError> {
    let said = prompt.text.trim();
    if said.split_whitespace().nth(LONG_REPLY).is_some() {
        return Ok(Vec::new());
    }
    let Some(before) = message_before(log, view, place, prompt)? else { return Ok(Vec::new()) };
    Ok(match reply_to(&before.text, said) {
        Reply::Assent | Reply::Continuation => proposals(&before, said),
        Reply::Correction | Reply::Independent => Vec::new(),
    })
}

/// The agent's last words before a prompt.
fn message_before(
    log: &mut Log,
    view: &ViewReader<'_>,
    place: RunPosition,
    prompt: &Prompt,
) -> Result<Option<Event>, StoreError> {
    let Some(row) = view.turn(place.episode, place.turn)? else { return Ok(None) };
    // Words may be added within a turn; otherwise the turn before has the message they answer.
    let parent = row.parent.or(place.turn.checked_sub(1));
    let before = if prompt.seq > row.first_seq { Some(row) } else { None };
    let parent = parent.map(|turn| view.turn(place.episode, turn)).transpose()?.flatten();
    for turn in before.into_iter().chain(parent) {
        let end = view.turn(place.episode, turn.turn + 1)?.map_or(u32::MAX, |next| next.first_seq).min(prompt.seq);
        let events = log.store().events_of(place.episode, turn.first_seq, end)?;
        let said = |event: &Event| {
            let is_agents = event.kind == EventKind::Assistant && !event.forgotten && !event.meta.own_output;
            is_agents && !event.text.trim().is_empty()
        };
        if let Some(found) = events.into_iter().rfind(said) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The option that a reply chooses, all options, or the end of the message.
fn proposals(message: &Event, reply: &str) -> Vec<Quote> {
    let text = message.text.as_str();
    let options = options(text);
    let quote = |part: &str| text.find(part).map(|at| quote(message, at, at + part.len()));
    if let Some(one) = chosen(reply, options.len()).and_then(|at| options.get(at)) {
        return quote(one).into_iter().collect();
    }
    let wants_all =
        reply.split(|c: char| !c.is_alphanumeric()).any(|word| ["all", "both", "alle", "beide"].contains(&word));
    if wants_all && !options.is_empty() {
        return options.iter().take(MOST_OPTIONS).filter_map(|option| quote(option)).collect();
    }
    let passages = passages(text);
    let last = passages.last().map_or(0, |passage| passage.range.len());
    let count = if last < SHORT_PROPOSAL { 2 } else { 1 };
    let end = passages.iter().skip(passages.len().saturating_sub(count));
    end.map(|passage| self::quote(message, passage.range.start, passage.range.end)).collect()
}

/// Causes, decisions and results near a turn, each by weight. The result of an edit comes after it.
fn telling(case: &Case, turn: u32) -> [Vec<Finding>; 3] {
    let weight = |finding: &Finding| finding.weight - TURN_AWAY * finding.turn.abs_diff(turn).min(100) as i32;
    let best = |roles: &[Role]| {
        let fits = |finding: &&Finding| {
            let is_late = finding.turn >= turn || finding.role != Role::Result;
            roles.contains(&finding.role) && is_late && weight(finding) >= LEAST_WEIGHT
        };
        let mut found: Vec<Finding> = case.findings.iter().filter(fits).copied().collect();
        found.sort_by_key(|finding| Reverse(weight(finding)));
        found
    };
    [best(&[Role::Cause]), best(&[Role::Decision, Role::Accepted]), best(&[Role::Result])]
}

/// Unlike words that announce a statement: "All tests pass. To sum up:".
fn is_statement(text: &str) -> bool {
    !text.trim_end().ends_with(':')
}

fn quote_of(log: &mut Log, evidence: &EvidenceRef) -> Result<Option<Quote>, StoreError> {
    let event = log.store().event(EventId(evidence.id))?.filter(|event| !event.forgotten);
    Ok(event.and_then(|event| {
        let text = event.text.get(evidence.start as usize..evidence.end as usize)?.to_owned();
        Some(Quote { text, time: event.time, evidence: *evidence })
    }))
}

fn quote(event: &Event, start: usize, end: usize) -> Quote {
    let text = event.text[start..end].to_owned();
    let evidence = EvidenceRef {
        kind: EvidenceKind::AgentSpan,
        id: event.id.0,
        start: start as u32,
        end: end as u32,
        hash: span_hash(&text),
    };
    Quote { text, time: event.time, evidence }
}
