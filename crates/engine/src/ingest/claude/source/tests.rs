//! How records become events, on made-up lines.

use super::*;

fn read(lines: &[&str]) -> Reading {
    let origin = FileOrigin { file: "f".to_owned(), session: "s1".to_owned(), ..FileOrigin::default() };
    let mut source = ClaudeSource::new(&origin);
    let mut out = Reading::default();
    for (index, line) in lines.iter().enumerate() {
        source.line(line.as_bytes(), index as u64 + 1, &mut out);
    }
    source.end(&mut out);
    out
}

fn told(out: &Reading) -> Vec<(Option<&str>, &str)> {
    let agent = |slot: &ReadingSlot| out.episodes[slot.0].0.agent.as_deref();
    out.events.iter().map(|(slot, event)| (agent(slot), event.text.as_str())).collect()
}

#[test]
fn inline_sidechains_are_runs_of_their_own() {
    let out = read(&[
        r#"{"type":"user","uuid":"aaaaaaaa-1","sessionId":"s1","message":{"content":"go"}}"#,
        r#"{"type":"user","uuid":"bbbbbbbb-1","isSidechain":true,"sessionId":"s1","message":{"content":"look left"}}"#,
        r#"{"type":"user","uuid":"cccccccc-1","isSidechain":true,"sessionId":"s1","message":{"content":"look right"}}"#,
        r#"{"type":"assistant","uuid":"d","parentUuid":"bbbbbbbb-1","isSidechain":true,"message":{"id":"m1","content":[{"type":"text","text":"left"}]}}"#,
        r#"{"type":"assistant","uuid":"e","parentUuid":"cccccccc-1","isSidechain":true,"message":{"id":"m2","content":[{"type":"text","text":"right"}]}}"#,
        r#"{"type":"assistant","uuid":"f","parentUuid":"d","isSidechain":true,"message":{"id":"m3","content":[{"type":"text","text":"more left"}]}}"#,
    ]);
    assert_eq!(
        told(&out),
        [
            (None, "go"),
            (Some("bbbbbbbb"), "look left"),
            (Some("cccccccc"), "look right"),
            (Some("bbbbbbbb"), "left"),
            (Some("cccccccc"), "right"),
            (Some("bbbbbbbb"), "more left"),
        ]
    );
}

#[test]
fn sub_agents_inside_progress_records_are_kept_once() {
    let message = r#"{"type":"assistant","uuid":"p1","timestamp":"2026-01-01T00:00:00Z","message":{"id":"m1","content":[{"type":"text","text":"found"}]}}"#;
    let progress = format!(
        r#"{{"type":"progress","uuid":"x","sessionId":"s1","parentToolUseID":"t1","data":{{"type":"agent_progress","agentId":"a1","message":{message},"normalizedMessages":[{message}]}}}}"#
    );
    let out = read(&[&progress, &progress]);
    let ids: std::collections::HashSet<_> = out.events.iter().map(|(_, event)| event.id()).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(told(&out)[0], (Some("a1"), "found"));
    assert_eq!(out.events[0].1.meta.spawned_by.as_deref(), Some("t1"));
}

#[test]
fn a_prompt_finds_its_parent_through_dropped_records() {
    let out = read(&[
        r#"{"type":"assistant","uuid":"a","sessionId":"s1","message":{"id":"m","content":"done"}}"#,
        r#"{"type":"system","subtype":"turn_duration","uuid":"b","parentUuid":"a"}"#,
        r#"{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s1","message":{"content":"next"}}"#,
    ]);
    let meta = &out.events[1].1.meta;
    assert_eq!((meta.parent.as_deref(), meta.after.as_deref()), (Some("b"), Some("a")));
}
