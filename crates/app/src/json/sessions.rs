//! The JSON of projects, sessions and clusters, and of their contents.

use backstory_engine::retrieve::{
    ClusterInfo, ClusterList, ClusterMembers, Member, ProjectInfo, SessionInfo, Story, StoryPiece, StorySession,
};
use serde_json::{Value, json};

use super::time;

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
