use serde_json::json;

use super::super::detect;
use super::*;
use crate::ingest::Format;

fn origin() -> FileOrigin {
    FileOrigin { file: "night.txt".to_owned(), session: "night".to_owned(), ..FileOrigin::default() }
}

fn read_lines(text: &str) -> Reading {
    let mut source = TranscriptSource::new(&origin(), TranscriptLayout::Lines);
    let mut out = Reading::default();
    for (line, number) in text.split('\n').zip(1..) {
        source.line(line.as_bytes(), number, &mut out);
    }
    source.end(&mut out);
    out
}

fn read_whole(bytes: &[u8]) -> Reading {
    let mut source = TranscriptSource::new(&origin(), TranscriptLayout::Document);
    let mut out = Reading::default();
    source.line(bytes, 1, &mut out);
    source.end(&mut out);
    out
}

/// `session kind[/class] speaker: text` per event.
fn outline(reading: &Reading) -> Vec<String> {
    let render = |(slot, event): &(crate::ingest::ReadingSlot, EventDraft)| {
        let class = event.meta.class.map(|class| format!("/{class:?}")).unwrap_or_default();
        let speaker = event.meta.speaker.as_deref().unwrap_or("-");
        format!("{} {}{class} {speaker}: {}", reading.episodes[slot.0].0.session, event.kind.name(), event.text)
    };
    reading.events.iter().map(render).collect()
}

fn ids(reading: &Reading) -> Vec<String> {
    reading.events.iter().map(|(_, event)| event.id().to_string()).collect()
}

#[test]
fn lines_of_named_speakers() {
    let text = [
        json!({"line_index": 0, "turn_number": 7, "speaker": "WREN", "text": "Roll."}),
        json!({"line_index": 1, "speaker": "ODO", "text": "14.", "time": "12:18"}),
        json!({"line_index": 2, "speaker": "", "text": "=== cy has left"}),
        json!({"line_index": 3, "speaker": "user", "text": "a person called so"}),
        json!({"line_index": 4, "speaker": "ODO", "text": " "}),
        json!({"line_index": 5, "speaker": "", "text": "whose words are these?"}),
        json!({"title": "no one speaks"}),
    ];
    let reading = read_lines(&text.map(|line| line.to_string()).join("\n"));
    assert_eq!(
        outline(&reading),
        [
            "night user/Line WREN: Roll.",
            "night user/Line ODO: 14.",
            "night system/Injected -: === cy has left",
            "night user/Line user: a person called so",
            "night user/Line -: whose words are these?",
        ]
    );
    let (_, second) = &reading.events[1];
    assert_eq!((second.time, second.meta.record.as_deref()), (None, Some("1")));
    assert_eq!(second.meta.input, Some(json!({"time": "12:18"})));
    assert_eq!(reading.tally.values().sum::<u64>(), 7);
    assert!(reading.problems.is_empty());
}

#[test]
fn chats_with_a_machine() {
    let document = json!([
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hi", "ts": 1_700_000_000},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "function": {"name": "boil", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "hot"},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]);
    let expected = [
        "night system/Injected -: be kind",
        "night user/Prompt -: hi",
        "night tool_call -: {}",
        "night tool_output -: hot",
        "night assistant -: done",
    ];
    let whole = read_whole(document.to_string().as_bytes());
    assert_eq!(outline(&whole), expected);
    assert_eq!(whole.events[1].1.time, Timestamp::parse("2023-11-14T22:13:20Z"));
    assert_eq!(whole.events[3].1.meta.tool_use_id.as_deref(), Some("c1"));
    let lines: Vec<String> = document.as_array().expect("a list").iter().map(Value::to_string).collect();
    assert_eq!(outline(&read_lines(&lines.join("\n"))), expected);
    let exported = json!({"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}]});
    assert_eq!(
        outline(&read_whole(exported.to_string().as_bytes())),
        ["night user/Prompt -: hi", "night assistant -: ho"]
    );
}

#[test]
fn a_machine_may_have_a_name() {
    let expected = ["night user/Prompt -: hi", "night user/Line Mira: hello", "night user/Prompt -: who?"];
    assert_eq!(outline(&read_lines("User: hi\nMira: hello\nUser: who?\nMira: me"))[..3], expected);
    let lines =
        [("user", "hi"), ("Mira", "hello"), ("user", "who?")].map(|(who, text)| json!({"speaker": who, "text": text}));
    assert_eq!(outline(&read_whole(json!(lines).to_string().as_bytes())), expected);
    assert_eq!(outline(&read_lines(&lines.map(|line| line.to_string()).join("\n"))), expected);
    let crowd = [("user", "hi"), ("ana", "hello"), ("bo", "hey")].map(|(who, text)| json!({"nick": who, "text": text}));
    assert_eq!(outline(&read_whole(json!(crowd).to_string().as_bytes()))[0], "night user/Line user: hi");
}

#[test]
fn many_conversations_in_one_file() {
    let talk = |id: Value| json!({"id": id, "lines": [{"speaker": "Ana", "text": "hi"}]});
    let lines = [talk(json!("c1")), talk(Value::Null), talk(json!(7)), talk(json!("night"))]
        .map(|talk| talk.to_string())
        .join("\n");
    let expected = ["night/c1", "night/2", "night/7", "night"];
    for reading in [
        read_lines(&lines),
        read_whole(lines.as_bytes()),
        read_whole(format!("[{}]", lines.replace('\n', ",")).as_bytes()),
    ] {
        let sessions: Vec<&str> = reading.episodes.iter().map(|(key, _)| key.session.as_str()).collect();
        assert_eq!(sessions, expected);
        assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    }
}

#[test]
fn the_same_words_twice_are_two_events() {
    let text = "Ana: no\nBo: yes\nAna: no\nBo: well";
    let reading = read_lines(text);
    assert_eq!(ids(&reading), ids(&read_lines(text)));
    assert_ne!(ids(&reading)[0], ids(&reading)[2]);
    let longer = read_lines(&format!("{text}\nAna: no"));
    assert_eq!(ids(&longer)[..4], ids(&reading));
}

#[test]
fn plain_text() {
    let reading =
        read_lines("# Night one\n[2026-01-03 10:00] Wren: Roll.\n[10:01] Odo: 14.\n[10:02] Wren: Good.\n    It opens.");
    assert_eq!(
        outline(&reading),
        [
            "night system/Injected -: Night one",
            "night user/Line Wren: Roll.",
            "night user/Line Odo: 14.",
            "night user/Line Wren: Good.\nIt opens.",
        ]
    );
    assert_eq!(reading.events[1].1.time, Timestamp::parse("2026-01-03T10:00"));
    assert_eq!(reading.events[2].1.meta.input, Some(json!({"time": "10:01"})));
    let chat = read_lines("User: hi\nAssistant: ho");
    assert_eq!(outline(&chat), ["night user/Prompt -: hi", "night assistant -: ho"]);
}

#[test]
fn damage_becomes_a_problem() {
    let line = json!({"speaker": "Ana", "text": "hi"}).to_string();
    let reading = read_lines(&format!("// made by hand\n{line}{line}\nsecret words\n42\n{line}"));
    assert_eq!(reading.events.len(), 3);
    let reasons: Vec<_> = reading.problems.iter().map(|problem| (problem.line, problem.reason.as_str())).collect();
    assert_eq!(
        reasons,
        [
            (Some(1), "a comment, not a record"),
            (Some(2), "several records glued together"),
            (Some(3), "not JSON (column 1)"),
            (Some(4), "not a record"),
        ]
    );

    let cut = read_whole(b"{\"lines\": [{\"speaker\": \"Ana\", \"text\": \"hi\"}, {\"speaker\": \"Bo\", \"te");
    assert_eq!(outline(&cut), ["night user/Line Ana: hi"]);
    assert_eq!(cut.problems[0].kind, ProblemKind::Repaired);

    let raw = read_whole(b"[{\"speaker\": \"Ana\",\n \"text\": \"a\x01b\"}]");
    assert_eq!(outline(&raw), ["night user/Line Ana: a\u{1}b"]);
    assert_eq!(raw.problems[0].kind, ProblemKind::Repaired);

    for bytes in [&b"{\"settings\": true}"[..], b"secret", b"", b"\0\0", b"[1, 2"] {
        let reading = read_whole(bytes);
        assert!(reading.events.is_empty());
        assert_eq!(reading.problems.len(), 1);
        assert!(!reading.problems[0].reason.contains("secret"));
    }
    let prose = read_lines("just some words\nand more of them\n");
    assert_eq!((prose.events.len(), prose.problems.len()), (0, 1));
    let latin = {
        let mut source = TranscriptSource::new(&origin(), TranscriptLayout::Lines);
        let mut out = Reading::default();
        source.line(b"Ana: caf\xe9", 1, &mut out);
        source.end(&mut out);
        out
    };
    assert_eq!(outline(&latin), ["night user/Line Ana: caf\u{fffd}"]);
    assert_eq!(latin.problems[0].kind, ProblemKind::Repaired);
}

#[test]
fn survives_any_bytes() {
    // A fixed sequence: a failure must be repeatable.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let samples = [
        "{\"id\": \"c\", \"lines\": [{\"speaker\": \"Ana\", \"text\": \"h\\u00e9\", \"time\": \"1:56 pm on 8 May, 2023\"}]}\n{\"role\": \"user\"}",
        "[12:34] Ana: hi\n<bo> ho\n  and so on\n2026-01-03 10:00 Cy (12:03): x\n**Dee:** y\n# z\n* bo waves",
        "[{\"mapping\": {\"a\": {\"parent\": \"a\", \"message\": {\"author\": {\"role\": \"user\"}, \"content\": {\"parts\": [\"x\"]}}}}}]",
    ];
    for round in 0..600 {
        let mut bytes = samples[round % samples.len()].as_bytes().to_vec();
        for _ in 0..=round % 10 {
            let at = (next() as usize) % bytes.len();
            match next() % 3 {
                0 => bytes[at] = next() as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"\n:[]{}\"\\<>"[(next() % 10) as usize]),
            }
        }
        let head = String::from_utf8_lossy(&bytes);
        let found = detect(&head);
        assert!(matches!(found, None | Some(Format::Transcript | Format::TranscriptDocument)));
        read_whole(&bytes);
        read_lines(&head);
    }
}
