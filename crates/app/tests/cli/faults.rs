//! In case of a fault: are questions still answered, and what repairs it?

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::env::{Screen, TestEnv, TestResult};
use crate::mcp::client::Client;
use crate::mcp::raw::Raw;

/// The report of `doctor` about one thing, with the repair; empty if there is no fault.
fn doctor(env: &TestEnv, name: &str) -> TestResult<String> {
    let told: Value = serde_json::from_str(&env.run(&["doctor", "--json"]).stdout)?;
    let items = told["items"].as_array().cloned().unwrap_or_default();
    let ill = items.iter().filter(|item| item["name"] == name && item["state"] != "ok");
    Ok(ill.map(|item| format!("{}: {} -> {}\n", item["state"], item["told"], item["fix"])).collect())
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in:\n{text}");
    }
}

#[test]
fn a_mistake_in_the_configuration_keeps_nobody_from_looking() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("memory/config.toml", "[search]\nbugdet = 100\n\n[mcp]\nbudget = 700\n")?;
    let refused = env.run(&["search", "refunds"]);
    assert_eq!(refused.code, Some(2), "{}", refused.text());
    assert_has(&refused.stderr, &["config.toml:2: unknown key `bugdet`", "did you mean `budget`"]);

    let status = env.run(&["status"]).ok()?;
    assert_has(&status, &["Configuration has mistakes", "config.toml:2: unknown key `bugdet`", "7 (12 runs)"]);
    let json = env.run(&["status", "--json"]).json()?;
    assert_eq!(json["result"]["mistakes"].as_array().or(json["mistakes"].as_array()).map(Vec::len), Some(1), "{json}");
    assert_has(&doctor(&env, "config")?, &["fault", "bugdet", "did you mean `budget`", "config example"]);

    // Valid parts of the file count, and each answer names the others.
    let mut raw = Raw::begun(&env)?;
    raw.call(1, "search", &json!({"query": "checkout", "all_projects": true}))?;
    let answer = raw.answer_to(1)?;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let notices = answer["result"]["content"][0]["text"].to_string();
    assert_has(&notices, &["left out of the configuration", "config.toml:2: unknown key `bugdet`"]);
    assert!(!notices.contains("only words"), "{notices}");
    assert_has(&Client::of(&env)?.about()["instructions"].to_string(), &["700 by default"]);
    assert_eq!(raw.end()?, Some(0));

    // The chosen model is unknown, and none is guessed.
    env.write("memory/config.toml", "[embedding]\nmodle = \"folder\"\n")?;
    let mut raw = Raw::begun(&env)?;
    raw.call(1, "search", &json!({"query": "checkout", "all_projects": true}))?;
    assert_has(&raw.answer_to(1)?.to_string(), &["only words are searched", "modle"]);
    assert_eq!(raw.end()?, Some(0));
    env.write("memory/config.toml", b"[search]\n# budget\nbudget = \"\xff\"\n")?;
    assert_has(&env.run(&["search", "x"]).stderr, &["config.toml:3: this is not UTF-8", "`backstory config example`"]);
    for wrong in ["[search\n", "= 3\n", "\u{0}\n"] {
        env.write("memory/config.toml", wrong)?;
        assert_has(&env.run(&["status"]).ok()?, &["Configuration has mistakes", "7 (12 runs)"]);
        assert_has(&doctor(&env, "config")?, &["fault", "config.toml:1"]);
    }
    Ok(())
}

/// As a user without write permission: root may write everywhere.
#[cfg(unix)]
fn as_reader(mut command: Command, home: &Path) -> TestResult<Command> {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    fn forbid(path: &Path, owner: Option<u32>) -> TestResult {
        if path.is_dir() {
            for entry in fs::read_dir(path)? {
                forbid(&entry?.path(), owner)?;
            }
        }
        if owner.is_some() {
            chown(path, owner, owner)?;
        }
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(if path.is_dir() { 0o555 } else { 0o444 }))?)
    }
    forbid(home, None)?;
    if fs::write(home.join("probe"), "").is_ok() {
        fs::remove_file(home.join("probe"))?;
        let root = home.parent().ok_or("no folder")?;
        fs::set_permissions(root, fs::Permissions::from_mode(0o755))?;
        forbid(home, Some(NOBODY))?;
        command.uid(NOBODY).gid(NOBODY);
    }
    Ok(command)
}

/// Root becomes another user for this, who must have access to the program.
#[cfg(unix)]
fn can_be_tried(env: &TestEnv) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if fs::metadata(env.path("work")).is_ok_and(|made| made.uid() != 0) {
        return true;
    }
    let is_open = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0);
    let can = Path::new(env!("CARGO_BIN_EXE_backstory")).ancestors().all(is_open);
    if !can {
        anstream::eprintln!("skipped: the program lies in a folder of one person's own");
    }
    can
}

#[cfg(unix)]
fn allow(home: &Path) -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(home)? {
        let path = entry?.path();
        fs::set_permissions(&path, fs::Permissions::from_mode(if path.is_dir() { 0o755 } else { 0o644 }))?;
        if path.is_dir() {
            allow(&path)?;
        }
    }
    Ok(fs::set_permissions(home, fs::Permissions::from_mode(0o755))?)
}

#[cfg(unix)]
fn read_only(env: &TestEnv, args: &[&str], input: &str) -> TestResult<Screen> {
    let command = as_reader(env.command(args), &env.path("memory"))?;
    env.feed(command, input)
}

#[cfg(unix)]
const QUESTION: &str = "why does cartTotal give NaN";
#[cfg(unix)]
const CART: &str =
    "export function cartTotal(prices: number[]): number {\n  return prices.reduce((sum, price) => sum + price);\n}\n";

#[cfg(unix)]
#[test]
fn a_home_that_may_only_be_read_is_asked() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    env.write("work/src/cart.ts", CART)?;
    env.run(&["index-code"]).ok()?;
    for settled in [false, true] {
        if settled {
            allow(&env.path("memory"))?;
            settle(&env)?;
            fs::remove_file(env.path("memory/derive.lock"))?;
        }
        let found = read_only(&env, &["search", "checkout NaN", "--all-projects"], "")?;
        assert_eq!(found.code, Some(0), "{}", found.text());
        assert_has(&found.stdout, &["NaN"]);
        assert_has(&found.stderr, &["[ROOT]/memory cannot be written: nothing new is read, and nothing is noted"]);
        assert_eq!(found.stderr.lines().count(), 1, "{}", found.stderr);

        let asked = read_only(&env, &["why", QUESTION, "--all-projects"], "")?;
        assert_eq!(asked.code, Some(0), "{}", asked.text());
        assert_has(&asked.stdout, &["src/cart.ts"]);
        assert!(!asked.stdout.contains("· retrieval"), "nothing is noted: {}", asked.stdout);
        assert_has(&asked.stderr, &["cannot be written", "code that was read before, and may be old"]);
        assert_eq!(asked.stderr.lines().count(), 2, "{}", asked.stderr);
        let refused = read_only(&env, &["index-code"], "")?;
        assert_eq!(refused.code, Some(5), "{}", refused.text());
        assert_has(&refused.stderr, &["The code index is written there"]);

        let status = read_only(&env, &["status"], "")?;
        assert_eq!(status.code, Some(0), "{}", status.text());
        assert_has(&status.stdout, &["cannot be written", "7 (12 runs)"]);
        assert_eq!(status.stderr, "");
        let sick = read_only(&env, &["doctor"], "")?;
        assert_has(&sick.text(), &["✗ home: [ROOT]/memory cannot be written", "✓ log: whole", "✓ views: up to date"]);

        let start = json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/home/ada/lantern-shop"});
        let told = read_only(&env, &["hook", "session-start"], &start.to_string())?;
        assert_eq!((told.code, told.stderr.as_str()), (Some(0), ""), "{}", told.text());
        assert_has(&told.stdout, &["additionalContext", "systemMessage", "cannot be written"]);
        for event in ["pre-tool-use", "session-end", "pre-compact"] {
            let given = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "npm test"}, "cwd": "/home/ada/lantern-shop"});
            let screen = read_only(&env, &["hook", event], &given.to_string())?;
            assert_eq!((screen.code, screen.stderr.as_str()), (Some(0), ""), "{event}");
        }

        let refused = read_only(&env, &["remember", "Tabs, never spaces.", "--everywhere"], "")?;
        assert_eq!(refused.code, Some(5), "{}", refused.text());
        assert_has(&refused.stderr, &["may be read, but not written", "BACKSTORY_HOME"]);
    }
    allow(&env.path("memory"))
}

/// Nothing was read before: the code is read for this answer only, and nothing is kept.
#[cfg(unix)]
#[test]
fn a_home_that_may_not_be_read_is_named() -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    for hidden in ["memory", "memory/log.sqlite"] {
        for args in [&["search", "NaN"][..], &["ingest"], &["sessions"], &["log", "verify"]] {
            let command = as_reader(env.command(args), &env.path("memory"))?;
            fs::set_permissions(env.path(hidden), fs::Permissions::from_mode(0o000))?;
            let screen = env.feed(command, "")?;
            assert_eq!(screen.code, Some(5), "{hidden} {args:?}: {screen:?}");
            assert_has(&screen.stderr, &["memory", "ermission"]);
            assert!(!screen.stderr.contains("damaged"), "{hidden} {args:?}: {screen:?}");
        }
    }
    allow(&env.path("memory"))
}

#[cfg(unix)]
#[test]
fn code_that_was_never_read_is_asked_in_a_home_that_may_only_be_read() -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    env.write("work/src/cart.ts", CART)?;
    let aside = env.path("aside");
    fs::create_dir(&aside)?;
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o777))?;
    for args in [&["why", QUESTION, "--all-projects"][..], &["why", "--impact", "cartTotal"], &["callers", "cartTotal"]]
    {
        let mut command = env.command(args);
        command.env("TMPDIR", &aside);
        let asked = env.feed(as_reader(command, &env.path("memory"))?, "")?;
        assert_eq!(asked.code, Some(0), "{args:?}: {}", asked.text());
        assert_has(&asked.stdout, &["cart.ts"]);
        assert_has(&asked.stderr, &["the code was read for this answer alone"]);
        assert_eq!(fs::read_dir(&aside)?.count(), 0, "{args:?}: nothing is left");
    }
    let refused = read_only(&env, &["index-code"], "")?;
    assert_eq!(refused.code, Some(5), "{}", refused.text());
    assert_has(&refused.stderr, &["The code index is written there"]);
    allow(&env.path("memory"))
}

#[cfg(unix)]
#[test]
fn an_agent_asks_a_home_that_may_only_be_read() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    let command = as_reader(env.command(&["mcp"]), &env.path("memory"))?;
    let mut raw = Raw::begin(command)?;
    for id in 1..3 {
        raw.call(id, "pack", &json!({"task": "checkout", "all_projects": true}))?;
        let answer = raw.answer_to(id)?;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert_has(&answer["result"]["content"][0]["text"].to_string(), &["cannot be written"]);
    }
    raw.call(3, "remember", &json!({"text": "Tabs, never spaces."}))?;
    let answer = raw.answer_to(3)?;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_has(&answer.to_string(), &["may be read, but not written"]);
    assert_eq!(raw.end()?, Some(0));
    allow(&env.path("memory"))
}

/// Like a copy from another machine: all data is in the databases themselves.
#[cfg(unix)]
fn settle(env: &TestEnv) -> TestResult {
    env.run(&["maintain"]).ok()?;
    for file in ["log.sqlite", "views/memory.sqlite"] {
        fs::remove_file(env.path(&format!("memory/{file}-shm")))?;
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_agent_sees_what_comes_into_a_home_that_may_only_be_read() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    settle(&env)?;
    let mut raw = Raw::begin(as_reader(env.command(&["mcp"]), &env.path("memory"))?)?;
    let mut ask = |id| -> TestResult<String> {
        raw.call(id, "search", &json!({"query": "zebra stripes", "all_projects": true}))?;
        Ok(raw.answer_to(id)?.to_string())
    };
    assert!(!ask(1)?.contains("never refunded"));
    allow(&env.path("memory"))?;
    env.run(&["remember", "Zebra stripes are never refunded.", "--everywhere"]).ok()?;
    settle(&env)?;
    as_reader(env.command(&[]), &env.path("memory"))?;
    assert_has(&ask(2)?, &["never refunded", "cannot be written"]);
    assert_eq!(raw.end()?, Some(0));
    allow(&env.path("memory"))
}

#[cfg(unix)]
#[test]
fn older_views_need_a_place_where_they_can_be_recreated() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    if !can_be_tried(&env) {
        return Ok(());
    }
    let store = rusqlite::Connection::open(env.path("memory/views/memory.sqlite"))?;
    store.pragma_update(None, "user_version", 1)?;
    drop(store);
    let refused = read_only(&env, &["search", "checkout"], "")?;
    assert_eq!(refused.code, Some(5), "{}", refused.text());
    assert_has(&refused.stderr, &["views/memory.sqlite: written by an older version", "allow writing", "copy it"]);
    let sick = read_only(&env, &["doctor"], "")?;
    assert_has(&sick.text(), &["✗ views: ", "allow writing", "✓ log: whole"]);
    allow(&env.path("memory"))?;
    assert_has(&doctor(&env, "views")?, &["note", "the next command recreates them"]);
    env.run(&["search", "checkout", "--all-projects"]).ok()?;
    assert_eq!(doctor(&env, "views")?, "");
    Ok(())
}

/// The file size limit kills a process by a signal, unless it handles the signal.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_is_an_error_like_others() -> TestResult {
    let env = TestEnv::with_demo()?;
    let transcript = env.path("claude/projects/-home-ada-lantern-shop/30bf59b3-ff37-4077-ad46-bb652bdf3a6c.jsonl");
    let limited = |args: &[&str]| {
        let mut command = env.command(&[]);
        let program = command.get_program().to_owned();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""]).arg(program).args(args);
        shell.current_dir(env.path("work")).env_clear();
        shell.envs(command.env("X", "1").get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell
    };
    let given = json!({"session_id": "s", "transcript_path": transcript, "cwd": env.path("work")}).to_string();
    for event in ["session-end", "session-start", "pre-tool-use"] {
        let screen = env.feed(limited(&["hook", event]), &given)?;
        assert_eq!((screen.code, screen.stderr.as_str()), (Some(0), ""), "{event}: {}", screen.text());
    }
    let screen = env.feed(limited(&["ingest", "--quiet"]), "")?;
    assert_eq!(screen.code, Some(5), "{}", screen.text());
    assert_has(&screen.stderr, &["backstory: there is no room to write: files may not grow any further (`ulimit -f`)"]);

    // Once there is space, all of it is read.
    env.run(&["ingest", "--quiet"]).ok()?;
    assert_has(&env.run(&["log", "verify"]).ok()?, &["The log is intact: 300 events"]);
    assert_has(&env.run(&["status"]).ok()?, &["session-end"]);

    // Read-only commands answer, and report why nothing is recorded.
    for args in [&["search", "checkout NaN", "--all-projects"][..], &["sessions", "--all-projects"], &["status"]] {
        let asked = env.feed(limited(args), "")?;
        assert_eq!(asked.code, Some(0), "{}", asked.text());
        assert_has(&asked.text(), &["cannot be written (files may not grow any further (`ulimit -f`))"]);
    }
    let start = json!({"session_id": "s", "source": "startup", "cwd": "/home/ada/lantern-shop"}).to_string();
    assert_has(&env.feed(limited(&["hook", "session-start"]), &start)?.ok()?, &["Last work", "cannot be written"]);
    env.feed(limited(&["hook", "session-end"]), &given)?;
    let told = env.feed(limited(&["status"]), "")?.stdout;
    assert!(!told.contains("did not finish"), "{told}");
    let told = env.feed(limited(&["doctor"]), "")?.stdout;
    assert_eq!(told.matches("may not grow").count(), 1, "{told}");
    Ok(())
}

#[test]
fn doctor_tells_a_damaged_log_from_damaged_views() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain"]).ok()?;
    let (log, views) = (env.path("memory/log.sqlite"), env.path("memory/views/memory.sqlite"));
    let (sound_log, sound_views) = (fs::read(&log)?, fs::read(&views)?);
    let overwrite = |path: &Path, sound: &[u8], from: usize, bytes: usize| -> TestResult {
        let mut damaged = sound.to_vec();
        let until = (from + bytes).min(damaged.len());
        damaged[from..until].fill(0xa5);
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{beside}", path.display()));
        }
        Ok(fs::write(path, damaged)?)
    };

    for (from, bytes) in [(0, 64), (40_960, 8_192), (sound_log.len() / 2, 4_096)] {
        overwrite(&log, &sound_log, from, bytes)?;
        let told = doctor(&env, "log")?;
        assert_has(&told, &["fault", "damaged", "backup of `log.sqlite`", "backstory ingest"]);
        assert!(!told.contains("rebuild"), "{told}");
        assert_eq!(env.run(&["doctor"]).code, Some(1));
    }
    overwrite(&log, &sound_log, 0, 64)?;
    let status = env.run(&["status"]);
    assert_eq!(status.code, Some(4), "{}", status.text());
    assert_has(&status.stderr, &["log.sqlite", "backup of `log.sqlite`"]);
    overwrite(&log, &sound_log, 0, 0)?;
    assert_eq!(doctor(&env, "log")?, "");

    for (from, bytes) in [(0, 64), (40_960, 8_192), (sound_views.len() / 2, 8_192)] {
        overwrite(&views, &sound_views, from, bytes)?;
        let told = doctor(&env, "views")?;
        assert_has(&told, &["fault", "damaged", "backstory rebuild", "nothing is lost"]);
        assert_eq!(fs::read(&views)?[from..from + 64], [0xa5; 64], "doctor changes nothing");
        assert_eq!(doctor(&env, "log")?, "");
        env.run(&["rebuild"]);
        assert_eq!(doctor(&env, "views")?, "", "rebuild repairs it");
    }
    Ok(())
}

/// Unusable views are recreated by the next process that has the time: the next session gets its cards again, although
/// nobody ran a command.
#[test]
fn damaged_views_do_not_silence_the_hooks_for_long() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain"]).ok()?;
    let start = json!({"session_id": "s", "source": "startup", "cwd": "/home/ada/lantern-shop"}).to_string();
    let session = env.path("claude/projects/-home-ada-lantern-shop/30bf59b3-ff37-4077-ad46-bb652bdf3a6c.jsonl");
    let end = json!({"session_id": "30bf59b3-ff37-4077-ad46-bb652bdf3a6c", "transcript_path": session}).to_string();
    for mended_by in [&["hook", "session-end"][..], &["status"]] {
        for beside in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(env.path(&format!("memory/views/memory.sqlite{beside}")));
        }
        env.write("memory/views/memory.sqlite", [0xa5; 8192])?;
        let told = |event: &str| env.run_with_input("memory", &["hook", event], &start)?.ok();
        assert_eq!(told("session-start")?, "", "nothing can be told yet");
        assert_has(&doctor(&env, "views")?, &["fault", "`backstory rebuild` recreates the views"]);
        assert_eq!(doctor(&env, "hooks")?, "", "one cause is told once");
        env.run_with_input("memory", mended_by, &end)?.ok()?;
        assert_has(&told("session-start")?, &["Last work"]);
        assert!(!doctor(&env, "views")?.contains("fault"), "{mended_by:?}");
    }
    Ok(())
}

/// Each fault of a hook has a repair, and disappears once the hook has run well.
#[test]
fn doctor_says_what_mends_the_faults_of_hooks() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let late = |input: &str, event: &str, now: &str| -> TestResult {
        let mut command = env.command(&["hook", event]);
        command.env("BACKSTORY_NOW", now);
        env.feed(command, input)?.ok()?;
        Ok(())
    };
    let well = json!({"session_id": "s", "source": "startup", "cwd": env.path("work")}).to_string();
    for (event, input, fix) in [
        ("session-start", "{", "update both"),
        ("pre-compact", "{\"transcript_path\": \"/gone.jsonl\"}", "`backstory ingest` reads what is there"),
        ("pre-compact", "{\"transcript_path\": \"/gone\"}", "`backstory ingest` reads what is there"),
        ("coffee-break", "{}", "`backstory init` updates the entries"),
    ] {
        late(input, event, "2026-03-01T00:00:01Z")?;
        assert_has(&doctor(&env, "hooks")?, &["fault", fix]);
    }
    assert_has(&env.run(&["status"]).ok()?, &["  faults are in [ROOT]/memory/hooks.log"]);
    let session = env.path("claude/projects/-home-ada-lantern-shop/30bf59b3-ff37-4077-ad46-bb652bdf3a6c.jsonl");
    late(&well, "session-start", "2026-03-01T00:00:02Z")?;
    late(&json!({"transcript_path": session}).to_string(), "pre-compact", "2026-03-01T00:00:02Z")?;
    assert_eq!(doctor(&env, "hooks")?, "");
    assert_has(&env.run(&["status"]).ok()?, &["  earlier faults are in [ROOT]/memory/hooks.log"]);
    Ok(())
}

#[test]
fn notes_are_not_all_is_well() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["init", "--yes"]).ok()?;
    env.write("claude/projects/x/new.jsonl", "{}\n")?;
    let told = env.run(&["doctor"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert_has(&told.stdout, &["! Claude Code sessions: ", "No faults, "]);
    assert!(!told.stdout.contains("No faults.\n"), "{}", told.stdout);
    Ok(())
}

/// One file that cannot be changed does not prevent the removal from the others.
#[test]
fn a_damaged_file_does_not_hold_up_the_others() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    let path = env.path("claude/settings.json");
    let sound = fs::read_to_string(&path)?;
    fs::write(&path, &sound[..sound.len() / 2])?;
    let told = env.run(&["uninstall", "--yes", "--delete-data"]);
    assert_eq!(told.code, Some(5), "{}", told.text());
    assert_has(&told.stderr, &["not done: [ROOT]/claude/settings.json:", "Correct it and run this again"]);
    assert!(!told.text().contains("--host"), "there is no such flag: {}", told.text());
    assert!(!env.path("codex/hooks.json").exists() && env.path("memory").exists());
    assert_eq!(fs::read_to_string(&path)?, sound[..sound.len() / 2]);
    fs::write(&path, &sound)?;
    env.run(&["uninstall", "--yes", "--delete-data"]).ok()?;
    assert!(!env.path("memory").exists());
    Ok(())
}

#[test]
fn doctor_names_stores_of_newer_versions() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for (file, name, fix) in
        [("views/memory.sqlite", "views", "delete the folder `views`"), ("log.sqlite", "log", "Use the newer version")]
    {
        let store = rusqlite::Connection::open(env.path(&format!("memory/{file}")))?;
        store.pragma_update(None, "user_version", 999)?;
        drop(store);
        assert_has(&doctor(&env, name)?, &["fault", "newer version of Backstory", fix]);
        let status = env.run(&["status"]);
        assert_eq!(status.code, Some(5));
        assert_has(&status.stderr, &["newer version of Backstory", fix]);
    }

    // One cause is reported once, and nothing is reported that depends on its repair.
    env.write("claude/projects/x/new.jsonl", "{}\n")?;
    for event in ["session-start", "pre-compact"] {
        let given = json!({"session_id": "s", "cwd": env.path("work"), "transcript_path": env.path("claude/projects/x/new.jsonl")});
        env.run_with_input("memory", &["hook", event], &given.to_string())?.ok()?;
    }
    let told = env.run(&["doctor"]).stdout;
    assert_eq!(told.matches("newer version of Backstory").count(), 1, "{told}");
    assert!(!told.contains("`backstory ingest` reads them"), "{told}");
    Ok(())
}

#[test]
fn doctor_reads_settings_as_their_host_does() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    let path = env.path("claude/settings.json");
    let sound = fs::read_to_string(&path)?;
    for (damaged, told) in [
        (sound[..sound.len() / 2].to_owned(), "settings.json:"),
        (sound.replacen('{', "{ // mine\n", 1), "settings.json:1"),
        (sound.trim_end().trim_end_matches('}').trim_end().to_owned() + ",\n}\n", "key must be a string"),
        ("[]".to_owned(), "not an object"),
        ("{\"hooks\": 3}".to_owned(), "`hooks` is not an object"),
    ] {
        fs::write(&path, &damaged)?;
        assert_has(&doctor(&env, "settings")?, &["fault", told, "Claude Code ignores all of it", "backstory-backup"]);
        // Unknown states are not guessed.
        assert_eq!(doctor(&env, "Claude Code hooks")?, "");
    }
    fs::write(&path, sound.replacen('{', "{ // mine\n", 1))?;
    let told = env.run(&["init", "--dry-run"]).ok()?;
    assert_has(&told, &["Claude Code passes over the whole file, because of line 1"]);

    // Hooks in files that apply together run twice if their commands differ.
    fs::write(&path, "{}")?;
    env.run(&["init", "--project", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    fs::write(&path, &sound)?;
    assert_has(
        &doctor(&env, "Claude Code hooks")?,
        &["fault", "run twice: SessionStart", "`backstory init --project`"],
    );
    env.run(&["uninstall", "--yes"]).ok()?;
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    let shared =
        json!({"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "backstory hook session-end"}]}]}});
    env.write("work/.claude/settings.json", shared.to_string())?;
    assert_has(&doctor(&env, "Claude Code hooks")?, &["run twice: SessionEnd", "work/.claude/settings.json by hand"]);

    // Claude Code runs the same command once; Codex runs it as often as it is registered.
    fs::remove_file(env.path("work/.claude/settings.json"))?;
    for (file, name, is_ill) in
        [("claude/settings.json", "Claude Code hooks", false), ("codex/hooks.json", "Codex hooks", true)]
    {
        let mut hooks: Value = serde_json::from_slice(&fs::read(env.path(file))?)?;
        let first = hooks["hooks"]["SessionStart"][0].clone();
        hooks["hooks"]["SessionStart"].as_array_mut().ok_or("no list")?.push(first);
        env.write(file, hooks.to_string())?;
        assert_eq!(doctor(&env, name)?.contains("run twice: SessionStart"), is_ill, "{name}");
    }
    Ok(())
}

#[test]
fn what_the_plugin_brings_is_not_registered_again() -> TestResult {
    let env = TestEnv::with_demo()?;
    let on = "{\n  \"enabledPlugins\": {\n    \"backstory@backstory\": true\n  }\n}\n";
    env.write("claude/settings.json", on)?;
    let told = env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    assert_has(&told, &["the plugin is on in Claude Code and has server and hooks: they are not registered again"]);
    assert_eq!(fs::read_to_string(env.path("claude/settings.json"))?, on);
    assert!(!env.path("claude/.claude.json").exists());
    assert!(env.path("codex/hooks.json").exists(), "Codex has no plugin");
    assert_eq!(doctor(&env, "Claude Code hooks")?, "");
    assert_has(&doctor(&env, "Claude Code program")?, &["`backstory` is not on the search path"]);

    // The plugin came later: only duplicates are removed.
    env.write("claude/settings.json", "{}\n")?;
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    let both = fs::read_to_string(env.path("claude/settings.json"))?;
    fs::write(
        env.path("claude/settings.json"),
        both.replacen('{', "{\n  \"enabledPlugins\": {\"backstory@b\": true},", 1),
    )?;
    assert_has(&doctor(&env, "Claude Code hooks")?, &["every hook runs twice", "`backstory init` takes out"]);
    assert_has(&doctor(&env, "Claude Code server")?, &["registered twice"]);
    let told = env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    assert_has(&told, &["take out what the plugin brings: 8 hooks", "take out what the plugin brings: MCP server"]);
    assert_eq!(doctor(&env, "Claude Code hooks")?, "");
    let left: Value = serde_json::from_slice(&fs::read(env.path("claude/settings.json"))?)?;
    assert_eq!(left, json!({"enabledPlugins": {"backstory@b": true}}));
    assert!(env.path("codex/hooks.json").exists());
    Ok(())
}

#[test]
fn what_takes_out_doubles_depends_on_where_they_are() -> TestResult {
    let env = TestEnv::with_demo()?;
    let on = json!({"enabledPlugins": {"backstory@b": true}}).to_string();
    env.write("claude/settings.json", "{}\n")?;
    let of_project = ["init", "--project", "--yes", "--no-ingest", "--host", "claude"];

    // Enabled for the person, with entries in the project.
    env.run(&of_project).ok()?;
    env.write("claude/settings.json", &on)?;
    for name in ["Claude Code hooks", "Claude Code server"] {
        assert_has(&doctor(&env, name)?, &["twice", "`backstory init --project` takes out"]);
    }
    env.run(&of_project).ok()?;
    for name in ["Claude Code hooks", "Claude Code server"] {
        assert_eq!(doctor(&env, name)?, "");
    }

    // In a file that we never write.
    let hook = json!([{"hooks": [{"type": "command", "command": "backstory hook session-end"}]}]);
    env.write("work/.claude/settings.json", json!({"hooks": {"SessionEnd": hook}}).to_string())?;
    assert_has(&doctor(&env, "Claude Code hooks")?, &["twice", "work/.claude/settings.json by hand"]);

    // Enabled in the project, with entries of the person.
    env.write("claude/settings.json", "{}\n")?;
    fs::remove_file(env.path("work/.claude/settings.json"))?;
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    env.write("work/.claude/settings.json", &on)?;
    for name in ["Claude Code hooks", "Claude Code server"] {
        assert_has(&doctor(&env, name)?, &["twice", "on in this project only: turn it off here"]);
    }
    Ok(())
}
