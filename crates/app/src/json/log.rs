//! The JSON of the log: its events, its verification, and the plan of a forget.

use std::collections::BTreeMap;

use backstory_engine::Citations;
use backstory_engine::log::{ForgetPlan, Verified};
use backstory_engine::model::{Event, ProjectId};
use backstory_engine::retrieve::ProjectInfo;
use backstory_engine::store::UnreadableRow;
use serde_json::{Value, json};

use super::time;

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
    /// The number of events per session.
    pub sessions: &'a BTreeMap<String, u64>,
}

/// Was the plan executed, or only listed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgetting {
    Done,
    Planned,
}

pub fn forget_plan(plan: &ForgetPlan, projects: &[ForgetShare<'_>], state: Forgetting) -> Value {
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
        "done": state == Forgetting::Done,
        "token": (state == Forgetting::Planned && !plan.is_empty()).then(|| plan.token()),
        "events": plan.events(),
        "artifacts": plan.artifacts(),
        "bytes": plan.bytes,
        "unsearched": plan.unsearched,
        "projects": projects.iter().map(of_project).collect::<Vec<_>>(),
    })
}
