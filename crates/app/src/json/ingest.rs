//! The JSON of `ingest`.

use backstory_engine::ingest::{IngestReport, RecordFate};
use backstory_engine::model::Problem;
use serde_json::{Value, json};

pub fn report(report: &IngestReport) -> Value {
    let tally: Vec<Value> = report
        .tally
        .iter()
        .map(|((record, fate), count)| match fate {
            RecordFate::Kept => json!({"record": record, "kept": count}),
            RecordFate::Dropped(reason) => json!({"record": record, "dropped": count, "reason": reason}),
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
