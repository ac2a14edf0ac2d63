//! What does reading cost, relative to parsing the same JSON?

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::input::{bytes_in, unpack};
use crate::phase::{self, Cost, measure};
use crate::stats::verdict;

pub fn run(data: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let raw = scratch.path().join("raw");
    let bytes = unpack(data, &raw)?;
    println!(
        "{} files, {:.1} MB uncompressed, median of {rounds} rounds\n",
        phase::files(&raw).len(),
        bytes as f64 / 1e6
    );

    let mut parse = Vec::new();
    let mut cold = Vec::new();
    let mut again = Vec::new();
    let mut grown = Vec::new();
    let mut stored = 0;
    let grower = largest(&raw)?;
    let lines = sample_lines(&grower, 20)?;
    for round in 0..rounds {
        let home = scratch.path().join(format!("home{round}"));
        parse.push(measure("parse", &raw, &home)?);
        cold.push(measure("ingest", &raw, &home)?);
        again.push(measure("ingest", &raw, &home)?);
        append(&grower, &lines, round)?;
        grown.push(measure("ingest", &raw, &home)?);
        stored = bytes_in(&home);
    }
    // Half of the files: memory must not depend on their number.
    let half = scratch.path().join("half");
    copy_every_second(&raw, &half)?;
    let half = measure("ingest", &half, &scratch.path().join("home-half"))?;
    // A process that opens the memory and finds nothing: the minimum of the above.
    let empty = scratch.path().join("empty");
    fs::create_dir_all(&empty)?;
    let floor = measure("ingest", &empty, &scratch.path().join("home-empty"))?;

    let (parse, cold, again, grown) = (median(&parse), median(&cold), median(&again), median(&grown));
    println!("{:<34} {:>9} {:>9} {:>9} {:>9}", "step", "CPU ms", "wall ms", "peak MB", "done");
    for (name, cost) in [
        ("parse into serde_json::Value", parse),
        ("cold ingest (log and all views)", cold),
        ("cold ingest of every second file", half),
        ("unchanged ingest", again),
        ("ingest after 20 appended lines", grown),
        ("ingest of an empty folder", floor),
    ] {
        println!("{name:<34} {:>9.1} {:>9.1} {:>9.1} {:>9}", cost.cpu_ms, cost.wall_ms, cost.peak_mb, cost.done);
    }
    println!();
    verdict("cold ingest / parse, CPU", cold.cpu_ms / parse.cpu_ms, 4.0, "×");
    verdict("peak memory of the cold ingest", cold.peak_mb, 300.0, " MB");
    verdict("log and views / raw bytes", 100.0 * stored as f64 / bytes as f64, 40.0, " %");
    verdict("unchanged / cold, CPU", again.cpu_ms / cold.cpu_ms, 1.0 / 50.0, "");
    verdict("20 lines / cold, CPU", grown.cpu_ms / cold.cpu_ms, 1.0 / 200.0, "");
    Ok(())
}

fn copy_every_second(raw: &Path, half: &Path) -> Result<(), Box<dyn Error>> {
    for path in phase::files(raw).iter().step_by(2) {
        let target = half.join(path.strip_prefix(raw)?);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(path, target)?;
    }
    Ok(())
}

fn largest(raw: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    phase::files(raw).into_iter().max_by_key(size).ok_or_else(|| "no files".into())
}

/// The last lines of the file with a message, to be appended under new ids.
fn sample_lines(path: &Path, count: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let mut lines: Vec<String> =
        text.lines().rev().filter(|line| line.contains("\"message\"")).take(count).map(str::to_owned).collect();
    lines.reverse();
    Ok(lines)
}

fn append(path: &Path, lines: &[String], round: usize) -> Result<(), Box<dyn Error>> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    for (number, line) in lines.iter().enumerate() {
        let mut record: serde_json::Value = serde_json::from_str(line)?;
        // Lines appended to a live session are the newest.
        record["timestamp"] = format!("2030-01-01T00:{round:02}:{number:02}.000Z").into();
        let uuid = record["uuid"].as_str().unwrap_or("x").to_owned();
        record["uuid"] = format!("{uuid}-{round}").into();
        if let Some(id) = record["message"]["id"].as_str().map(|id| format!("{id}-{round}")) {
            record["message"]["id"] = id.into();
        }
        for block in record["message"]["content"].as_array_mut().into_iter().flatten() {
            for key in ["id", "tool_use_id"] {
                if let Some(id) = block[key].as_str().map(|id| format!("{id}-{round}")) {
                    block[key] = id.into();
                }
            }
        }
        writeln!(file, "{record}")?;
    }
    Ok(())
}

fn median(costs: &[Cost]) -> Cost {
    let mut sorted = costs.to_vec();
    sorted.sort_by(|a, b| a.cpu_ms.total_cmp(&b.cpu_ms));
    sorted[sorted.len() / 2]
}
