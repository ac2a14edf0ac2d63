//! How chunks become events, on made-up chunks.

use std::io::Cursor;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::segments::{BlockKind, split};
use super::*;

fn chunk(id: &str, turns: &[i64], content: &str) -> Value {
    json!({
        "id": id, "sessionId": "s1", "sessionSlug": "shop", "projectPath": "/nowhere/shop", "content": content,
        "startTime": "2026-01-03T10:00:00.000Z", "endTime": "2026-01-03T10:05:00.000Z", "turnIndices": turns,
    })
}

fn document(chunks: Vec<Value>, edges: Vec<Value>) -> Vec<u8> {
    // Fields in the order in which they are written.
    format!(
        r#"{{"format":"causantic-archive","version":"1.1","chunks":{},"edges":{},"vectors":[[1,2]]}}"#,
        json!(chunks),
        json!(edges)
    )
    .into_bytes()
}

fn read_with(bytes: &[u8], password: Option<&str>) -> (Reading, Option<String>) {
    let mut out = Reading::default();
    let mut input = match ImportSource::archive(bytes, Box::new(Cursor::new(bytes.to_vec())), password, "f", &mut out) {
        Ok(input) => input,
        Err(error) => return (out, Some(error.to_string())),
    };
    let edges = input.edges("f", &mut out);
    for session in input.sessions("f", &mut out) {
        input.read_session(&session, &edges, "f", &mut out);
    }
    (out, None)
}

fn read(bytes: &[u8]) -> Reading {
    read_with(bytes, None).0
}

/// `agent kind: text` per event.
fn outline(reading: &Reading) -> Vec<String> {
    let agent = |slot: &crate::ingest::ReadingSlot| reading.episodes[slot.0].0.agent.clone().unwrap_or("main".into());
    reading
        .events
        .iter()
        .map(|(slot, event)| format!("{} {}: {}", agent(slot), event.kind.name(), event.text))
        .collect()
}

fn ids(reading: &Reading) -> Vec<String> {
    reading.events.iter().map(|(_, event)| event.id().to_string()).collect()
}

#[test]
fn headings_stand_alone() {
    let text = "going on\n\n[User]\nsee [Assistant]\n[Tool:Bash]\nno\n\n[Tool:Bash]\nls\n\n[Result:Bash]\na\n\nb";
    assert_eq!(
        split(text),
        [
            (None, "going on"),
            (Some(BlockKind::User), "see [Assistant]\n[Tool:Bash]\nno"),
            (Some(BlockKind::Call("Bash".to_owned())), "ls"),
            (Some(BlockKind::Result("Bash".to_owned())), "a\n\nb"),
        ]
    );
    assert_eq!(split(""), []);
}

#[test]
fn results_come_back_to_their_calls() {
    let text = "[User]\nrun both\n\n[Thinking]\nhm\n\n[Tool:Bash]\nnpm test\n\n[Tool:Read]\n/nowhere/shop/a.ts\n\n\
                [Assistant]\ndone\n\n[Result:Bash]\nExit code 1\nboom\n\n[Result:Read]\nlet a = 1";
    let reading = read(&document(vec![chunk("c1", &[0], text)], vec![]));
    assert_eq!(
        outline(&reading),
        [
            "main user: run both",
            "main thinking: hm",
            "main tool_call: npm test",
            "main tool_output: Exit code 1\nboom",
            "main tool_call: /nowhere/shop/a.ts",
            "main tool_output: let a = 1",
            "main assistant: done",
        ]
    );
    let meta = |at: usize| &reading.events[at].1.meta;
    assert_eq!(meta(2).tool_use_id, meta(3).tool_use_id);
    assert_eq!((meta(3).exit, meta(3).exit_code), (Some(crate::model::Exit::Failed), Some(1)));
    assert_eq!((meta(5).exit, meta(4).files.as_slice()), (None, &["/nowhere/shop/a.ts".to_owned()][..]));
    assert_eq!(reading.episodes[0].1.as_deref(), Some("/nowhere/shop"));
    assert!(reading.problems.is_empty());
}

#[test]
fn where_chunks_were_cut_does_not_matter() {
    let whole = vec![chunk("c1", &[0], "[User]\ntell me\n\n[Assistant]\none\n\ntwo\n\nthree")];
    let cut = vec![
        chunk("c2", &[0], "[User]\ntell me\n\n[Assistant]\none"),
        chunk("c3", &[0], "two\n\nthree"),
        chunk("c4", &[0], "two\n\nthree"),
    ];
    let (whole, cut) = (read(&document(whole, vec![])), read(&document(cut, vec![])));
    assert_eq!(ids(&whole), ids(&cut), "a chunk that is there twice counts once");
    let lost = read(&document(vec![chunk("c3", &[4], "two\n\nthree")], vec![]));
    assert_eq!(outline(&lost), ["main assistant: two\n\nthree"], "a person's words these may not become");
}

#[test]
fn sub_agents_are_told_apart_by_edges_and_by_name() {
    let mut teammate = chunk("t1", &[0], "[User]\n<teammate-message teammate_id=\"lead\">test it</teammate-message>");
    teammate["agentId"] = json!("tester");
    teammate["teamName"] = json!("crew");
    let chunks = vec![
        chunk("a1", &[0], "[User]\nfind the refund code\n\n[Assistant]\nlooking"),
        chunk("a2", &[1], "[Assistant]\nrefund.rs"),
        chunk(
            "m1",
            &[0],
            "[User]\nhow do refunds work?\n\n[Tool:Task]\n{\"description\":\"find\",\"prompt\":\"find the refund code\",\"subagent_type\":\"scout\"}\n\n[Result:Task]\nin refund.rs",
        ),
        teammate,
    ];
    let edge = |source: &str, target: &str, kind: &str| json!({"source": source, "target": target, "type": "forward", "referenceType": kind});
    let reading = read(&document(chunks, vec![edge("m1", "a1", "brief"), edge("a1", "a2", "within-chain")]));
    let agents: Vec<_> = reading.episodes.iter().map(|(key, _)| key.agent.clone()).collect();
    assert_eq!((agents.len(), &agents[0], &agents[2]), (3, &None, &Some("tester".to_owned())));
    let scout = agents[1].clone().unwrap_or_default();
    assert_eq!(
        outline(&reading),
        [
            "main user: how do refunds work?".to_owned(),
            "main tool_call: find the refund code".to_owned(),
            "main tool_output: in refund.rs".to_owned(),
            format!("{scout} user: find the refund code"),
            format!("{scout} assistant: looking"),
            format!("{scout} assistant: refund.rs"),
            "tester user: test it".to_owned(),
        ]
    );
    let meta = |at: usize| &reading.events[at].1.meta;
    assert_eq!(meta(3).spawned_by, meta(1).tool_use_id);
    assert_eq!(meta(2).spawned.as_deref(), Some(scout.as_str()));
    assert_eq!((meta(6).team.as_deref(), meta(6).from.as_deref()), (Some("crew"), Some("lead")));
}

#[test]
fn older_archives_say_the_session_in_the_chunk_and_the_project_by_name() {
    let bytes = br#"{ "format": "causantic-archive", "version": "1.0", "chunks": [
        {"id": "s7-chunk-3", "sessionSlug": "shop", "content": "[User]\nhi", "turnIndices": [0]},
        {"id": "s8-0123456789abcdef", "sessionSlug": "shop", "content": "[User]\nho", "turnIndices": [0]},
        {"id": "?", "sessionSlug": "", "content": "[User]\nha", "turnIndices": [0]}]}"#;
    let reading = read(bytes);
    let found: Vec<_> = reading
        .episodes
        .iter()
        .map(|(key, project)| (key.session.as_str(), project.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(found, [("(unknown)", "causantic:(unnamed)"), ("s7", "causantic:shop"), ("s8", "causantic:shop")]);
}

#[test]
fn damage_becomes_a_problem_and_the_rest_is_kept() {
    let whole = document(
        vec![
            chunk("c1", &[0], "[User]\nfirst"),
            json!({"id": "c2", "secret": "hush"}),
            chunk("c3", &[1], "[User]\nlast"),
        ],
        vec![],
    );
    let reading = read(&whole);
    assert_eq!(outline(&reading), ["main user: first", "main user: last"]);
    assert_eq!(reading.problems.len(), 1);
    assert!(!reading.problems[0].reason.contains("hush"));
    let until = whole.windows(4).position(|four| four == b"\"c3\"").unwrap_or(0);
    let cut = read(&whole[..until]);
    assert_eq!(outline(&cut), ["main user: first"]);
    assert_eq!(cut.problems.len(), 2);
}

/// Made by Node's own crypto, as Causantic does it; the password is "open sesame".
const ENCRYPTED: &str = "4353540007070707070707070707070707070707090909090909090909090909a098fb274c54a7baf23045f353e177b9b1f9f585dbbd1df75dfd7d52cf0ff94899317511b40668deeff09fddcd596d4cb46cfc29baab557efa8fe42e2c74240dcc93299c24e23e1ad17c4038b469e61eedb699dba8cdc7a26d9ee17e674ef6841e3c1778854492d75c185dafa87f2761a080a9ee084d4dcc1f7fe58598658c2c0a00c34251f8988b33211b6549c4a255ce559c7fa5e5c5381381ce082fcf9a4312d2dc7fc0b7dca4e4a528ce5ba9068a0f2fe14c770729813afec67429897fb4a46e094a263f95357bd85290b1a47a741fad2ff95a901f5fd4a1a9fa1bed2abc50c72de076ab2ef7d127cff23c21e34e4039d5b9b9f878ac945e22488caf572a568b5b894abb272dd40c9610e860cf60992b317e6d9f1ecc14049244ab";

fn encrypted() -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&ENCRYPTED[at..at + 2], 16).unwrap_or(0);
    (0..ENCRYPTED.len()).step_by(2).map(digit).collect()
}

#[test]
fn encrypted_archives_need_their_password() {
    let (reading, refused) = read_with(&encrypted(), Some("open sesame"));
    assert_eq!((outline(&reading).len(), refused), (2, None));
    assert_eq!(outline(&reading)[1], "main assistant: Under the mat.");
    let wrong = read_with(&encrypted(), Some("open barley")).1.unwrap_or_default();
    assert!(wrong.contains("password does not fit"), "{wrong}");
    let none = read_with(&encrypted(), None).1.unwrap_or_default();
    assert!(none.contains("CAUSANTIC_EXPORT_PASSWORD"), "{none}");
    let cut = read_with(&encrypted()[..20], Some("open sesame")).1;
    assert!(cut.is_some());
}

proptest! {
    #[test]
    fn survives_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut document = br#"{"format":"causantic-archive","chunks":[{"content":"[User]\n"#.to_vec();
        document.extend(bytes);
        read(&document);
    }

    #[test]
    fn survives_any_content(content in "(\\[User\\]|\\[Tool:Bash\\]|\\[Result:Bash\\]|\\n|\\n\\n|é|a| ){0,40}") {
        read(&document(vec![chunk("c", &[0], &content)], vec![]));
    }
}
