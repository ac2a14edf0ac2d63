//! Many processes at once, without disturbing each other.

use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::env::{TestEnv, TestResult, write_copies};

const COPIES: usize = 4;

fn start(env: &TestEnv, args: &[&str]) -> TestResult<Child> {
    Ok(env.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
}

fn finish(child: Child, what: &str) -> TestResult {
    let ended = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!((ended.status.code(), stderr.as_str()), (Some(0), ""), "{what}");
    Ok(())
}

/// Asks questions until the writers are done.
fn keep_asking(env: &TestEnv, questions: &[&[&str]], done: &AtomicBool) -> Result<u32, String> {
    let mut asked = 0;
    loop {
        for question in questions {
            let screen = env.run(question);
            // Nothing can be found before the first session is read.
            let is_fine = matches!(screen.code, Some(0 | 1)) && screen.stderr.is_empty();
            is_fine.then_some(()).ok_or_else(|| format!("{question:?}: {}", screen.text()))?;
            asked += 1;
        }
        if done.load(Ordering::Relaxed) {
            return Ok(asked);
        }
    }
}

#[test]
fn eight_writers_and_three_readers() -> TestResult {
    let env = TestEnv::new()?;
    env.run(&["rebuild"]).ok()?;
    write_copies(&env.path("work/sessions"), COPIES)?;
    env.run_in("alone", &["ingest", "--quiet", "sessions"]).ok()?;

    let done = AtomicBool::new(false);
    let asked = thread::scope(|scope| -> TestResult<u32> {
        let questions: [&[&[&str]]; 3] = [
            &[&["sessions", "--all-projects"], &["projects"]],
            &[&["status"], &["log", "verify"]],
            &[&["reconstruct", "--all-projects"], &["log", "show"]],
        ];
        let readers: Vec<_> = questions.iter().map(|asked| scope.spawn(|| keep_asking(&env, asked, &done))).collect();
        let written = write_at_once(&env);
        done.store(true, Ordering::Relaxed);
        let mut asked = 0;
        for reader in readers {
            asked += reader.join().map_err(|_| "a reader panicked")??;
        }
        written?;
        Ok(asked)
    })?;
    eprintln!("{asked} questions were answered meanwhile");

    env.run(&["ingest", "--quiet", "sessions"]).ok()?;
    env.run(&["log", "verify"]).ok()?;
    assert_eq!(env.event_ids("memory")?, env.event_ids("alone")?);
    let views = env.view_rows("memory")?;
    env.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(env.view_rows("memory")?, views);
    Ok(())
}

/// Four processes read everything, four read a part each, all of them twice.
fn write_at_once(env: &TestEnv) -> TestResult {
    let mut writers = Vec::new();
    for round in 0..2 {
        for copy in 0..COPIES {
            let part = format!("sessions/copy-{copy}");
            writers.push((start(env, &["ingest", "--quiet", "sessions"])?, format!("all, {round}")));
            writers.push((start(env, &["ingest", "--quiet", &part])?, format!("{part}, {round}")));
        }
        for (writer, what) in writers.drain(..) {
            finish(writer, &what)?;
        }
    }
    Ok(())
}

/// Every file contains a new session, so that readers meet new ones all the time.
#[test]
fn readers_meet_new_sessions_all_the_time() -> TestResult {
    let env = TestEnv::new()?;
    for n in 0..1_500 {
        let record = format!(
            r#"{{"type":"user","uuid":"u{n}","sessionId":"s{n}","cwd":"/nowhere","message":{{"role":"user","content":"{n}"}}}}"#
        );
        env.write(&format!("work/sessions/s{n}.jsonl"), format!("{record}\n"))?;
    }
    env.run(&["rebuild"]).ok()?;
    let done = AtomicBool::new(false);
    thread::scope(|scope| -> TestResult {
        let questions: [&[&[&str]]; 3] = [&[&["log", "verify"]], &[&["log", "export"]], &[&["log", "show"]]];
        let readers: Vec<_> = questions.iter().map(|asked| scope.spawn(|| keep_asking(&env, asked, &done))).collect();
        let written = start(&env, &["ingest", "--quiet", "sessions"]).and_then(|child| finish(child, "ingest"));
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().map_err(|_| "a reader panicked")??;
        }
        written
    })
}

/// Recreating the views deletes files that others have open.
#[test]
fn rebuilding_while_others_read_and_write() -> TestResult {
    let env = TestEnv::new()?;
    write_copies(&env.path("work/sessions"), 2)?;
    env.run(&["ingest", "--quiet", "sessions/copy-0"]).ok()?;
    for round in 0..40 {
        let commands: [&[&str]; 6] = [
            &["rebuild", "--quiet"],
            &["sessions", "--all-projects"],
            &["ingest", "--quiet", "sessions"],
            &["rebuild", "--quiet", "graph"],
            &["reconstruct", "--all-projects"],
            &["log", "verify"],
        ];
        let running = commands.map(|args| start(&env, args));
        for (child, args) in running.into_iter().zip(commands) {
            finish(child?, &format!("{args:?} in round {round}"))?;
        }
    }
    env.run(&["ingest", "--quiet", "sessions"]).ok()?;
    let views = env.view_rows("memory")?;
    env.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(env.view_rows("memory")?, views);
    Ok(())
}

/// The first questions about a tree may run at once; each is answered.
#[test]
fn first_looks_at_code() -> TestResult {
    let env = TestEnv::new()?;
    for at in 0..40 {
        let next = (at + 1) % 40;
        let text = format!("from part{next} import f{next}\ndef f{at}(x):\n    return f{next}(x)\n");
        env.write(&format!("work/part{at}.py"), text)?;
    }
    let running: Vec<Child> =
        (0..6).map(|_| start(&env, &["callers", "f7", "--json"])).collect::<TestResult<Vec<Child>>>()?;
    for child in running {
        let ended = child.wait_with_output()?;
        let told = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success() && told.contains("f6"), "{told} {}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(())
}
