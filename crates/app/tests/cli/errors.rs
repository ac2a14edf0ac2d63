//! Errors have a message, a hint and an exit code.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;

use crate::env::{TestEnv, TestResult, check};

#[test]
fn unknown_and_ambiguous_sessions() -> TestResult {
    check(
        &["reconstruct", "--session", "ffff"],
        expect![[r#"
            --- stderr
            backstory: no session matches 'ffff'
              `backstory sessions --all-projects` lists all sessions.
            --- exit code 1
        "#]],
    )?;
    check(
        &["reconstruct", "--session", "e"],
        expect![[r#"
        --- stderr
        backstory: 'e' matches 2 sessions: e351bfd2-31e9-4902-a73e-34bfbcca9c42, e537eb1f-aa0a-442c-8d66-39d86ce5a3af
          Give more of the id.
        --- exit code 2
    "#]],
    )?;
    check(
        &["log", "show", "--session", "ffff"],
        expect![[r#"
            --- stderr
            backstory: no session matches 'ffff'
              `backstory sessions --all-projects` lists all sessions.
            --- exit code 1
        "#]],
    )
}

#[test]
fn unknown_projects_and_agents() -> TestResult {
    check(
        &["sessions", "--project", "nope"],
        expect![[r#"
            --- stderr
            backstory: no project matches 'nope'
              `backstory projects` lists them.
            --- exit code 1
        "#]],
    )?;
    check(
        &["sessions"],
        expect![[r#"
            --- stderr
            backstory: the memory has no session of the project in [ROOT]/work
              Use --all-projects, or --project with a name from `backstory projects`; `backstory ingest` reads new sessions.
            --- exit code 1
        "#]],
    )?;
    check(
        &["reconstruct"],
        expect![[r#"
            --- stderr
            backstory: the memory has no session of the project in [ROOT]/work
              Use --all-projects, or --project with a name from `backstory projects`; `backstory ingest` reads new sessions.
            --- exit code 1
        "#]],
    )?;
    check(
        &["reconstruct", "--session", "e351", "--agent", "nobody"],
        expect![[r#"
            --- stderr
            backstory: no agent matches 'nobody'
              `backstory sessions` lists the agents of each session.
            --- exit code 1
        "#]],
    )
}

#[test]
fn times_that_are_none() -> TestResult {
    check(
        &["sessions", "--all-projects", "--from", "2026-13-01"],
        expect![[r#"
        --- stderr
        backstory: --from: '2026-13-01' is not a time
          Use a date (2026-01-03), a date and time (2026-01-03T10:00), `today` or `yesterday`.
        --- exit code 2
    "#]],
    )?;
    check(
        &["sessions", "--all-projects", "--to", "soon"],
        expect![[r#"
        --- stderr
        backstory: --to: 'soon' is not a time
          Use a date (2026-01-03), a date and time (2026-01-03T10:00), `today` or `yesterday`.
        --- exit code 2
    "#]],
    )?;
    check(
        &["reconstruct", "--all-projects", "--from", "2026-02-03", "--to", "2026-02-01"],
        expect![[r#"
        --- stderr
        backstory: --from is not before --to
        --- exit code 2
    "#]],
    )?;
    check(
        &["sessions", "--all-projects", "--to", "9999-12-31"],
        expect![[r#"
        --- stderr
        backstory: --to: '9999-12-31' is not a time
          Use a date (2026-01-03), a date and time (2026-01-03T10:00), `today` or `yesterday`.
        --- exit code 2
    "#]],
    )
}

#[test]
fn paths_and_formats_that_are_none() -> TestResult {
    check(
        &["ingest", "missing.jsonl"],
        expect![[r#"
            --- stderr
            backstory: missing.jsonl: no such file or folder
            --- exit code 1
        "#]],
    )?;
    check(
        &["ingest", "--format", "morse", "missing.jsonl"],
        expect![[r#"
        --- stderr
        error: invalid value 'morse' for '--format <FORMAT>'
          [possible values: claude-code, codex, transcript, transcript-json, causantic]

        For more information, try '--help'.
        --- exit code 2
    "#]],
    )?;
    check(
        &["log", "import", "missing.jsonl"],
        expect![[r#"
            --- stderr
            backstory: missing.jsonl: No such file or directory (os error 2)
            --- exit code 1
        "#]],
    )?;
    expect![[r#"
        --- stderr
        backstory: no sessions of an agent were found on this machine
          Looked in [ROOT]/claude/projects and [ROOT]/codex/sessions. Name a file or folder to read it.
        --- exit code 1
    "#]]
    .assert_eq(&TestEnv::new()?.run(&["ingest"]).text());
    Ok(())
}

#[test]
fn asking_makes_no_memory() -> TestResult {
    let env = TestEnv::new()?;
    let told = "No memory yet at [ROOT]/memory: `backstory init` sets it up; `backstory ingest` only reads sessions.\n";
    assert_eq!(env.run(&["status"]).ok()?, told);
    assert_eq!(env.run(&["status", "--json"]).json()?["exists"], false);
    env.run(&["doctor"]).ok()?;
    for args in [
        &["search", "x"][..],
        &["search", "x", "--json"],
        &["recall", "x"],
        &["sessions"],
        &["list", "sessions"],
        &["loops"],
        &["cards"],
        &["pack", "x"],
        &["projects"],
        &["reconstruct"],
        &["summary"],
        &["check", "make"],
        &["log", "show"],
        &["log", "verify"],
        &["log", "export"],
    ] {
        expect![[r#"
            --- stderr
            backstory: no memory yet at [ROOT]/memory
              `backstory init` sets it up; `backstory ingest` only reads sessions.
            --- exit code 3
        "#]]
        .assert_eq(&env.run(args).text());
        assert!(!env.path("memory").exists(), "{args:?}");
    }
    // The same for a relative path of the folder.
    assert!(env.run_with(&[("BACKSTORY_HOME", "here")], &["status"]).ok()?.starts_with("No memory yet at here: "));
    assert_eq!(fs::read_dir(env.path("work"))?.count(), 0);
    env.run(&["remember", "Tabs, never spaces.", "--everywhere"]).ok()?;
    assert!(env.run(&["status"]).ok()?.starts_with("Memory [ROOT]/memory"));
    Ok(())
}

#[test]
fn an_empty_memory() -> TestResult {
    let env = TestEnv::new()?;
    drop(backstory_engine::Memory::open(&env.path("memory"))?);
    for (args, expected) in [
        (
            &["sessions", "--all-projects"][..],
            expect![[r#"
                No session found. `backstory sessions --all-projects` lists all of them.
                --- exit code 1
            "#]],
        ),
        (
            &["sessions"],
            expect![[r#"
                --- stderr
                backstory: the memory has no session of the project in [ROOT]/work
                  Use --all-projects, or --project with a name from `backstory projects`; `backstory ingest` reads new sessions.
                --- exit code 1
            "#]],
        ),
        (
            &["reconstruct", "--all-projects"],
            expect![[r#"
                Nothing happened in that time. `backstory sessions` lists the sessions.
                --- exit code 1
            "#]],
        ),
        (
            &["reconstruct", "--previous", "--all-projects"],
            expect![[r#"
                --- stderr
                backstory: no session matches 'the newest'
                  `backstory sessions --all-projects` lists all sessions.
                --- exit code 1
            "#]],
        ),
        (
            &["projects"],
            expect![[r#"
                The memory is empty: `backstory ingest` fills it.
                --- exit code 1
            "#]],
        ),
        (
            &["status"],
            expect![[r#"
                Memory [ROOT]/memory
                  sessions   0 (0 runs) in 0 projects
                  last read  nothing yet: `backstory ingest` reads your sessions
                  waiting    no proposed cards
                             no open loops
                  size       [SIZE]
                Hooks (last run)
                  none has run yet: `backstory init` registers them
                `backstory status --verbose` shows stages, tables, files and problems of the input.
            "#]],
        ),
        (
            &["log", "show"],
            expect![[r#"
                The log is empty: `backstory ingest` fills it.
                --- exit code 1
            "#]],
        ),
        (
            &["log", "verify"],
            expect![[r#"
                The log is intact: 0 events, 0 stored files, 0 citations checked.
            "#]],
        ),
        (
            &["log", "export"],
            expect![[r#"
            {"type":"log","format":1}
        "#]],
        ),
        (
            &["rebuild"],
            expect![[r#"
                Rebuilt all stages from 0 events
                Memory 0 sessions, 0 events, 0 chunks, 0 edges (log.sqlite [SIZE], views/memory.sqlite [SIZE], views/index 0 B)
            "#]],
        ),
    ] {
        expected.assert_eq(&env.run(args).text());
    }
    Ok(())
}

#[test]
fn a_home_that_is_something_else() -> TestResult {
    let env = TestEnv::new()?;
    env.write("memory/log.sqlite", "this is not a database, though it is long enough to look at\n".repeat(40))?;
    expect![[r#"
        --- stderr
        backstory: [ROOT]/memory/log.sqlite: not a Backstory store, or damaged: file is not a database
          Put a backup of `log.sqlite` back, without `log.sqlite-wal` and `log.sqlite-shm`. Without a backup: `backstory log export FILE` saves what can still be read; then move the three files away and run `backstory ingest`, which reads what your agents still have, and `backstory log import FILE`.
        --- exit code 4
    "#]]
    .assert_eq(&env.run(&["status"]).text());
    env.write("file", "not a folder")?;
    expect![[r#"
        --- stderr
        backstory: [ROOT]/file: File exists (os error 17)
          The memory is kept in [ROOT]/file (BACKSTORY_HOME moves it).
        --- exit code 5
    "#]]
    .assert_eq(&env.run_in("file", &["status"]).text());
    Ok(())
}

/// Views are derived from the log: damage to them is repaired, not reported.
#[test]
fn damaged_views_are_recreated() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let before = env.view_rows("memory")?;
    env.write("memory/views/memory.sqlite", "rubbish ".repeat(1000))?;
    env.run(&["ingest", "--quiet"]).ok()?;
    assert_eq!(env.view_rows("memory")?, before);
    Ok(())
}

/// One letter of a row: SQLite does not detect it.
#[test]
fn a_changed_letter_in_the_views_is_told_and_mended() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain"]).ok()?;
    let views = env.path("memory/views/memory.sqlite");
    let mut bytes = std::fs::read(&views)?;
    let word = b"assistant";
    let at = bytes.windows(word.len()).rposition(|window| window == word).ok_or("no such word")?;
    bytes[at] = b'x';
    std::fs::write(&views, bytes)?;
    let told = env.run(&["doctor"]);
    assert!(told.stdout.contains("is not what was written"), "{}", told.text());
    assert_eq!(told.code, Some(1));
    assert!(env.run(&["maintain"]).stdout.contains("is not what was written"));
    assert_eq!(env.run(&["doctor"]).code, Some(0));
    Ok(())
}

/// Truncated files of the index are named, and recreated by a process that has the time.
#[test]
fn a_damaged_index_is_reported_and_repaired() -> TestResult {
    for (part, command) in [("words", "ingest"), ("vectors", "maintain"), ("docs", "ingest"), ("vectors", "rebuild")] {
        let env = TestEnv::with_demo_read()?;
        let before = env.view_rows("memory")?;
        let files = fs::read_dir(env.path("memory/views/index"))?.collect::<Result<Vec<_>, _>>()?;
        let file = files.iter().find(|file| file.file_name().to_string_lossy().starts_with(part)).ok_or(part)?.path();
        fs::write(&file, &fs::read(&file)?[..100])?;
        let told = env.run(&["status"]).ok()?;
        assert!(
            told.contains(&format!("damaged ({part}")) && told.contains("`backstory rebuild` repairs it"),
            "{told}"
        );
        let damaged = env.run(&["status", "--json"]).json()?["damaged"].clone();
        assert!(damaged.as_array().is_some_and(|files| files.len() == 1), "{damaged}");
        let repaired = env.run(&[command]);
        assert_eq!(repaired.code, Some(0), "{}", repaired.text());
        assert!(command == "rebuild" || repaired.text().contains("repaired"), "{}", repaired.text());
        assert!(!env.run(&["status"]).ok()?.contains("damaged"), "{part} after {command}");
        assert_eq!(env.run(&["ingest"]).stderr, "");
        assert_eq!(env.view_rows("memory")?, before, "{part} after {command}");
    }
    Ok(())
}

#[test]
fn whoever_stops_reading_is_not_told_off() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for args in [
        &["log", "export"][..],
        &["reconstruct", "--all-projects", "--budget", "1000000"],
        &["reconstruct", "--all-projects", "--budget", "1000000", "--json"],
        &["log", "show", "--limit", "300"],
        &["sessions", "--all-projects"],
        &["status"],
        &["log", "--help"],
    ] {
        let mut child = env.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut first = String::new();
        child.stdout.take().map(|stdout| BufReader::with_capacity(64, stdout).read_line(&mut first)).transpose()?;
        let ended = child.wait_with_output()?;
        assert!(!first.is_empty(), "{args:?}");
        assert_eq!((ended.status.code(), String::from_utf8(ended.stderr)?), (Some(0), String::new()), "{args:?}");
    }
    Ok(())
}

#[test]
fn errors_nobody_reads_keep_their_exit_code() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let (reader, writer) = std::io::pipe()?;
    drop(reader);
    let status = env.command(&["reconstruct", "--session", "ffff"]).stderr(writer).status()?;
    assert_eq!(status.code(), Some(1));
    Ok(())
}
