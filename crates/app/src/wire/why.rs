//! The JSON of why.

use backstory_engine::ingest::Blamed;
use backstory_engine::retrieve::{LineStory, Prompt, Ran, Written};
use serde_json::{Value, json};

use super::answers::citation;
use super::time;

pub fn line_story(path: &str, line: usize, text: &str, blamed: Option<&Blamed>, story: &LineStory) -> Value {
    let all = |edits: &[Written]| edits.iter().map(written).collect::<Vec<_>>();
    json!({
        "path": path,
        "line": line,
        "text": text,
        "commit": blamed.map(|blamed| json!({
            "id": blamed.commit,
            "subject": blamed.subject,
            "time": time(Some(blamed.time)),
            "path": blamed.path,
        })),
        "proof": story.proof,
        "considered": story.considered,
        "written": story.written.as_ref().map(written),
        "before": all(&story.before),
        "in_vain": all(&story.in_vain),
        "later": all(&story.later),
        "failed": story.failed.as_ref().map(ran),
        "passed": story.passed.as_ref().map(ran),
    })
}

fn written(edit: &Written) -> Value {
    json!({
        "session": edit.session,
        "source": edit.source,
        "agent": edit.agent,
        "project": edit.project,
        "time": time(edit.time),
        "path": edit.path,
        "event": edit.event,
        "record": edit.record,
        "call": edit.call,
        "evidence": citation(&edit.evidence),
        "removed": edit.removed,
        "added": edit.added,
        "prompt": edit.prompt.as_ref().map(prompt),
    })
}

fn prompt(prompt: &Prompt) -> Value {
    json!({
        "session": prompt.session,
        "event": prompt.event,
        "record": prompt.record,
        "time": time(prompt.time),
        "text": prompt.text,
        "evidence": citation(&prompt.evidence),
    })
}

fn ran(ran: &Ran) -> Value {
    json!({ "command": ran.command, "time": time(ran.time), "evidence": citation(&ran.evidence) })
}
