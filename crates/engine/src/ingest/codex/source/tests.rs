use serde_json::json;

use super::super::looks_like;
use super::*;
use crate::model::Exit;

const ID: &str = "019a0000-aaaa-7bbb-8ccc-0123456789ab";

fn origin(session: &str) -> FileOrigin {
    FileOrigin { file: "f.jsonl".to_owned(), session: session.to_owned(), ..FileOrigin::default() }
}

fn line(second: u32, kind: &str, payload: Value) -> String {
    json!({"timestamp": format!("2026-02-03T09:00:{second:02}.000Z"), "type": kind, "payload": payload}).to_string()
}

fn meta() -> String {
    let git = json!({"branch": "tea", "commit_hash": "abc"});
    line(
        0,
        "session_meta",
        json!({"id": ID, "timestamp": "2026-02-03T09:00:00Z", "cwd": "/w", "cli_version": "0.94.0", "git": git}),
    )
}

fn item(second: u32, role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    line(second, "response_item", json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

fn event(second: u32, kind: &str, text: &str) -> String {
    line(second, "event_msg", json!({"type": kind, "message": text}))
}

fn read_from(session: &str, first: u64, lines: &[String]) -> Reading {
    let mut source = CodexSource::new(&origin(session));
    let mut out = Reading::default();
    for (line, number) in lines.iter().zip(first..) {
        source.line(line.as_bytes(), number, &mut out);
    }
    assert_eq!(source.end(&mut out), SourceEnd::Done);
    out
}

fn read(lines: &[String]) -> Reading {
    read_from("some-file", 1, lines)
}

/// `kind[/class]: text` per event.
fn outline(reading: &Reading) -> Vec<String> {
    let render = |event: &EventDraft| match event.meta.class {
        Some(class) => format!("{}/{class:?}: {}", event.kind.name(), event.text),
        None => format!("{}: {}", event.kind.name(), event.text),
    };
    reading.events.iter().map(|(_, event)| render(event)).collect()
}

#[test]
fn reads_a_turn() {
    let reading = read(&[
        meta(),
        item(1, "developer", "be careful"),
        item(2, "user", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
        line(3, "turn_context", json!({"cwd": "/w/kitchen", "model": "gpt-5"})),
        item(4, "user", "make tea"),
        event(4, "user_message", "make tea"),
        line(5, "event_msg", json!({"type": "agent_reasoning", "text": "**Boiling**"})),
        line(
            5,
            "response_item",
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "**Boiling**"}], "content": [{"type": "reasoning_text", "text": "water first"}], "encrypted_content": "gAAA"}),
        ),
        line(6, "response_item", json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAA"})),
        line(
            7,
            "response_item",
            json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"boil\"]}", "call_id": "c1"}),
        ),
        line(
            8,
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1", "output": "Exit code: 1\nOutput:\nno water"}),
        ),
        event(9, "agent_message", "There is no water."),
        item(9, "assistant", "There is no water."),
        line(10, "event_msg", json!({"type": "token_count", "info": null})),
        line(11, "event_msg", json!({"type": "from_the_future"})),
    ]);
    assert_eq!(
        outline(&reading),
        [
            "system/Injected: be careful",
            "system/Injected: <environment_context>\n<cwd>/w</cwd>\n</environment_context>",
            "user/Prompt: make tea",
            "thinking: **Boiling**\n\nwater first",
            "tool_call: boil",
            "tool_output: no water",
            "assistant: There is no water.",
        ]
    );
    assert!(reading.problems.is_empty());
    assert_eq!(reading.episodes, [(EpisodeKey::main(SourceKind::Codex, ID), Some("/w".to_owned()))]);
    let metas: Vec<&Meta> = reading.events.iter().map(|(_, event)| &event.meta).collect();
    let prompt = metas[2];
    assert_eq!(
        [&prompt.cwd, &prompt.version, &prompt.branch].map(Option::as_deref),
        [Some("/w/kitchen"), Some("0.94.0"), Some("tea")]
    );
    assert_eq!((metas[4].tool.as_deref(), metas[4].tool_use_id.as_deref()), (Some("shell"), Some("c1")));
    assert_eq!(
        (metas[5].exit, metas[5].exit_code, metas[5].tool_use_id.as_deref()),
        (Some(Exit::Failed), Some(1), Some("c1"))
    );
    assert_eq!(metas[6].model.as_deref(), Some("gpt-5"));
    let tally = |kind: &str, fate: RecordFate| reading.tally.get(&(kind.to_owned(), fate)).copied();
    assert_eq!(tally("response_item/message", RecordFate::Kept), Some(4));
    assert_eq!(tally("event_msg/user_message", REPEATED), Some(1));
    assert_eq!(tally("event_msg/from_the_future", UNKNOWN), Some(1));
    assert_eq!(reading.tally.values().sum::<u64>(), 15, "every record has a fate");
}

#[test]
fn keeps_what_no_response_item_says() {
    let reading = read(&[
        meta(),
        line(1, "event_msg", json!({"type": "task_started"})),
        event(2, "user_message", "make tea"),
        event(3, "agent_message", "boiling"),
        event(3, "agent_message", "done"),
        line(4, "event_msg", json!({"type": "turn_aborted", "reason": "interrupted"})),
        event(5, "error", "the line is dead"),
        line(6, "event_msg", json!({"type": "task_complete", "error": {"message": "quota"}})),
    ]);
    assert_eq!(
        outline(&reading),
        [
            "user/Prompt: make tea",
            "assistant: boiling",
            "assistant: done",
            "system/Interruption: the person stopped the turn",
            "system/ApiError: the line is dead",
            "system/ApiError: quota",
        ]
    );
}

#[test]
fn one_compaction_is_kept_once() {
    for pair in [[0, 1], [1, 0]] {
        let records = [
            line(2, "compacted", json!({"message": "we made tea", "replacement_history": []})),
            line(2, "event_msg", json!({"type": "context_compacted"})),
        ];
        let mut lines = vec![meta(), item(1, "user", "make tea")];
        lines.extend(pair.map(|which: usize| records[which].clone()));
        lines.push(item(3, "user", "and now?"));
        let expected = [
            "user/Prompt: make tea",
            "system/CompactionBoundary: context compacted",
            "system/CompactionSummary: we made tea",
            "user/Prompt: and now?",
        ];
        assert_eq!(outline(&read(&lines)), expected);
    }
}

#[test]
fn reading_in_two_parts_gives_the_same_events() {
    let lines = [
        meta(),
        item(1, "user", "make tea"),
        event(1, "user_message", "make tea"),
        event(2, "agent_message", "boiling"),
        item(2, "assistant", "boiling"),
        line(
            3,
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Add File: cup\n*** End Patch", "call_id": "c1"}),
        ),
        item(4, "user", "thanks"),
        event(4, "user_message", "thanks"),
    ];
    let name = format!("rollout-2026-02-03T09-00-00-{ID}");
    let whole = read_from(&name, 1, &lines);
    let ids = |reading: &Reading| -> Vec<_> {
        reading.events.iter().map(|(slot, event)| (reading.episodes[slot.0].0.clone(), event.id())).collect()
    };
    assert_eq!(whole.events.len(), 4);
    for cut in 0..=lines.len() {
        let mut parts = ids(&read_from(&name, 1, &lines[..cut]));
        parts.extend(ids(&read_from(&name, cut as u64 + 1, &lines[cut..])));
        assert_eq!(parts, ids(&whole), "cut after line {cut}");
    }
}

#[test]
fn reads_the_oldest_files() {
    let bare = |value: Value| value.to_string();
    let lines = [
        bare(
            json!({"id": ID, "timestamp": "2025-07-01T10:00:00.000Z", "instructions": null, "git": {"branch": "main"}}),
        ),
        bare(json!({"record_type": "state"})),
        bare(
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\nCurrent working directory: /old\n</environment_context>"}]}),
        ),
        bare(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]})),
        bare(json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c1"})),
        bare(
            json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"cup\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}"}),
        ),
        bare(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]})),
    ];
    let reading = read(&lines);
    assert_eq!(
        outline(&reading)[1..],
        ["user/Prompt: go on", "tool_call: ls", "tool_output: cup", "user/Prompt: go on"]
    );
    assert_eq!(reading.episodes[0].1.as_deref(), Some("/old"));
    assert_eq!(reading.events[1].1.meta.branch.as_deref(), Some("main"));
    assert_eq!(reading.events[3].1.time, Timestamp::parse("2025-07-01T10:00:00.000Z"));
    assert_ne!(reading.events[1].1.id(), reading.events[4].1.id(), "the same words twice are two events");
    assert!(looks_like(&lines.join("\n")));
}

#[test]
fn a_fork_leaves_out_what_it_copied() {
    let at = |ms: u32, kind: &str, payload: Value| {
        json!({"timestamp": format!("2026-02-03T09:00:00.{ms:03}Z"), "type": kind, "payload": payload}).to_string()
    };
    let words =
        |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let reading = read(&[
        at(
            1,
            "session_meta",
            json!({"id": ID, "forked_from_id": "parent", "cwd": "/own", "timestamp": "2026-02-03T09:00:00Z"}),
        ),
        at(2, "session_meta", json!({"id": "parent", "cwd": "/other"})),
        at(2, "turn_context", json!({"cwd": "/other"})),
        at(3, "response_item", words("said long ago")),
        at(90, "response_item", words("said now")),
    ]);
    assert_eq!(outline(&reading), ["user/Prompt: said now"]);
    let (_, event) = &reading.events[0];
    assert_eq!((event.meta.forked_from.as_deref(), event.meta.cwd.as_deref()), (Some("parent"), Some("/own")));

    let mut own_turn = at(3, "event_msg", json!({"type": "task_started", "started_at": 1_770_109_200}));
    let copied_turn = at(2, "event_msg", json!({"type": "task_started", "started_at": 1_500_000_000}));
    let start = [meta(), at(2, "session_meta", json!({"id": "parent"})), copied_turn];
    let rest = [std::mem::take(&mut own_turn), at(4, "response_item", words("at once"))];
    assert_eq!(outline(&read(&[&start[..], &rest[..]].concat())), ["user/Prompt: at once"]);
}

#[test]
fn a_renamed_file_is_still_a_session() {
    let name = "rollout-2026-02-03T09-00-00-ffffffff-aaaa-7bbb-8ccc-0123456789ab";
    let reading = read_from(name, 1, &[meta(), item(0, "user", "make tea")]);
    assert_eq!(outline(&reading), ["user/Prompt: make tea"]);
    assert_eq!(reading.episodes[0].0.session, "ffffffff-aaaa-7bbb-8ccc-0123456789ab");
}

#[test]
fn the_host_may_count_what_is_inherited() {
    let counted = |ordinal: u64, text: &str| {
        let payload = json!({"type": "message", "role": "user", "content": text});
        json!({"timestamp": "2026-02-03T09:00:00.000Z", "ordinal": ordinal, "type": "response_item", "payload": payload}).to_string()
    };
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}});
    let start = line(0, "session_meta", json!({"id": ID, "subagent_history_start_ordinal": 2, "source": source}));
    let reading = read(&[start, counted(1, "inherited"), counted(2, "own")]);
    assert_eq!(outline(&reading), ["user/Prompt: own"]);
    assert_eq!(reading.events[0].1.meta.forked_from.as_deref(), Some("parent"));
}

#[test]
fn names_give_the_session() {
    assert_eq!(session_in_name(&format!("rollout-2026-02-03T09-00-00-{ID}")), Some(ID));
    assert_eq!(session_in_name(&format!("rollout-2026-02-03T09-00-00-{ID}_{ID}")), Some(ID));
    assert_eq!(session_in_name("rollout-2026-02-03T09-00-00-tea"), None);
    assert_eq!(session_in_name(&format!("rollout-2026-02-03T09-00-00-{}", "é".repeat(30))), None);
    assert_eq!(session_in_name("notes"), None);
}

#[test]
fn tells_rollouts_from_other_files() {
    assert!(looks_like(&meta()));
    let long = line(0, "session_meta", json!({"base_instructions": "x".repeat(500)}));
    assert!(!looks_like(&long[..60]));
    let cut =
        "{\"timestamp\":\"2026-02-03T09:00:00Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"x\",\"base_instr";
    assert!(looks_like(cut));
    assert!(!looks_like("{\"speaker\":\"Ana\",\"text\":\"hi\"}\n"));
    assert!(!looks_like("{\"type\":\"user\",\"payload\":{}}"));
    assert!(!looks_like("{\"id\":1,\"timestamp\":2,\"text\":\"hi\"}"));
    assert!(!looks_like(""));
}

#[test]
fn bad_lines_become_problems_without_their_words() {
    let reading = read(&[
        meta(),
        "secret words".to_owned(),
        "[1]".to_owned(),
        "{}".to_owned(),
        line(1, "response_item", json!(7)),
        line(1, "response_item", json!({"type": "message", "role": 3, "content": {"a": 1}})),
        line(1, "response_item", json!({"type": "function_call", "arguments": 5})),
        line(1, "response_item", json!({"type": "function_call_output"})),
        format!("{}{}", item(2, "user", "glued"), item(2, "user", "together")),
    ]);
    assert_eq!(outline(&reading), ["tool_call: 5", "user/Prompt: glued", "user/Prompt: together"]);
    assert_eq!(reading.problems.len(), 5);
    assert!(reading.problems.iter().all(|problem| !problem.reason.contains("secret")));
}

#[test]
fn survives_any_bytes() {
    // A fixed sequence: a failure must be repeatable.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sample =
        [meta(), item(1, "user", "make tea"), line(2, "event_msg", json!({"type": "turn_aborted"}))].join("\n");
    for round in 0..300 {
        let mut bytes = sample.clone().into_bytes();
        for _ in 0..=round % 12 {
            let at = (next() as usize) % bytes.len();
            bytes[at] = next() as u8;
        }
        let mut source = CodexSource::new(&origin("x"));
        let mut out = Reading::default();
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            source.line(line, number, &mut out);
        }
        source.end(&mut out);
        looks_like(&String::from_utf8_lossy(&bytes));
    }
}
