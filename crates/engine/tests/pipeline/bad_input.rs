//! Damaged input: each damage is reported with file, line and reason, the rest is kept, and nothing panics.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use backstory_engine::derive;
use backstory_engine::ingest::{Format, IngestReport, Ingester, InputPlace, Projects, ReadOptions, find};
use backstory_engine::log::Log;
use backstory_engine::model::Episode;
use backstory_engine::store::ViewStore;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::json;

use crate::desk::{Desk, TestResult, assert_same, called, demo_files, gzip, lines, prompt, record, returned, said};

/// Two good records to put around the damage.
fn before_and_after() -> (Vec<u8>, Vec<u8>) {
    (lines(&[prompt("u1", "", "apples")]), lines(&[said("a1", "u1", "pears")]))
}

/// Reads a session with damage between two good records; shows the problems, then everything that was kept.
fn check_between(damage: &[u8], expected: Expect) -> TestResult {
    let (before, after) = before_and_after();
    check_file("s1.jsonl", &[&before[..], damage, &after[..]].concat(), expected)
}

fn check_file(name: &str, bytes: &[u8], expected: Expect) -> TestResult {
    let mut desk = Desk::new()?;
    desk.write(name, bytes)?;
    let report = desk.ingest()?;
    assert_eq!(desk.described(&report), desk.known_problems()?, "what was reported is what is remembered");
    desk.check_whole()?;
    let kept: String = desk.texts()?.iter().map(|text| format!("kept {}\n", clip(text))).collect();
    expected.assert_eq(&format!("{}{kept}", desk.known_problems()?));

    let again = desk.ingest()?;
    assert_eq!((again.appended.new, again.bytes), (0, 0), "a damaged file is not read over and over");
    Ok(())
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}… ({} bytes)", text[..at].escape_debug(), text.len()),
        None => text.escape_debug().to_string(),
    }
}

/// A writer that sorts fields by name puts the type after a long message.
#[test]
fn a_session_is_known_however_late_its_first_record_says_so() -> TestResult {
    let mut desk = Desk::new()?;
    for (name, size) in [("short", 10), ("long", 70_000), ("longer", 900_000)] {
        let words = "pears ".repeat(size / 6);
        let line = format!(
            r#"{{"message":{{"content":"{name} {words}","role":"user"}},"sessionId":"{name}","timestamp":"2026-01-03T00:00:00Z","type":"user","uuid":"{name}"}}"#
        );
        desk.write(&format!("{name}.jsonl"), format!("{line}\n").as_bytes())?;
        let packed = format!("{name}-packed");
        desk.write(&format!("{packed}.jsonl.gz"), &gzip(line.replace(name, &packed).as_bytes())?)?;
    }
    let report = desk.ingest()?;
    assert_eq!((report.appended.new, report.not_sessions), (6, 0), "{}", desk.known_problems()?);
    Ok(())
}

#[test]
fn a_broken_line() -> TestResult {
    check_between(
        b"{\"type\":\"user\",\"uuid\":\"x\n",
        expect![[r#"
        …/s1.jsonl:2: the record ends too early (column 24) (skipped)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn lines_that_are_no_records() -> TestResult {
    check_between(
        b"// a note\nwords\n42\n[1,2]\nnull\n\"text\"\n\n   \n{}\n",
        expect![[r#"
        …/s1.jsonl:2: a comment, not a record (skipped)
        …/s1.jsonl:3: not JSON (column 1) (skipped)
        …/s1.jsonl:4: not a record (column 2) (skipped)
        …/s1.jsonl:5: a record without a type (skipped)
        …/s1.jsonl:6: not a record (column 4) (skipped)
        …/s1.jsonl:7: not a record (column 6) (skipped)
        …/s1.jsonl:10: a record without a type (skipped)
        kept apples
        kept pears
    "#]],
    )
}

/// A file may hold only noise after its first record.
#[test]
fn of_many_problems_most_are_counted() -> TestResult {
    let ((before, after), noise) = (before_and_after(), b"x\n".repeat(5_000));
    let mut desk = Desk::with("s1.jsonl", &before)?;
    desk.append("s1.jsonl", &[&noise[..], &after[..]].concat())?;
    let report = desk.ingest()?;
    assert_eq!((report.appended.new, report.problems.len()), (1, 1_001));
    let kept = desk.log.store().problems()?;
    let rest = kept.iter().find(|problem| problem.line == Some(1_002)).map(|problem| problem.reason.as_str());
    assert_eq!((kept.len(), rest), (1_001, Some("4000 more problems from this line on")));
    let again = desk.ingest()?;
    assert_eq!((again.appended.new, again.bytes), (0, 0));
    desk.check_whole()
}

#[test]
fn glued_records() -> TestResult {
    let two = format!("{}{}\n", prompt("g1", "u1", "one"), prompt("g2", "g1", "two"));
    check_between(
        two.as_bytes(),
        expect![[r#"
        …/s1.jsonl:2: several records glued together (kept)
        kept apples
        kept one
        kept two
        kept pears
    "#]],
    )
}

#[test]
fn a_record_glued_to_a_broken_one() -> TestResult {
    let mut desk = Desk::with("s1.jsonl", format!("{}{{\"type\":\"us\n", prompt("g1", "", "one")).as_bytes())?;
    assert_eq!(desk.texts()?, ["one"]);
    assert!(desk.known_problems()?.contains("s1.jsonl:1:"), "{}", desk.known_problems()?);
    Ok(())
}

#[test]
fn a_broken_record_glued_to_a_whole_one() -> TestResult {
    let glued = format!("{{\"type\":\"us{}\n", prompt("g1", "u1", "one"));
    check_between(
        glued.as_bytes(),
        expect![[r#"
            …/s1.jsonl:2: not JSON (column 14) (skipped)
            kept apples
            kept pears
        "#]],
    )
}

#[test]
fn raw_control_characters() -> TestResult {
    let line = prompt("c1", "u1", "one=two=three").to_string().replacen('=', "\u{1}", 1).replacen('=', "\t", 1);
    check_between(
        format!("{line}\n").as_bytes(),
        expect![[r#"
        …/s1.jsonl:2: raw control characters (kept)
        kept apples
        kept one\u{1}two\tthree
        kept pears
    "#]],
    )
}

#[test]
fn latin_1() -> TestResult {
    let line = format!("{}\n", prompt("l1", "u1", "caf=")).replace('=', "é");
    let latin: Vec<u8> = line.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
    check_between(
        &latin,
        expect![[r#"
        …/s1.jsonl:2: bytes that are not UTF-8 (kept)
        kept apples
        kept caf�
        kept pears
    "#]],
    )
}

#[test]
fn utf_16_both_ways() -> TestResult {
    let (before, after) = before_and_after();
    let text = String::from_utf8([before, after].concat())?;
    let little = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>();
    check_file(
        "s1.jsonl",
        &little,
        expect![[r#"
        …/s1.jsonl: UTF-16 text, converted (kept)
        kept apples
        kept pears
    "#]],
    )?;
    check_file(
        "s1.jsonl",
        &little[..little.len() - 1],
        expect![[r#"
        …/s1.jsonl: UTF-16 text, converted (kept)
        kept apples
        kept pears
    "#]],
    )?;
    let big = [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect::<Vec<u8>>();
    check_file(
        "s1.jsonl",
        &big,
        expect![[r#"
        …/s1.jsonl: UTF-16 text, converted (kept)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn a_utf_8_byte_order_mark_is_fine() -> TestResult {
    let (before, after) = before_and_after();
    check_file(
        "s1.jsonl",
        &[b"\xef\xbb\xbf", &before[..], &after[..]].concat(),
        expect![[r#"
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn windows_line_breaks_are_fine() -> TestResult {
    let (before, after) = before_and_after();
    let text = String::from_utf8([before, after].concat())?.replace('\n', "\r\n");
    check_file(
        "s1.jsonl",
        text.as_bytes(),
        expect![[r#"
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn a_missing_parent() -> TestResult {
    check_between(
        &lines(&[prompt("m1", "never-written", "orphan")]),
        expect![[r#"
            …/s1.jsonl:2: its parent is not in the file: it follows the record before it (kept)
            kept apples
            kept orphan
            kept pears
        "#]],
    )
}

#[test]
fn a_record_that_is_its_own_ancestor() -> TestResult {
    let circle = [prompt("r1", "r1", "alone"), prompt("r2", "r3", "one"), prompt("r3", "r2", "two")];
    check_between(
        &lines(&circle),
        expect![[r#"
        kept apples
        kept alone
        kept one
        kept two
        kept pears
    "#]],
    )?;
    let dropped = [("d1", "d1"), ("d2", "d3"), ("d3", "d2")];
    let dropped = dropped.map(|(uuid, parent)| record("progress", uuid, parent, json!({})));
    check_between(
        &[lines(&dropped), lines(&[prompt("r4", "d3", "after")])].concat(),
        expect![[r#"
        kept apples
        kept after
        kept pears
    "#]],
    )
}

#[test]
fn an_unknown_record_type_is_said_and_counted() -> TestResult {
    let (before, _) = before_and_after();
    let mut desk = Desk::new()?;
    desk.write("s1.jsonl", &[before, lines(&[record("hologram", "h1", "u1", json!({}))])].concat())?;
    let report = desk.ingest()?;
    let said: Vec<_> =
        report.problems.iter().map(|problem| (problem.line, problem.reason.contains("unknown type"))).collect();
    assert_eq!(said, [(Some(2), true)]);
    assert!(report.tally.keys().any(|(kind, _)| kind == "hologram"), "{:?}", report.tally);
    Ok(())
}

#[test]
fn a_record_without_a_type() -> TestResult {
    check_between(
        b"{\"uuid\":\"n1\",\"message\":{\"content\":\"typeless\"}}\n",
        expect![[r#"
        …/s1.jsonl:2: a record without a type (skipped)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn fields_of_the_wrong_type() -> TestResult {
    let odd = [
        record("user", "w1", "u1", json!({"message": 7})),
        record("user", "w2", "u1", json!({"message": {"role": "user", "content": {"a": 1}}})),
        record("user", "w3", "u1", json!({"message": {"content": "no role"}, "timestamp": 12, "cwd": ["x"]})),
        record("assistant", "w4", "u1", json!({"message": {"content": [1, "two", null, {"type": "text", "text": 3}]}})),
        record(
            "assistant",
            "w5",
            "u1",
            json!({"message": {"content": [{"type": "tool_use", "name": 1, "input": "x"}]}}),
        ),
        record("user", "w6", "u1", json!({"sessionId": {}, "message": {"content": "no session"}})),
        json!({"type": 5, "uuid": "w7"}),
    ];
    check_between(
        &lines(&odd),
        expect![[r#"
        …/s1.jsonl:8: a record without a type (skipped)
        kept apples
        kept no role
        kept two
        kept \"x\"
        kept no session
        kept pears
    "#]],
    )
}

#[test]
fn times_beyond_reason() -> TestResult {
    let times =
        ["-009999-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "+262142-12-31T23:59:59Z", "2026-02-30T00:00:00Z", ""];
    let odd: Vec<_> = times
        .iter()
        .enumerate()
        .map(|(n, time)| {
            let mut prompt = prompt(&format!("t{n}"), "u1", &format!("at {time}"));
            prompt["timestamp"] = json!(time);
            prompt
        })
        .collect();
    check_between(
        &lines(&odd),
        expect![[r#"
        kept apples
        kept at -009999-01-01T00:00:00Z
        kept at 9999-12-31T23:59:59.999Z
        kept at +262142-12-31T23:59:59Z
        kept at 2026-02-30T00:00:00Z
        kept at 
        kept pears
    "#]],
    )
}

const HUGE: usize = 50 << 20;

#[test]
fn a_huge_picture_is_kept_as_a_marker() -> TestResult {
    let (before, after) = before_and_after();
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "="}});
    let content = json!([{"type": "text", "text": "look at this"}, image]);
    let line = record("user", "i1", "u1", json!({"message": {"role": "user", "content": content}})).to_string();
    let line = line.replace("\"=\"", &format!("\"{}\"", "A".repeat(HUGE)));
    check_file(
        "s1.jsonl",
        &[&before[..], line.as_bytes(), b"\n", &after[..]].concat(),
        expect![[r#"
        …/s1.jsonl:2: an unusually long line (50 MB) (kept)
        kept apples
        kept look at this\n[image]
        kept pears
    "#]],
    )
}

#[test]
fn a_huge_line_that_is_no_record() -> TestResult {
    check_between(
        &[b"{\"type\":\"user\",\"x\":\"", &vec![b'A'; HUGE][..], b"\n"].concat(),
        expect![[r#"
        …/s1.jsonl:2: an unusually long line (50 MB) (kept)
        …/s1.jsonl:2: the record ends too early (column 52428820) (skipped)
        kept apples
        kept pears
    "#]],
    )?;
    check_between(
        &[&vec![b'A'; HUGE][..], b"\n"].concat(),
        expect![[r#"
        …/s1.jsonl:2: an unusually long line (50 MB) (kept)
        …/s1.jsonl:2: not JSON (column 1) (skipped)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn a_line_beyond_the_limit() -> TestResult {
    check_between(
        &[&vec![b'A'; 65 << 20][..], b"\n"].concat(),
        expect![[r#"
        …/s1.jsonl:2: a line longer than 64 MB (skipped)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn an_empty_file() -> TestResult {
    check_file(
        "s1.jsonl",
        b"",
        expect![[r#"
        …/s1.jsonl: an empty file (skipped)
    "#]],
    )
}

#[test]
fn a_file_of_line_breaks() -> TestResult {
    check_file(
        "s1.jsonl",
        b"\n\n\r\n\n",
        expect![[r#"
        …/s1.jsonl: neither a session nor a transcript that Backstory knows (--format says which it is) (skipped)
    "#]],
    )
}

/// After a power cut some file systems leave zeros at the end of a file.
#[test]
fn zeros_at_the_end() -> TestResult {
    let (before, after) = before_and_after();
    check_file(
        "s1.jsonl",
        &[&before[..], &after[..], &[0; 512]].concat(),
        expect![[r#"
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn zeros_in_the_middle() -> TestResult {
    check_between(
        &[0; 512],
        expect![[r#"
        …/s1.jsonl:2: raw control characters (kept)
        kept apples
        kept pears
    "#]],
    )?;
    check_between(
        &[&[0; 512][..], b"\n"].concat(),
        expect![[r#"
        …/s1.jsonl:2: only NUL bytes (skipped)
        kept apples
        kept pears
    "#]],
    )
}

#[test]
fn a_packed_file_without_content() -> TestResult {
    check_file(
        "s1.jsonl.gz",
        &gzip(b"anything")?[..8],
        expect![[r#"
            …/s1.jsonl.gz: cannot be read: unexpected end of file (skipped)
        "#]],
    )
}

#[test]
fn what_can_be_unpacked_of_a_small_file_is_kept() -> TestResult {
    let (before, after) = before_and_after();
    let packed = gzip(&[before, after].concat())?;
    for damaged in [&packed[..packed.len() - 4], &packed[..packed.len() - 8], &[&packed[..], b"rubbish"].concat()] {
        let mut desk = Desk::with("s1.jsonl.gz", damaged)?;
        assert_eq!(desk.texts()?, ["apples", "pears"]);
        assert_eq!(desk.log.store().problems()?.len(), 1);
    }
    Ok(())
}

#[test]
fn a_large_packed_file_that_is_cut_off() -> TestResult {
    // Incompressible text, so that the cut is far from the beginning.
    let words = |n: u64| {
        (0..400).map(|i| format!("{:x}", (n * 400 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect::<String>()
    };
    let records: Vec<_> = (0..40).map(|n| prompt(&format!("u{n}"), "", &words(n))).collect();
    let packed = gzip(&lines(&records))?;
    let mut desk = Desk::new()?;
    desk.write("s1.jsonl.gz", &packed[..packed.len() * 3 / 4])?;
    let report = desk.ingest()?;
    let kept = desk.texts()?.len();
    assert!((20..40).contains(&kept), "{kept}");
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert_eq!(report.problems[0].line, Some(kept as u64 + 1));
    desk.check_whole()
}

#[test]
fn a_file_that_is_something_else() -> TestResult {
    let mut desk = Desk::new()?;
    desk.write("picture.json", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    desk.write("settings.json", b"{\"theme\":\"dark\"}")?;
    let passed_by = desk.ingest()?;
    assert_eq!((passed_by.not_sessions, passed_by.problems.len()), (2, 0), "nobody asked for them");
    let named = desk.ingest_from(&[InputPlace::Given(desk.path("settings.json"))])?;
    assert_eq!(named.problems.len(), 1, "somebody asked for it");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission() -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    let mut desk = Desk::new()?;
    let (before, _) = before_and_after();
    desk.write("open/s1.jsonl", &before)?;
    desk.write("shut/s2.jsonl", &before)?;
    desk.write("unreadable.jsonl", &before)?;
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(desk.path("shut"), mode(0o000))?;
    fs::set_permissions(desk.path("unreadable.jsonl"), mode(0o000))?;
    if fs::read_dir(desk.path("shut")).is_ok() {
        eprintln!("SKIPPED a_folder_without_permission: this user (root?) may enter everything");
        return Ok(());
    }
    let report = desk.ingest()?;
    fs::set_permissions(desk.path("shut"), mode(0o700))?;
    expect![[r#"
        …/shut: cannot be entered: permission denied (skipped)
        …/unreadable.jsonl: cannot be read: permission denied (skipped)
    "#]]
    .assert_eq(&desk.described(&report));
    assert_eq!(desk.texts()?, ["apples"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle_or_nowhere() -> TestResult {
    use std::os::unix::fs::symlink;
    let mut desk = Desk::new()?;
    let (before, _) = before_and_after();
    desk.write("inner/s1.jsonl", &before)?;
    symlink(desk.sessions(), desk.path("inner/loop"))?;
    symlink(desk.path("gone.jsonl"), desk.path("nowhere.jsonl"))?;
    symlink(desk.path("itself.jsonl"), desk.path("itself.jsonl"))?;
    let report = desk.ingest()?;
    expect![[r#"
        …/inner/loop: a link that leads back to itself (skipped)
        …/itself.jsonl: cannot be entered: filesystem loop or indirection limit (e.g. symlink loop) (skipped)
        …/nowhere.jsonl: cannot be entered: entity not found (skipped)
    "#]]
    .assert_eq(&desk.described(&report));
    assert_eq!(desk.texts()?, ["apples"]);
    Ok(())
}

#[test]
fn a_file_that_is_gone_when_it_is_read() -> TestResult {
    let mut desk = Desk::new()?;
    let (before, after) = before_and_after();
    desk.write("s1.jsonl", &before)?;
    desk.write("s2.jsonl", &after)?;
    for _ in 0..2 {
        let found = find(&[InputPlace::Given(desk.sessions())], None);
        fs::rename(desk.path("s1.jsonl"), desk.sessions().with_extension("away"))?;
        let report = desk.ingest_found(found)?;
        assert_eq!(desk.described(&report), "…/s1.jsonl: cannot be read: no such file (skipped)\n");
        fs::rename(desk.sessions().with_extension("away"), desk.path("s1.jsonl"))?;
    }
    assert_eq!(desk.texts()?, ["pears"]);
    assert_eq!(desk.log.store().problems()?.len(), 1, "the same problem twice is one problem");
    desk.ingest()?;
    assert_eq!(desk.known_problems()?, "", "a file that could be read has no problem any more");
    Ok(())
}

#[test]
fn a_folder_named_like_a_file() -> TestResult {
    let mut desk = Desk::new()?;
    fs::create_dir_all(desk.path("s1.jsonl"))?;
    desk.write("s1.jsonl/inner.jsonl", &before_and_after().0)?;
    assert!(desk.ingest()?.problems.is_empty());
    assert_eq!(desk.texts()?, ["apples"]);
    Ok(())
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() -> TestResult {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let line = called("n1", "u1", "ls").to_string().replace("\"ls\"", &deep(100_000));
    check_between(
        format!("{line}\n").as_bytes(),
        expect![[r#"
        kept apples
        kept 
        kept pears
    "#]],
    )?;
    for format in Format::ALL {
        Fed::new(format!("{{\"messages\":{}}}", deep(100_000)).as_bytes(), &[format])?.check()?;
    }
    Ok(())
}

#[test]
fn a_result_without_its_call_and_twice() -> TestResult {
    check_between(
        &lines(&[returned("x1", "nobody", "stray"), returned("x2", "nobody", "stray")]),
        expect![[r#"
            …/s1.jsonl:2: its parent is not in the file, nor are those of 1 others: each follows the record before it (kept)
            kept apples
            kept stray
            kept pears
        "#]],
    )
}

/// A log that was given arbitrary bytes.
struct Fed {
    log: Log,
    views: ViewStore,
}

impl Fed {
    fn new(bytes: &[u8], formats: &[Format]) -> TestResult<Self> {
        let mut fed = Fed { log: Log::open_in_memory()?, views: ViewStore::open_in_memory()? };
        for format in formats {
            let mut report = IngestReport::default();
            let (name, folder) = ("agent-a1.jsonl", Path::new("/nowhere/s1/subagents"));
            for name in ["s1.jsonl", name] {
                let (projects, options) = (&mut Projects::default(), ReadOptions::default());
                let mut ingester = Ingester { log: &mut fed.log, projects, options, report: &mut report };
                ingester.stream(name, folder, Some(*format), &mut &bytes[..])?;
            }
            derive::refresh(&mut fed.log, &mut fed.views, derive::Vectors::Shipped, &mut |_| {})?;
        }
        Ok(fed)
    }

    /// The log verifies, every citation holds, and an imported copy is equal.
    fn check(&mut self) -> TestResult {
        assert_eq!(self.log.verify()?.fault, None);
        let mut cited = Vec::new();
        self.views.read().scan_chunks(|_, body| {
            cited.extend(body.parts.iter().map(|part| part.evidence()));
            true
        })?;
        for evidence in cited {
            self.log.resolve(&evidence)?;
        }
        let export = exported(&mut self.log)?;
        let mut copy = Log::open_in_memory()?;
        let imported = copy.import("export", &mut export.join("\n").as_bytes())?;
        assert_eq!(imported.problems, []);
        assert_same(&exported(&mut copy)?, &export, "the copy of a log differs from it");
        Ok(())
    }
}

/// Without episodes whose events all belong to others: an import does not restore them; see
/// `a_session_that_only_repeats_another`.
fn exported(log: &mut Log) -> TestResult<Vec<String>> {
    let mut bytes = Vec::new();
    log.export(&mut bytes)?;
    let lines: Vec<String> = String::from_utf8(bytes)?.lines().map(str::to_owned).collect();
    let mut used = BTreeSet::new();
    log.store().scan(0, |event| {
        used.insert(event.episode);
        true
    })?;
    let empty = |episode: &Episode| !used.contains(&episode.id());
    let is_empty_episode = |line: &String| {
        line.starts_with("{\"type\":\"episode\"") && serde_json::from_str(line).is_ok_and(|episode| empty(&episode))
    };
    Ok(lines.into_iter().filter(|line| !is_empty_episode(line)).collect())
}

#[derive(Clone, Debug)]
enum Damage {
    Flip { at: prop::sample::Index, with: u8 },
    Cut { at: prop::sample::Index },
    Remove { at: prop::sample::Index, length: usize },
    Repeat { at: prop::sample::Index, length: usize },
    Insert { at: prop::sample::Index, bytes: Vec<u8> },
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let size = bytes.len();
        let range = |at: &prop::sample::Index, length: usize| {
            let start = at.index(size);
            start..(start + length).min(size)
        };
        match self {
            Damage::Flip { at, with } => bytes[at.index(size)] ^= with,
            Damage::Cut { at } => bytes.truncate(at.index(size)),
            Damage::Remove { at, length } => drop(bytes.drain(range(at, *length))),
            Damage::Repeat { at, length } => {
                let range = range(at, *length);
                let piece = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, piece);
            }
            Damage::Insert { at, bytes: new } => drop(bytes.splice(range(at, 0), new.iter().copied())),
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..8),
        prop::sample::select(vec![
            "\n", "\0", "\"", "{", "}", "\\", "\u{feff}", "null", "<", "\u{1f980}", "\\ud800", "-1e999"
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        4 => (at(), 1u8..).prop_map(|(at, with)| Damage::Flip { at, with }),
        1 => at().prop_map(|at| Damage::Cut { at }),
        2 => (at(), 1usize..200).prop_map(|(at, length)| Damage::Remove { at, length }),
        2 => (at(), 1usize..2000).prop_map(|(at, length)| Damage::Repeat { at, length }),
        3 => (at(), piece).prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
    ]
}

/// A file of the sample and its damage, in a form that is readable in a failure.
fn damaged_demo_file() -> impl Strategy<Value = (prop::sample::Index, Vec<Damage>)> {
    (any::<prop::sample::Index>(), prop::collection::vec(damage(), 1..24))
}

#[cfg(not(feature = "causantic"))]
#[test]
fn a_build_without_the_import_says_so() -> TestResult {
    let mut desk = Desk::new()?;
    desk.write("memory.db", b"SQLite format 3\0 and more")?;
    let report = desk.ingest()?;
    let reason = "a memory of Causantic: this build cannot import it (it lacks the feature `causantic`)";
    assert_eq!(report.problems.iter().map(|problem| problem.reason.as_str()).collect::<Vec<_>>(), [reason]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_never_break_the_log((file, damages) in damaged_demo_file()) {
        let files = demo_files().unwrap_or_default();
        let (name, mut bytes) = files[file.index(files.len())].clone();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        let checked = Fed::new(&bytes, &Format::ALL).and_then(|mut fed| fed.check());
        prop_assert!(checked.is_ok(), "{name}: {checked:?}");
    }

    #[test]
    fn random_bytes_never_break_the_log(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let checked = Fed::new(&bytes, &Format::ALL).and_then(|mut fed| fed.check());
        prop_assert!(checked.is_ok(), "{checked:?}");
    }

    #[test]
    fn random_text_never_breaks_the_log(text in "([A-Za-z]{1,6}: |\\[[0-9:]{4,8}\\] |[{}\\[\\]\",:\\\\]|\\PC|\n|\"(role|text|content|time)\":){0,80}") {
        let checked = Fed::new(text.as_bytes(), &Format::ALL).and_then(|mut fed| fed.check());
        prop_assert!(checked.is_ok(), "{checked:?}");
    }
}
