//! The latest data is in write-ahead logs: they stay short, and nothing in them is lost, with any
//! number of short processes and any end of them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backstory_engine::Memory;
use backstory_engine::ingest::{FileTask, Format, TaskKind};
use backstory_engine::ingest_into;
use backstory_engine::log::Log;
use backstory_engine::model::{CardId, Channel, Digest, EventKind, Exposure, Timestamp};

type TestResult<T = ()> = Result<T, Box<dyn Error>>;

const MEGABYTE: u64 = 1 << 20;
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

fn log_file(home: &Path) -> PathBuf {
    home.join("log.sqlite")
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |file| file.len())
}

fn log_wal(home: &Path) -> u64 {
    length(&home.join("log.sqlite-wal"))
}

fn views_wal(home: &Path) -> u64 {
    length(&home.join("views/memory.sqlite-wal"))
}

/// Some hundred thousand bytes that hardly compress, different for each number.
fn many_words(number: u64) -> String {
    let mut state = number + 1;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("w{} ", state >> 44)
    };
    (0..40_000).map(|_| word()).collect()
}

/// A hook that appends an event: opens the memory, writes and ends.
fn note(home: &Path, number: u64) -> TestResult {
    let log = Log::open_within(&log_file(home), LOCK_TIMEOUT)?;
    let mut memory = Memory::open_fast(home, log, LOCK_TIMEOUT)?;
    let exposure =
        Exposure { channel: Channel::Check, cards: vec![CardId(Digest([7; 16]))], session: None, surface: None };
    memory.log().append_of_cards(EventKind::Exposure, Timestamp(number as i64), many_words(number), &exposure)?;
    memory.checkpoint_log_if_long();
    Ok(())
}

/// A copy of the files as a process that is killed now leaves them.
fn after_a_kill(home: &Path, copy: &Path) -> TestResult<u64> {
    fs::create_dir_all(copy)?;
    for name in ["log.sqlite", "log.sqlite-wal"] {
        fs::copy(home.join(name), copy.join(name))?;
    }
    let mut log = Log::open(&log_file(copy))?;
    let head = log.store().head()?.pos;
    assert_eq!(log.verify()?.fault, None);
    drop(log);
    fs::remove_dir_all(copy)?;
    Ok(head)
}

#[test]
fn notes_of_many_short_processes_do_not_pile_up() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    drop(Memory::open(&home)?);
    let (mut longest, mut emptied) = (0, 0);
    for number in 0..120 {
        let before = log_wal(&home);
        note(&home, number)?;
        let after = log_wal(&home);
        longest = longest.max(after);
        let is_empty = after < before;
        emptied += u32::from(is_empty);
        // Copying does not close the files properly.
        if is_empty || number % 16 == 0 {
            let head = after_a_kill(&home, &folder.path().join("copy"))?;
            assert_eq!(head, number + 1, "the write-ahead log has {after} bytes");
        }
    }
    assert!(emptied >= 2, "emptied {emptied} times: the test would prove nothing otherwise");
    assert!(longest <= 8 * MEGABYTE, "{longest}");
    Ok(())
}

/// A session file of a host with one prompt per line.
fn session(folder: &Path, lines: std::ops::Range<u64>) -> TestResult<FileTask> {
    let path = folder.join("s1.jsonl");
    let mut text = fs::read_to_string(&path).unwrap_or_default();
    for number in lines {
        let record = serde_json::json!({
            "type": "user", "uuid": format!("r{number}"), "sessionId": "s1", "cwd": folder,
            "timestamp": format!("2026-01-03T{:02}:{:02}:00Z", number / 60, number % 60),
            "message": {"role": "user", "content": &many_words(number)[..50_000]},
        });
        text.push_str(&format!("{record}\n"));
    }
    fs::write(&path, text)?;
    Ok(FileTask { path, kind: TaskKind::Session, format: Some(Format::ClaudeCode), named: false })
}

/// A hook that reads a session leaves short write-ahead logs if it had time; otherwise the next
/// hook shortens them.
#[test]
fn who_reads_empties_them() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    drop(Memory::open(&home)?);
    let read = |lines, has_time: bool| -> TestResult {
        let task = session(folder.path(), lines)?;
        let mut log = Log::open_within(&log_file(&home), LOCK_TIMEOUT)?;
        ingest_into(&mut log, &[task], &|| true)?;
        let mut memory = Memory::open_fast(&home, log, LOCK_TIMEOUT)?;
        memory.refresh_while(&|| has_time)?;
        Ok(())
    };
    let mut lines = 0;
    for (more, has_time) in [(10, true), (10, true), (10, true), (80, false), (10, true)] {
        read(lines..lines + more, has_time)?;
        lines += more;
        let lengths = (log_wal(&home), views_wal(&home));
        if has_time {
            assert!(lengths.0 <= 2 * MEGABYTE && lengths.1 <= 2 * MEGABYTE, "{lengths:?}");
        } else {
            assert!(lengths.0 > 2 * MEGABYTE, "{lengths:?}: there must be something to empty");
        }
    }
    let mut memory = Memory::open(&home)?;
    let (verified, citations) = memory.verify()?;
    assert_eq!((verified.fault, citations.fault), (None, None));
    assert_eq!(memory.log().store().head()?.pos, lines);
    // `tidy` leaves nothing there: a copy may be in a read-only folder.
    memory.tidy()?;
    assert_eq!((log_wal(&home), views_wal(&home)), (0, 0));
    Ok(())
}

/// With a reader the write-ahead log stays until a later process can move it.
#[test]
fn a_reader_is_not_waited_for() -> TestResult {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let mut reader = Memory::open(&home)?;
    note(&home, 0)?;
    let mut read = 0;
    reader.log().store().scan(0, |_| {
        for number in 1..60 {
            read += u64::from(note(&home, number).is_ok());
        }
        false
    })?;
    assert_eq!(read, 59);
    assert!(log_wal(&home) > 8 * MEGABYTE, "{}", log_wal(&home));
    note(&home, 60)?;
    assert!(log_wal(&home) < MEGABYTE, "{}", log_wal(&home));
    assert_eq!(reader.log().store().head()?.pos, 61);
    Ok(())
}
