//! Runs the command: creates the texts, measures every engine on them, prints a table.

use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::Engine;
use super::corpus::RealChunks;
use super::steps::{IndexStep, StepCost, TOP, measure};
use crate::input::bytes_in;
use crate::questions;
use crate::stats::percentile;

/// A cold start takes milliseconds, so the median of several is used.
const COLD_STARTS: usize = 9;

pub fn run(data: &Path, sizes: &[usize], engines: &[Engine]) -> Result<(), Box<dyn Error>> {
    let engines = if engines.is_empty() { Engine::COMPARED } else { engines };
    let scratch = tempfile::tempdir()?;
    let real = RealChunks::read(&data.join("sessions"), &scratch.path().join("home"))?;
    let questions = Questions::write(data, scratch.path())?;
    println!("{} real chunks, {} questions, top {TOP}\n", real.len(), questions.count);
    for size in sizes {
        let texts = scratch.path().join("texts.jsonl");
        let bytes = real.write(*size, &texts)?;
        println!("{size} chunks, {:.1} MB of text", bytes as f64 / 1e6);
        let floor = measure(Engine::None, IndexStep::Build, &texts, scratch.path())?;
        println!("reading the texts and finding their tokens: {:.1} s CPU, part of each build", floor.cpu_ms / 1e3);
        println!("asking is CPU time, adding is wall time\n{}", Row::header());
        let mut found = Vec::new();
        for engine in engines {
            let folder = scratch.path().join(format!("{}-{size}", engine.name()));
            fs::create_dir_all(&folder)?;
            let row = Row::measure(*engine, &texts, &questions, &folder)?;
            println!("{row}");
            found.push(row.hits);
            fs::remove_dir_all(&folder)?;
        }
        for (engine, other) in engines.iter().zip(&found).skip(1) {
            let share = 100.0 * agreement(&found[0], other, real.len() as u64);
            let (first, second) = (engines[0].name(), engine.name());
            println!(
                "of the top {TOP} of {first}, {share:.0} % are in that of {second}, copies of a chunk counted as one"
            );
        }
        println!();
    }
    Ok(())
}

struct Questions {
    count: usize,
    whole: PathBuf,
    without_stop_words: PathBuf,
}

impl Questions {
    fn write(data: &Path, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let all = questions::all(data)?;
        let shortened: Vec<String> = all.iter().map(|question| questions::without_stop_words(question)).collect();
        let questions = Questions {
            count: all.len(),
            whole: folder.join("questions"),
            without_stop_words: folder.join("questions-without-stop-words"),
        };
        fs::write(&questions.whole, all.join("\n"))?;
        fs::write(&questions.without_stop_words, shortened.join("\n"))?;
        Ok(questions)
    }
}

/// One engine at one size.
struct Row {
    engine: Engine,
    build: StepCost,
    index_bytes: u64,
    cold_ms: f64,
    warm: StepCost,
    warm_shortened: StepCost,
    add: StepCost,
    hits: Vec<Vec<u64>>,
}

impl Row {
    fn measure(engine: Engine, texts: &Path, questions: &Questions, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let build = measure(engine, IndexStep::Build, texts, folder)?;
        let index_bytes = bytes_in(folder);
        let mut cold = Vec::new();
        for _ in 0..COLD_STARTS {
            cold.push(measure(engine, IndexStep::Cold, &questions.whole, folder)?.cpu_ms);
        }
        let mut warm = measure(engine, IndexStep::Warm, &questions.whole, folder)?;
        let warm_shortened = measure(engine, IndexStep::Warm, &questions.without_stop_words, folder)?;
        let add = measure(engine, IndexStep::Add, texts, folder)?;
        let hits = std::mem::take(&mut warm.hits);
        Ok(Row { engine, build, index_bytes, cold_ms: percentile(&cold, 50), warm, warm_shortened, add, hits })
    }

    fn header() -> String {
        let groups = format!(
            "{:<9} {:^18} {:>8} {:>9} {:^17} {:^17} {:^17} {:^17}",
            "", "build, s", "index", "open, ask", "all words, ms", "no stop words", "add one, ms", "peak memory, MB"
        );
        let columns = format!(
            "{:<9} {:>9}{:>9} {:>8} {:>9} {:>9}{:>8} {:>9}{:>8} {:>9}{:>8} {:>9}{:>8}",
            "engine", "CPU", "wall", "MB", "one, ms", "p50", "p95", "p50", "p95", "first", "next", "build", "search"
        );
        format!("\n{groups}\n{columns}")
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let warm = &self.warm.times;
        let shortened = &self.warm_shortened.times;
        let first_add = self.add.times.first().copied().unwrap_or(f64::NAN);
        write!(f, "{:<9} {:>9.1}{:>9.1}", self.engine.name(), self.build.cpu_ms / 1e3, self.build.wall_ms / 1e3)?;
        write!(f, " {:>8.1} {:>9.1}", self.index_bytes as f64 / 1e6, self.cold_ms)?;
        write!(f, " {:>9.2}{:>8.2}", percentile(warm, 50), percentile(warm, 95))?;
        write!(f, " {:>9.2}{:>8.2}", percentile(shortened, 50), percentile(shortened, 95))?;
        write!(f, " {first_add:>9.1}{:>8.1}", percentile(&self.add.times, 50))?;
        write!(f, " {:>9.1}{:>8.1}", self.build.peak_mb, self.warm.peak_mb)
    }
}

/// The share of the real chunks found by one engine, in any copy, that the other found too. The engines score
/// differently, so this is far below one; near zero would mean that one of them is misused.
fn agreement(first: &[Vec<u64>], second: &[Vec<u64>], real: u64) -> f64 {
    let chunks = |hits: &[u64]| -> HashSet<u64> { hits.iter().map(|id| id % real).collect() };
    let (mut shared, mut all) = (0, 0);
    for (first, second) in first.iter().zip(second) {
        let (first, second) = (chunks(first), chunks(second));
        shared += first.intersection(&second).count();
        all += first.len().min(second.len());
    }
    shared as f64 / all.max(1) as f64
}
