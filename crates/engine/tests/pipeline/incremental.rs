//! Files grow, shrink, change and vanish while they are read; the log only grows.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use backstory_engine::ingest::{IngestReport, InputPlace, find};
use backstory_engine::retrieve::{SessionQuery, sessions};
use serde_json::{Value, json};

use crate::desk::{Desk, TestResult, assert_same, called, demo_files, gzip, lines, prompt, record, returned, said};

/// One turn with a call, a dropped record between kept ones, and the start of a second turn that
/// follows the dropped record.
fn small_session() -> Vec<Value> {
    vec![
        prompt("u1", "", "why does checkout fail?"),
        called("a1", "u1", "tail log"),
        record("progress", "p1", "a1", json!({"data": {"type": "bash_progress"}})),
        returned("u2", "a1", "E42 ü 🦀"),
        said("a2", "u2", "a stale price cache"),
        record("system", "y1", "a2", json!({"subtype": "turn_duration"})),
        prompt("u3", "y1", "fix it"),
    ]
}

const ROLLOUT_ID: &str = "0b51e9c4-77aa-4c1e-9c55-1d5c0f6f3a10";
/// Codex also names the session in the file's name.
const ROLLOUT: &str = "rollout-2026-02-03T09-12-01-0b51e9c4-77aa-4c1e-9c55-1d5c0f6f3a10.jsonl";

fn small_rollout() -> Vec<Value> {
    let line = |second: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-02-03T09:12:{second:02}.000Z"), "type": kind, "payload": payload});
    let message = |role: &str, part: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": part, "text": text}]});
    vec![
        line(
            1,
            "session_meta",
            json!({"id": ROLLOUT_ID, "timestamp": "2026-02-03T09:12:01.000Z", "cwd": "/nowhere/shop"}),
        ),
        line(2, "response_item", message("user", "input_text", "count the gift wrap")),
        line(3, "event_msg", json!({"type": "user_message", "message": "count the gift wrap"})),
        line(4, "event_msg", json!({"type": "agent_message", "message": "Counted."})),
        line(5, "response_item", message("assistant", "output_text", "Counted.")),
        line(6, "response_item", message("user", "input_text", "thanks")),
    ]
}

#[test]
fn only_what_was_added_is_read() -> TestResult {
    let all = small_session();
    let mut desk = Desk::with("s1.jsonl", &lines(&all[..4]))?;
    let before = desk.event_ids()?;
    let added = lines(&all[4..]);
    desk.append("s1.jsonl", &added)?;
    let report = desk.ingest()?;
    assert_eq!((report.bytes, report.appended.new, report.appended.known), (added.len() as u64, 2, 0));
    assert!(before.is_subset(&desk.event_ids()?));
    desk.check_whole()
}

#[test]
fn nothing_is_read_twice() -> TestResult {
    let mut desk = Desk::new()?;
    for (name, bytes) in demo_files()? {
        desk.write(&name, &bytes)?;
    }
    desk.write("packed.jsonl.gz", &gzip(&lines(&small_session()))?)?;
    let first = desk.ingest()?;
    assert!(first.appended.new > 300 && first.problems.is_empty(), "{:?}", first.problems);
    let second = desk.ingest()?;
    assert_eq!((second.appended.new, second.appended.known, second.bytes), (0, 0, 0));
    assert_eq!(second.unchanged, second.files);
    desk.check_whole()
}

/// A process may stop in the middle of a file, by a deadline or a kill: the part that was read has
/// a cursor, and the rest is read next time although the file has not changed.
#[test]
fn the_rest_of_a_file_is_read_the_next_time() -> TestResult {
    let all = small_session();
    let whole = Desk::with("s1.jsonl", &lines(&all))?.event_ids()?;
    for most in 0..all.len() {
        let mut desk = Desk::new()?;
        desk.write("s1.jsonl", &lines(&all))?;
        let found = find(&[InputPlace::Given(desk.sessions())], None);
        let calls = Cell::new(0);
        let mut report = IngestReport::default();
        desk.read_task_while(&found.tasks[0], &mut report, &|| calls.replace(calls.get() + 1) < most)?;
        assert_eq!(report.cut_short, 1, "after {most} lines");
        assert!(desk.event_ids()?.is_subset(&whole));
        let rest = desk.ingest()?;
        assert_eq!((desk.event_ids()?, rest.cut_short), (whole.clone(), 0), "after {most} lines");
        desk.check_whole()?;
    }
    Ok(())
}

/// Reads the file cut after each of its bytes, then whole: gives the same events and views as
/// reading it at once.
fn check_every_cut(name: &str, bytes: &[u8], place: fn(PathBuf) -> InputPlace) -> TestResult {
    let mut desk = Desk::new()?;
    let places = [place(desk.sessions())];
    desk.write(name, bytes)?;
    desk.ingest_from(&places)?;
    let (ids, views) = (desk.event_ids()?, desk.view_rows()?);
    for cut in 0..bytes.len() {
        desk.start_over()?;
        desk.write(name, &bytes[..cut])?;
        desk.ingest_from(&places)?;
        desk.write(name, bytes)?;
        desk.ingest_from(&places)?;
        assert_eq!(desk.event_ids()?, ids, "other events when cut after byte {cut}: {:#?}", desk.texts()?);
        assert_same(&desk.view_rows()?, &views, &format!("other views when cut after byte {cut}"));
        assert_eq!(desk.known_problems()?, "", "when cut after byte {cut}");
    }
    Ok(())
}

/// The same, down to the metadata of every event.
fn check_every_line(name: &str, bytes: &[u8], place: fn(PathBuf) -> InputPlace) -> TestResult {
    let mut desk = Desk::new()?;
    let places = [place(desk.sessions())];
    desk.write(name, bytes)?;
    desk.ingest_from(&places)?;
    let (ids, views, export) = (desk.event_ids()?, desk.view_rows()?, desk.export()?);
    desk.start_over()?;
    desk.write(name, b"")?;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        desk.append(name, line)?;
        desk.ingest_from(&places)?;
    }
    assert_eq!(desk.event_ids()?, ids, "{name}");
    assert_same(&desk.view_rows()?, &views, &format!("other views: {name}"));
    let events = |export: Vec<String>| -> Vec<String> {
        export.into_iter().filter(|line| !line.starts_with("{\"type\":\"project\"")).collect()
    };
    assert_same(&events(desk.export()?), &events(export), &format!("another log: {name}"));
    Ok(())
}

/// Titles and settings name no folder, and often arrive alone.
#[test]
fn a_title_read_on_its_own_makes_no_project() -> TestResult {
    let mut desk = Desk::with("s1.jsonl", &lines(&small_session()))?;
    let title = json!({"type": "ai-title", "sessionId": "s1", "aiTitle": "Stale price cache"});
    desk.append("s1.jsonl", &lines(&[title]))?;
    desk.ingest()?;
    let paths: Vec<String> = desk.log.store().projects()?.into_iter().map(|row| row.project.path).collect();
    assert_eq!(paths, ["/nowhere/shop"]);
    Ok(())
}

#[test]
fn a_session_may_be_cut_anywhere() -> TestResult {
    check_every_cut("s1.jsonl", &lines(&small_session()), InputPlace::ClaudeProjects)
}

#[test]
fn a_session_of_unknown_format_may_be_cut_anywhere() -> TestResult {
    check_every_cut("s1.jsonl", &lines(&small_session()), InputPlace::Given)
}

#[test]
fn a_rollout_may_be_cut_anywhere() -> TestResult {
    check_every_cut(ROLLOUT, &lines(&small_rollout()), InputPlace::CodexSessions)
}

#[test]
fn a_rollout_of_unknown_format_may_be_cut_anywhere() -> TestResult {
    check_every_cut(ROLLOUT, &lines(&small_rollout()), InputPlace::Given)
}

/// A copied rollout: only its records name the session.
#[test]
fn a_renamed_rollout_may_be_cut_anywhere() -> TestResult {
    check_every_cut("copy.jsonl", &lines(&small_rollout()), InputPlace::Given)
}

/// Hosts write records that are dropped after every turn, just when a hook reads the session: the
/// next prompt follows such a record.
#[test]
fn a_rewind_is_seen_wherever_reading_stopped() -> TestResult {
    let all = [
        prompt("u1", "", "one"),
        said("a1", "u1", "done"),
        record("system", "y1", "a1", json!({"subtype": "turn_duration"})),
        prompt("u2", "y1", "wrong way"),
        said("a2", "u2", "oops"),
        record("system", "y2", "a2", json!({"subtype": "turn_duration"})),
        prompt("u3", "y1", "right way"),
        said("a3", "u3", "better"),
    ];
    check_every_line("s1.jsonl", &lines(&all), InputPlace::ClaudeProjects)
}

/// It is unknown whether a line of plain text is complete, so a last line without its line break is
/// kept: a partial line is better than a lost one.
#[test]
fn a_transcript_may_be_cut_after_any_line() -> TestResult {
    let text = "Wren: The tide is coming in.\nTamsin: How far is it?\nWren: Half a mile.\nOdo: I tie the rope.\n";
    check_every_line("night.txt", text.as_bytes(), InputPlace::Given)
}

#[test]
fn records_of_a_transcript_may_be_cut_anywhere() -> TestResult {
    let spoken = [("ana", "the tide is coming in"), ("bo", "how far is it?"), ("ana", "half a mile")];
    let records: Vec<Value> = spoken.iter().map(|(who, text)| json!({"speaker": who, "text": text})).collect();
    check_every_cut("night.jsonl", &lines(&records), InputPlace::Given)
}

#[test]
fn a_session_that_grows_line_by_line_is_the_same_as_at_once() -> TestResult {
    for (name, bytes) in demo_files()?.into_iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let is_rollout = name.starts_with("codex");
        check_every_line(
            &name,
            &bytes,
            if is_rollout { InputPlace::CodexSessions } else { InputPlace::ClaudeProjects },
        )?;
    }
    Ok(())
}

#[test]
fn an_open_turn_is_completed() -> TestResult {
    let all = small_session();
    let mut desk = Desk::with("s1.jsonl", &lines(&all[..2]))?;
    desk.check_whole()?;
    desk.append("s1.jsonl", &lines(&all[2..5]))?;
    desk.ingest()?;
    let mut at_once = Desk::with("s1.jsonl", &lines(&all[..5]))?;
    assert_same(&desk.view_rows()?, &at_once.view_rows()?, "other views");
    assert_same(&desk.export()?, &at_once.export()?, "another log");
    desk.check_whole()
}

#[test]
fn an_unfinished_line_is_read_when_it_is_complete() -> TestResult {
    let all = small_session();
    let last = lines(&all[1..2]);
    let (head, tail) = last.split_at(last.len() / 2);
    let mut desk = Desk::with("s1.jsonl", &lines(&all[..1]))?;
    desk.append("s1.jsonl", head)?;
    let unfinished = desk.ingest()?;
    assert_eq!((unfinished.unfinished, unfinished.appended.new, unfinished.problems.len()), (1, 0, 0));
    desk.append("s1.jsonl", tail)?;
    let finished = desk.ingest()?;
    assert_eq!((finished.unfinished, finished.appended.new, finished.problems.len()), (0, 1, 0));
    desk.check_whole()
}

#[test]
fn a_last_line_without_its_line_break_is_kept_once() -> TestResult {
    let bytes = lines(&small_session());
    let mut desk = Desk::with("s1.jsonl", &bytes[..bytes.len() - 1])?;
    let before = desk.event_ids()?;
    desk.append("s1.jsonl", b"\n")?;
    let report = desk.ingest()?;
    assert_eq!((report.appended.new, report.appended.known), (0, 1));
    assert_eq!(desk.event_ids()?, before);
    Ok(())
}

#[test]
fn what_a_file_loses_stays_in_the_log() -> TestResult {
    let all = small_session();
    let changed = [&[prompt("u9", "", "another beginning")], &all[1..]].concat();
    let endings: [(&str, Option<Vec<u8>>, u64); 4] = [
        ("cut", Some(lines(&all[..2])), 0),
        ("emptied", Some(Vec::new()), 0),
        ("rewritten", Some(lines(&changed)), 1),
        ("deleted", None, 0),
    ];
    for (what, bytes, new) in endings {
        let mut desk = Desk::with("s1.jsonl", &lines(&all))?;
        let before = desk.event_ids()?;
        match bytes {
            Some(bytes) => desk.write("s1.jsonl", &bytes)?,
            None => fs::remove_file(desk.path("s1.jsonl"))?,
        }
        let report = desk.ingest()?;
        assert_eq!(report.appended.new, new, "{what}");
        assert!(before.is_subset(&desk.event_ids()?), "{what}");
        desk.check_whole()?;

        desk.write("s1.jsonl", &lines(&all))?;
        assert_eq!(desk.ingest()?.appended.new, 0, "{what} and restored");
    }
    Ok(())
}

#[test]
fn a_file_replaced_by_one_of_the_same_size_is_read_again() -> TestResult {
    let mut desk = Desk::with("s1.jsonl", &lines(&[prompt("u1", "", "apples"), said("a1", "u1", "red")]))?;
    desk.write("s1.jsonl", &lines(&[prompt("u2", "", "pears!"), said("a2", "u2", "raw")]))?;
    assert_eq!(desk.ingest()?.appended.new, 2);
    assert_eq!(desk.texts()?, ["apples", "red", "pears!", "raw"]);
    Ok(())
}

/// A change far from both ends of a long file.
#[test]
fn a_change_in_the_middle_of_a_long_file_is_noticed() -> TestResult {
    let talk = |word: &str| -> Vec<u8> {
        let filler = |n: usize| prompt(&format!("u{n}"), "", &format!("number {n} {}", "x".repeat(200)));
        let records = (0..60).map(|n| if n == 30 { prompt("middle", "", word) } else { filler(n) });
        lines(&records.collect::<Vec<_>>())
    };
    let mut desk = Desk::with("s1.jsonl", &talk("apples"))?;
    desk.write("s1.jsonl", &talk("pears!"))?;
    assert_eq!(desk.ingest()?.appended.new, 1);
    Ok(())
}

#[test]
fn records_that_a_resumed_session_repeats_are_kept_once() -> TestResult {
    let all = small_session();
    let mut desk = Desk::with("s1.jsonl", &lines(&all))?;
    let before = desk.event_ids()?.len() as u64;
    let mut resumed = all.clone();
    resumed.push(prompt("u4", "u3", "go on"));
    resumed.iter_mut().for_each(|record| record["sessionId"] = json!("s2"));
    desk.write("s2.jsonl", &lines(&resumed))?;
    let report = desk.ingest()?;
    assert_eq!((report.appended.new, report.appended.known), (1, before));
    desk.check_whole()
}

#[test]
fn a_session_that_only_repeats_another_adds_nothing() -> TestResult {
    let all = small_session();
    let mut desk = Desk::with("s1.jsonl", &lines(&all))?;
    let before = desk.export()?;
    let mut copy = all.clone();
    copy.iter_mut().for_each(|record| record["sessionId"] = json!("s2"));
    desk.write("s2.jsonl", &lines(&copy))?;
    desk.ingest()?;
    assert_same(&desk.export()?, &before, "another log");
    let listed = sessions(&mut desk.log, &desk.views, &SessionQuery::default())?;
    assert_eq!(listed.iter().map(|info| info.session.as_str()).collect::<Vec<_>>(), ["s1"]);
    Ok(())
}

#[test]
fn a_sub_agents_stub_counts_when_it_grows() -> TestResult {
    let name = "s1/subagents/agent-a1.jsonl";
    let of_agent = |mut record: Value| {
        record["agentId"] = json!("a1");
        record["isSidechain"] = json!(true);
        record
    };
    let all = [prompt("w1", "", "look into the cache"), said("w2", "w1", "it is stale")].map(of_agent);
    let mut desk = Desk::with("s1.jsonl", &lines(&small_session()))?;
    let main = desk.event_ids()?;
    desk.write(name, &lines(&all[..1]))?;
    let stub = desk.ingest()?;
    assert_eq!((stub.appended.new, stub.problems.len()), (0, 0));
    assert_eq!(desk.event_ids()?, main);
    desk.append(name, &lines(&all[1..]))?;
    assert_eq!(desk.ingest()?.appended.new, 2);
    assert!(desk.texts()?.contains(&"look into the cache".to_owned()));
    desk.check_whole()
}

#[test]
fn packed_files_read_like_plain_ones() -> TestResult {
    let all = small_session();
    let mut plain = Desk::with("s1.jsonl", &lines(&all))?;
    let mut packed = Desk::with("s1.jsonl.gz", &gzip(&lines(&all[..3]))?)?;
    packed.write("s1.jsonl.gz", &gzip(&lines(&all))?)?;
    packed.ingest()?;
    assert_eq!(packed.event_ids()?, plain.event_ids()?);
    assert_eq!(packed.view_rows()?, plain.view_rows()?);

    // Archives are compressed in place, and files of several gzip members exist.
    plain.write("s1.jsonl.gz", &[gzip(&lines(&all[..2]))?, gzip(&lines(&all[2..]))?].concat())?;
    fs::remove_file(plain.path("s1.jsonl"))?;
    assert_eq!(plain.ingest()?.appended.new, 0);
    Ok(())
}

/// A host may write in another encoding and append in it.
#[test]
fn a_growing_utf16_file_reads_like_a_plain_one() -> TestResult {
    let utf16 = |bytes: &[u8]| -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    for (name, all) in [("s1.jsonl", small_session()), (ROLLOUT, small_rollout())] {
        for cut in 1..all.len() {
            let mut plain = Desk::with(name, &lines(&all))?;
            let mut wide = Desk::with(name, &utf16(&lines(&all[..cut])))?;
            wide.write(name, &utf16(&lines(&all)))?;
            wide.ingest()?;
            let (wide, plain): (BTreeSet<_>, BTreeSet<_>) = (wide.event_ids()?, plain.event_ids()?);
            assert_eq!(wide, plain, "{name} after {cut} records");
        }
    }
    Ok(())
}

#[test]
fn problems_keep_their_line_when_a_file_is_read_again() -> TestResult {
    let broken = [&lines(&small_session()[..2])[..], b"{broken\n"].concat();
    let utf16: Vec<u8> = String::from_utf8_lossy(&broken).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16 = [&[0xff, 0xfe], &utf16[..]].concat();
    for (name, bytes, more) in [("plain.jsonl", broken, &b"\n"[..]), ("wide.jsonl", utf16, b"\n\0")] {
        let mut desk = Desk::with(name, &bytes)?;
        let first = desk.known_problems()?;
        assert!(first.contains(&format!("{name}:3:")), "{first}");
        desk.append(name, more)?;
        desk.ingest()?;
        assert_eq!(desk.known_problems()?, first, "{name}");
    }
    Ok(())
}
