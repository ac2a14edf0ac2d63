//! Export and import lose nothing, and verification notices every change.

use backstory_engine::fixture::World;
use backstory_engine::log::{Log, LogError};
use backstory_engine::model::ProblemKind;

use crate::desk::gzip;

const FIXTURE: &str = "
session s1 claude_code 2026-01-03
  user   ünïcode \u{1f980} prompt
  run    cargo test  -> fail  token expired
session s2 codex 2026-01-09
  user   login broken again
";

fn export(log: &mut Log) -> Result<Vec<u8>, LogError> {
    let mut bytes = Vec::new();
    log.export(&mut bytes)?;
    Ok(bytes)
}

#[test]
fn export_and_import_are_lossless() -> Result<(), LogError> {
    let mut world = World::new(FIXTURE);
    let exported = export(&mut world.log)?;
    let mut copy = Log::open_in_memory()?;
    let first = copy.import("export", &mut &exported[..])?;
    assert_eq!((first.appended.new, first.problems.len()), (4, 0));
    assert_eq!(export(&mut copy)?, exported);
    assert_eq!(copy.store().head()?, world.log.store().head()?, "even the chain is the same");

    let second = copy.import("export", &mut &exported[..])?;
    assert_eq!((second.appended.new, second.appended.known), (0, 4), "importing twice changes nothing");
    assert_eq!(export(&mut copy)?, exported);
    Ok(())
}

#[test]
fn importing_merges_and_reports_what_it_cannot_read() -> Result<(), LogError> {
    let mut world = World::new(FIXTURE);
    let mut exported = String::from_utf8_lossy(&export(&mut world.log)?).into_owned();
    exported = exported.replace("token expired", "token exspired");
    exported.push_str("not json\n{\"type\":\"event\"}\n");
    let mut other = World::new("session s9 claude_code 2026-01-01\n  user already here\n");
    let imported = other.log.import("export", &mut exported.as_bytes())?;
    assert_eq!(imported.appended.new, 3);
    assert_eq!(imported.problems.len(), 3, "{:?}", imported.problems);
    assert!(imported.problems.iter().all(|problem| problem.kind == ProblemKind::Skipped && problem.line.is_some()));
    assert_eq!(other.log.verify()?.fault, None);
    assert_eq!(other.log.verify()?.events, 4, "what was there is still there");
    Ok(())
}

#[test]
fn a_newer_export_is_refused() -> Result<(), LogError> {
    let mut log = Log::open_in_memory()?;
    let refused = log.import("export", &mut &b"{\"type\":\"log\",\"format\":99}\n"[..]);
    assert!(matches!(refused, Err(LogError::Import { line: 1, .. })));
    Ok(())
}

#[test]
fn of_many_lines_that_cannot_be_read_most_are_counted() -> Result<(), LogError> {
    let mut world = World::new(FIXTURE);
    let mut exported = export(&mut world.log)?;
    let lines = exported.iter().filter(|byte| **byte == b'\n').count() as u64;
    exported.extend(b"not json\n".repeat(5_000));
    let imported = Log::open_in_memory()?.import("export", &mut exported.as_slice())?;
    assert_eq!((imported.appended.new, imported.problems.len()), (4, 1_001));
    let last = imported.problems.last().map(|problem| (problem.line, problem.reason.as_str()));
    assert_eq!(last, Some((Some(lines + 1_001), "4000 more lines that cannot be read, from this one on")));
    Ok(())
}

/// With several layers of compression, a small file could expand without end.
#[test]
fn an_export_packed_twice_is_refused() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new("session s1 claude_code 2026-01-03\n  user apples\n");
    let mut export = Vec::new();
    world.log.export(&mut export)?;
    let once = gzip(&export)?;
    let mut copy = Log::open_in_memory()?;
    assert_eq!(copy.import("once", &mut once.as_slice())?.appended.new, 1);
    let mut copy = Log::open_in_memory()?;
    assert!(copy.import("twice", &mut gzip(&once)?.as_slice()).is_err());
    Ok(())
}
