//! A damaged row loses only that row.

use std::error::Error;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use backstory_engine::Memory;
use backstory_engine::fixture::World;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::log::{Log, Selector};
use backstory_engine::model::{ProjectAct, ProjectId, Timestamp, digest_of};
use backstory_engine::store::ViewStore;
use proptest::prelude::*;
use rusqlite::Connection;

use super::forgetting::write_session;

type TestResult<T = ()> = Result<T, Box<dyn Error>>;

const SESSIONS: usize = 30;

fn home(folder: &Path) -> TestResult<(PathBuf, Memory)> {
    let (sessions, home) = (folder.join("sessions"), folder.join("home"));
    fs::create_dir_all(&sessions)?;
    for at in 0..SESSIONS {
        write_session(&sessions, &format!("s{at}"), &format!("the drawer number {at} of the shop "))?;
    }
    let mut memory = Memory::open(&home)?;
    let found = find(&[InputPlace::Given(sessions)], None);
    memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;
    Ok((home, memory))
}

/// Disables triggers first, because real damage does not run them.
fn tamper(file: &Path, sql: &str) -> TestResult {
    let conn = Connection::open(file)?;
    conn.execute_batch(&format!("DROP TRIGGER IF EXISTS events_are_final; PRAGMA foreign_keys = OFF; {sql}"))?;
    Ok(())
}

const FLIP: &str =
    "UPDATE events SET payload = CAST(substr(payload, 1, length(payload) - 1) || x'00' AS BLOB) WHERE pos = ";

#[test]
fn a_row_that_cannot_be_read_costs_one_row() -> TestResult {
    for (what, sql) in [
        ("payload", format!("{FLIP} 7")),
        ("encoding", "UPDATE events SET payload = x'09' WHERE pos = 7".to_owned()),
        ("hash", "UPDATE events SET hash = zeroblob(32) WHERE pos = 7".to_owned()),
        ("kind of a newer version", "UPDATE events SET kind = 99 WHERE pos = 7".to_owned()),
        ("episode", "UPDATE events SET episode = 999 WHERE pos = 7".to_owned()),
        ("id", "UPDATE events SET id = x'00' WHERE pos = 7".to_owned()),
        ("place", "UPDATE events SET seq = -1 WHERE pos = 7".to_owned()),
    ] {
        let folder = tempfile::tempdir()?;
        let (home, memory) = home(folder.path())?;
        let chunks = memory.views().read().chunk_and_edge_count()?.0;
        tamper(&home.join("log.sqlite"), &sql)?;
        drop(memory);

        let mut memory = Memory::open(&home)?;
        memory.refresh(&mut |_| {})?;
        let unreadable = memory.log().store().unreadable()?;
        assert_eq!(unreadable.iter().map(|row| row.pos).collect::<Vec<_>>(), [7], "{what}: {unreadable:?}");
        memory.rebuild(None, &mut |_| {})?;
        let left = memory.views().read().chunk_and_edge_count()?.0;
        assert!(left + 1 >= chunks && left <= chunks, "{what}: {left} of {chunks} chunks");
        let rebuilt = memory.views().read().dump()?;
        for stage in ["graph", "index"] {
            let stage = backstory_engine::derive::STAGES.into_iter().find(|known| known.name == stage);
            memory.rebuild(stage, &mut |_| {})?;
            assert_eq!(memory.views().read().dump()?, rebuilt, "{what}: {stage:?}");
        }
        let (verified, _) = memory.verify()?;
        assert_eq!(verified.fault.and_then(|fault| fault.pos), Some(7), "{what}");
        assert_eq!(verified.unreadable, unreadable, "{what}");

        let mut export = Vec::new();
        let exported = memory.log().export(&mut export)?;
        assert_eq!((exported.events, exported.unreadable), (SESSIONS as u64 * 3 - 1, 1), "{what}");
        let mut other = Log::open_in_memory()?;
        let imported = other.import("export", &mut export.as_slice())?;
        assert_eq!((imported.appended.new, imported.problems.len()), (SESSIONS as u64 * 3 - 1, 1), "{what}");
        assert!(imported.problems[0].reason.contains("row 7 could not be read"), "{what}: {:?}", imported.problems);
        assert_eq!(other.verify()?.fault, None, "{what}");

        let plan =
            memory.plan_forget(&Selector { query: Some("drawer number 20".to_owned()), ..Selector::default() })?;
        assert_eq!(plan.events(), 3, "{what}");
        memory.forget(&plan, Timestamp(0))?;
        assert!((left - 4..left).contains(&memory.views().read().chunk_and_edge_count()?.0), "{what}");
    }
    Ok(())
}

/// Damaged rows that contain the text can be forgotten, too.
#[test]
fn a_damaged_row_can_be_forgotten() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (home, mut memory) = home(folder.path())?;
    tamper(&home.join("log.sqlite"), &format!("{FLIP} 7"))?;
    let words = Selector { query: Some("drawer number".to_owned()), ..Selector::default() };
    let plan = memory.plan_forget(&words)?;
    assert_eq!((plan.events(), plan.unsearched), (SESSIONS * 3, 0));
    memory.forget(&plan, Timestamp(0))?;
    assert_eq!(memory.log().store().unreadable()?, []);
    drop(memory);
    assert!(!super::forgetting::found_in(&home, b"drawer number"));
    Ok(())
}

/// Fills the page that contains these bytes with noise.
fn damage_page_of(file: &Path, needle: &[u8]) -> TestResult {
    Connection::open(file)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let bytes = fs::read(file)?;
    let at = bytes.windows(needle.len()).rposition(|window| window == needle).ok_or("not found")?;
    let mut file = fs::OpenOptions::new().write(true).open(file)?;
    file.seek(SeekFrom::Start(at as u64 / 4096 * 4096))?;
    Ok(file.write_all(&[0xa5; 4096])?)
}

#[test]
fn a_damaged_page_costs_its_rows() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (home, memory) = home(folder.path())?;
    let (head, before) = (SESSIONS as u64 * 3, memory.views().read().dump()?);
    drop(memory);
    damage_page_of(&home.join("log.sqlite"), b"the drawer number 12 of the shop ")?;
    let mut memory = Memory::open(&home)?;
    memory.refresh(&mut |_| {})?;
    assert_eq!(memory.views().read().dump()?, before, "what was derived before is there");
    let mut export = Vec::new();
    let exported = memory.log().export(&mut export)?;
    assert_eq!(exported.events + exported.unreadable, head);
    assert!((1..20).contains(&exported.unreadable), "{exported:?}");
    assert!(memory.verify()?.0.fault.is_some());
    memory.rebuild(None, &mut |_| {})?;
    assert!(memory.views().read().chunk_and_edge_count()?.0 > 20);
    Ok(())
}

/// Merges the project of all sessions into another; returns the position of the act.
fn merged(memory: &mut Memory) -> TestResult<u64> {
    let from = memory.log().store().episodes()?.first().ok_or("no episode")?.1.project;
    let into = ProjectId(digest_of("project", &[b"another"]));
    memory.log().append_of_projects(Timestamp(1_770_000_000_000), &ProjectAct::Merge { from, into }, Vec::new())?;
    Ok(memory.log().store().head()?.pos)
}

/// Acts on projects are read with every query.
#[test]
fn an_act_on_projects_that_cannot_be_read_says_nothing() -> TestResult {
    for (what, sql) in [
        ("payload", FLIP),
        ("hash", "UPDATE events SET hash = zeroblob(32) WHERE pos = "),
        ("id", "UPDATE events SET id = x'00' WHERE pos = "),
        ("kind", "UPDATE events SET kind = 99 WHERE pos = "),
        ("sightings", "UPDATE sightings SET project = x'00'; UPDATE events SET payload = x'09' WHERE pos = "),
    ] {
        let folder = tempfile::tempdir()?;
        let (home, mut memory) = home(folder.path())?;
        let pos = merged(&mut memory)?;
        assert_eq!(memory.log().store().aliases()?.acts().len(), 1, "{what}");
        drop(memory);
        tamper(&home.join("log.sqlite"), &format!("{sql}{pos}"))?;
        let mut memory = Memory::open(&home)?;
        assert_eq!(memory.log().store().aliases()?.acts().len(), 0, "{what}");
        assert!(memory.log().store().episodes()?.len() >= SESSIONS, "{what}");
        memory.log().store().sightings()?;
        let found = find(&[InputPlace::Given(folder.path().join("sessions"))], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
    }
    Ok(())
}

#[test]
fn what_was_said_of_projects_is_found_without_the_index() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (home, mut memory) = home(folder.path())?;
    merged(&mut memory)?;
    drop(memory);
    let path = home.join("log.sqlite");
    let conn = Connection::open(&path)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_episode'";
    let page: u32 = conn.query_row(sql, [], |row| row.get(0))?;
    drop(conn);
    let mut file = fs::OpenOptions::new().write(true).open(&path)?;
    file.seek(SeekFrom::Start((u64::from(page) - 1) * 4096))?;
    file.write_all(&[0xa5; 4096])?;
    drop(file);

    let mut log = Log::open(&path)?;
    let aliases = log.store().aliases()?;
    assert_eq!(aliases.acts().len(), 1);
    let into = ProjectId(digest_of("project", &[b"another"]));
    let moved = log.store().episodes()?.into_iter().filter(|(_, episode)| episode.project == into).count();
    assert_eq!(moved, SESSIONS);
    Ok(())
}

/// The file is truncated, as an interrupted copy leaves it.
#[test]
fn of_a_torn_file_the_rest_is_read() -> TestResult {
    for share in [30, 60, 90, 99] {
        let folder = tempfile::tempdir()?;
        let (home, memory) = home(folder.path())?;
        drop(memory);
        let file = home.join("log.sqlite");
        Connection::open(&file)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let length = fs::metadata(&file)?.len() * share / 100;
        fs::OpenOptions::new().write(true).open(&file)?.set_len(length)?;
        let torn = fs::read(&file)?;
        let mut log = Log::open(&file)?;
        let mut export = Vec::new();
        let exported = log.export(&mut export)?;
        assert!(exported.events > 0 || share < 90, "{share} %: {exported:?}");
        assert!(log.verify()?.fault.is_some(), "{share} %");
        drop(log);
        let mut now = Vec::new();
        fs::File::open(&file)?.read_to_end(&mut now)?;
        assert!(now == torn, "{share} %: the file was changed");
    }
    Ok(())
}

/// The old views answer until the new ones are complete.
#[test]
fn views_that_cannot_be_made_leave_the_old_ones() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (home, mut memory) = home(folder.path())?;
    let before = memory.views().read().dump()?;
    fs::write(home.join("views/next"), "in the way")?;
    assert!(memory.rebuild(None, &mut |_| {}).is_err());
    assert_eq!(memory.views().read().dump()?, before);
    fs::remove_file(home.join("views/next"))?;

    // Concurrent readers see all of the old rows.
    let reader = ViewStore::open(&home.join("views/memory.sqlite"))?;
    let mut seen = Vec::new();
    memory.rebuild(None, &mut |_| seen.push(reader.read().dump().unwrap_or_default()))?;
    assert!(!seen.is_empty() && seen.iter().all(|rows| *rows == before));
    assert_eq!(reader.read().dump()?, before, "and the new ones afterwards, which are the same");
    assert!(!home.join("views/next").exists());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Unreadable rows are skipped in the same way, whenever they come.
    #[test]
    fn refreshing_equals_rebuilding_with_damage(damaged in prop::collection::btree_set(1u64..14, 1..5), cut in 1usize..5) {
        const BLOCKS: [&str; 5] = [
            "session s1 claude_code 2026-01-03\n  user make login survive restarts\n  edit src/auth.rs -old +new\n  run cargo test -> fail token expired",
            "session s2 codex 2026-01-03T00:07\n  user Always run make before you commit.\n  say yes",
            "session s1 claude_code 2026-01-03T01:00\n  run cargo test -> ok\n  say done",
            "session s3 claude_code 2026-01-04\n  user login broken again\n  think why\n  run cargo test -> fail token expired",
            "session s3 claude_code 2026-01-04T01:00\n  edit src/auth.rs -old +new\n  run cargo test -> ok",
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("log.sqlite");
        let mut world = World {
            log: Log::open(&file).expect("a log"),
            views: ViewStore::open_in_memory().expect("views"),
        };
        world.goes_on(&BLOCKS[..cut].join("\n"));
        for pos in &damaged {
            tamper(&file, &format!("{FLIP} {pos}")).expect("damaged");
        }
        world.rebuild_stage("chunk");
        for block in &BLOCKS[cut..] {
            world.goes_on(block);
        }
        let rebuilt = world.rebuilt();
        prop_assert_eq!(world.views.read().dump().expect("rows"), rebuilt.read().dump().expect("rows"));
    }
}
