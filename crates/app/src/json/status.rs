//! The JSON of `status`.

use std::path::Path;

use backstory_engine::HomeFile;
use backstory_engine::retrieve::{Calibration, Status};
use backstory_engine::store::Gap;
use serde_json::{Value, json};

use crate::code_index::KeptIndex;
use crate::hook_runs::LastRun;

use super::calibration::calibration;
use super::problem;

pub fn status(
    status: &Status,
    stated: &Calibration,
    home: &Path,
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
        "calibration": calibration(stated),
        "code": code.iter().map(|index| json!({"root": index.root, "folder": index.folder, "bytes": index.bytes})).collect::<Vec<_>>(),
        "hooks": runs,
    })
}

fn gap(gap: &Gap) -> Value {
    json!({"stage": gap.stage, "episode": gap.episode.0, "of": gap.kind.name(), "expected": gap.expected, "found": gap.found})
}

/// The known status if the memory cannot be opened.
pub fn status_without_memory(home: &Path, error: &str, runs: &[LastRun]) -> Value {
    json!({"home": home, "error": error, "hooks": runs})
}

fn by_name<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Value {
    counts.map(|(name, count)| (name.to_owned(), json!(count))).collect::<serde_json::Map<_, _>>().into()
}
