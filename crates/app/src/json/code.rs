//! The JSON of the code index, of callers and callees.

use backstory_cause::tree::TreeEntity;
use serde_json::{Value, json};

use crate::code_index::{Call, IndexedCode, problem_text};

use super::answers::rounded;

pub fn index_report(indexed: &IndexedCode) -> Value {
    let report = &indexed.report;
    let problems =
        report.problems.iter().map(|problem| json!({ "path": problem.path, "problem": problem_text(problem) }));
    json!({
        "root": indexed.root.display().to_string(),
        "files": report.files,
        "parsed": report.parsed,
        "removed": report.removed,
        "entities": report.entities,
        "edges": report.edges,
        "commits": report.commits,
        "new_commits": report.new_commits,
        "without_history": report.without_history,
        "bytes": report.bytes,
        "unchanged": report.unchanged,
        "busy": report.busy,
        "problems": problems.collect::<Vec<_>>(),
    })
}

pub fn calls(found: &[(TreeEntity<'_>, Vec<Call<'_>>)]) -> Value {
    let items = found.iter().map(|(of, calls)| {
        let mut value = entity(of);
        value["calls"] = calls.iter().map(call).collect();
        value
    });
    json!({ "items": items.collect::<Vec<_>>() })
}

pub fn entity(entity: &TreeEntity<'_>) -> Value {
    json!({
        "name": entity.qualified,
        "kind": entity.kind.as_str(),
        "path": entity.path,
        "first_line": entity.first_line,
        "last_line": entity.last_line,
        "signature": entity.signature,
    })
}

fn call(call: &Call<'_>) -> Value {
    let mut value = entity(&call.other);
    value["call_line"] = json!(call.line);
    value["unsure"] = json!(call.unsure);
    value["strength"] = json!(rounded(call.strength));
    value
}
