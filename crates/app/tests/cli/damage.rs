//! A damaged log: the rest is used, and the losses are named.

use std::fs;

use serde_json::Value;

use crate::env::{Screen, TestEnv, TestResult};
use crate::log::{settle, tamper};

const FLIP: &str = "UPDATE events SET payload = CAST(substr(payload, 1, length(payload) - 1) || \
     CASE substr(payload, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB) WHERE pos = 7";

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in:\n{text}");
    }
}

fn assert_ok(env: &TestEnv, args: &[&str]) -> Screen {
    let screen = env.run(args);
    assert_eq!(screen.code, Some(0), "{args:?}: {}", screen.text());
    screen
}

#[test]
fn one_flipped_bit_costs_one_row() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let ids = env.event_ids("memory")?;
    tamper(&env, FLIP)?;
    assert_ok(&env, &["rebuild", "--quiet"]);
    assert_has(&assert_ok(&env, &["search", "checkout NaN", "--all-projects"]).stdout, &["NaN"]);
    for args in [
        &["ingest", "--quiet"][..],
        &["maintain", "--quiet"],
        &["sessions", "--all-projects"],
        &["log", "show"],
        &["log", "forget", "--all-projects", "--query", "payhaven"],
    ] {
        assert_ok(&env, args);
    }
    let status = assert_ok(&env, &["status"]).stdout;
    assert_has(
        &status,
        &["1 row of the log cannot be read", "row 7 (session ", "its payload", "log export", "7 (12 runs)"],
    );
    let status: Value = serde_json::from_str(&assert_ok(&env, &["status", "--json"]).stdout)?;
    assert_eq!(status["unreadable"][0]["row"], 7, "{status}");
    let verified = env.run(&["log", "verify"]);
    assert_eq!(verified.code, Some(4));
    assert_has(&verified.stderr, &["row 7", "(session ", "1 unreadable row", "everything else is used as before"]);
    let sick = env.run(&["doctor"]).text();
    assert_has(&sick, &["✗ log: 1 row cannot be read: row 7 (session ", "✓ views: up to date", "✓ index: whole"]);

    // The export can be imported, and the session can be read again.
    let file = env.path("saved.jsonl");
    let told = assert_ok(&env, &["log", "export", &file.to_string_lossy()]);
    assert_has(&told.stdout, &["Wrote 299 events"]);
    assert_has(&told.stderr, &["1 row could not be read"]);
    let lost = fs::read_to_string(&file)?.lines().filter(|line| line.contains("\"type\":\"unreadable\"")).count();
    assert_eq!(lost, 1);
    let imported = env.run_in("second", &["log", "import", &file.to_string_lossy(), "--json"]).json()?;
    assert_eq!((&imported["events_new"], imported["problems"].as_array().map(Vec::len)), (&299.into(), Some(1)));
    env.run_in("second", &["ingest", "--quiet"]).ok()?;
    assert_eq!(env.event_ids("second")?, ids, "the session was still there");
    env.run_in("second", &["log", "verify"]).ok()?;

    let gone = assert_ok(&env, &["log", "forget", "--all-projects", "--query", "payhaven", "--yes"]);
    assert_has(&gone.stdout, &["Forgot 18 events"]);
    Ok(())
}

#[test]
fn a_log_of_a_newer_version_is_left_alone() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    settle(&env)?;
    tamper(&env, "PRAGMA user_version = 99")?;
    settle(&env)?;
    let before = fs::read(env.path("memory/log.sqlite"))?;
    for args in [&["search", "checkout"][..], &["ingest"], &["rebuild"], &["log", "export"], &["log", "verify"]] {
        let screen = env.run(args);
        assert_eq!(screen.code, Some(5), "{args:?}: {}", screen.text());
        assert_has(&screen.stderr, &["log.sqlite: written by a newer version", "Use the newer version"]);
    }
    assert!(fs::read(env.path("memory/log.sqlite"))? == before);
    Ok(())
}

/// Like an interrupted copy.
#[test]
fn of_a_torn_log_what_is_left_is_read() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    settle(&env)?;
    let file = env.path("memory/log.sqlite");
    let length = fs::metadata(&file)?.len();
    fs::OpenOptions::new().write(true).open(&file)?.set_len(length * 7 / 10)?;
    let torn = fs::read(&file)?;
    let found = assert_ok(&env, &["search", "checkout NaN", "--all-projects"]);
    assert_has(&found.stdout, &["NaN"]);
    assert_has(&found.stderr, &["is missing: what is left is only read", "backstory doctor"]);
    let exported = assert_ok(&env, &["log", "export"]);
    let events = exported.stdout.lines().filter(|line| line.contains("\"type\":\"event\"")).count();
    assert!(events > 100, "{events} events were saved");
    let verified = env.run(&["log", "verify"]);
    assert_eq!(verified.code, Some(4), "{}", verified.text());
    assert_has(&env.run(&["doctor"]).text(), &["✗ log: ", "Put a backup of `log.sqlite` back"]);
    let refused = env.run(&["remember", "Tabs, never spaces.", "--everywhere"]);
    assert!(refused.code != Some(0), "{}", refused.text());
    assert_has(&refused.stderr, &["its end is missing", "log export FILE"]);
    assert!(fs::read(&file)? == torn, "the file was changed");
    Ok(())
}
