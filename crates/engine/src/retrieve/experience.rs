//! What followed before, where the context was like this?

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::model::{ChunkBody, ChunkId, EdgeKind, Exit, PartKind, estimate_tokens};
use crate::store::{StoreError, ViewReader};

use super::search::Hit;

/// Places that are looked at, and chunks after each.
const PLACES: usize = 20;
const AHEAD: usize = 6;
/// Lines per group.
const LISTED: usize = 5;
const SHOWN_COMMAND: usize = 100;

/// What followed, each with the number of places where it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Experience {
    /// Places in the past that matched.
    pub places: usize,
    pub sessions: usize,
    /// Commands that were run next.
    pub actions: Vec<Seen>,
    /// Files that were changed next.
    pub files: Vec<Seen>,
    /// What people asked for next.
    pub prompts: Vec<Seen>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Seen {
    pub what: String,
    /// Places where it followed.
    pub support: usize,
    /// Of the commands, how many ended well and how many did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// A chunk in which it can be read.
    pub chunk: ChunkId,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Ended {
    pub ok: usize,
    pub failed: usize,
}

impl Experience {
    pub fn tokens(&self) -> u64 {
        let all = self.actions.iter().chain(&self.files).chain(&self.prompts);
        all.map(|seen| u64::from(estimate_tokens(&seen.what)) + 4).sum()
    }
}

#[derive(Default)]
struct Group(BTreeMap<String, (BTreeSet<usize>, Ended, Option<ChunkId>)>);

impl Group {
    fn add(&mut self, what: String, place: usize, chunk: ChunkId, exit: Option<Exit>) {
        let (places, ended, first) = self.0.entry(what).or_default();
        places.insert(place);
        first.get_or_insert(chunk);
        match exit {
            Some(Exit::Ok) => ended.ok += 1,
            Some(_) => ended.failed += 1,
            None => {}
        }
    }

    /// Most often first.
    fn listed(self, with_end: bool) -> Vec<Seen> {
        let mut all: Vec<Seen> = self
            .0
            .into_iter()
            .filter_map(|(what, (places, ended, chunk))| {
                Some(Seen { what, support: places.len(), ended: with_end.then_some(ended), chunk: chunk? })
            })
            .collect();
        all.sort_by(|a, b| b.support.cmp(&a.support).then_with(|| a.what.cmp(&b.what)));
        all.truncate(LISTED);
        all
    }
}

/// Looks ahead from each place that matched, within its own run.
pub(super) fn experience(view: &ViewReader<'_>, hits: &[Hit]) -> Result<Experience, StoreError> {
    let (mut actions, mut files, mut prompts) = (Group::default(), Group::default(), Group::default());
    let mut sessions = BTreeSet::new();
    let mut seen: HashSet<ChunkId> = HashSet::new();
    let mut places = 0;
    for hit in hits.iter().take(PLACES) {
        let Some(row) = view.chunk_row(hit.chunk)? else { continue };
        sessions.insert(row.episode);
        let mut at = hit.chunk;
        let mut followed = false;
        for _ in 0..AHEAD {
            let Some(next) = next_in_run(view, at)? else { break };
            // Two places close to each other share what follows.
            if !seen.insert(next) {
                break;
            }
            at = next;
            let Some(body) = view.body(at)? else { break };
            collect(&body, places, at, &mut actions, &mut files, &mut prompts);
            followed = true;
        }
        places += usize::from(followed);
    }
    Ok(Experience {
        places,
        sessions: sessions.len(),
        actions: actions.listed(true),
        files: files.listed(false),
        prompts: prompts.listed(false),
    })
}

fn next_in_run(view: &ViewReader<'_>, chunk: ChunkId) -> Result<Option<ChunkId>, StoreError> {
    let edges = view.edges_from(chunk)?;
    Ok(edges.into_iter().find(|(kind, _)| *kind == EdgeKind::WithinChain).map(|(_, next)| next))
}

fn collect(
    body: &ChunkBody,
    place: usize,
    chunk: ChunkId,
    actions: &mut Group,
    files: &mut Group,
    prompts: &mut Group,
) {
    for run in &body.commands {
        actions.add(command(&run.command), place, chunk, run.exit);
    }
    for part in &body.parts {
        match (part.kind, part.label.as_deref()) {
            (PartKind::ToolCall, Some("Edit" | "MultiEdit" | "Write" | "NotebookEdit")) => {
                let path = part.text.lines().next().unwrap_or_default();
                files.add(path.to_owned(), place, chunk, None);
            }
            (PartKind::User, _) => prompts.add(clip(part.text.lines().next().unwrap_or_default()), place, chunk, None),
            _ => {}
        }
    }
}

/// Commands that differ only in where they were run are the same.
fn command(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    let after_cd = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&& ")).map(|(_, rest)| rest);
    clip(after_cd.unwrap_or(line).trim())
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN_COMMAND) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
