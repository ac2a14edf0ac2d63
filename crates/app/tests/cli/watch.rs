//! Live sessions are read as they grow. Nothing here sleeps for a fixed time: the tests poll for results.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

struct Watcher {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Watcher {
    fn start(env: &TestEnv) -> TestResult<Self> {
        let mut command = env.command(&["watch", "--json", "--interval", "0.05"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Watcher { child, lines })
    }

    /// The next reading with something new.
    fn next(&mut self) -> TestResult<Value> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line)? == 0 {
                return Err("it ended".into());
            }
            let value: Value = serde_json::from_str(&line)?;
            if value["events_new"].as_u64().unwrap_or(0) > 0 {
                return Ok(value);
            }
        }
    }

    /// Ctrl-C. Returns the output on standard error, and the exit code.
    fn stop(mut self) -> TestResult<(String, Option<i32>)> {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status()?;
        let mut told = String::new();
        std::io::Read::read_to_string(self.child.stderr.as_mut().ok_or("no errors")?, &mut told)?;
        Ok((told, self.child.wait()?.code()))
    }
}

fn prompt(session: &str, number: u32, text: &str) -> String {
    let record = json!({
        "type": "user", "uuid": format!("{session}-{number}"), "sessionId": session, "cwd": "/nowhere/shop",
        "timestamp": "2026-02-28T10:00:00.000Z", "message": {"role": "user", "content": text},
    });
    format!("{record}\n")
}

fn append(env: &TestEnv, name: &str, text: &str) -> TestResult {
    let path = env.path(name);
    fs::create_dir_all(path.parent().ok_or("a folder")?)?;
    Ok(OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes())?)
}

const LIVE: &str = "claude/projects/-nowhere-shop/live.jsonl";

#[cfg(unix)]
#[test]
fn a_session_is_found_while_it_grows() -> TestResult {
    let env = TestEnv::new()?;
    append(&env, LIVE, &prompt("live", 1, "paint the porch lantern green"))?;
    let mut watcher = Watcher::start(&env)?;
    assert_eq!(watcher.next()?["events_new"], 1);
    let finds = |words: &str| env.run(&["search", words, "--all-projects", "--json"]).json();
    let first = finds("porch lantern")?;
    assert_eq!(first["cases"].as_array().map(Vec::len), Some(1), "{first}");

    // Half a line is read later.
    let line = prompt("live", 2, "and the zeppelin hangar blue");
    let (half, rest) = line.split_at(line.len() / 2);
    append(&env, LIVE, half)?;
    append(&env, "claude/projects/-new-project/other.jsonl", &prompt("other", 1, "a project that was not there"))?;
    assert_eq!(watcher.next()?["sessions"][0]["session"], "other");
    assert!(!finds("zeppelin hangar")?.to_string().contains("zeppelin hangar blue"));
    append(&env, LIVE, rest)?;
    assert_eq!(watcher.next()?["sessions"][0]["session"], "live");
    assert!(finds("zeppelin hangar")?.to_string().contains("zeppelin hangar blue"));

    // Another process reads the same files, files disappear, the folder disappears.
    append(&env, LIVE, &prompt("live", 3, "a third wish"))?;
    env.run(&["ingest", "--quiet"]).ok()?;
    fs::remove_dir_all(env.path("claude/projects"))?;
    append(&env, LIVE, &prompt("again", 1, "after the flood"))?;
    while !watcher.next()?["sessions"].to_string().contains("again") {}

    assert_eq!(watcher.stop()?, (String::new(), Some(0)));
    env.run(&["log", "verify"]).ok()?;
    let events = env.event_ids("memory")?;
    assert_eq!(events.len(), 5, "each once");
    Ok(())
}

/// It reports it once, continues, and reads what was added meanwhile.
#[cfg(unix)]
#[test]
fn a_memory_that_cannot_be_opened_is_waited_for() -> TestResult {
    let env = TestEnv::new()?;
    append(&env, LIVE, &prompt("live", 1, "paint the porch lantern green"))?;
    env.write("memory", "in the way")?;
    let mut watcher = Watcher::start(&env)?;
    let mut errors = BufReader::new(watcher.child.stderr.take().ok_or("no errors")?);
    let mut told = String::new();
    errors.read_line(&mut told)?;
    assert!(told.starts_with("backstory: ") && told.ends_with("; trying again\n"), "{told}");
    fs::remove_file(env.path("memory"))?;
    assert_eq!(watcher.next()?["events_new"], 1);
    watcher.child.kill()?;
    let mut more = String::new();
    errors.read_line(&mut more)?;
    assert_eq!(more, "backstory: the memory can be written again\n", "the fault was told once");
    watcher.child.wait()?;
    Ok(())
}

#[test]
fn once_is_enough() -> TestResult {
    let env = TestEnv::with_demo()?;
    let told = env.run(&["watch", "--once"]).ok()?;
    assert!(told.starts_with("Following ") && told.contains("lantern-shop"), "{told}");
    assert_eq!(env.run(&["watch", "--once", "--quiet"]).ok()?, "");
    assert_eq!(env.run(&["watch", "--once", "nowhere"]).code, Some(1));
    Ok(())
}
