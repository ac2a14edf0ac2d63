//! One command language: the same options and orders everywhere, and the old spellings still work.

use crate::env::{TestEnv, TestResult};

const QUESTION: &str = "NaN total";

#[test]
fn old_spellings_still_work() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["search", "--all-projects", "--json", "--", QUESTION][..],
        &["recall", "--all-projects", "--json", "--", QUESTION],
        &["sessions", "--all-projects", "--json"],
        &["links", "--all-projects", "--json"],
        &["pack", "--all-projects", "--json", "--session", "s-1", "mend the total"],
        &["list", "sessions", "--all-projects", "--json"],
        &["list", "agents", "--all-projects", "--json"],
        &["reconstruct", "--session", "1a5d", "--json"],
        &["reconstruct", "-s", "1a5d", "--json"],
        &["outcome", "helpful", "--session", "1a5d", "--json"],
        &["check", "--all-projects", "--session", "s-1", "--json", "npm", "test"],
        &["links", "--all-projects", "--file", "src/cart.ts", "--json"],
    ] {
        let json = env.run(args).json().map_err(|error| format!("{args:?}: {error}"))?;
        assert!(json["backstory"].is_string(), "{args:?}: {json}");
    }
    Ok(())
}

#[test]
fn options_may_follow_free_text() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["search", QUESTION, "--limit", "3", "--all-projects", "--json"][..],
        &["check", "rm -rf build", "--all-projects", "--json"],
        &["check", "git", "push", "--force", "--json", "--all-projects"],
        &["pack", "mend the total", "--all-projects", "--json"],
    ] {
        env.run(args).json().map_err(|error| format!("{args:?}: {error}"))?;
    }
    Ok(())
}

#[test]
fn a_session_is_a_filter() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let found = env.run(&["search", QUESTION, "--all-projects", "--session", "1a5d", "--json"]).json()?;
    let items = found["cases"].as_array().cloned().unwrap_or_default();
    assert!(!items.is_empty());
    assert!(items.iter().all(|item| item["session"].as_str().is_some_and(|id| id.starts_with("1a5d"))), "{found}");
    // An id names a session of any project.
    for (list, field) in [("links", "session_id"), ("loops", "session")] {
        let all = env.run(&[list, "--all-projects", "--json"]).json()?;
        let all = all["items"].as_array().cloned().unwrap_or_default();
        let session = all[0][field].as_str().ok_or("no session")?.to_owned();
        let of_it = all.iter().filter(|item| item[field] == session.as_str()).count();
        let found = env.run(&[list, "--session", &session[..8], "--json"]).json()?;
        let found = found["items"].as_array().cloned().unwrap_or_default();
        assert!(found.len() == of_it && found.iter().all(|item| item[field] == session.as_str()), "{list}: {found:#?}");
    }
    let cards = |session: &str| -> TestResult<usize> {
        let json = env.run(&["cards", "--session", session, "--json"]).json()?;
        Ok(json["items"].as_array().map_or(0, Vec::len))
    };
    assert!(cards("30bf59b3")? > 0 && cards("1a5d")? == 0);
    Ok(())
}

#[test]
fn a_limit_is_a_limit() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let count = |args: &[&str]| -> TestResult<usize> {
        let json = env.run(&[args, &["--all-projects", "--json"]].concat()).json()?;
        let chains = json["chains"].as_array().cloned().unwrap_or_default();
        let of_chains = chains.iter().filter_map(|chain| chain["items"].as_array().map(Vec::len)).sum::<usize>();
        Ok(of_chains + json["items"].as_array().map_or(0, Vec::len))
    };
    for command in [
        &["search", "--passages", QUESTION][..],
        &["recall", "--thinking", QUESTION],
        &["predict", QUESTION],
        &["links"],
    ] {
        assert!(count(command)? > 1, "{command:?}");
        assert_eq!(count(&[command, &["--limit", "1"]].concat())?, 1, "{command:?}");
    }
    let of_session = env.run(&["links", "1a5d", "--limit", "1", "--json"]).json()?;
    assert_eq!(of_session["links"].as_array().map(Vec::len), Some(1), "{of_session}");
    env.write("work/cart.js", "function one() {}\nfunction two() { one(); one(); }\nfunction three() { one(); }\n")?;
    let calls = env.run(&["callers", "one", "--limit", "1"]).ok()?;
    assert!(calls.contains("more call") && calls.lines().count() == 3, "{calls}");
    assert_eq!(env.run(&["fix", "--limit", "0", "an error"]).code, Some(2));
    Ok(())
}

#[test]
fn all_projects_are_called_so() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [&["loops", "--from", "2030-01-01"][..], &["fix", "src/door.go:12:3: not checked (errcheck)"]] {
        let screen = env.run(&[args, &["--all-projects"]].concat()).text();
        assert!(screen.contains("in any project") && !screen.contains("this project"), "{args:?}: {screen}");
    }
    Ok(())
}

#[test]
fn show_knows_every_kind_of_id() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain", "--quiet"]).ok()?;
    let id = |args: &[&str], pointer: &str| -> TestResult<String> {
        let json = env.run(args).json()?;
        let id = json.pointer(pointer).ok_or_else(|| format!("{args:?} has no {pointer}: {json}"))?;
        Ok(id.as_str().map_or_else(|| id.to_string(), str::to_owned))
    };
    let session = id(&["sessions", "--all-projects", "--json"], "/items/0/session")?;
    let case = id(&["digest", "--days", "90", "--all-projects", "--json"], "/items/0/id")?;
    let card = id(&["cards", "--all-projects", "--json"], "/items/0/id")?;
    let chunk = id(&["search", "--passages", QUESTION, "--all-projects", "--json"], "/items/0/chunk")?;
    let event = id(&["log", "show", "-n", "1", "--json"], "/items/0/id")?;
    let open = id(&["loops", "--all-projects", "--json"], "/items/0/id")?;
    let link = id(&["links", "--all-projects", "--json"], "/items/0/id")?;
    let project = id(&["projects", "--json"], "/items/0/id")?;
    let cluster = id(&["clusters", "--all-projects", "--json"], "/items/0/cluster")?;
    assert!(cluster.len() < 4, "fewer digits than other ids");
    for (id, verb) in [
        (session, "show"),
        (case, "show"),
        (card, "cards"),
        (chunk, "log show"),
        (event, "log show"),
        (open, "loops"),
        (link, "links"),
        (project, "projects"),
        (cluster, "clusters"),
    ] {
        let json = env.run(&["show", &id, "--json"]).json().map_err(|error| format!("{id}: {error}"))?;
        assert_eq!(json["verb"], verb, "{id}");
        let short = env.run(&["show", &id[..12.min(id.len())], "--json"]);
        assert_eq!(short.code, Some(0), "{id}: {}", short.text());
    }
    Ok(())
}

#[test]
fn lists_are_newest_first() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let times = |args: &[&str], field: &str| -> TestResult<Vec<String>> {
        let json = env.run(args).json()?;
        let items = json["items"].as_array().cloned().unwrap_or_default();
        Ok(items.iter().filter_map(|item| item[field].as_str().map(str::to_owned)).collect())
    };
    for (args, field) in [
        (&["sessions", "--all-projects", "--json"][..], "started"),
        (&["list", "sessions", "--all-projects", "--json"], "started"),
        (&["agents", "--all-projects", "--json"], "last"),
        (&["projects", "--json"], "last"),
        (&["loops", "--all-projects", "--json"], "time"),
        (&["cards", "--all-projects", "--json"], "renewed_at"),
    ] {
        let listed = times(args, field)?;
        let mut sorted = listed.clone();
        sorted.sort_by(|a, b| b.cmp(a));
        assert!(!listed.is_empty() && listed == sorted, "{args:?}: {listed:?}");
    }
    Ok(())
}

/// Sessions, runs and bytes are counted by one function each.
#[test]
fn numbers_agree() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["remember", "The shop is closed on Mondays", "--everywhere"]).ok()?;
    let status = env.run(&["status", "--json"]).json()?;
    let sessions = env.run(&["sessions", "--all-projects", "--json"]).json()?;
    let projects = env.run(&["projects", "--json"]).json()?;
    let sum = |field: &str| -> u64 {
        projects["items"].as_array().into_iter().flatten().filter_map(|item| item[field].as_u64()).sum()
    };
    assert_eq!(status["sessions"], sessions["total"]);
    assert_eq!(status["sessions"].as_u64(), Some(sum("sessions")));
    assert_eq!(status["episodes"].as_u64(), Some(sum("episodes")));
    let ingested = env.run(&["ingest"]).ok()?;
    assert!(ingested.contains(&format!("{} sessions", status["sessions"])), "{ingested}");
    let shown = env.run(&["status"]).ok()?;
    assert!(shown.contains(&format!("{} ({} runs)", status["sessions"], status["episodes"])), "{shown}");
    Ok(())
}

#[test]
fn the_first_help_screen_is_short() -> TestResult {
    let env = TestEnv::new()?;
    let help = env.run(&["--help"]).ok()?;
    let commands = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let listed = commands.lines().take_while(|line| line.starts_with("  ")).count();
    assert!((7..=9).contains(&listed), "{help}");
    let all = env.run(&["help", "--all"]).ok()?;
    assert!(all.contains("Set up:") && all.contains("  rebuild"), "{all}");
    let bare = env.run(&[]);
    assert!(bare.code == Some(2) && bare.text().contains("Commands:"), "{}", bare.text());
    Ok(())
}

#[test]
fn paths_inside_the_project_are_relative() -> TestResult {
    let env = TestEnv::new()?;
    let work = std::fs::canonicalize(env.path("work"))?;
    let file = work.join("src/cart.js");
    let record = |number: u32, kind: &str, content: serde_json::Value| {
        serde_json::json!({
            "type": kind, "uuid": format!("u{number}"), "sessionId": "s-1", "cwd": work,
            "timestamp": format!("2026-02-28T10:{number:02}:00.000Z"), "message": {"role": kind, "content": content},
        })
    };
    let edit = serde_json::json!([{"type": "tool_use", "id": "t1", "name": "Edit",
        "input": {"file_path": file, "old_string": "a", "new_string": "b"}}]);
    let records = [record(1, "user", serde_json::json!("rename a to b")), record(2, "assistant", edit)];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    env.write("claude/projects/x/s-1.jsonl", lines)?;
    env.run(&["ingest", "--quiet"]).ok()?;
    for args in [&["reconstruct", "s-1"][..], &["search", "--passages", "rename a to b"]] {
        let shown = env.run(args).ok()?;
        assert!(shown.contains("[Edit] src/cart.js"), "{args:?}: {shown}");
    }
    Ok(())
}
