//! The child's side of [`phase`](crate::phase): runs one step and prints its cost.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_language::embed::{Embedder, StaticTable};
use cpu_time::ProcessTime;

use crate::code_cost;
use crate::phase::{self, Cost};

pub fn run(name: &str, data: &Path, home: &Path) -> Result<(), Box<dyn Error>> {
    if name == "code-trees" {
        serde_json::to_writer(std::io::stdout(), &code_cost::trees(data)?)?;
        return Ok(());
    }
    let (cpu, wall) = (ProcessTime::try_now()?, Instant::now());
    let done = match name {
        "parse" => parse_values(data)?,
        "ingest" => ingest(data, home)?,
        "rebuild" => Memory::open(home)?.rebuild(None, &mut |_| {})?.events,
        "clusters" => Memory::open(home)?.make_clusters(StaticTable::shipped().model(), &mut |_| {})?.clusters,
        "code-index" => code_cost::index(data, home, code_cost::History::None)?,
        "code-index-history" => code_cost::index(data, home, code_cost::History::Newest)?,
        other => return Err(format!("unknown step {other}").into()),
    };
    let cost = Cost {
        cpu_ms: cpu.try_elapsed()?.as_secs_f64() * 1e3,
        wall_ms: wall.elapsed().as_secs_f64() * 1e3,
        peak_mb: phase::peak_memory_mb().unwrap_or(f64::NAN),
        done,
    };
    serde_json::to_writer(std::io::stdout(), &cost)?;
    Ok(())
}

/// The baseline: parses every line into a `serde_json::Value` and drops it.
fn parse_values(data: &Path) -> Result<u64, Box<dyn Error>> {
    let mut parsed = 0;
    for path in phase::files(data) {
        let mut input = BufReader::with_capacity(1 << 18, File::open(path)?);
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line)? > 0 {
            if let Ok(value) = serde_json::from_slice::<serde_json::Value>(&line) {
                parsed += 1;
                std::hint::black_box(value);
            }
            line.clear();
        }
    }
    Ok(parsed)
}

fn ingest(data: &Path, home: &Path) -> Result<u64, Box<dyn Error>> {
    let mut memory = Memory::open(home)?;
    let found = find(&[InputPlace::Given(data.to_owned())], None);
    let report = memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;
    Ok(report.appended.new)
}
