//! A killed process loses no acknowledged data.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::env::{TestEnv, TestResult, copy_folder, write_copies};

const KILLS: u32 = 300;
/// Stops early on a slow machine.
const TIME_LIMIT: Duration = Duration::from_secs(50);

/// A small deterministic generator (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// Starts a command and kills it after the delay; true if it had already finished.
fn kill_after(env: &TestEnv, memory: &str, args: &[&str], delay: Duration) -> TestResult<bool> {
    kill_fed_after(env.command_in(memory, args), "", delay)
}

/// The same with standard input.
fn kill_fed_after(mut command: Command, input: &str, delay: Duration) -> TestResult<bool> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes())).transpose()?;
    sleep(delay);
    child.kill()?;
    let ended = child.wait_with_output()?;
    // The command after a killed forget reports that it is finished.
    let told =
        String::from_utf8_lossy(&ended.stderr).replace("backstory: a forget that was cut off is finished now\n", "");
    assert_eq!(told, "");
    Ok(ended.status.success())
}

#[test]
fn killed_at_any_moment() -> TestResult {
    let env = TestEnv::new()?;
    write_copies(&env.path("work/sessions"), 4)?;
    let ingest = ["ingest", "--quiet", "sessions"];
    let started = Instant::now();
    env.run_in("undisturbed", &ingest).ok()?;
    let whole_run = started.elapsed().as_micros() as u64;
    let (expected, views) = (env.export("undisturbed")?, env.view_rows("undisturbed")?);

    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let (mut kills, mut homes) = (0, 0);
    while kills < KILLS && started.elapsed() < TIME_LIMIT {
        let memory = format!("memory-{homes}");
        homes += 1;
        let mut kept = BTreeSet::new();
        // A memory is killed several times, then read undisturbed.
        for _ in 0..=dice.below(6) {
            // Each attempt leaves less work, and so takes less time.
            let delay = Duration::from_micros(dice.below(whole_run));
            let args = if dice.below(5) == 0 { &["rebuild", "--quiet"][..] } else { &ingest };
            let done = kill_after(&env, &memory, args, delay)?;
            kills += u32::from(!done);
            if !env.path(&format!("{memory}/log.sqlite")).exists() {
                continue;
            }
            env.run_in(&memory, &["log", "verify"]).ok()?;
            let ids = env.event_ids(&memory)?;
            assert!(kept.is_subset(&ids), "{memory} has lost events");
            kept = ids;
        }
        env.run_in(&memory, &ingest).ok()?;
        assert!(env.export(&memory)? == expected, "{memory} ends with another log");
        assert_eq!(env.view_rows(&memory)?, views, "{memory} ends with other views");
        std::fs::remove_dir_all(env.path(&memory))?;
    }
    eprintln!("killed {kills} times in {homes} memories");
    assert!(kills > 0, "nothing was killed");
    Ok(())
}

/// The number of times a session grows, and of lines each time.
const ROUNDS: usize = 16;
const LINES: usize = 6;

/// A host kills the hook that reads its session at any point: while it appends, derives, or checkpoints the write-ahead
/// logs, which are long enough for that here.
#[test]
fn killed_at_the_end_of_sessions() -> TestResult {
    let env = TestEnv::new()?;
    std::fs::create_dir_all(env.path("work"))?;
    let transcript = env.path("claude/projects/x/s1.jsonl");
    let input = json!({"session_id": "s1", "cwd": env.path("work"), "transcript_path": transcript}).to_string();
    let mut dice = Dice(0x853c_49e6_748f_ea9b);
    let (mut lines, mut kept, mut kills) = (String::new(), BTreeSet::new(), 0);
    let mut whole_run = Duration::ZERO;
    for round in 0..ROUNDS {
        for line in 0..LINES {
            let words: String = (0..6_000).map(|_| format!("w{} ", dice.below(1 << 30))).collect();
            let record = json!({
                "type": "user", "uuid": format!("r{round}-{line}"), "sessionId": "s1", "cwd": env.path("work"),
                "timestamp": format!("2026-02-28T{round:02}:0{line}:00Z"), "message": {"role": "user", "content": words},
            });
            lines.push_str(&format!("{record}\n"));
        }
        env.write("claude/projects/x/s1.jsonl", &lines)?;
        if round == 0 {
            let started = Instant::now();
            env.run_with_input("memory", &["hook", "session-end"], &input)?.ok()?;
            whole_run = started.elapsed();
        } else {
            let hook = env.command_in("memory", &["hook", "session-end"]);
            let delay = Duration::from_micros(dice.below(whole_run.as_micros() as u64));
            kills += u32::from(!kill_fed_after(hook, &input, delay)?);
        }
        env.run(&["log", "verify"]).ok()?;
        let ids = env.event_ids("memory")?;
        assert!(kept.is_subset(&ids), "events are lost in round {round}");
        kept = ids;
    }
    // Not by a hook, which would stop at its time limit.
    env.run(&["ingest", "--quiet", &transcript.to_string_lossy()]).ok()?;
    assert_eq!(env.event_ids("memory")?.len(), ROUNDS * LINES, "after {kills} kills");
    let views = env.view_rows("memory")?;
    env.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(env.view_rows("memory")?, views, "other views after {kills} kills");
    assert!(kills > 0, "nothing was killed");
    Ok(())
}

/// Wherever reading code is interrupted, the next run ends as if nothing had happened.
#[test]
fn killed_while_reading_code() -> TestResult {
    let env = TestEnv::new()?;
    for at in 0..120 {
        let text = format!("from part{} import f\ndef f{at}(x):\n    return f(x)\n", (at + 1) % 120);
        env.write(&format!("work/part{at}.py"), text)?;
        env.write(&format!("work/broken{at}.py"), "def (\n")?;
    }
    let index = ["index-code", "--json"];
    let told = |memory: &str| -> TestResult<String> {
        let report = env.run_in(memory, &index).json()?;
        Ok(["files", "entities", "edges", "problems"].map(|field| report[field].to_string()).join(" "))
    };
    let started = Instant::now();
    let expected = told("undisturbed")?;
    assert!(expected.contains("broken7.py"), "{expected}");
    let whole_run = started.elapsed().as_micros() as u64;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..12 {
        let memory = format!("memory-{round}");
        for _ in 0..3 {
            kill_after(&env, &memory, &index, Duration::from_micros(dice.below(whole_run)))?;
        }
        assert_eq!(told(&memory)?, expected, "{memory}");
    }
    Ok(())
}

/// Old views are kept until the new ones are complete.
#[test]
fn a_killed_rebuild_leaves_the_views() -> TestResult {
    let env = TestEnv::new()?;
    write_copies(&env.path("work/sessions"), 2)?;
    env.run(&["ingest", "--quiet", "sessions"]).ok()?;
    let views = env.view_rows("memory")?;
    let started = Instant::now();
    env.run(&["rebuild", "--quiet"]).ok()?;
    let whole_run = started.elapsed().as_micros() as u64;
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut kills = 0;
    for round in 0..12 {
        let args = if round % 3 == 2 { &["rebuild", "graph", "--quiet"][..] } else { &["rebuild", "--quiet"] };
        let done = kill_after(&env, "memory", args, Duration::from_micros(dice.below(whole_run)))?;
        kills += u32::from(!done);
        assert_eq!(env.view_rows("memory")?, views, "round {round}");
    }
    assert!(kills > 0, "nothing was killed");
    Ok(())
}

const WORD: &str = "xylophone-quartz";

fn says(folder: &std::path::Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => says(&path),
        false => {
            std::fs::read(&path).is_ok_and(|bytes| bytes.windows(WORD.len()).any(|window| window == WORD.as_bytes()))
        }
    })
}

/// Wherever a forget is interrupted, `doctor` detects it, and the next command finishes it.
#[test]
fn a_killed_forget_is_finished() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let rule = format!("Never print the {WORD} receipt.");
    env.run(&["remember", &rule, "--everywhere"]).ok()?;
    env.run(&["search", &format!("{WORD} receipt"), "--all-projects"]).ok()?;
    env.run(&["pack", &format!("print the {WORD} receipt"), "--all-projects"]).ok()?;
    env.run(&["maintain", "--quiet"]).ok()?;
    assert!(says(&env.path("memory")), "the test would prove nothing otherwise");
    let forget = ["log", "forget", "--query", WORD, "--all-projects", "--yes"];
    copy_folder(&env.path("memory"), &env.path("whole"))?;
    let started = Instant::now();
    env.run_in("whole", &forget).ok()?;
    let whole_run = started.elapsed().as_micros() as u64;
    assert!(!says(&env.path("whole")));
    let views = env.view_rows("whole")?;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut unfinished = 0;
    for round in 0..16 {
        let memory = format!("memory-{round}");
        copy_folder(&env.path("memory"), &env.path(&memory))?;
        for _ in 0..=dice.below(2) {
            kill_after(&env, &memory, &forget, Duration::from_micros(dice.below(whole_run)))?;
        }
        if env.path(&memory).join("forgetting.json").exists() {
            unfinished += 1;
            let sick = env.run_in(&memory, &["doctor"]).text();
            assert!(sick.contains("✗ forget: ") && sick.contains("`backstory maintain` finishes it"), "{sick}");
            let next = if round % 2 == 0 { &["maintain", "--quiet"][..] } else { &["status"] };
            let told = env.run_in(&memory, next);
            assert_eq!(told.code, Some(0), "{}", told.text());
            assert!(told.text().contains("a forget that was cut off is finished now"), "{}", told.text());
            assert!(!says(&env.path(&memory)), "round {round}");
        }
        let again = env.run_in(&memory, &forget);
        assert_eq!(again.code, Some(0), "{}", again.text());
        assert!(!says(&env.path(&memory)), "round {round}");
        assert!(!env.export(&memory)?.contains(WORD), "round {round}");
        env.run_in(&memory, &["log", "verify"]).ok()?;
        assert_eq!(env.view_rows(&memory)?.len(), views.len(), "round {round}");
    }
    assert!(unfinished > 0, "no forget was cut off in the middle");
    Ok(())
}
