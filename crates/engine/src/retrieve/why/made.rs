//! Which call made this commit?
//!
//! `git commit` prints the branch and the hash of the commit: `[main 1a2b3c4] …`.

use backstory_language::commands::made_commit;

use crate::log::Log;
use crate::model::{Event, EventId, EventKind, EvidenceKind, EvidenceRef, ProjectId, SourceKind, Timestamp, span_hash};
use crate::store::{EpisodeNum, StoreError, ViewReader};

use super::prompt::{Prompt, RunPosition};
use super::reason::{CaseBehind, behind};

/// Hooks may delay the output.
const OUTPUT_AFTER: i64 = 30 * 60_000;
/// Git truncates times to seconds; sessions do not.
const OUTPUT_BEFORE: i64 = 2_000;
/// A call is at most this many events before its output.
const CALL_WITHIN: u32 = 40;

/// Conditions on the output of the call that made a commit.
#[derive(Clone, Copy)]
pub(super) struct CommitName<'c> {
    pub id: &'c str,
    pub committed: Timestamp,
}

/// The call that made a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitCall {
    pub session: String,
    pub source: SourceKind,
    pub agent: Option<String>,
    pub project: ProjectId,
    pub time: Option<Timestamp>,
    pub command: String,
    pub event: EventId,
    /// The host's ids of the record and of the call.
    pub record: Option<String>,
    pub call: Option<String>,
    /// The line of the output that names the commit.
    pub evidence: EvidenceRef,
    pub prompt: Option<Prompt>,
    /// The case that it belongs to.
    pub reason: Option<CaseBehind>,
}

pub(super) fn made_by(
    log: &mut Log,
    view: &ViewReader<'_>,
    commit: CommitName<'_>,
    project: Option<ProjectId>,
) -> Result<Option<CommitCall>, StoreError> {
    let (from, to) = (commit.committed.0 - OUTPUT_BEFORE, commit.committed.0 + OUTPUT_AFTER);
    for (num, run) in view.runs()? {
        let was_on =
            run.started.is_some_and(|started| started.0 <= to) && run.ended.is_some_and(|ended| ended.0 >= from);
        if !was_on {
            continue;
        }
        let Some(episode) = log.store().episode(num)?.filter(|it| project.is_none_or(|project| project == it.project))
        else {
            continue;
        };
        for output in log.store().events_between(num, EventKind::ToolOutput, Timestamp(from), Timestamp(to))? {
            let Some(evidence) = names_commit(&output, commit.id) else { continue };
            let Some(call) = call_of(log, num, &output)?.filter(|call| call.text.contains("git")) else { continue };
            let turns = view.turns(num)?;
            let turn = turns.iter().rfind(|turn| turn.first_seq <= call.seq).map_or(0, |turn| turn.turn);
            let behind = behind(log, view, RunPosition { episode: num, turn, until: call.seq })?;
            return Ok(Some(CommitCall {
                session: episode.key.session,
                source: episode.key.source,
                agent: episode.key.agent,
                project: episode.project,
                time: call.time,
                command: call.text,
                event: call.id,
                record: call.meta.record,
                call: call.meta.tool_use_id,
                evidence,
                prompt: behind.prompt,
                reason: behind.reason,
            }));
        }
    }
    Ok(None)
}

fn call_of(log: &mut Log, episode: EpisodeNum, output: &Event) -> Result<Option<Event>, StoreError> {
    let before = log.store().events_of(episode, output.seq.saturating_sub(CALL_WITHIN), output.seq)?;
    let is_it = |event: &Event| {
        event.kind == EventKind::ToolCall
            && event.meta.tool_use_id.is_some()
            && event.meta.tool_use_id == output.meta.tool_use_id
    };
    Ok(before.into_iter().rfind(is_it))
}

/// The line of an output in which git reports this commit.
fn names_commit(output: &Event, id: &str) -> Option<EvidenceRef> {
    let mut at = 0;
    for line in output.text.split('\n') {
        if made_commit(line).is_some_and(|made| id.starts_with(made.hash)) {
            return Some(EvidenceRef {
                kind: EvidenceKind::ToolOutput,
                id: output.id.0,
                start: at as u32,
                end: (at + line.len()) as u32,
                hash: span_hash(line),
            });
        }
        at += line.len() + 1;
    }
    None
}
