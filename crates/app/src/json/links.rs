//! The JSON of links and loops.

use backstory_engine::model::CausalLink;
use backstory_engine::retrieve::{LinkItem, LinkedSession, OpenLoop};
use backstory_language::talk::{Metrics, Scene};
use serde_json::{Value, json};

use super::answers::{citation, rounded};
use super::time;

/// Uses the field names of the seed.
fn link(link: &CausalLink) -> Value {
    let found = link.consequence.as_ref();
    json!({
        "id": link.id,
        "session_id": link.session,
        "actor": link.actor,
        "intent_text": link.intent_text,
        "intent_type": link.intent_type,
        "intent_strength": link.intent_strength,
        "intent_anchor_index": link.intent_anchor,
        "consequence_text": found.map(|found| &found.text),
        "consequence_type": link.consequence_type,
        "consequence_anchor_index": found.map(|found| found.anchor),
        "distance": found.map(|found| found.distance),
        "line_gap": found.map(|found| found.line_gap),
        "score": found.map(|found| rounded(found.score)),
        "score_parts": found.map(|found| {
            let parts = found.parts.iter().map(|(name, part)| (name.to_string(), rounded(*part)));
            parts.collect::<serde_json::Map<_, _>>()
        }),
        "claimed": link.claimed(),
        "kernel": link.kernel,
        "kernel_version": link.kernel_version,
        "kernel_params": serde_json::from_str::<Value>(&link.kernel_params).unwrap_or_default(),
    })
}

/// A stored link, with its evidence and its chunks.
pub fn link_item(item: &LinkItem) -> Value {
    let mut value = link(&item.row.link);
    value["created_at_ms"] = json!(item.row.time.map_or(0, |time| time.0));
    value["source"] = json!(item.source);
    value["project"] = json!({"id": item.project.id.short(), "name": item.project.name});
    value["turn"] = json!(item.row.turn);
    value["intent_evidence"] = json!(citation(&item.row.intent));
    value["intent_chunk"] = json!(item.intent_chunk);
    value["consequence_evidence"] = json!(item.row.consequence.as_ref().map(citation));
    value["consequence_chunk"] = json!(item.consequence_chunk);
    value
}

/// Selects the links of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptLinks {
    All,
    /// Those without a consequence.
    Unclaimed,
}

impl KeptLinks {
    pub fn has(self, link: &CausalLink) -> bool {
        self == KeptLinks::All || !link.claimed()
    }
}

pub fn linked(session: &LinkedSession, kept: KeptLinks) -> Value {
    let linked = &session.linked;
    let event = |anchor: u32| {
        let at = session.lines.binary_search_by_key(&anchor, |line| line.index).ok()?;
        Some(&session.lines[at])
    };
    let items = linked.links.iter().filter(|link| kept.has(link)).map(|one| {
        let mut value = link(one);
        let intent = event(one.intent_anchor);
        value["created_at_ms"] = json!(intent.and_then(|line| line.time).map_or(0, |time| time.0));
        value["intent_event"] = json!(intent.map(|line| line.event));
        let found = one.consequence.as_ref().and_then(|found| event(found.anchor));
        value["consequence_event"] = json!(found.map(|line| line.event));
        value
    });
    let line = |place: u32| session.lines.get(place as usize).map(|line| line.index);
    json!({
        "session": session.session,
        "source": session.source,
        "by_structure": session.by_structure,
        "setting": linked.participants.setting,
        "responders": linked.participants.responders().map(|speaker| &speaker.name).collect::<Vec<_>>(),
        "lines": session.lines.len(),
        "excluded_ranges": linked.mask.excluded.iter().map(|range| json!({
            "start_index": line(range.start),
            "end_index": line(range.end),
            "reason": range.reason,
        })).collect::<Vec<_>>(),
        "no_links": linked.no_links.map(|reason| reason.reason()),
        "links": items.collect::<Vec<_>>(),
        "outcomes": session.outcomes.iter().map(|outcome| json!({
            "kind": outcome.kind,
            "basis": outcome.basis,
            "event": outcome.event,
            "about": outcome.about,
            "runner": outcome.runner,
        })).collect::<Vec<_>>(),
    })
}

pub fn outline(session: &LinkedSession, scenes: &[Scene]) -> Value {
    let scenes = scenes.iter().map(|scene| {
        let beats = scene.beats.iter().map(|beat| {
            json!({
                "title": beat.title,
                "first": beat.first,
                "last": beat.last,
                "mass": beat.mass,
                "strength": rounded(beat.strength),
                "links": session.linked.links[beat.links.clone()].iter().map(|link| link.id).collect::<Vec<_>>(),
            })
        });
        json!({"title": scene.title, "first": scene.first, "last": scene.last, "beats": beats.collect::<Vec<_>>()})
    });
    json!({"session": session.session, "scenes": scenes.collect::<Vec<_>>()})
}

pub fn metrics(metrics: &Metrics) -> Value {
    let mut value = json!(metrics);
    value["coverage"] = json!(metrics.all.share());
    value["nearest_share"] = json!(metrics.nearest_share().filter(|_| metrics.lines > 0));
    value
}

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
