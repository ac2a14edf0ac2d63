//! How did sessions end: without an answer, stopped, refused, with failing tests?

use backstory_language::talk::Setting;

use crate::log::Log;
use crate::model::{
    Basis, Event, EventId, EvidenceKind, EvidenceRef, IntentType, OutcomeKind, SourceKind, agent_steps, is_shell,
    reason_of_rejection, span_hash,
};
use crate::store::{LinkRow, OutcomeRow};

use super::super::RetrieveError;
use super::{Later, LoopKind, OpenLoop, Run};

/// At most this many bytes of the last event are shown.
const SHOWN: usize = 300;

/// Returns whether the record ends while the agent works.
pub(super) fn of_run(
    log: &mut Log,
    run: &Run,
    later: &Later<'_>,
    found: &mut Vec<OpenLoop>,
) -> Result<bool, RetrieveError> {
    if run.info.source == SourceKind::Transcript {
        of_transcript(run, later, found);
        return Ok(false);
    }
    if run.continued {
        return Ok(false);
    }
    let end = at_the_end(log, run)?;
    let broke_off = end.as_ref().is_some_and(|open| open.kind == LoopKind::BrokenOff);
    if let Some(open) = end.filter(|open| !later.take_up(&open.text)) {
        found.push(open);
    }
    found.extend(failing(log, run, later)?);
    Ok(broke_off)
}

/// In a chat, any question or request can remain unanswered.
fn of_transcript(run: &Run, later: &Later<'_>, found: &mut Vec<OpenLoop>) {
    // Players at a table talk among themselves and expect no answer.
    let at_table = run.links.iter().any(|row| row.link.kernel_params.contains(Setting::Tabletop.name()));
    for row in run.links.iter().filter(|row| !at_table && !row.link.claimed() && wants(row)) {
        if !later.take_up(&row.link.intent_text) {
            found.push(run.open(LoopKind::Unanswered, row.link.intent_text.clone(), row.time, vec![row.intent]));
        }
    }
}

fn wants(row: &LinkRow) -> bool {
    matches!(row.link.intent_type, IntentType::Request | IntentType::Question)
}

/// The outcome of a person's last request.
fn at_the_end(log: &mut Log, run: &Run) -> Result<Option<OpenLoop>, RetrieveError> {
    let Some(last) = run.last_active_turn() else { return Ok(None) };
    // A turn that no person began (a summary, a command) has no request.
    let Some(row) = run.links.iter().rfind(|row| row.turn == last) else { return Ok(None) };
    let asked = row.link.intent_text.clone();
    // A refusal may include the person's words; the refusal is the outcome.
    let end = run.outcomes.iter().rfind(|row| row.turn == last && row.outcome.basis != Basis::Words);
    let Some(kind) = ending(row, end) else {
        if let Some(call) = running_call(log, run, last)? {
            let mut open = run.open(LoopKind::BrokenOff, asked, row.time, vec![row.intent]);
            attach(log, &mut open, call)?;
            return Ok(Some(open));
        }
        let open = !row.link.claimed() && row.link.intent_type != IntentType::Declare
            || row.link.intent_type == IntentType::Question && was_only_looked_into(log, run, last)?;
        return Ok(open.then(|| run.open(LoopKind::Unanswered, asked, row.time, vec![row.intent])));
    };
    let mut open = run.open(kind, asked, row.time, vec![row.intent]);
    if let Some(end) = end {
        attach(log, &mut open, end.outcome.event)?;
    }
    // The kind already says that it was interrupted, and the tool output up to then is nobody's words.
    if kind == LoopKind::Interrupted {
        open.last = None;
    }
    Ok(Some(open))
}

/// The last call of the session, if it has no output and no message follows.
fn running_call(log: &mut Log, run: &Run, last: u32) -> Result<Option<EventId>, RetrieveError> {
    let events = events_of_last(log, run, last)?;
    let steps = agent_steps(&events);
    Ok(steps.last().filter(|step| !step.is_said() && step.output.is_none()).map(|step| step.event.id))
}

/// Does the session end while the agent is still searching? "Let me look." and a read file answer no question.
fn was_only_looked_into(log: &mut Log, run: &Run, last: u32) -> Result<bool, RetrieveError> {
    let events = events_of_last(log, run, last)?;
    let steps = agent_steps(&events);
    let after: Vec<_> = steps.iter().rev().take_while(|step| !step.is_said()).collect();
    let looks =
        |name: &str| matches!(name, "Read" | "Grep" | "Glob" | "LS" | "Task" | "Agent" | "WebFetch" | "WebSearch");
    let is_look = |event: &Event| is_shell(event) || event.meta.tool.as_deref().is_some_and(looks);
    Ok(!after.is_empty() && after.iter().all(|step| is_look(step.event)))
}

fn events_of_last(log: &mut Log, run: &Run, last: u32) -> Result<Vec<Event>, RetrieveError> {
    let Some((num, turn)) = run.main.zip(run.turns.iter().find(|turn| turn.turn == last)) else {
        return Ok(Vec::new());
    };
    Ok(log.store().events_of(num, turn.first_seq, u32::MAX)?)
}

/// Interrupted or refused, with no message or action after it.
fn ending(row: &LinkRow, end: Option<&OutcomeRow>) -> Option<LoopKind> {
    let end = end?;
    let said_after = row.link.consequence.as_ref().is_some_and(|answer| answer.anchor > end.outcome.seq);
    match end.outcome.basis {
        _ if said_after || end.outcome.kind != OutcomeKind::ToolFailure => None,
        Basis::Interrupted => Some(LoopKind::Interrupted),
        Basis::Rejected => Some(LoopKind::Rejected),
        _ => None,
    }
}

/// Tests whose last run failed, in this session or a later one.
fn failing(log: &mut Log, run: &Run, later: &Later<'_>) -> Result<Vec<OpenLoop>, RetrieveError> {
    let mut open = Vec::new();
    for row in run.tests().filter(|row| row.outcome.kind == OutcomeKind::ToolFailure && !later.tests_again(row)) {
        let Some(request) = run.links.iter().rfind(|link| link.turn == row.turn) else { continue };
        let mut loop_ =
            run.open(LoopKind::Failing, request.link.intent_text.clone(), request.time, vec![request.intent]);
        attach(log, &mut loop_, row.outcome.event)?;
        let command = log.store().event(row.outcome.about)?.map(|call| call.text);
        loop_.last = command.or(loop_.last);
        open.push(loop_);
    }
    Ok(open)
}

/// Adds a quote of the last event.
fn attach(log: &mut Log, open: &mut OpenLoop, event: EventId) -> Result<(), RetrieveError> {
    let Some(event) = log.store().event(event)? else { return Ok(()) };
    let text = &event.text[..event.text.floor_char_boundary(SHOWN)];
    open.evidence.push(EvidenceRef {
        kind: EvidenceKind::of_event(&event),
        id: event.id.0,
        start: 0,
        end: text.len() as u32,
        hash: span_hash(text),
    });
    open.last = Some(reason_of_rejection(&event).unwrap_or(text).to_owned());
    Ok(())
}
