//! What happened here recently? For the start of a session.
//!
//! Reads only the newest sessions of a project, so the cost does not depend on the size of the memory.

use std::collections::BTreeSet;

use backstory_language::commands::{line as command, same_tests, test_runner};
use backstory_language::diagnostics::output;
use backstory_language::text::{Tokenizer, is_stop_word};

use crate::log::Log;
use crate::model::{CheckRun, EvidenceKind, EvidenceRef, ProjectId, SourceKind, Timestamp};
use crate::store::{EpisodeNum, ViewReader, ViewStore};

use super::RetrieveError;
use super::fix::{FixItem, recounted, resolved};
use super::sessions::latest_runs;

/// The number of sessions that are read.
pub const RECENT_SESSIONS: usize = 3;
const MOST_FIXES: usize = 4;
/// The number of the last session's prompts that are searched for an informative one.
const PROMPTS: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentQuestion {
    pub project: ProjectId,
    /// Excludes this session: it knows what it did.
    pub other_than: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecentActivity {
    pub last: Option<LastSession>,
    /// Failures that were fixed, newest first.
    pub fixed: Vec<FixItem>,
}

/// Where the last session stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct LastSession {
    pub session: String,
    pub source: SourceKind,
    pub ended: Option<Timestamp>,
    /// If the last prompt says little ("go on"): the session's title, or the last informative prompt.
    pub about: Option<(String, Option<EvidenceRef>)>,
    /// The last request and its answer.
    pub asked: Option<(String, EvidenceRef)>,
    pub answered: Option<(String, EvidenceRef)>,
}

/// A command whose last run failed.
#[derive(Clone, Debug, PartialEq)]
pub struct LastFailure {
    pub command: String,
    pub session: String,
    pub time: Option<Timestamp>,
    /// Its first diagnostic.
    pub diagnostic: Option<String>,
    pub evidence: EvidenceRef,
}

pub fn recent(log: &mut Log, views: &ViewStore, question: &RecentQuestion) -> Result<RecentActivity, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let mut found = RecentActivity::default();
    let mut shown = BTreeSet::new();
    let mut left = RECENT_SESSIONS;
    // One more than needed: the asking session may be among them.
    for (num, _) in latest_runs(&view, question.project, RECENT_SESSIONS + 1)? {
        let Some(session) = session_of(log, num)? else { continue };
        if left == 0 || Some(&session.1) == question.other_than.as_ref() {
            continue;
        }
        left -= 1;
        let is_newest = found.last.is_none();
        if is_newest {
            found.last = Some(last_session(&view, num, session)?);
        }
        for row in view.failures_of(num)?.into_iter().rev() {
            if found.fixed.len() >= MOST_FIXES {
                break;
            }
            // The same diagnostic in several files counts once, as does one remedy for several.
            let remedy = row.failure.resolution.as_ref().map(|resolution| (num, resolution.seq));
            if shown.contains(&(None, Some(row.failure.fingerprint))) || shown.contains(&(remedy, None)) {
                continue;
            }
            if let Some(item) = resolved(log, &row)? {
                shown.insert((None, Some(row.failure.fingerprint)));
                shown.insert((remedy, None));
                found.fixed.push(item);
            }
        }
        if is_newest && found.fixed.is_empty() {
            found.fixed.extend(last_mended(log, &view, num)?);
        }
    }
    Ok(found)
}

/// The last failure in a session that passed again: it is part of where the session stopped, even if it teaches
/// nothing.
fn last_mended(log: &mut Log, view: &ViewReader<'_>, num: EpisodeNum) -> Result<Option<FixItem>, RetrieveError> {
    for row in view.failures_of(num)?.iter().rev() {
        if let Some(item) = recounted(log, row)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

fn session_of(log: &mut Log, num: EpisodeNum) -> Result<Option<(SourceKind, String)>, RetrieveError> {
    Ok(log.store().episode(num)?.map(|episode| (episode.key.source, episode.key.session)))
}

fn last_session(
    view: &ViewReader<'_>,
    num: EpisodeNum,
    (source, session): (SourceKind, String),
) -> Result<LastSession, RetrieveError> {
    let run = view.run(num)?;
    let active = view.turns(num)?.into_iter().rfind(|turn| turn.active).map_or(u32::MAX, |turn| turn.turn);
    let links = view.links_before(num, active.saturating_add(1), PROMPTS)?;
    let last = links.last();
    let title = run.as_ref().and_then(|run| run.title.clone()).map(|title| (title, None));
    let informative = || {
        let earlier = links.iter().rev().find(|row| is_informative(&row.link.intent_text));
        earlier.map(|row| (row.link.intent_text.clone(), Some(row.intent)))
    };
    let first = || run.as_ref().and_then(|run| run.first_prompt.clone()).filter(|prompt| is_informative(prompt));
    let about = match last {
        Some(row) if is_informative(&row.link.intent_text) => None,
        _ => title.or_else(informative).or_else(|| first().map(|prompt| (prompt, None))),
    };
    let asked = last.map(|row| (row.link.intent_text.clone(), row.intent));
    // Tool output is not an answer, and its author is unknown.
    let is_said = |evidence: &EvidenceRef| evidence.kind == EvidenceKind::AgentSpan;
    let answered =
        last.and_then(|row| Some((row.link.consequence.as_ref()?.text.clone(), row.consequence.filter(is_said)?)));
    Ok(LastSession { session, source, ended: run.and_then(|run| run.ended), about, asked, answered })
}

/// Does the prompt say what it is about, without context?
pub(super) fn is_informative(prompt: &str) -> bool {
    const SMALL_TALK: [&str; 22] = [
        "yes", "yeah", "yep", "ok", "okay", "sure", "go", "ahead", "continu", "proceed", "next", "thank", "great",
        "good", "fine", "again", "tri", "right", "correct", "now", "pleas", "done",
    ];
    let terms = Tokenizer::new().strings(prompt);
    terms.iter().filter(|term| !is_stop_word(term) && !SMALL_TALK.contains(&term.as_str())).count() >= 2
}

/// Did the last run of this command fail, in one of the newest sessions? Runs of the asking session are excluded.
pub(super) fn failed_last(
    log: &mut Log,
    view: &ViewReader<'_>,
    question: &RecentQuestion,
    action: &str,
) -> Result<Option<LastFailure>, RetrieveError> {
    let line = command::read(action);
    let wanted = if line.checks.is_empty() { line.helpers } else { line.checks };
    if wanted.is_empty() {
        return Ok(None);
    }
    for (num, _) in latest_runs(view, question.project, RECENT_SESSIONS)? {
        let (runs, _) = view.checks_of(num)?;
        let is_it = |run: &&CheckRun| run.commands.iter().any(|command| wanted.contains(command));
        let Some(at) = runs.iter().rposition(|run| is_it(&run)) else {
            if runs.iter().any(|run| stands_for(run, &wanted)) {
                return Ok(None);
            }
            continue;
        };
        let (run, after) = (&runs[at], &runs[at + 1..]);
        let Some((_, session)) = session_of(log, num)? else { continue };
        if run.passed
            || after.iter().any(|run| stands_for(run, &wanted))
            || Some(&session) == question.other_than.as_ref()
        {
            return Ok(None);
        }
        let mut failure = failure(run, session, &wanted);
        if failure.diagnostic.is_none() {
            failure.diagnostic = log.store().event(run.output)?.and_then(|output| output::gist(&output.text));
        }
        return Ok(Some(failure));
    }
    Ok(None)
}

/// Did all of the same tests pass under another name?
fn stands_for(run: &CheckRun, wanted: &[String]) -> bool {
    let is_whole = |command: &str| !command.split(' ').skip(1).any(|word| word.contains(['/', '.']) || word == "-t");
    let same = |ran: &String, wanted: &String| {
        command::core(ran) == command::core(wanted)
            || is_whole(ran)
                && test_runner(wanted).zip(test_runner(ran)).is_some_and(|(failed, later)| same_tests(&failed, &later))
    };
    run.is_check && run.passed && wanted.iter().all(|wanted| run.commands.iter().any(|ran| same(ran, wanted)))
}

fn failure(run: &CheckRun, session: String, wanted: &[String]) -> LastFailure {
    let command = run.commands.iter().find(|command| wanted.contains(command)).cloned().unwrap_or_default();
    let diagnostic = run.diagnostics.first().map(|diagnostic| diagnostic.text.clone());
    LastFailure { command, session, time: run.time, diagnostic, evidence: run.shown }
}

#[cfg(test)]
mod tests {
    use super::is_informative;

    #[test]
    fn small_talk_is_not_informative() {
        for little in ["yes", "go on", "ok, please continue", "try again", "do it!", "2"] {
            assert!(!is_informative(little), "{little}");
        }
        for much in ["add the opening hours", "mend src/door.go", "why does lint fail?"] {
            assert!(is_informative(much), "{much}");
        }
    }
}
