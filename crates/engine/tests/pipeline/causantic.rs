//! Imports from databases of each version of Causantic.

use std::fs;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{IngestReport, InputPlace, find};
use backstory_engine::retrieve::{SessionQuery, sessions};
use backstory_engine::store::EpisodeNum;
use rusqlite::{Connection, params};

use crate::desk::{Desk, TestResult, lines, prompt, said};

const NEWEST: i64 = 16;

/// A database as Causantic's migrations leave it.
fn database(path: &Path, version: i64) -> TestResult<Connection> {
    let conn = Connection::open(path)?;
    conn.execute_batch(
        "CREATE TABLE chunks (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, session_slug TEXT NOT NULL,
           turn_indices TEXT NOT NULL, start_time TEXT NOT NULL, end_time TEXT NOT NULL, content TEXT NOT NULL,
           code_block_count INTEGER DEFAULT 0, tool_use_count INTEGER DEFAULT 0, approx_tokens INTEGER DEFAULT 0,
           created_at TEXT DEFAULT CURRENT_TIMESTAMP);
         CREATE TABLE edges (id TEXT PRIMARY KEY, source_chunk_id TEXT NOT NULL, target_chunk_id TEXT NOT NULL,
           edge_type TEXT NOT NULL, reference_type TEXT, initial_weight REAL NOT NULL DEFAULT 1.0,
           created_at TEXT NOT NULL DEFAULT '');
         CREATE TABLE schema_version (version INTEGER PRIMARY KEY);",
    )?;
    for step in 1..=version {
        conn.execute_batch(match step {
            2 => {
                "ALTER TABLE chunks ADD COLUMN agent_id TEXT; ALTER TABLE chunks ADD COLUMN vector_clock TEXT;
                  ALTER TABLE chunks ADD COLUMN spawn_depth INTEGER DEFAULT 0;"
            }
            4 => "ALTER TABLE chunks ADD COLUMN project_path TEXT;",
            5 => {
                "CREATE VIRTUAL TABLE chunks_fts USING fts5(content, content='chunks', content_rowid='rowid');
                  CREATE TRIGGER chunks_fts_insert AFTER INSERT ON chunks BEGIN
                    INSERT INTO chunks_fts(rowid, content) VALUES (new.rowid, new.content); END;"
            }
            7 => "ALTER TABLE chunks DROP COLUMN vector_clock;",
            9 => "ALTER TABLE chunks ADD COLUMN team_name TEXT;",
            15 => "CREATE TABLE session_states (session_id TEXT PRIMARY KEY, summary TEXT);",
            _ => "",
        })?;
        conn.execute("INSERT INTO schema_version (version) VALUES (?1)", [step])?;
    }
    Ok(conn)
}

fn put(conn: &Connection, id: &str, session: &str, minute: u32, content: &str) -> TestResult {
    let time = format!("2026-01-03T10:{minute:02}:00.000Z");
    conn.execute(
        "INSERT INTO chunks (id, session_id, session_slug, turn_indices, start_time, end_time, content)
         VALUES (?1, ?2, 'shop', ?3, ?4, ?4, ?5)",
        params![id, session, format!("[{minute}]"), time, content],
    )?;
    Ok(())
}

/// Two sessions; only edges distinguish the second one's sub-agent.
fn fill(conn: &Connection) -> TestResult {
    put(conn, "s1-a", "s1", 0, "[User]\nwhy do totals become NaN?\n\n[Assistant]\nThe discount is undefined.")?;
    put(conn, "s1-b", "s1", 1, "[User]\nfix it\n\n[Tool:Bash]\nnpm test\n\n[Result:Bash]\n12 passed")?;
    put(conn, "s2-x", "s2", 21, "[User]\nfind the refund code\n\n[Assistant]\nrefund.rs")?;
    put(
        conn,
        "s2-a",
        "s2",
        20,
        "[User]\nhow do refunds work?\n\n[Tool:Task]\nfind the refund code\n\n[Result:Task]\nrefund.rs",
    )?;
    conn.execute_batch(
        "INSERT INTO edges (id, source_chunk_id, target_chunk_id, edge_type, reference_type) VALUES
           ('e1', 's2-a', 's2-x', 'forward', 'brief'), ('e2', 's1-a', 's1-b', 'forward', 'within-chain');",
    )?;
    Ok(())
}

fn folder_of(desk: &Desk) -> Vec<String> {
    let names = fs::read_dir(desk.sessions()).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_version_of_the_schema_is_read() -> TestResult {
    let mut first: Option<Vec<String>> = None;
    for version in 1..=NEWEST {
        let mut desk = Desk::new()?;
        fill(&database(&desk.path("memory.db"), version)?)?;
        let before = fs::read(desk.path("memory.db"))?;
        let report = desk.ingest()?;
        assert_eq!(desk.described(&report), "", "version {version}");
        assert_eq!(report.appended.new, 10, "version {version}");
        assert_eq!(folder_of(&desk), ["memory.db"], "version {version}: nothing is left behind");
        assert!(fs::read(desk.path("memory.db"))? == before, "version {version}: nothing is changed");
        let ids: Vec<String> = desk.event_ids()?.into_iter().collect();
        assert_eq!(*first.get_or_insert_with(|| ids.clone()), ids, "version {version}");
        desk.check_whole()?;
        let again = desk.ingest()?;
        assert_eq!((again.unchanged, again.appended.new), (1, 0));
    }
    Ok(())
}

#[test]
fn sub_agents_hang_on_the_call_that_started_them() -> TestResult {
    let mut desk = Desk::new()?;
    fill(&database(&desk.path("memory.db"), NEWEST)?)?;
    desk.ingest()?;
    let agents = desk.views.read().agents()?;
    assert_eq!(agents.len(), 1);
    assert!(agents[0].parent.is_some() && agents[0].spawn_chunk.is_some());
    let runs = desk.views.read().runs()?;
    assert_eq!(runs.len(), 3);
    Ok(())
}

#[test]
fn a_newer_and_a_damaged_database_are_problems() -> TestResult {
    let mut desk = Desk::new()?;
    let conn = database(&desk.path("memory.db"), NEWEST)?;
    fill(&conn)?;
    conn.execute("INSERT INTO schema_version (version) VALUES (99)", [])?;
    drop(conn);
    let report = desk.ingest()?;
    assert_eq!(desk.described(&report), "…/memory.db: schema 99 is newer than 16: read as far as it is known (kept)\n");
    assert_eq!(report.appended.new, 10);

    let mut desk = Desk::new()?;
    let conn = database(&desk.path("memory.db"), 1)?;
    for number in 0..200 {
        put(&conn, &format!("s1-{number}"), "s1", 0, &format!("[User]\nquestion {number} {}", "x".repeat(2_000)))?;
    }
    drop(conn);
    let mut bytes = fs::read(desk.path("memory.db"))?;
    // A page in the middle of the table.
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0xff);
    desk.write("memory.db", &bytes)?;
    let report = desk.ingest()?;
    assert!(desk.described(&report).contains("cannot be read"), "{}", desk.described(&report));
    assert!((100..200).contains(&report.appended.new), "{} of 200", report.appended.new);
    desk.check_whole()
}

#[test]
fn databases_of_others_are_left_alone() -> TestResult {
    let mut desk = Desk::new()?;
    Connection::open(desk.path("memory.db"))?.execute_batch("CREATE TABLE notes (text TEXT);")?;
    let report = desk.ingest()?;
    assert_eq!((report.not_sessions, desk.described(&report).as_str()), (1, ""));
    let named = desk.ingest_from(&[InputPlace::Given(desk.path("memory.db"))])?;
    assert_eq!(desk.described(&named), "…/memory.db: a database of another program (skipped)\n");
    desk.write("memory.db", b"SQLite format 3\0 and then nothing of the kind")?;
    let broken = desk.ingest()?;
    assert!(desk.described(&broken).contains("cannot be read"), "{}", desk.described(&broken));
    Ok(())
}

/// A log on disk: data in a write-ahead log can only be read from a copy.
#[test]
fn what_was_written_last_is_read_too() -> TestResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let conn = database(&path, NEWEST)?;
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    fill(&conn)?;
    let beside = |suffix: &str| fs::read(folder.path().join(format!("memory.db{suffix}"))).unwrap_or_default();
    assert!(!beside("-wal").is_empty());
    let before = (beside(""), beside("-wal"));

    let home = folder.path().join("home");
    let mut memory = Memory::open(&home)?;
    let ingest = |memory: &mut Memory| -> TestResult<IngestReport> {
        let found = find(&[InputPlace::Given(path.clone())], None);
        Ok(memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?)
    };
    let report = ingest(&mut memory)?;
    assert_eq!((report.problems.len(), report.appended.new), (0, 10));
    assert!((beside(""), beside("-wal")) == before, "neither file is changed");
    assert!(!home.join("import").exists(), "the copy is gone");
    assert_eq!(ingest(&mut memory)?.unchanged, 1);
    put(&conn, "s3-a", "s3", 40, "[User]\none more thing")?;
    assert_eq!(ingest(&mut memory)?.appended.new, 1, "what grows beside it is noticed");
    Ok(())
}

#[test]
fn a_session_is_told_once_whichever_comes_first() -> TestResult {
    let original =
        lines(&[prompt("u1", "", "why do totals become NaN?"), said("u2", "u1", "The discount is undefined.")]);

    // The original comes first: the copy is left out.
    let mut desk = Desk::new()?;
    desk.write("s1.jsonl", &original)?;
    desk.ingest()?;
    fill(&database(&desk.path("memory.db"), NEWEST)?)?;
    let report = desk.ingest()?;
    assert_eq!(report.left_out.iter().collect::<Vec<_>>(), ["s1"]);
    assert_eq!(report.appended.new, 5, "the other session is new");
    desk.check_whole()?;

    // The copy comes first: it stays in the log and is no longer derived.
    let mut desk = Desk::new()?;
    fill(&database(&desk.path("memory.db"), NEWEST)?)?;
    desk.ingest()?;
    let copies = desk.views.read().runs()?.len();
    desk.write("s1.jsonl", &original)?;
    let report = desk.ingest()?;
    assert_eq!(report.replaced.iter().collect::<Vec<_>>(), ["s1"]);
    let told: Vec<EpisodeNum> = desk.views.read().runs()?.into_iter().map(|(num, _)| num).collect();
    assert_eq!(told.len(), copies, "one came, one went");
    let listed = sessions(&mut desk.log, &desk.views, &SessionQuery::default())?;
    let names: Vec<_> = listed.iter().map(|info| (info.session.as_str(), info.source.name())).collect();
    assert_eq!(names, [("s1", "claude_code"), ("s2", "causantic")]);
    assert_eq!(desk.log.store().session_count()?, 2);
    desk.check_whole()?;
    // Later events of the original are folded as usual.
    desk.append("s1.jsonl", &lines(&[prompt("u3", "u2", "thanks")]))?;
    assert_eq!(desk.ingest()?.replaced.len(), 0);
    desk.check_whole()
}
