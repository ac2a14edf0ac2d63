//! `init`, `uninstall`, `doctor`: in environments with various settings files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

const OURS: [&str; 2] = ["backstory hook", "\"backstory\""];

/// The binary's path and the disk differ between machines.
fn scrub(text: &str) -> String {
    let text = text.replace(env!("CARGO_BIN_EXE_backstory"), "[BIN]");
    let lines = text.lines().filter(|line| !line.contains("build folder") && !line.contains(" disk: "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Every file of the hosts, by name.
fn host_files(env: &TestEnv) -> TestResult<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for folder in ["claude", "codex", "work", "home"] {
        collect(&env.path(folder), &mut files)?;
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> TestResult {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(())
}

#[test]
fn the_plan_is_shown_and_nothing_is_changed_without_a_terminal() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write("claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")?;
    let before = host_files(&env)?;
    let screen = env.run(&["init"]);
    expect![[r#"
        Found
          Claude Code  [ROOT]/claude  11 session files, 331.7 KB
          Codex        [ROOT]/codex  1 session file, 11.6 KB
        Plan
          read    12 session files (343.3 KB) into [ROOT]/memory; known secrets are blanked
          create  [ROOT]/claude/.claude.json: add MCP server `backstory`
          change  [ROOT]/claude/settings.json: add 8 hooks (SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, PreCompact, SessionEnd, SubagentStop)
          create  [ROOT]/codex/config.toml: add notify, MCP server `backstory`
          create  [ROOT]/codex/hooks.json: add 7 hooks (SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PreCompact, SessionEnd, SubagentStop)
        Entries call [BIN]
        What agents are given
          at the start of a session: what must be respected here and what was left open, in few words
          before a command or an edit: a warning if it failed or was refused before; nothing otherwise
          before a compaction and at the end: nothing; what is new in the session is read
          when they ask: answers from your sessions, through the tools of the server
          `config.toml` turns hooks off one by one. Nothing leaves this machine.
          ! BACKSTORY_HOME is set: agents use this memory only if they are started with it too
          ! Codex runs hooks only after you have trusted them: type /hooks there
        --- stderr
        backstory: nothing was changed: there is no terminal to ask on
          `backstory init --yes` does it; `backstory init --dry-run` shows the plan.
        --- exit code 2
    "#]]
    .assert_eq(&scrub(&screen.text()));
    assert_eq!(env.run_with(&[("CI", "true")], &["init"]).code, Some(2));
    assert!(env.run(&["init", "--dry-run"]).ok()?.contains("Nothing was changed (--dry-run)"));
    assert_eq!(host_files(&env)?, before);
    assert!(!env.path("memory").exists(), "looking makes no memory");
    Ok(())
}

#[test]
fn init_registers_reads_and_says_what_to_try() -> TestResult {
    let env = TestEnv::with_demo()?;
    let settings = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  }\n}\n";
    env.write("claude/settings.json", settings)?;
    env.write("claude/.claude.json", "{\"numStartups\":12,\"mcpServers\":{\"other\":{\"command\":\"npx\"}}}")?;
    env.write("codex/config.toml", "# mine\nmodel = \"gpt\"\n\n[tui]\ntheme = \"dark\"")?;
    let before = host_files(&env)?;
    let text = scrub(&env.run(&["init", "--yes"]).ok()?);
    let (_, told) = text.split_once("Nothing leaves this machine.\n").unwrap_or_default();
    expect![[r#"
          ! BACKSTORY_HOME is set: agents use this memory only if they are started with it too
          ! Codex runs hooks only after you have trusted them: type /hooks there
        Changed [ROOT]/claude/.claude.json (as it was: .claude.json.backstory-backup)
        Changed [ROOT]/claude/settings.json (as it was: settings.json.backstory-backup)
        Changed [ROOT]/codex/config.toml (as it was: config.toml.backstory-backup)
        Created [ROOT]/codex/hooks.json
        Read 12 files (343.3 KB) in [TIME] s
          300 events: 300 new
          2 secrets redacted: 1 aws-access-key, 1 aws-secret-key
          no problems
        Memory 7 sessions, 300 events, 60 chunks, 66 edges (log.sqlite [SIZE], views/memory.sqlite [SIZE], views/index 92.6 KB)

        Try first
          backstory sessions --project lantern-shop
              what happened there
          backstory search "NaN total is back after merging main" --project lantern-shop
              what is known about it
          backstory loops --project lantern-shop
              what was left open
          Start a new session in Claude Code or Codex and ask: what do we know about "NaN total is back after merging main"?
              sessions that run already do not see the change
          backstory doctor
              check the installation
    "#]]
    .assert_eq(told);

    let written: Value = serde_json::from_slice(&fs::read(env.path("claude/settings.json"))?)?;
    let bin = env!("CARGO_BIN_EXE_backstory");
    assert_eq!(written["hooks"]["SessionStart"][0]["hooks"][0]["command"], json!(format!("{bin} hook session-start")));
    assert!(written["hooks"].as_object().is_some_and(|hooks| hooks.len() == 9), "{written}");
    let main: Value = serde_json::from_slice(&fs::read(env.path("claude/.claude.json"))?)?;
    assert_eq!(main["mcpServers"]["backstory"], json!({"type": "stdio", "command": bin, "args": ["mcp"]}));
    let codex = fs::read_to_string(env.path("codex/config.toml"))?;
    assert_eq!(
        codex,
        format!(
            "# mine\nmodel = \"gpt\"\nnotify = [\"{bin}\", \"hook\", \"notify\"]\n\n[tui]\ntheme = \"dark\"\n\n\
             [mcp_servers.backstory]\ncommand = \"{bin}\"\nargs = [\"mcp\"]"
        )
    );

    let after = host_files(&env)?;
    let again = env.run(&["init"]).ok()?;
    assert!(again.contains("Nothing to do: everything is set up."), "{again}");
    assert_eq!(host_files(&env)?, after, "twice changes no byte");

    env.run(&["uninstall", "--yes"]).ok()?;
    assert_eq!(host_files(&env)?, before, "every byte is back, backups included");
    assert!(env.path("memory/log.sqlite").exists(), "the memory is kept");
    assert!(env.run(&["uninstall", "--yes"]).ok()?.contains("No entries of Backstory were found"));
    env.run(&["uninstall", "--yes", "--delete-data"]).ok()?;
    assert!(!env.path("memory").exists());
    Ok(())
}

/// One session of another project is the newest: the project with the most sessions is suggested.
#[test]
fn the_first_steps_lead_where_most_sessions_are() -> TestResult {
    let env = TestEnv::with_demo()?;
    let line = json!({"type": "user", "uuid": "n1", "sessionId": "s2", "cwd": "/home/ada/once", "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello to the world"}});
    env.write("claude/projects/-home-ada-once/s2.jsonl", format!("{line}\n"))?;
    let told = env.run(&["init", "--yes"]).ok()?;
    assert!(told.contains("backstory loops --project lantern-shop"), "{told}");
    assert!(!told.contains("--project once") && !told.contains("say hello"), "{told}");

    let env = TestEnv::new()?;
    env.write("claude/projects/-home-ada-once/s2.jsonl", format!("{line}\n"))?;
    let told = env.run(&["init", "--yes"]).ok()?;
    assert!(told.contains("backstory sessions --project once"), "{told}");
    assert!(
        !told.contains("backstory loops") || !env.run(&["loops", "--project", "once"]).ok()?.contains("Nothing"),
        "{told}"
    );
    Ok(())
}

/// Two projects whose folders have the same name: the suggestions name the path.
#[test]
fn the_first_steps_work_where_two_projects_share_a_name() -> TestResult {
    let env = TestEnv::new()?;
    for (n, folder) in ["/home/ada/once", "/home/ben/once"].iter().enumerate() {
        let line = json!({"type": "user", "uuid": format!("n{n}"), "sessionId": format!("s{n}"), "cwd": folder, "timestamp": "2026-02-28T10:00:00Z", "message": {"role": "user", "content": "say hello to the world"}});
        env.write(&format!("claude/projects/p{n}/s{n}.jsonl"), format!("{line}\n"))?;
    }
    let told = env.run(&["init", "--yes"]).ok()?;
    let suggested =
        told.lines().find_map(|line| line.trim().strip_prefix("backstory sessions ")).ok_or(told.clone())?;
    let args: Vec<&str> = std::iter::once("sessions").chain(suggested.split(' ')).collect();
    assert!(suggested.contains("/once"), "{told}");
    env.run(&args).ok()?;
    Ok(())
}

#[test]
fn files_that_others_changed_since_lose_only_our_entries() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write("claude/settings.json", "{}\n")?;
    env.run(&["init", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    let path = env.path("claude/settings.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&path)?)?;
    value["hooks"]["PreToolUse"]
        .as_array_mut()
        .ok_or("no list")?
        .push(json!({"hooks": [{"type": "command", "command": "mine"}]}));
    fs::write(&path, serde_json::to_string_pretty(&value)?)?;
    let told = env.run(&["uninstall", "--yes"]).ok()?;
    assert!(told.contains("others changed it since"), "{told}");
    let left = fs::read_to_string(&path)?;
    assert!(left.contains("mine") && !OURS.iter().any(|ours| left.contains(ours)), "{left}");
    assert_eq!(fs::read_to_string(env.path("claude/settings.json.backstory-backup"))?, "{}\n");
    assert!(!env.path("claude/.claude.json").exists(), "it was made for our entry");
    assert!(!env.path("codex/hooks.json").exists());
    Ok(())
}

#[test]
fn earlier_backups_stay() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write("claude/settings.json", "{\"a\": 1}")?;
    env.write("claude/settings.json.backstory-backup", "older")?;
    env.run(&["init", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    assert_eq!(fs::read_to_string(env.path("claude/settings.json.backstory-backup"))?, "older");
    assert_eq!(fs::read_to_string(env.path("claude/settings.json.backstory-backup-2"))?, "{\"a\": 1}");
    Ok(())
}

#[test]
fn a_damaged_file_is_left_alone_and_nothing_else_is_touched() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write("codex/config.toml", "model = \"x\"\nbroken = \n")?;
    let before = host_files(&env)?;
    expect![[r#"
        --- stderr
        backstory: [ROOT]/codex/config.toml:2: string values must be quoted, expected literal string
          Nothing was changed. Correct the file and try again, or choose the other host with --host.
        --- exit code 5
    "#]]
    .assert_eq(&env.run(&["init", "--yes"]).text());
    assert_eq!(host_files(&env)?, before);
    env.run(&["init", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    env.write("claude/settings.json", "{\n  \"a\": 1,\n  \"b\" 2\n}\n")?;
    let doctor = env.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("settings.json:3: "), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("config.toml:2: "), "{}", doctor.stdout);
    for (at, damaged) in
        ["{\n  \"a\": 1,\n  \"b\" 2\n}\n", "{\n  \"a\": 1\n  \"b\": 2\n}\n", "{\n  \"a\": [1,\n"].iter().enumerate()
    {
        env.write("claude/settings.json", damaged)?;
        let place =
            |told: &str| told.split_once("settings.json:").and_then(|(_, told)| Some(told.lines().next()?.to_owned()));
        let refused = place(&env.run(&["init", "--yes", "--host", "claude"]).stderr);
        assert!(refused.is_some() && refused == place(&env.run(&["doctor"]).stdout), "{at}: {refused:?}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() -> TestResult {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = TestEnv::with_demo()?;
    let real = env.write("home/dotfiles/claude.json", "{}\n")?;
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640))?;
    symlink(&real, env.path("claude/settings.json"))?;
    env.run(&["init", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    assert!(fs::symlink_metadata(env.path("claude/settings.json"))?.is_symlink());
    assert!(fs::read_to_string(&real)?.contains("hook session-start"));
    assert_eq!(fs::metadata(&real)?.permissions().mode() & 0o777, 0o640);
    env.run(&["uninstall", "--yes"]).ok()?;
    assert_eq!(fs::read_to_string(&real)?, "{}\n");
    assert!(fs::symlink_metadata(env.path("claude/settings.json"))?.is_symlink());

    fs::set_permissions(&real, fs::Permissions::from_mode(0o440))?;
    let refused = env.run(&["init", "--yes", "--no-ingest"]);
    assert_eq!(refused.code, Some(5));
    assert!(refused.stderr.contains("claude/settings.json is read-only"), "{}", refused.stderr);
    assert!(!env.path("claude/.claude.json").exists(), "nothing was changed");
    Ok(())
}

#[test]
fn a_project_gets_no_place_of_this_machine() -> TestResult {
    let env = TestEnv::with_demo()?;
    let screen = env.run(&["init", "--project", "--yes", "--no-ingest"]).ok()?;
    assert!(screen.contains("(no repository: the folder itself is the project)"), "{screen}");
    for name in
        ["work/.mcp.json", "work/.claude/settings.local.json", "work/.codex/config.toml", "work/.codex/hooks.json"]
    {
        let text = fs::read_to_string(env.path(name))?;
        assert!(text.contains("backstory") && !text.contains(env!("CARGO_BIN_EXE_backstory")), "{name}: {text}");
    }
    assert!(!fs::read_to_string(env.path("work/.codex/config.toml"))?.contains("notify"));
    env.run(&["uninstall", "--yes"]).ok()?;
    assert_eq!(fs::read_dir(env.path("work"))?.count(), 0, "files and folders that were made are gone");
    let mut at_home = env.command(&["init", "--project", "--yes"]);
    let refused = at_home.current_dir(env.path("home")).output()?;
    assert_eq!(refused.status.code(), Some(2));
    Ok(())
}

#[test]
fn what_is_registered_for_the_person_is_not_registered_again_in_a_project() -> TestResult {
    let env = TestEnv::with_demo()?;
    let faults = || -> TestResult<Vec<String>> {
        let told: Value = serde_json::from_str(&env.run(&["doctor", "--json"]).stdout)?;
        let items = told["items"].as_array().cloned().unwrap_or_default();
        let ill = items.iter().filter(|item| item["name"].as_str().is_some_and(|name| name.ends_with("hooks")));
        Ok(ill.filter(|item| item["state"] == "fault").map(|item| item["fix"].to_string()).collect())
    };
    env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    let told = env.run(&["init", "--project", "--yes", "--no-ingest"]).ok()?;
    for host in ["Claude Code", "Codex"] {
        let line =
            format!("your own settings have server and hooks of {host} for all projects: not registered again here");
        assert!(told.contains(&line), "{told}");
    }
    assert_eq!(fs::read_dir(env.path("work"))?.count(), 0, "nothing is written");
    assert_eq!(faults()?, Vec::<String>::new());
    env.run(&["uninstall", "--yes"]).ok()?;

    // The reverse: it is reported, and the doctor's repair works.
    env.run(&["init", "--project", "--yes", "--no-ingest"]).ok()?;
    let told = env.run(&["init", "--yes", "--no-ingest"]).ok()?;
    assert!(told.contains("has hooks of its own, which would run twice: `backstory init --project`"), "{told}");
    let ill = faults()?;
    assert!(ill.len() == 2 && ill.iter().all(|fix| fix.contains("`backstory init --project` takes out")), "{ill:?}");
    let told = env.run(&["init", "--project", "--yes", "--no-ingest"]).ok()?;
    assert!(told.contains("take out what your own settings have: 8 hooks"), "{told}");
    assert_eq!(faults()?, Vec::<String>::new());
    assert!(fs::read_to_string(env.path("work/.mcp.json"))?.contains("backstory"), "one server of a name is started");
    Ok(())
}

#[test]
fn a_program_of_another_is_not_replaced() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write(
        "codex/config.toml",
        "notify = [\"python3\", \"/x.py\"]\n[mcp_servers.backstory]\nurl = \"http://127.0.0.1:7171/mcp\"\n",
    )?;
    let before = fs::read_to_string(env.path("codex/config.toml"))?;
    let told = env.run(&["init", "--yes", "--no-ingest", "--host", "codex"]).ok()?;
    assert!(told.contains("`notify` calls another program and is left as it is"), "{told}");
    assert!(told.contains("a server named `backstory` is there already"), "{told}");
    assert_eq!(fs::read_to_string(env.path("codex/config.toml"))?, before);
    Ok(())
}

#[test]
fn no_agent_is_told_with_what_to_do() -> TestResult {
    let env = TestEnv::new()?;
    expect![[r#"
        --- stderr
        backstory: no agent was found on this machine
          Looked for [ROOT]/claude and [ROOT]/codex. `--host claude` or `--host codex` sets one up anyway; `backstory ingest PATH` reads transcripts.
        --- exit code 1
    "#]]
    .assert_eq(&env.run(&["init"]).text());
    let doctor = env.run(&["doctor"]).ok()?;
    assert!(doctor.contains("neither Claude Code nor Codex was found"), "{doctor}");
    Ok(())
}

#[test]
fn doctor_says_what_mends() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.run(&["init", "--yes"]).ok()?;
    let text = env.run(&["doctor"]).ok()?;
    expect![[r#"
        ✓ home: [ROOT]/memory can be read and written
        ✓ locks: no process holds one
        ✓ config: valid
        ✓ log: whole, 300 events
        ✓ views: up to date
        ✓ index: whole, by its checksums
        ✓ stages: every stage has all of every run
        ✓ Claude Code server: registered in [ROOT]/claude/.claude.json
        ✓ Claude Code hooks: registered in [ROOT]/claude/settings.json
        ✓ Claude Code program: [BIN], this one
        ✓ Codex server: registered in [ROOT]/codex/config.toml
        ✓ Codex hooks: registered in [ROOT]/codex/hooks.json
        ✓ Codex program: [BIN], this one
        ! Codex hooks: Codex runs hooks only after you have trusted them
            → Type /hooks in Codex, look at them, and trust them.
        ✓ Claude Code sessions: 11 files, all read
        ✓ Codex sessions: 1 file, all read
        No faults, 1 note.
    "#]]
    .assert_eq(&scrub(&text));

    // The binary has moved, the plugin is also enabled, a session is new, the configuration is invalid.
    let path = env.path("claude/settings.json");
    let text = fs::read_to_string(&path)?.replace(env!("CARGO_BIN_EXE_backstory"), "/gone/backstory");
    fs::write(&path, text.replacen('{', "{\n  \"enabledPlugins\": {\"backstory@backstory\": true},", 1))?;
    env.write("memory/config.toml", "[embeding]\n")?;
    let sick = env.run(&["doctor", "--json"]);
    assert_eq!(sick.code, Some(1));
    let value: Value = serde_json::from_str(&sick.stdout)?;
    let told = |state: &str| -> Vec<String> {
        let items = value["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter(|item| item["state"] == state).map(|item| item["told"].to_string()).collect()
    };
    let faults = told("fault").join("\n");
    for part in ["embeding", "/gone/backstory is not there any more", "every hook runs twice"] {
        assert!(faults.contains(part), "{part} in {faults}");
    }
    assert!(
        value["items"]
            .as_array()
            .is_some_and(|items| items.iter().all(|item| item["state"] == "ok" || item["fix"].is_string()))
    );
    Ok(())
}

#[cfg(unix)]
#[test]
fn doctor_does_not_start_what_a_repository_names() -> TestResult {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::with_demo()?;
    env.run(&["ingest", "-q"]).ok()?;
    git2::Repository::init(env.path("work"))?;
    let trap = env.write("work/bin/backstory", "#!/bin/sh\ntouch \"$0.started\"\necho backstory 0.1.0\n")?;
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755))?;
    let server = json!({"mcpServers": {"backstory": {"command": trap, "args": ["mcp"]}}});
    env.write("work/.mcp.json", server.to_string())?;
    let text = env.run(&["doctor"]).stdout;
    assert!(text.contains("named by a project's settings; it was not started"), "{text}");
    assert!(!env.path("work/bin/backstory.started").exists());
    Ok(())
}

#[test]
fn the_plugin_fits_the_binary() -> TestResult {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| -> TestResult<Value> { Ok(serde_json::from_slice(&fs::read(root.join(name))?)?) };
    let market = read(".claude-plugin/marketplace.json")?;
    let folder = root.join(market["plugins"][0]["source"].as_str().ok_or("no source")?);
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join(".claude-plugin/plugin.json"))?)?;
    assert_eq!(
        (&manifest["name"], &manifest["version"]),
        (&market["plugins"][0]["name"], &json!(env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(read("plugin/.mcp.json")?["mcpServers"]["backstory"], json!({"command": "backstory", "args": ["mcp"]}));

    // The same hooks that `init` writes into a project.
    let env = TestEnv::with_demo()?;
    env.run(&["init", "--project", "--yes", "--no-ingest", "--host", "claude"]).ok()?;
    let written: Value = serde_json::from_slice(&fs::read(env.path("work/.claude/settings.local.json"))?)?;
    let hooks = &read("plugin/hooks/hooks.json")?["hooks"];
    assert_eq!(hooks, &written["hooks"]);

    // The binary knows every event and offers every tool that the skill names.
    let commands = strings(hooks).into_iter().filter(|text| text.contains(" hook "));
    let events: Vec<String> = commands.filter_map(|text| Some(text.rsplit_once(' ')?.1.to_owned())).collect();
    assert!(events.len() >= 6, "{events:?}");
    for event in &events {
        env.run_with_input("memory", &["hook", event], "{}")?;
        assert!(env.path(&format!("memory/hooks/{event}.json")).exists(), "{event} is not known");
    }
    let told = env.run_with_input("memory", &["mcp"], &format!("{HELLO}\n{INITIALIZED}\n{LIST_TOOLS}\n"))?.stdout;
    let answer = told.lines().find(|line| line.contains("\"tools\"") && line.contains("\"id\":2")).ok_or("no tools")?;
    let offered: Value = serde_json::from_str(answer)?;
    let offered: Vec<&str> =
        offered["result"]["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    let skill = fs::read_to_string(folder.join("skills/backstory/SKILL.md"))?;
    let rows = skill.lines().filter(|line| line.starts_with('|')).filter_map(|line| line.split('`').nth(1));
    let named: Vec<&str> = rows.collect();
    assert!(named.len() >= 10 && named.iter().all(|name| offered.contains(name)), "{named:?} of {offered:?}");
    Ok(())
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST_TOOLS: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

/// All texts in a value.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn doctor_tells_what_hooks_ran_into() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run_with_input("memory", &["hook", "session-start"], "{ broken")?;
    let screen = env.run(&["doctor"]);
    let told = screen.text();
    assert!(screen.code == Some(1) && told.contains("session-start failed") && told.contains("up to date"), "{told}");
    Ok(())
}

#[test]
fn completions_and_manual_pages_are_made() -> TestResult {
    let env = TestEnv::new()?;
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = env.run(&["completions", shell]).ok()?;
        assert!(script.contains("reconstruct"), "{shell}");
    }
    assert!(env.run(&["man"]).ok()?.starts_with(".ie"));
    let folder = env.path("man");
    env.run(&["man", "--out", &folder.to_string_lossy()]).ok()?;
    for page in ["backstory.1", "backstory-search.1", "backstory-log-verify.1"] {
        let text = fs::read_to_string(folder.join(page))?;
        assert!(text.contains(".SH NAME"), "{page}: {text}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_noted_is_not_registered() -> TestResult {
    let env = TestEnv::with_demo()?;
    let file = env.write("in-the-way", "")?;
    let before = host_files(&env)?;
    let mut command = env.command(&["init", "--yes", "--no-ingest"]);
    let done = command.env("BACKSTORY_HOME", file.join("memory")).output()?;
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(5), "{told}");
    assert!(told.contains("cannot be written") && told.contains("Nothing was changed"), "{told}");
    assert!(host_files(&env)? == before);
    Ok(())
}
