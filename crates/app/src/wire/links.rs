//! The JSON of links and loops.

use backstory_engine::retrieve::OpenLoop;
use serde_json::{Value, json};

use super::answers::citation;
use super::time;

pub fn open_loop(open: &OpenLoop) -> Value {
    json!({
        "id": open.id,
        "kind": open.kind,
        "text": open.text,
        "last": open.last,
        "time": time(open.time),
        "session": open.session,
        "source": open.source,
        "project": {"id": open.project.id.short(), "name": open.project.name},
        "evidence": open.evidence.iter().map(citation).collect::<Vec<_>>(),
        "closed": open.judgement.as_ref().map(|judgement| json!({
            "verdict": judgement.verdict,
            "note": judgement.note,
            "time": time(judgement.time),
        })),
    })
}
