//! What happens to each type of record, and which faults does the input have?

use std::error::Error;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, RecordFate, find};
use backstory_engine::retrieve::status;

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let mut memory = Memory::open(scratch.path())?;
    let found = find(&[InputPlace::Given(data.to_owned())], None);
    let report = memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;

    println!("| record | kept | left out | why |\n|---|---:|---:|---|");
    for ((record, fate), count) in &report.tally {
        match fate {
            RecordFate::Kept => println!("| {record} | {count} | | |"),
            RecordFate::Dropped(reason) => println!("| {record} | | {count} | {reason} |"),
        }
    }
    let (log, views) = memory.parts();
    let status = status(log, views)?;
    println!(
        "\n{} files, {} passed over by name, {} without a session",
        report.files, found.ignored, report.not_sessions
    );
    println!("{} events in {} runs of {} sessions", status.events, status.episodes, status.sessions);
    for (kind, count) in &status.events_by_kind {
        println!("  {count:>7} {}", kind.name());
    }
    println!("{} turns, {} chunks, {} tokens", status.turns, status.chunks, status.chunk_tokens);
    for (kind, count) in &status.edges {
        println!("  {count:>7} {}", kind.name());
    }
    println!("{} problems", report.problems.len());
    for problem in &report.problems {
        let file = problem.file.rsplit('/').next().unwrap_or_default();
        println!("  {file}:{}: {}", problem.line.unwrap_or(0), problem.reason);
    }
    Ok(())
}
