//! Which failures, fixes and attempts are worth a card?

use backstory_language::commands::line::proves;

use crate::log::Log;
use crate::model::{
    Attempt, Candidate, CardKind, CardSource, CheckRun, CodeChange, ERROR_TAG, EventId, EvidenceRef, Failure, FixNote,
    Found, LONGEST_CHANGE, Remedy, Resolution, cite_edit, clipped, code_change, quoted,
};
use crate::store::StoreError;

use super::corrections;

/// The number of attempts per diagnostic that become statements.
const MOST_ATTEMPTS: usize = 1;

/// Checks that passed in a turn, each once.
pub fn passes(runs: &[CheckRun]) -> Vec<(u32, Found)> {
    let mut known: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for run in runs.iter().filter(|run| run.is_check && run.passed) {
        for command in &run.commands {
            if proves(command) && !known.contains(&command.as_str()) {
                known.push(command);
                let passed = Found::Passed { command: command.clone(), evidence: run.shown, time: run.time };
                out.push((run.seq, passed));
            }
        }
    }
    out
}

/// Turn, position and statement of what a failure teaches, from `first_turn` on. Each uses only
/// what was known at that position.
pub fn of_failure(log: &mut Log, failure: &Failure, first_turn: u32) -> Result<Vec<(u32, u32, Candidate)>, StoreError> {
    let mut out = Vec::new();
    let resolution = failure.resolution.as_ref().filter(|resolution| resolution.turn >= first_turn);
    if let Some((resolution, corrected)) =
        resolution.and_then(|found| Some((found, corrections::of_form(failure, found)?)))
    {
        out.push((resolution.turn, resolution.seq, corrected));
        return Ok(out);
    }
    if !failure.sort.is_reusable() || failure.of_helper {
        return Ok(out);
    }
    for attempt in failure.attempts.iter().take(MOST_ATTEMPTS).filter(|attempt| attempt.turn >= first_turn) {
        out.extend(of_attempt(log, failure, attempt)?.map(|candidate| (attempt.turn, attempt.seq, candidate)));
    }
    if let Some(resolution) = resolution {
        out.extend(of_fix(log, failure, resolution)?.map(|candidate| (resolution.turn, resolution.seq, candidate)));
    }
    Ok(out)
}

fn of_fix(log: &mut Log, failure: &Failure, resolution: &Resolution) -> Result<Option<Candidate>, StoreError> {
    if !resolution.is_clear() {
        return Ok(None);
    }
    let mut evidence = vec![failure.failed, resolution.passed];
    let done = match &resolution.remedy {
        Remedy::Commands { commands } => format!("run {}", quoted(&commands.join(" && "), 70)),
        Remedy::Form { command, .. } => format!("run it as {}", quoted(command, 90)),
        remedy => {
            let Some((change, cited)) = first_change(log, remedy.edits(), failure.code)? else { return Ok(None) };
            evidence.extend(cited);
            let Some(phrase) = change.phrase() else { return Ok(None) };
            phrase
        }
    };
    let statement = format!("{}: {done}{}.", diagnostic_of(failure), place_of(failure));
    let made = candidate(CardKind::Tactic, CardSource::Fix, &statement, failure, evidence, resolution.time);
    Ok(made.map(|mut candidate| {
        let (command, text) = (failure.command.clone(), clipped(&failure.text, 80));
        candidate.fix = failure.rule.clone().map(|rule| FixNote { rule, command, text, done });
        candidate
    }))
}

fn of_attempt(log: &mut Log, failure: &Failure, attempt: &Attempt) -> Result<Option<Candidate>, StoreError> {
    if attempt.size > LONGEST_CHANGE {
        return Ok(None);
    }
    let Some((change, cited)) = first_change(log, &attempt.edits, attempt.code)? else { return Ok(None) };
    let Some(phrase) = change.phrase() else { return Ok(None) };
    let statement = format!("{}: it does not help to {phrase}{}.", diagnostic_of(failure), place_of(failure));
    let evidence = [vec![failure.failed, attempt.failed], cited].concat();
    Ok(candidate(CardKind::NegativeResult, CardSource::Attempt, &statement, failure, evidence, attempt.time))
}

fn candidate(
    kind: CardKind,
    source: CardSource,
    statement: &str,
    failure: &Failure,
    evidence: Vec<EvidenceRef>,
    time: Option<crate::model::Timestamp>,
) -> Option<Candidate> {
    let topic = failure.rule.clone().unwrap_or_else(|| clipped(&failure.text, 60));
    let mut candidate = Candidate::new(kind, source, statement, &topic, evidence, time).ok()?;
    candidate.tags = vec![format!("{ERROR_TAG}{}", failure.fingerprint)];
    Some(candidate)
}

/// `make lint` says "…" (rule)
fn diagnostic_of(failure: &Failure) -> String {
    let rule = failure.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    format!("When {} says \"{}\"{rule}", quoted(&failure.command, 40), clipped(&failure.text, 80))
}

fn place_of(failure: &Failure) -> String {
    let base = failure.file.as_deref().and_then(|file| file.rsplit('/').next());
    base.map(|base| format!(" (so in {})", clipped(base, 30))).unwrap_or_default()
}

/// The first edit that can be described, with its evidence.
fn first_change(
    log: &mut Log,
    edits: &[EventId],
    code: Option<u32>,
) -> Result<Option<(CodeChange, Vec<EvidenceRef>)>, StoreError> {
    for edit in edits {
        let Some(event) = log.store().event(*edit)?.filter(|event| !event.forgotten) else { continue };
        let change = code_change(&event.text, code);
        if change.phrase().is_some() {
            return Ok(Some((change, vec![cite_edit(&event)])));
        }
    }
    Ok(None)
}
