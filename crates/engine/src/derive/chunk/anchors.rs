//! Where does a turn connect to another run?

use crate::model::{Chunk, ChunkId, Class, Event, EventId, EventKind, span_hash};
use crate::store::{Anchor, AnchorKind, EpisodeNum};

use super::units::is_spawn;

pub(super) fn of_turn(episode: EpisodeNum, turn: u32, events: &[Event], chunks: &[Chunk]) -> Vec<Anchor> {
    let spawned: Vec<&str> =
        events.iter().filter(|event| is_spawn(event)).filter_map(|event| event.meta.tool_use_id.as_deref()).collect();
    events
        .iter()
        .filter_map(|event| {
            let (kind, key, name) = role(event, &spawned)?;
            let team = event.meta.team.clone();
            let says = matches!(kind, AnchorKind::Spawn | AnchorKind::Send | AnchorKind::Receive);
            Some(Anchor {
                episode,
                turn,
                event: event.id,
                kind,
                chunk: chunk_with(chunks, event.id).or_else(|| chunks.last().map(|chunk| chunk.id)),
                task: task(event),
                time: event.time,
                key,
                name,
                team,
                digest: says.then(|| span_hash(event.text.trim())),
            })
        })
        .collect()
}

/// The task of a sub-agent's call; for a report, the name that it is signed with.
fn task(event: &Event) -> Option<String> {
    if event.kind == EventKind::ToolOutput {
        return event.meta.to.clone();
    }
    let description = event.meta.input.as_ref().and_then(|input| input.get("description")?.as_str());
    description.filter(|_| is_spawn(event)).map(str::to_owned)
}

/// How an event relates to other runs, with its key and name.
fn role(event: &Event, spawned: &[&str]) -> Option<(AnchorKind, Option<String>, Option<String>)> {
    let meta = &event.meta;
    match event.kind {
        EventKind::ToolCall if is_spawn(event) => {
            let kind_of_agent = meta.input.as_ref().and_then(|input| input.get("subagent_type")?.as_str());
            let name = meta.to.clone().or_else(|| kind_of_agent.map(str::to_owned));
            Some((AnchorKind::Spawn, meta.tool_use_id.clone(), name))
        }
        EventKind::ToolCall if meta.tool.as_deref() == Some("SendMessage") => {
            Some((AnchorKind::Send, meta.tool_use_id.clone(), meta.to.clone()))
        }
        EventKind::ToolOutput
            if meta.spawned.is_some()
                || meta.to.is_some()
                || meta.tool_use_id.as_deref().is_some_and(|id| spawned.contains(&id)) =>
        {
            Some((AnchorKind::Report, meta.tool_use_id.clone(), meta.spawned.clone()))
        }
        EventKind::System if meta.class == Some(Class::Notification) => {
            meta.spawned.clone().map(|agent| (AnchorKind::Notice, Some(agent), None))
        }
        EventKind::User if meta.class == Some(Class::Teammate) => Some((AnchorKind::Receive, None, meta.from.clone())),
        EventKind::Note if meta.class == Some(Class::Title) => {
            meta.leaf.clone().map(|leaf| (AnchorKind::Title, Some(leaf), Some(event.text.clone())))
        }
        _ => None,
    }
}

/// A long call spans several chunks: its effects come after the last.
fn chunk_with(chunks: &[Chunk], event: EventId) -> Option<ChunkId> {
    chunks.iter().rev().find(|chunk| chunk.body.parts.iter().any(|part| part.event == event)).map(|chunk| chunk.id)
}
