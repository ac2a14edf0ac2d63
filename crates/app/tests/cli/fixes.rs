//! Fixes of earlier errors, and rules against an action.

use backstory_engine::Memory;
use backstory_engine::model::{CardAct, CardKind, CardSource, EventKind, Scope, Timestamp};
use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

const COMPLAINT: &str =
    "src/door.go:12:3: result of open is not checked (errcheck)\n\topen(door)\n\t^\n1 issues:\n* errcheck: 1";

/// A session in the current folder's project: each step is a tool, its input, its output and whether that was an error.
fn session(env: &TestEnv, name: &str, steps: &[(&str, Value, &str, bool)]) -> String {
    let folder = env.path("work");
    let folder = std::fs::canonicalize(&folder).unwrap_or(folder);
    let mut minute = 0;
    let mut record = |kind: &str, uuid: String, content: Value| {
        minute += 1;
        json!({
            "type": kind, "uuid": uuid, "sessionId": name, "cwd": folder,
            "timestamp": format!("2026-02-03T10:{minute:02}:00.000Z"), "message": {"role": kind, "content": content},
        })
    };
    let mut records = vec![record("user", format!("{name}-0"), json!("tidy the doors"))];
    for (n, (tool, input, output, is_error)) in steps.iter().enumerate() {
        let id = format!("toolu_{name}_{n}");
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        records.push(record("assistant", format!("{name}-call-{n}"), json!([call])));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error});
        records.push(record("user", format!("{name}-result-{n}"), json!([result])));
    }
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// An environment whose memory contains a fix and a correction.
pub fn with_a_past() -> TestResult<TestEnv> {
    let env = TestEnv::new()?;
    let lint = json!({"command": "make lint"});
    let edit = json!({"file_path": "src/door.go", "old_string": "\topen(door)", "new_string": "\tif err := open(door); err != nil {"});
    let steps = [
        ("Bash", lint.clone(), COMPLAINT, true),
        ("Edit", edit, "edited", false),
        ("Bash", lint, "0 issues.", false),
        ("Bash", json!({"command": "python tools/seed.py"}), "bash: python: command not found", true),
        ("Bash", json!({"command": "python3 tools/seed.py"}), "seeded", false),
    ];
    let file = env.write("sessions/one.jsonl", session(&env, "one", &steps))?;
    env.run(&["ingest", "--quiet", &file.to_string_lossy()]).ok()?;
    Ok(env)
}

#[test]
fn fix_tells_what_resolved_an_error() -> TestResult {
    let env = with_a_past()?;
    let error = "lib/gate.go:7:1: result of shut is not checked (errcheck)";
    let screen = env.run(&["fix", error]).ok()?;
    for words in [
        "errcheck",
        "- open(door)",
        "+ if err := open(door); err != nil {",
        "session one",
        "25 days ago",
        "evidence:",
        "src/door.go",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(screen.starts_with("<backstory-memory verb=\"fix\">"), "{screen}");
    let piped = env.run_with_input("memory", &["fix"], &format!("{error}\n1 issues:\n"))?.ok()?;
    assert_eq!(piped, screen);

    let answer = env.run(&["fix", error, "--json"]).json()?;
    assert_eq!((&answer["diagnostics"], &answer["known"]), (&1.into(), &1.into()));
    let item = &answer["items"][0];
    assert_eq!((&item["session"], &item["age_days"]), (&"one".into(), &25.into()), "{item:#}");
    assert_eq!(item["change"]["removed"][0], "open(door)");
    assert!(item["evidence"]["failed"].as_str().is_some_and(|cited| cited.starts_with("tool_output:")));
    Ok(())
}

#[test]
fn fix_says_so_when_nothing_is_known() -> TestResult {
    let env = with_a_past()?;
    for error in ["all is well", "src/door.go:1:1: name is unused (unused)", "src/door.go:1:1: undefined: hinge"] {
        let screen = env.run(&["fix", error]).nothing()?;
        assert!(screen.starts_with("Nothing found"), "{error}: {screen}");
        assert_eq!(env.run(&["fix", "--json", error]).json()?["items"], json!([]), "{error}");
    }
    Ok(())
}

/// The events in which cards were shown.
fn exposures(env: &TestEnv) -> TestResult<usize> {
    Ok(env.export("memory")?.lines().filter(|line| line.contains("\"channel\":\"check\"")).count())
}

/// `No rule or failure found (4 cards checked).`
fn is_nothing_found(answer: &str) -> bool {
    answer.starts_with("No rule or failure found (") && answer.ends_with(" checked).\n") && answer.lines().count() == 1
}

#[test]
fn check_says_in_one_line_that_nothing_was_found() -> TestResult {
    let env = with_a_past()?;
    for action in [&["check", "ls", "-la"][..], &["check", "src/door.go"], &["check", "paint the door"]] {
        let answer = env.run(action).ok()?;
        assert!(is_nothing_found(&answer), "{action:?}: {answer}");
    }
    let answer = env.run(&["check", "--json", "make", "lint"]).json()?;
    assert_eq!((&answer["forbidden"], &answer["failed"], &answer["fixes"]), (&json!([]), &json!([]), &json!([])));
    assert_eq!(exposures(&env)?, 0, "nothing was shown");

    let screen = env.run(&["check", "python", "tools/seed.py"]).ok()?;
    assert!(screen.contains("known to fail: <untrusted>`python tools/seed.py` fails here"), "{screen}");
    assert!(screen.contains("use `python3 tools/seed.py`"), "{screen}");
    assert_eq!(exposures(&env)?, 1);

    let screen = env.run(&["check", "--error", COMPLAINT, "make", "lint"]).ok()?;
    assert!(screen.contains("+ if err := open(door); err != nil {"), "{screen}");
    assert_eq!(exposures(&env)?, 1, "a fix is no card");
    Ok(())
}

#[test]
fn check_tells_what_is_forbidden() -> TestResult {
    let env = with_a_past()?;
    let mut memory = Memory::open(&env.path("memory"))?;
    let project = memory.log().store().projects()?.first().map(|row| row.project.id).ok_or("no project")?;
    for (scope, text) in
        [(Scope::repo(project), "Never push to main."), (Scope::global(), "Use `pnpm add` instead of `npm install`.")]
    {
        let (kind, source) = (CardKind::Constraint, CardSource::Remembered);
        let act = CardAct::add(kind, scope, source);
        let now = Timestamp(1_770_500_000_000);
        memory.log().append_of_cards(EventKind::User, now, text.to_owned(), &act)?;
    }
    drop(memory);
    let screen = env.run(&["check", "git", "push", "--force", "origin", "main"]).ok()?;
    assert!(screen.contains("forbidden: Never push to main."), "{screen}");
    assert!(is_nothing_found(&env.run(&["check", "git", "push", "origin", "feature"]).ok()?));
    let answer = env.run(&["check", "--json", "cd web && npm install left-pad"]).json()?;
    assert_eq!(answer["forbidden"][0]["scope"], "global", "{answer:#}");

    // Another folder has its own memory, and cards for all projects.
    let elsewhere = env.path("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    let ask = |action: &str| -> TestResult<String> {
        let output = env.command(&["check", action]).current_dir(&elsewhere).output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    assert!(is_nothing_found(&ask("git push origin main")?));
    assert!(ask("npm install left-pad")?.contains("forbidden"));
    Ok(())
}
