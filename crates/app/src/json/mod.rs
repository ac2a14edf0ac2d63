//! One JSON shape per verb, the same on every surface.
//!
//! Every answer begins with the key `backstory`, so that an answer found in a
//! session later is recognised as Backstory's own words.

mod answers;
mod calibration;
mod cards;
mod causes;
mod code;
mod config;
mod fixes;
mod links;
mod why;

pub use answers::{episodic, explained, found};
pub use cards::{card, card_evidence, card_hit, ledger_row, pack, packed};
pub use causes::{causes, explained_causes, impact};
pub use code::{calls, index_report};
pub use config::config;
pub use fixes::{fixes, warnings};
pub use links::{link_item, linked, metrics, open_loop, outline};
pub use why::{Dependent, LineAnswer, commit_story, line_stories, line_story};

use std::collections::BTreeMap;

use backstory_engine::ingest::{Fate, Report};
use backstory_engine::log::{ForgetPlan, Verified};
use backstory_engine::model::{Event, Problem, ProjectId, Timestamp};
use backstory_engine::retrieve::{
    Calibration, ClusterInfo, ClusterList, ClusterMembers, Member, ProjectInfo, SessionInfo, Status, Story, StoryPiece,
    StorySession,
};
use backstory_engine::store::{Gap, UnreadableRow};
use backstory_engine::{Citations, HomeFile};
use serde_json::{Value, json};

use crate::code_index::KeptIndex;
use crate::error::AppError;
use crate::hook_runs::LastRun;
use crate::terminal;

/// Prints an answer: version and verb first, then its fields.
pub fn print(verb: &str, answer: Value) -> Result<(), AppError> {
    Ok(terminal::print_json(&answer_text(verb, answer))?)
}

fn answer_text(verb: &str, answer: Value) -> String {
    let head = format!("{{\"backstory\":{},\"verb\":{}", json!(env!("CARGO_PKG_VERSION")), json!(verb));
    match answer.to_string().strip_prefix('{') {
        Some("}") => format!("{head}}}"),
        Some(fields) => format!("{head},{fields}"),
        None => format!("{head},\"answer\":{answer}}}"),
    }
}

pub fn report(report: &Report) -> Value {
    let tally: Vec<Value> = report
        .tally
        .iter()
        .map(|((record, fate), count)| match fate {
            Fate::Kept => json!({"record": record, "kept": count}),
            Fate::Dropped(reason) => json!({"record": record, "dropped": count, "reason": reason}),
        })
        .collect();
    json!({
        "files": report.files,
        "unchanged": report.unchanged,
        "not_sessions": report.not_sessions,
        "unfinished": report.unfinished,
        "bytes": report.bytes,
        "episodes": report.episodes.len(),
        "events_new": report.appended.new,
        "events_known": report.appended.known,
        "redacted": report.appended.redacted,
        "left_out": report.left_out,
        "replaced": report.replaced,
        "problems": report.problems.iter().map(problem).collect::<Vec<_>>(),
        "records": tally,
    })
}

pub fn problem(problem: &Problem) -> Value {
    json!({"file": problem.file, "line": problem.line, "fate": problem.kind, "reason": problem.reason})
}

pub fn project(info: &ProjectInfo) -> Value {
    json!({
        "id": info.id,
        "name": info.name,
        "paths": info.paths,
        "remote": info.remote,
        "root_commit": info.root_commit,
        "episodes": info.episodes,
        "merged": info.merged,
    })
}

pub fn session(info: &SessionInfo) -> Value {
    json!({
        "session": info.session,
        "source": info.source,
        "project": {"id": info.project.id, "name": info.project.name, "path": info.project.paths.first()},
        "title": info.title,
        "first_prompt": info.first_prompt,
        "started": time(info.started),
        "ended": time(info.ended),
        "prompts": info.prompts,
        "events": info.events,
        "chunks": info.chunks,
        "tokens": info.tokens,
        "agents": info.agents,
    })
}

pub fn clusters(list: &ClusterList) -> Value {
    json!({
        "made": true,
        "chunks": list.chunks,
        "unclustered": list.unclustered,
        "omitted_clusters": list.omitted,
        "items": list.items.iter().map(cluster).collect::<Vec<_>>(),
    })
}

fn cluster(info: &ClusterInfo) -> Value {
    json!({
        "cluster": info.id,
        "label": info.label,
        "chunks": info.chunks,
        "sessions": info.sessions,
        "first": time(info.first),
        "last": time(info.last),
    })
}

pub fn cluster_members(members: &ClusterMembers) -> Value {
    let item = |member: &Member| {
        let shown = &member.shown;
        json!({
            "chunk": shown.chunk,
            "distance": member.distance,
            "session": shown.session,
            "source": shown.source,
            "project": {"id": shown.project.id, "name": shown.project.name, "path": shown.project.path},
            "agent": shown.agent,
            "started": time(shown.started),
            "ended": time(shown.ended),
            "text": shown.text,
            "trimmed": shown.trimmed,
            "evidence": shown.evidence,
        })
    };
    let mut value = cluster(&members.info);
    value["made"] = json!(true);
    value["items"] = members.items.iter().map(item).collect();
    value
}

pub fn story(story: &Story) -> Value {
    json!({
        "tokens": story.tokens,
        "omitted_chunks": story.omitted,
        "sessions": story.sessions.iter().map(story_session).collect::<Vec<_>>(),
    })
}

fn story_session(told: &StorySession) -> Value {
    let mut value = session(&told.info);
    value["items"] = told.pieces.iter().map(story_piece).collect();
    value
}

fn story_piece(piece: &StoryPiece) -> Value {
    let parts: Vec<Value> = piece
        .body
        .parts
        .iter()
        .map(|part| json!({"kind": part.kind, "label": part.label, "text": part.text, "evidence": part.evidence()}))
        .collect();
    json!({
        "chunk": piece.chunk,
        "agent": piece.agent,
        "task": piece.task,
        "run": piece.run,
        "depth": piece.depth,
        "turn": piece.turn,
        "abandoned": piece.abandoned,
        "started": time(piece.started),
        "ended": time(piece.ended),
        "tokens": piece.tokens,
        "files": piece.body.files,
        "commands": piece.body.commands,
        "parts": parts,
    })
}

pub fn event(event: &Event) -> Value {
    json!({
        "id": event.id,
        "pos": event.pos,
        "episode": event.episode,
        "seq": event.seq,
        "kind": event.kind,
        "time": time(event.time),
        "forgotten": event.forgotten && event.unreadable.is_none(),
        "unreadable": event.unreadable,
        "text": event.text,
        "meta": event.meta,
    })
}

pub fn verified(verified: &Verified, citations: &Citations) -> Value {
    let fault = verified.fault.as_ref().map(|fault| json!({"row": fault.pos, "reason": fault.reason}));
    let fault = fault.or_else(|| citations.fault.as_ref().map(|reason| json!({"row": null, "reason": reason})));
    json!({
        "ok": fault.is_none(),
        "events": verified.events,
        "forgotten": verified.forgotten,
        "artifacts": verified.artifacts,
        "citations": citations.checked,
        "fault": fault,
        "unreadable": verified.unreadable.iter().map(unreadable).collect::<Vec<_>>(),
    })
}

pub fn unreadable(row: &UnreadableRow) -> Value {
    json!({"row": row.pos, "event": row.id, "episode": row.episode, "reason": row.reason})
}

/// The events of one project, or of none, that a forget blanks.
pub struct ForgetShare<'a> {
    pub id: Option<ProjectId>,
    pub info: Option<&'a ProjectInfo>,
    /// Events of each session.
    pub sessions: &'a BTreeMap<String, u64>,
}

pub fn forget_plan(plan: &ForgetPlan, projects: &[ForgetShare<'_>], done: bool) -> Value {
    let of_project = |going: &ForgetShare<'_>| {
        json!({
            "id": going.id.map(|id| id.to_string()),
            "name": going.info.map(|info| &info.name),
            "paths": going.info.map(|info| &info.paths),
            "events": going.sessions.values().sum::<u64>(),
            "sessions": going.sessions,
        })
    };
    json!({
        "done": done,
        "token": (!done && !plan.is_empty()).then(|| plan.token()),
        "events": plan.events(),
        "artifacts": plan.artifacts(),
        "bytes": plan.bytes,
        "unsearched": plan.unsearched,
        "projects": projects.iter().map(of_project).collect::<Vec<_>>(),
    })
}

pub fn status(
    status: &Status,
    stated: &Calibration,
    home: &std::path::Path,
    files: &[HomeFile],
    damaged: &[String],
    code: &[KeptIndex],
    runs: &[LastRun],
) -> Value {
    let stages: Vec<Value> = status
        .stages
        .iter()
        .map(
            |stage| json!({"name": stage.name, "version": stage.version, "built": stage.built, "behind": stage.behind}),
        )
        .collect();
    let cursors: Vec<Value> = status
        .cursors
        .iter()
        .map(|cursor| json!({"file": cursor.path, "format": cursor.format, "size": cursor.size, "offset": cursor.offset, "line": cursor.line}))
        .collect();
    json!({
        "home": home,
        "files": files.iter().map(|file| json!({"name": file.name, "bytes": file.bytes})).collect::<Vec<_>>(),
        "projects": status.projects,
        "sessions": status.sessions,
        "episodes": status.episodes,
        "events": status.events,
        "events_by_kind": by_name(status.events_by_kind.iter().map(|(kind, count)| (kind.name(), *count))),
        "turns": status.turns,
        "chunks": status.chunks,
        "chunk_tokens": status.chunk_tokens,
        "edges": by_name(status.edges.iter().map(|(kind, count)| (kind.name(), *count))),
        "cards": by_name(status.cards.iter().map(|(status, count)| (status.name(), *count))),
        "stages": stages,
        "damaged": damaged,
        "gaps": status.gaps.iter().map(gap).collect::<Vec<_>>(),
        "cursors": cursors,
        "problems": status.problems.iter().map(problem).collect::<Vec<_>>(),
        "calibration": calibration::calibration(stated),
        "code": code.iter().map(|index| json!({"root": index.root, "folder": index.folder, "bytes": index.bytes})).collect::<Vec<_>>(),
        "hooks": runs,
    })
}

fn gap(gap: &Gap) -> Value {
    json!({"stage": gap.stage, "episode": gap.episode.0, "of": gap.kind.name(), "expected": gap.expected, "found": gap.found})
}

/// All that is known where the memory cannot be opened.
pub fn status_without_memory(home: &std::path::Path, error: &str, runs: &[LastRun]) -> Value {
    json!({"home": home, "error": error, "hooks": runs})
}

fn by_name<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Value {
    counts.map(|(name, count)| (name.to_owned(), json!(count))).collect::<serde_json::Map<_, _>>().into()
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_language::prompts::own_spans;

    #[test]
    fn answers_are_recognised_as_our_own() {
        let text = answer_text("sessions", json!({"items": []}));
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        assert_eq!(own_spans(&text), vec![0..text.len()]);
        assert!(serde_json::from_str::<Value>(&answer_text("x", json!({}))).is_ok());
    }
}
