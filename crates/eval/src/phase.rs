//! Steps measured in a separate process, so that CPU time and peak memory are theirs alone.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_language::embed::{Embedder, StaticTable};
use cpu_time::ProcessTime;

use crate::code_cost;

/// The cost of a step.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Cost {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub peak_mb: f64,
    /// Records parsed, events read or clusters built: shows that the step did its work.
    pub done: u64,
}

/// Runs a step as a child process and reads its cost.
pub fn measure(name: &str, data: &Path, home: &Path) -> Result<Cost, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).arg("phase").arg(name).arg(data).arg(home).output()?;
    if !output.status.success() {
        return Err(format!("step {name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The child's side.
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
        peak_mb: peak_memory_mb().unwrap_or(f64::NAN),
        done,
    };
    serde_json::to_writer(std::io::stdout(), &cost)?;
    Ok(())
}

/// The baseline: parses every line into a `serde_json::Value` and drops it.
fn parse_values(data: &Path) -> Result<u64, Box<dyn Error>> {
    let mut parsed = 0;
    for path in files(data) {
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

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The peak memory of the process (Linux; elsewhere unknown).
pub fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
