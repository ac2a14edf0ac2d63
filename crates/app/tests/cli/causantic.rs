//! Importing another memory: its database is read, searched and shown.

use rusqlite::{Connection, params};

use crate::env::{TestEnv, TestResult};

/// A Causantic database: three chunks in two sessions of one folder.
fn database(env: &TestEnv) -> TestResult<String> {
    let path = env.write("home/.causantic/memory.db", "")?;
    let conn = Connection::open(&path)?;
    conn.execute_batch(
        "CREATE TABLE chunks (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, session_slug TEXT NOT NULL,
           turn_indices TEXT NOT NULL, start_time TEXT NOT NULL, end_time TEXT NOT NULL, content TEXT NOT NULL,
           agent_id TEXT, project_path TEXT, team_name TEXT);
         CREATE TABLE edges (id TEXT PRIMARY KEY, source_chunk_id TEXT, target_chunk_id TEXT, edge_type TEXT,
           reference_type TEXT);
         CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
         INSERT INTO schema_version VALUES (16);",
    )?;
    let rows = [
        (
            "s1-1",
            "aaaa1111",
            "[0]",
            "2026-01-03T10:00:00Z",
            "[User]\nwhy does the lantern flicker?\n\n[Tool:Bash]\nnpm test lantern\n\n[Assistant]\nThe debounce timer is cleared too early.\n\n[Result:Bash]\nExit code 1\nflicker detected",
        ),
        (
            "s1-2",
            "aaaa1111",
            "[1]",
            "2026-01-03T10:05:00Z",
            "[User]\nuse token ghp_x7Kd92LmQpR4sTvW8yZbN3cFgH5jAeU1oI6q and fix it\n\n[Assistant]\nMoved the clearTimeout behind the last frame.",
        ),
        (
            "s2-1",
            "bbbb2222",
            "[0]",
            "2026-01-04T09:00:00Z",
            "[User]\nadd a dimmer\n\n[Assistant]\nAdded a dimmer with four steps.",
        ),
    ];
    let folder = env.path("work").to_string_lossy().into_owned();
    for (id, session, turns, time, content) in rows {
        conn.execute(
            "INSERT INTO chunks (id, session_id, session_slug, turn_indices, start_time, end_time, content, project_path)
             VALUES (?1, ?2, 'work', ?3, ?4, ?4, ?5, ?6)",
            params![id, session, turns, time, content, folder],
        )?;
    }
    Ok(path.to_string_lossy().into_owned())
}

#[test]
fn a_database_is_read_found_and_told() -> TestResult {
    let env = TestEnv::new()?;
    let path = database(&env)?;
    let read = env.run(&["ingest", &path]).ok()?;
    assert!(read.contains("8 events: 8 new"), "{read}");
    assert!(read.contains("1 secret redacted: 1 github-token"), "{read}");
    assert!(read.contains("no problems"), "{read}");

    let found = env.run(&["search", "--passages", "debounce timer"]).ok()?;
    assert!(found.contains("The debounce timer is cleared too early."), "{found}");
    assert!(found.contains("aaaa1111"), "it says where that is from: {found}");

    let told = env.run(&["reconstruct", "--session", "aaaa1111"]).ok()?;
    let place = |words: &str| told.find(words).ok_or_else(|| format!("{words} is missing in {told}"));
    assert!(place("why does the lantern flicker?")? < place("npm test lantern")?);
    assert!(place("npm test lantern")? < place("flicker detected")?, "a result follows its call");
    assert!(place("flicker detected")? < place("too early")?);
    assert!(place("too early")? < place("clearTimeout")?);
    assert!(!told.contains("ghp_"), "{told}");

    let listed = env.run(&["sessions"]).ok()?;
    assert!(listed.contains("causantic · 2 prompts") && listed.contains("bbbb2222"), "{listed}");
    env.run(&["log", "verify"]).ok()?;

    let again = env.run(&["ingest", &path]).ok()?;
    assert!(again.contains("1 unchanged") && again.contains("0 new"), "{again}");
    let by_name = env.run(&["ingest", "--format", "causantic", &path]).ok()?;
    assert!(by_name.contains("1 unchanged"), "{by_name}");
    assert_eq!(std::fs::read_dir(env.path("home/.causantic"))?.count(), 1, "nothing is left beside it");
    Ok(())
}

#[test]
fn an_archive_of_the_same_adds_nothing() -> TestResult {
    let env = TestEnv::new()?;
    env.run(&["ingest", "--quiet", &database(&env)?]).ok()?;
    let before = env.event_ids("memory")?;
    let folder = env.path("work").to_string_lossy().into_owned();
    let archive = serde_json::json!({
        "id": "s2-1", "sessionId": "bbbb2222", "sessionSlug": "work", "projectPath": folder, "turnIndices": [0],
        "startTime": "2026-01-04T09:00:00Z", "endTime": "2026-01-04T09:00:00Z",
        "content": "[User]\nadd a dimmer\n\n[Assistant]\nAdded a dimmer with four steps.",
    });
    let archive = format!(r#"{{"format": "causantic-archive", "version": "1.1", "chunks": [{archive}], "edges": []}}"#);
    let path = env.write("work/backup.json", &archive)?;
    let read = env.run(&["ingest", &path.to_string_lossy()]).ok()?;
    assert!(read.contains("0 new, 2 already known"), "{read}");
    assert_eq!(env.event_ids("memory")?, before);
    let piped = env.run_with_input("other", &["ingest", "-"], &archive)?.ok()?;
    assert!(piped.contains("2 new"), "{piped}");
    Ok(())
}

#[test]
fn a_session_is_read_from_its_own_file_where_there_is_one() -> TestResult {
    let env = TestEnv::new()?;
    let path = database(&env)?;
    let record = |kind: &str, uuid: &str, content: &str| {
        serde_json::json!({
            "type": kind, "uuid": uuid, "sessionId": "aaaa1111", "cwd": env.path("work"),
            "timestamp": "2026-01-03T10:00:00.000Z", "message": {"id": uuid, "role": kind, "content": content},
        })
    };
    let file = format!(
        "{}\n{}\n",
        record("user", "u1", "why does the lantern flicker?"),
        record("assistant", "u2", "The debounce timer is cleared too early.")
    );
    env.run(&["ingest", "--quiet", &path]).ok()?;
    env.write("claude/projects/work/aaaa1111.jsonl", &file)?;
    let read = env.run(&["ingest"]).ok()?;
    assert!(read.contains("1 imported session replaced by their own files"), "{read}");
    let listed = env.run(&["sessions", "--json"]).json()?;
    let sources: Vec<String> =
        listed["items"].as_array().into_iter().flatten().map(|item| item["source"].to_string()).collect();
    assert_eq!(sources, ["\"causantic\"", "\"claude_code\""]);
    let found = env.run(&["search", "--passages", "debounce timer"]).ok()?;
    assert_eq!(found.matches("cleared too early").count(), 1, "{found}");

    let read = env.run_in("other", &["ingest"]).ok()?;
    assert!(read.contains("Hint Causantic has a memory on this machine"), "{read}");
    assert!(!env.run_in("other", &["ingest"]).ok()?.contains("Hint"), "said once");
    let read = env.run_in("other", &["ingest", &path]).ok()?;
    assert!(read.contains("1 session skipped: already read from their own files"), "{read}");
    Ok(())
}

#[test]
fn an_encrypted_archive_says_what_it_needs() -> TestResult {
    let env = TestEnv::new()?;
    let path = env.write("work/backup.causantic", b"CST\0 and so on, for more than forty-eight bytes of it all")?;
    let path = path.to_string_lossy().into_owned();
    let refused = env.run(&["ingest", &path]).ok()?;
    assert!(refused.contains("CAUSANTIC_EXPORT_PASSWORD") && refused.contains("--no-encrypt"), "{refused}");
    let refused = env.run_with(&[("CAUSANTIC_EXPORT_PASSWORD", "open sesame")], &["ingest", &path]).ok()?;
    assert!(refused.contains("the password does not fit, or the archive is damaged"), "{refused}");
    Ok(())
}
