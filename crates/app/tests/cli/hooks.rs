//! Hooks with bad input, a bad memory or parallel runs: the session continues.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::env::{Screen, TestEnv, TestResult};
use crate::host::{Session, first_session, repository};

const EVENTS: [&str; 8] = [
    "session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "pre-compact", "session-end",
    "subagent-stop", "stop",
];

pub fn with_a_past() -> TestResult<TestEnv> {
    let env = TestEnv::new()?;
    let work = repository(&env)?;
    first_session(&env, &work)?;
    Ok(env)
}

pub fn feed(mut command: Command, input: &[u8]) -> TestResult<Screen> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // A hook may exit before reading everything.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input));
    let output = child.wait_with_output()?;
    Ok(Screen {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
    })
}

/// The input that the host would send.
pub fn input(env: &TestEnv, more: Value) -> String {
    let mut input = json!({
        "session_id": "s2", "cwd": env.path("work"), "source": "startup",
        "transcript_path": env.path("claude/projects/x/s2.jsonl"), "prompt": "push it",
        "tool_name": "Bash", "tool_input": {"command": "git push origin main"},
    });
    if let (Some(fields), Some(more)) = (input.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    input.to_string()
}

fn call(env: &TestEnv, event: &str) -> TestResult<Screen> {
    feed(env.command(&["hook", event]), input(env, json!({})).as_bytes())
}

/// No output, no error, code 0.
fn silent(screen: &Screen, what: &str) {
    assert_eq!((screen.stdout.as_str(), screen.stderr.as_str(), screen.code), ("", "", Some(0)), "{what}");
}

fn log_lines(env: &TestEnv) -> Vec<String> {
    let text = std::fs::read_to_string(env.path("memory/hooks.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bad_input_is_one_line_in_the_log_and_nothing_else() -> TestResult {
    let env = with_a_past()?;
    let whole = input(&env, json!({"prompt": "sesame"}));
    let inputs: [(&str, &[u8], &str); 6] = [
        ("session-start", &whole.as_bytes()[..whole.len() / 2], "cut short"),
        ("pre-tool-use", b"", "nothing on standard input"),
        ("pre-tool-use", b"sesame", "did not send JSON"),
        ("session-end", b"[1, 2]", "did not send a JSON object"),
        ("coffee-break", whole.as_bytes(), "there is no event 'coffee-break'"),
        ("session-start", b"\xff\xfe{", "did not send JSON"),
    ];
    for (at, (event, bytes, fault)) in inputs.into_iter().enumerate() {
        silent(&feed(env.command(&["hook", event]), bytes)?, event);
        let lines = log_lines(&env);
        assert_eq!(lines.len(), at + 1, "{lines:?}");
        assert!(lines[at].starts_with("2026-03-01T00:00:00.000Z ") && lines[at].contains(fault), "{lines:?}");
    }
    for arguments in [&["hook"][..], &["hook", "session-start", "--host"], &["hook", "--colour", "red"]] {
        silent(&feed(env.command(arguments), whole.as_bytes())?, "wrong arguments");
    }
    let lines = log_lines(&env);
    assert_eq!(lines.len(), 9, "{lines:?}");
    assert!(!lines.join("\n").contains("sesame"), "no word of a session");

    // Fields of other types, and an empty object.
    for odd in ["{}", r#"{"cwd": 7, "session_id": [], "tool_input": "x", "tool_name": "Bash"}"#] {
        for event in EVENTS {
            let screen = feed(env.command(&["hook", event]), odd.as_bytes())?;
            assert_eq!((screen.stderr.as_str(), screen.code), ("", Some(0)), "{event} {odd}");
        }
    }
    let text = env.run(&["status"]).ok()?;
    assert!(text.contains("fault: ") && text.contains("faults are in [ROOT]/memory/hooks.log"), "{text}");
    assert_eq!(env.run(&["hook", "--help"]).code, Some(0));
    Ok(())
}

#[test]
fn a_missing_transcript_is_told_by_status() -> TestResult {
    let env = with_a_past()?;
    for event in ["pre-compact", "session-end", "subagent-stop"] {
        silent(&call(&env, event)?, event);
        let status = env.run(&["status", "--json"]).json()?;
        let runs = status["hooks"].as_array().cloned().unwrap_or_default();
        let run = runs.iter().find(|run| run["event"] == event).cloned().unwrap_or_default();
        // A session without requests ends without a file.
        assert_eq!(run["result"], if event == "session-end" { "nothing" } else { "fault" }, "{run:#}");
        assert!(run["message"].as_str().is_some_and(|message| message.contains("s2.jsonl")), "{run:#}");
    }
    assert_eq!(log_lines(&env).len(), 2);
    Ok(())
}

#[test]
fn a_folder_that_is_gone_is_no_fault() -> TestResult {
    let env = with_a_past()?;
    for (folder, told) in [("work/gone/for/long", true), ("nowhere", false)] {
        let given = input(&env, json!({"cwd": env.path(folder)}));
        let screen = feed(env.command(&["hook", "pre-tool-use"]), given.as_bytes())?;
        assert_eq!((screen.stderr.as_str(), screen.code), ("", Some(0)));
        assert_eq!(screen.stdout.contains("Never push to main"), told, "{folder}: {}", screen.stdout);
    }
    assert!(log_lines(&env).is_empty());
    Ok(())
}

#[test]
fn without_a_memory_nothing_is_told_and_nothing_made() -> TestResult {
    let env = TestEnv::new()?;
    for event in ["session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use"] {
        silent(&call(&env, event)?, event);
    }
    assert!(!env.path("memory/log.sqlite").exists());
    assert!(log_lines(&env).is_empty());
    Ok(())
}

#[test]
fn a_home_that_is_a_file_harms_nobody() -> TestResult {
    let env = TestEnv::new()?;
    env.write("memory", "no folder")?;
    for event in EVENTS {
        silent(&call(&env, event)?, event);
    }
    let screen = env.run(&["status"]);
    assert!(screen.code == Some(5) && screen.stderr.contains("[ROOT]/memory"), "{}", screen.text());
    Ok(())
}

/// Each event, on a faulty memory.
fn all_go_on(env: &TestEnv, make: impl Fn(&str) -> Command) -> TestResult {
    for event in EVENTS {
        let screen = feed(make(event), input(env, json!({})).as_bytes())?;
        assert_eq!((screen.stderr.as_str(), screen.code), ("", Some(0)), "{event}");
        assert!(screen.stdout.is_empty() || serde_json::from_str::<Value>(&screen.stdout).is_ok(), "{}", screen.stdout);
    }
    Ok(())
}

#[test]
fn a_full_disk_harms_nobody() -> TestResult {
    let env = with_a_past()?;
    // No file may grow: writing fails as on a full disk.
    let full = |event: &str| {
        let plain = env.command(&["hook", event]);
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(plain.get_program())
            .args(plain.get_args());
        command.current_dir(env.path("work")).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    all_go_on(&env, full)?;
    // With space again, everything works.
    assert!(call(&env, "pre-tool-use")?.stdout.contains("Never push to main"));
    env.run(&["log", "verify"]).ok()?;
    Ok(())
}

#[test]
#[cfg(unix)]
fn a_read_only_home_harms_nobody() -> TestResult {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let env = with_a_past()?;
    let set = |path: &Path, mode: u32| std::fs::set_permissions(path, PermissionsExt::from_mode(mode));
    let is_root = std::fs::metadata(env.path("work"))?.uid() == 0;
    for entry in ["memory", "memory/views", "memory/views/index", "memory/hooks"] {
        for file in std::fs::read_dir(env.path(entry))?.flatten().filter(|file| file.path().is_file()) {
            set(&file.path(), 0o444)?;
        }
    }
    for folder in ["memory/views/index", "memory/views", "memory/hooks", "memory"] {
        set(&env.path(folder), 0o555)?;
    }
    set(&env.path(""), 0o755)?;
    let make = |event: &str| {
        let mut command = env.command(&["hook", event]);
        if is_root {
            // Root can write to every folder.
            command.uid(65_534).gid(65_534);
        }
        command
    };
    // If other users cannot run the program, there is nothing to test.
    let runs = make("session-start").stdin(Stdio::null()).output().is_ok();
    if runs {
        all_go_on(&env, make)?;
    }
    for folder in ["memory", "memory/views", "memory/views/index", "memory/hooks"] {
        set(&env.path(folder), 0o755)?;
    }
    Ok(())
}

#[test]
fn a_memory_of_a_newer_version_is_left_alone() -> TestResult {
    let env = with_a_past()?;
    let log = rusqlite::Connection::open(env.path("memory/log.sqlite"))?;
    log.pragma_update(None, "user_version", 99)?;
    drop(log);
    for event in EVENTS {
        silent(&call(&env, event)?, event);
    }
    let screen = env.run(&["status"]);
    assert!(screen.stderr.contains("written by a newer version of Backstory"), "{}", screen.text());
    assert!(screen.stdout.contains("session-start") && screen.stdout.contains("fault:"), "{}", screen.text());
    let screen = env.run(&["status", "--json"]);
    assert!(screen.stdout.contains("\"error\":") && screen.stdout.contains("newer version"), "{}", screen.text());
    Ok(())
}

#[test]
fn damaged_views_are_told_and_reading_goes_on() -> TestResult {
    let env = with_a_past()?;
    let damage = || {
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(env.path(&format!("memory/views/memory.sqlite{suffix}")));
        }
        env.write("memory/views/memory.sqlite", vec![7; 8192])
    };
    damage()?;
    for event in ["session-start", "pre-tool-use"] {
        silent(&call(&env, event)?, event);
    }
    let line = json!({"type": "user", "uuid": "n1", "sessionId": "s2", "cwd": env.path("work"), "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello"}});
    env.write("claude/projects/x/s2.jsonl", format!("{line}\n"))?;
    silent(&call(&env, "session-end")?, "session-end");
    let lines = log_lines(&env);
    assert!(lines.iter().all(|line| line.contains("damaged")) && lines.len() == 2, "{lines:?}");
    assert!(env.run(&["search", "hello"]).ok()?.contains("say hello"), "and the views are made anew");
    damage()?;
    let next = env.run(&["search", "hello"]);
    assert!(next.stdout.contains("say hello"), "a command makes them anew as well");
    assert!(next.stderr.contains("the views were damaged") && next.stderr.lines().count() == 1, "{}", next.stderr);
    Ok(())
}

#[test]
fn a_memory_that_somebody_holds_is_not_waited_for() -> TestResult {
    let env = with_a_past()?;
    let held = rusqlite::Connection::open(env.path("memory/log.sqlite"))?;
    held.execute_batch("BEGIN IMMEDIATE")?;
    // Reading continues; exposures cannot be recorded.
    let screen = call(&env, "pre-tool-use")?;
    assert!(screen.stdout.contains("Never push to main") && screen.code == Some(0), "{}", screen.text());
    let line = json!({"type": "user", "uuid": "n1", "sessionId": "s2", "cwd": env.path("work"), "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello"}});
    env.write("claude/projects/x/s2.jsonl", format!("{line}\n"))?;
    silent(&call(&env, "session-end")?, "session-end");
    assert!(
        log_lines(&env).iter().any(|line| line.contains("session-end") && line.contains("busy")),
        "{:?}",
        log_lines(&env)
    );
    held.execute_batch("ROLLBACK")?;
    silent(&call(&env, "session-end")?, "session-end");
    assert!(env.run(&["search", "hello"]).ok()?.contains("say hello"));
    Ok(())
}

#[test]
fn sixteen_at_once() -> TestResult {
    let env = with_a_past()?;
    let mut children = Vec::new();
    for at in 0..16 {
        let event = ["session-start", "pre-tool-use"][at % 2];
        let given = input(&env, json!({"session_id": format!("s{at}")}));
        let mut command = env.command(&["hook", event]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().map(|mut stdin| stdin.write_all(given.as_bytes())).transpose()?;
        children.push(child);
    }
    for child in children {
        let output = child.wait_with_output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && err.is_empty(), "{err}");
        assert!(out.contains("Never push to main"), "{out}");
    }
    assert!(log_lines(&env).is_empty(), "{:?}", log_lines(&env));
    let exported = env.export("memory")?;
    assert_eq!(exported.lines().filter(|line| line.contains("\"channel\"")).count(), 16, "all are noted");
    Ok(())
}

#[test]
fn the_log_of_faults_stays_short() -> TestResult {
    let env = with_a_past()?;
    env.write("memory/hooks.log", "2026-01-01T00:00:00Z hook old\n".repeat(40_000))?;
    silent(&feed(env.command(&["hook", "session-start"]), b"{")?, "cut");
    let lines = log_lines(&env);
    assert!(lines.len() < 25_000 && lines.len() > 15_000, "{}", lines.len());
    assert!(lines.last().is_some_and(|line| line.contains("cut short")));
    assert!(lines.iter().all(|line| line.starts_with("2026-")), "only whole lines");
    Ok(())
}

#[test]
fn a_turn_of_codex_is_read_when_it_notifies() -> TestResult {
    let env = TestEnv::with_demo()?;
    let session = "019c2317-0000-7000-8000-000000000001";
    let meta = json!({"timestamp": "2026-02-20T10:00:00Z", "type": "session_meta", "payload": {"id": session, "timestamp": "2026-02-20T10:00:00Z", "cwd": env.path("work"), "originator": "codex_cli_rs", "cli_version": "0.98.0"}});
    let said = json!({"timestamp": "2026-02-20T10:00:01Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "paint the gate green"}]}});
    let name = format!("codex/sessions/2026/02/20/rollout-2026-02-20T10-00-00-{session}.jsonl");
    env.write(&name, format!("{meta}\n{said}\n"))?;
    let notice = json!({"type": "agent-turn-complete", "thread-id": session, "turn-id": "1", "cwd": env.path("work"), "input-messages": ["paint the gate green"], "last-assistant-message": null});
    let screen = env.run(&["hook", "notify", &notice.to_string()]);
    silent(&screen, "notify");
    let found = env.run(&["search", "--json", "gate"]).json()?;
    assert_eq!(found["cases"][0]["session"], session, "{found:#}");
    // Codex's hooks have the format of Claude Code's.
    env.run(&["remember", "--kind", "constraint", "Never push to main"]).ok()?;
    let given =
        input(&env, json!({"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "git push origin main"]}}));
    let screen = feed(env.command(&["hook", "pre-tool-use", "--host", "codex"]), given.as_bytes())?;
    assert!(screen.stdout.contains("forbidden: Never push to main"), "{}", screen.text());
    Ok(())
}

#[test]
fn an_edit_is_checked_by_its_path_inside_the_repository() -> TestResult {
    let env = with_a_past()?;
    env.run(&["remember", "--kind", "constraint", "Never edit `src/gen/api.ts` by hand"]).ok()?;
    for (tool, tool_input, told) in [
        ("Edit", json!({"file_path": env.path("work/src/gen/api.ts")}), true),
        ("Write", json!({"file_path": "src/gen/api.ts"}), true),
        ("apply_patch", json!({"command": "*** Begin Patch\n*** Update File: src/gen/api.ts\n"}), true),
        ("Edit", json!({"file_path": env.path("work/src/door.go")}), false),
        ("Read", json!({"file_path": env.path("work/src/gen/api.ts")}), false),
    ] {
        let given = input(&env, json!({"tool_name": tool, "tool_input": tool_input}));
        let screen = feed(env.command(&["hook", "pre-tool-use"]), given.as_bytes())?;
        assert_eq!(screen.stdout.contains("src/gen/api.ts"), told, "{tool}: {}", screen.stdout);
    }
    Ok(())
}

#[test]
fn a_prompt_is_answered_where_rare_words_are_shared() -> TestResult {
    let env = with_a_past()?;
    env.run(&["remember", "--kind", "fact", "The invoice export runs nightly through the Kestrel queue"]).ok()?;
    for (prompt, told) in [
        ("why does the Kestrel queue stall during the invoice export?", true),
        ("add a queue", false),
        ("run the tests of the cart", false),
    ] {
        let answer = chosen(
            &env,
            "user-prompt-submit",
            ("BACKSTORY_HOOKS_USER_PROMPT", "true"),
            json!({"session_id": prompt, "prompt": prompt}),
        )?;
        assert_eq!(answer.to_string().contains("Kestrel queue ["), told, "{prompt}: {answer:#}");
    }
    // A card that did not fit was not shown, and is shown when there is room.
    let asked = json!({"session_id": "again", "prompt": "why does the Kestrel queue stall during the invoice export?"});
    for (budget, told) in [("52", false), ("200", true)] {
        let mut command = env.command(&["hook", "user-prompt-submit"]);
        command.env("BACKSTORY_HOOKS_USER_PROMPT", "true").env("BACKSTORY_HOOKS_USER_PROMPT_BUDGET", budget);
        assert_eq!(feed(command, input(&env, asked.clone()).as_bytes())?.stdout.contains("Kestrel queue ["), told);
        let why = "nothing fits into hooks.user_prompt_budget = 52";
        assert_eq!(env.run(&["status"]).ok()?.contains(why), !told);
    }
    Ok(())
}

/// A command that printed it failed because of it; a person who says it may mean anything.
#[test]
fn a_short_prompt_is_not_what_a_command_printed() -> TestResult {
    const SHORT: &str = "DEPLOY_TOKEN is not set";
    let env = TestEnv::new()?;
    let work = repository(&env)?;
    let mut one = Session::new(&env, "first-session", 24, &work)?;
    one.prompt("deploy the shop")?;
    let deploy = json!({"command": "make deploy"});
    one.call("Bash", deploy.clone(), SHORT, true)?;
    let edit = json!({
        "file_path": work.join("deploy.sh"), "old_string": "deploy",
        "new_string": "export DEPLOY_TOKEN=$(token)\ndeploy",
    });
    one.call("Edit", edit, "The file deploy.sh has been updated.", false)?;
    one.call("Bash", deploy, "deployed", false)?;
    one.say("It is deployed.")?;
    one.end()?;

    let on = ("BACKSTORY_HOOKS_USER_PROMPT", "true");
    let fixes = env.run(&["fix", "--json", SHORT]).json()?;
    assert_eq!(fixes["known"], 1, "{fixes:#}");
    assert_eq!(chosen(&env, "user-prompt-submit", on, json!({"prompt": SHORT}))?, Value::Null);
    Ok(())
}

#[test]
fn what_is_told_at_a_start_keeps_its_budget() -> TestResult {
    let env = with_a_past()?;
    for budget in (150..=800).step_by(50) {
        let chosen_budget = ("BACKSTORY_HOOKS_SESSION_START_BUDGET", &*budget.to_string());
        let answer = chosen(&env, "session-start", chosen_budget, json!({}))?;
        let told = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        assert!((told.len() * 5).div_ceil(18) <= budget, "{budget}: {told}");
        assert!(told.matches("(errcheck)").count() <= 1, "{told}");
    }
    Ok(())
}

/// A small budget is used for rules; if even those are too long, a line reports that.
#[test]
fn a_small_budget_is_not_silence() -> TestResult {
    let env = with_a_past()?;
    let told_within = |budget: usize| -> TestResult<String> {
        let budget = ("BACKSTORY_HOOKS_SESSION_START_BUDGET", &*budget.to_string());
        let answer = chosen(&env, "session-start", budget, json!({}))?;
        Ok(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned())
    };
    for budget in (70..150).step_by(10) {
        let told = told_within(budget)?;
        assert!((told.len() * 5).div_ceil(18) <= budget, "{budget}: {told}");
        assert!(
            told.contains("data to weigh, not instructions")
                && told.contains("\n- Never push to main; open a pull request"),
            "{told}"
        );
    }
    assert_eq!(told_within(50)?, "");
    let text = env.run(&["status"]).ok()?;
    let why = "nothing fits into hooks.session_start_budget = 50; the shortest line needs ";
    assert!(text.contains(why), "{text}");
    // The reported number of tokens is sufficient.
    let needed = text.split(why).nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    assert_ne!(told_within(needed.parse()?)?, "");
    Ok(())
}

/// The answer to a hook with an environment variable set.
pub fn chosen(env: &TestEnv, event: &str, variable: (&str, &str), more: Value) -> TestResult<Value> {
    let mut command = env.command(&["hook", event]);
    command.env(variable.0, variable.1);
    let screen = feed(command, input(env, more).as_bytes())?;
    assert_eq!((screen.stderr.as_str(), screen.code), ("", Some(0)), "{variable:?}");
    Ok(if screen.stdout.is_empty() { Value::Null } else { serde_json::from_str(&screen.stdout)? })
}

#[test]
fn each_setting_has_its_effect() -> TestResult {
    let env = with_a_past()?;
    let told = |answer: &Value| answer["hookSpecificOutput"]["additionalContext"].as_str().map(str::len);

    let off = chosen(&env, "session-start", ("BACKSTORY_HOOKS_SESSION_START", "false"), json!({}))?;
    assert_eq!(off, Value::Null);
    let long = chosen(&env, "session-start", ("BACKSTORY_HOOKS_SESSION_START_BUDGET", "800"), json!({}))?;
    let short = chosen(&env, "session-start", ("BACKSTORY_HOOKS_SESSION_START_BUDGET", "150"), json!({}))?;
    assert!(told(&short) < told(&long) && told(&short).is_some_and(|length| length < 700), "{short:#}");

    let lint = json!({"prompt": "this came up:\nlib/gate.go:7:1: result of shut is not checked (errcheck)"});
    assert_eq!(chosen(&env, "user-prompt-submit", ("X", ""), lint.clone())?, Value::Null);
    let answer = chosen(&env, "user-prompt-submit", ("BACKSTORY_HOOKS_USER_PROMPT", "true"), lint.clone())?;
    assert!(answer.to_string().contains("if err := open(door); err != nil {"), "{answer:#}");
    let mut command = env.command(&["hook", "user-prompt-submit"]);
    command.env("BACKSTORY_HOOKS_USER_PROMPT", "true").env("BACKSTORY_HOOKS_USER_PROMPT_BUDGET", "51");
    assert_eq!(feed(command, input(&env, lint).as_bytes())?.stdout, "", "there is no room");

    let guard = "BACKSTORY_HOOKS_PRE_TOOL_USE";
    assert_eq!(chosen(&env, "pre-tool-use", (guard, "off"), json!({}))?, Value::Null);
    let answer = chosen(&env, "pre-tool-use", (guard, "warn"), json!({}))?;
    assert!(told(&answer).is_some() && answer["hookSpecificOutput"]["permissionDecision"].is_null(), "{answer:#}");
    assert!(answer["systemMessage"].as_str().is_some_and(|line| line.contains("Never push to main")), "{answer:#}");
    for (value, decision) in [("ask", "ask"), ("block", "deny")] {
        let answer = chosen(&env, "pre-tool-use", (guard, value), json!({}))?;
        let decided = &answer["hookSpecificOutput"];
        assert_eq!(decided["permissionDecision"], decision, "{answer:#}");
        let reason = decided["permissionDecisionReason"].as_str().unwrap_or_default();
        match value {
            // A person reads it in a dialog.
            "ask" => {
                assert!(reason.starts_with("Backstory: card ") && !reason.contains(['<', '\n']), "{reason}");
                assert!(
                    reason.contains(" of 2026-02-2") && reason.contains("forbids this: \"Never push to main"),
                    "{reason}"
                );
            }
            _ => assert!(reason.contains("forbidden: Never push to main") && reason.contains("[card "), "{reason}"),
        }
        // A single failure stops nothing.
        let tests = json!({"session_id": value, "tool_input": {"command": "npm test"}});
        let answer = chosen(&env, "pre-tool-use", (guard, value), tests)?;
        assert!(answer["hookSpecificOutput"]["permissionDecision"].is_null() && told(&answer).is_some(), "{answer:#}");
    }
    let mut command = env.command(&["hook", "pre-tool-use", "--host", "codex"]);
    command.env(guard, "ask");
    let answer: Value = serde_json::from_str(&feed(command, input(&env, json!({})).as_bytes())?.stdout)?;
    assert!(told(&answer).is_some() && answer["hookSpecificOutput"]["permissionDecision"].is_null(), "{answer:#}");

    let failed = json!({
        "session_id": "s3", "hook_event_name": "PostToolUseFailure", "tool_input": {"command": "make lint"},
        "error": "lib/gate.go:7:1: result of shut is not checked (errcheck)",
    });
    let off = chosen(&env, "post-tool-use", ("BACKSTORY_HOOKS_POST_TOOL_USE", "false"), failed.clone())?;
    assert_eq!(off, Value::Null);
    let answer = chosen(&env, "post-tool-use", ("X", ""), failed)?;
    assert!(answer.to_string().contains("This error was resolved before"), "{answer:#}");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");

    // Without time everything is read and nothing derived.
    let line = json!({"type": "user", "uuid": "n1", "sessionId": "s2", "cwd": env.path("work"), "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello"}});
    env.write("claude/projects/x/s2.jsonl", format!("{line}\n"))?;
    chosen(&env, "session-end", ("BACKSTORY_HOOKS_INGEST_SECONDS", "0"), json!({}))?;
    let status = env.run(&["status", "--json"]).json()?;
    assert_ne!(status["stages"][0]["behind"], 0, "{:#}", status["stages"]);
    chosen(&env, "session-end", ("BACKSTORY_HOOKS_INGEST_SECONDS", "60"), json!({}))?;
    assert_eq!(env.run(&["status", "--json"]).json()?["stages"][0]["behind"], 0);
    assert!(log_lines(&env).is_empty());

    chosen(&env, "pre-tool-use", (guard, "perhaps"), json!({}))?;
    assert!(log_lines(&env)[0].contains("BACKSTORY_HOOKS_PRE_TOOL_USE"), "{:?}", log_lines(&env));
    Ok(())
}

#[test]
fn a_mistake_in_the_configuration_leaves_what_is_right_in_force() -> TestResult {
    let env = with_a_past()?;
    let mistakes = ["[search]\nbugdet = 3\n\n", "[hoks]\n\n", "[hooks]\nsession_start_bugdet = 3\n"];
    for (at, mistake) in mistakes.iter().enumerate() {
        let section = if at == 2 { "" } else { "[hooks]\n" };
        env.write("memory/config.toml", format!("{mistake}{section}pre_tool_use = \"block\"\n"))?;
        let given = json!({"session_id": format!("s{at}")});
        for is_first in [true, false] {
            let answer = chosen(&env, "pre-tool-use", ("X", ""), given.clone())?;
            assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{mistake}: {answer:#}");
            let message = answer["systemMessage"].as_str().unwrap_or_default();
            assert_eq!(message.contains("config.toml:"), is_first, "once in a session: {answer:#}");
        }
    }
    Ok(())
}

#[test]
fn a_mistake_in_the_configuration_tells_nothing_but_itself_and_reads_on() -> TestResult {
    let env = with_a_past()?;
    env.write("memory/config.toml", "[hooks]\nsession_strat = true\ningest_seconds = 0\n")?;
    for event in ["session-start", "pre-tool-use"] {
        let answer: Value = serde_json::from_str(&call(&env, event)?.stdout)?;
        let message = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(message.contains("silent because of a mistake") && message.contains("config.toml:2"), "{answer:#}");
        assert!(answer["hookSpecificOutput"].is_null(), "{answer:#}");
    }
    let line = json!({"type": "user", "uuid": "n1", "sessionId": "s2", "cwd": env.path("work"), "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello"}});
    env.write("claude/projects/x/s2.jsonl", format!("{line}\n"))?;
    silent(&call(&env, "session-end")?, "session-end");
    let lines = log_lines(&env);
    assert!(lines.len() == 3 && lines.iter().all(|line| line.contains("config.toml")), "{lines:?}");
    // Valid parts of the file count.
    let status = env.run(&["status", "--json"]).json()?;
    assert_ne!(status["stages"][0]["behind"], 0, "{:#}", status["stages"]);
    std::fs::remove_file(env.path("memory/config.toml"))?;
    assert!(env.run(&["search", "hello"]).ok()?.contains("say hello"));
    Ok(())
}

/// A cloned file may reduce what is shown and make checks stricter, but not laxer.
#[test]
fn a_repository_cannot_take_down_the_guard() -> TestResult {
    let env = with_a_past()?;
    env.write("work/.backstory.toml", "[hooks]\npre_tool_use = \"off\"\nsession_start = false\n")?;
    assert!(call(&env, "pre-tool-use")?.stdout.contains("Never push to main"));
    silent(&call(&env, "session-start")?, "off in this project");
    env.write("work/.backstory.toml", "[hooks]\npre_tool_use = \"block\"\n")?;
    let answer: Value = serde_json::from_str(&call(&env, "pre-tool-use")?.stdout)?;
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer:#}");
    Ok(())
}
