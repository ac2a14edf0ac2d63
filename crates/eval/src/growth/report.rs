//! Runs the command: measures every size and prints a comparison.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::fill::{Filled, chunks_per_copy, fill};
use super::steps::{GrowthStep, StepTimes, command, measure};
use crate::phase::{self, Cost};
use crate::program::{Peak, Program, run as run_process, watch};
use crate::questions;
use crate::shaped::Shaped;
use crate::stats::{percentile, verdict};

/// The size of the targets, and the tolerance around it.
const TARGET_SIZE: f64 = 100_000.0;
const LARGE_SIZE: f64 = 1_000_000.0;
const NEAR: f64 = 0.1;

pub fn run(data: &Path, sizes: &[u64]) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let asked = questions::all(data)?;
    let file = scratch.path().join("questions");
    fs::write(&file, asked.join("\n"))?;
    let shaped = Shaped::survey(data)?;
    let per_copy = chunks_per_copy(&shaped, scratch.path())?;
    println!("{per_copy} chunks in a copy of the real sessions, {} questions", asked.len());
    let mut columns = Vec::new();
    for size in sizes {
        println!("about {size} chunks:");
        let home = scratch.path().join(format!("home-{size}"));
        let filled = fill(&shaped, *size, per_copy, &home, scratch.path())?;
        columns.push(Column::measure(filled, &file, &home)?);
        fs::remove_dir_all(&home)?;
    }
    println!();
    print_table(&columns);
    println!();
    print_verdicts(&columns);
    Ok(())
}

/// One size.
struct Column {
    filled: Filled,
    search: StepTimes,
    project: StepTimes,
    recall: StepTimes,
    nearest: StepTimes,
    answers: StepTimes,
    cold: Vec<f64>,
    memory: Peak,
    cold_memory: Peak,
    rebuild: Cost,
    clusters: Cost,
    list: StepTimes,
}

impl Column {
    fn measure(filled: Filled, questions: &Path, home: &Path) -> Result<Self, Box<dyn Error>> {
        println!("  asking");
        let search = measure(GrowthStep::Search, questions, home)?;
        let project = measure(GrowthStep::Project, questions, home)?;
        let recall = measure(GrowthStep::Recall, questions, home)?;
        let nearest = measure(GrowthStep::Nearest, questions, home)?;
        let answers = measure(GrowthStep::Answers, questions, home)?;
        let memory = watch(&mut command(GrowthStep::Search, questions, home)?)?;
        let program = Program::beside_this_one(home)?;
        let mut cold = Vec::new();
        let mut cold_memory = Peak::default();
        for question in questions::asked_by_people() {
            let mut ask = program.command(&["search", "--all-projects", &question]);
            cold.push(run_process(&mut ask)?.ms);
            let peak = watch(&mut ask)?;
            cold_memory.anonymous_mb = cold_memory.anonymous_mb.max(peak.anonymous_mb);
            cold_memory.total_mb = cold_memory.total_mb.max(peak.total_mb);
        }
        println!("  rebuilding");
        let rebuild = phase::measure("rebuild", home, home)?;
        println!("  clustering");
        let clusters = phase::measure("clusters", home, home)?;
        let list = measure(GrowthStep::List, questions, home)?;
        Ok(Column {
            filled,
            search,
            project,
            recall,
            nearest,
            answers,
            cold,
            memory,
            cold_memory,
            rebuild,
            clusters,
            list,
        })
    }

    fn is_about(&self, size: f64) -> bool {
        (self.filled.chunks as f64 / size - 1.0).abs() <= NEAR
    }

    /// The columns of each size, in the order of the table.
    fn rows(&self) -> Vec<(&'static str, f64)> {
        let chunks = self.filled.chunks as f64;
        vec![
            ("chunks", chunks),
            ("raw MB", self.filled.raw_bytes as f64 / 1e6),
            ("log, views and index, % of raw", 100.0 * self.filled.stored_bytes as f64 / self.filled.raw_bytes as f64),
            ("ingest, CPU s", self.filled.cost.cpu_ms / 1e3),
            ("ingest, s", self.filled.cost.wall_ms / 1e3),
            ("ingest, CPU ms per chunk", self.filled.cost.cpu_ms / chunks),
            ("ingest, peak MB", self.filled.cost.peak_mb),
            ("rebuild, CPU s", self.rebuild.cpu_ms / 1e3),
            ("rebuild, s", self.rebuild.wall_ms / 1e3),
            ("rebuild, CPU ms per chunk", self.rebuild.cpu_ms / chunks),
            ("rebuild, peak MB", self.rebuild.peak_mb),
            ("warm search, median ms", percentile(&self.search.times, 50)),
            ("warm search, p95 ms", percentile(&self.search.times, 95)),
            ("warm search, CPU ms", self.search.cpu_ms),
            ("  in one project, median ms", percentile(&self.project.times, 50)),
            ("  in one project, p95 ms", percentile(&self.project.times, 95)),
            ("  peak MB of its own", self.memory.anonymous_mb),
            ("  peak MB with mapped files", self.memory.total_mb),
            ("cold search (CLI), median ms", percentile(&self.cold, 50)),
            ("cold search (CLI), p95 ms", percentile(&self.cold, 95)),
            ("  peak MB of its own", self.cold_memory.anonymous_mb),
            ("  peak MB with mapped files", self.cold_memory.total_mb),
            ("warm recall, median ms", percentile(&self.recall.times, 50)),
            ("warm recall, p95 ms", percentile(&self.recall.times, 95)),
            ("of the nearest 100 vectors, found", self.nearest.found),
            ("of a full scan's answer, found, %", 100.0 * self.answers.found),
            ("  questions with the same answer", self.answers.answered as f64),
            ("making clusters, CPU s", self.clusters.cpu_ms / 1e3),
            ("making clusters, s", self.clusters.wall_ms / 1e3),
            ("making clusters, peak MB", self.clusters.peak_mb),
            ("listing clusters, median ms", percentile(&self.list.times, 50)),
        ]
    }
}

/// Every number, with its ratio to the first size.
fn print_table(columns: &[Column]) {
    let all: Vec<Vec<(&str, f64)>> = columns.iter().map(Column::rows).collect();
    let Some(first) = all.first() else { return };
    for (at, (name, base)) in first.iter().enumerate() {
        print!("{name:<32}");
        for (number, column) in all.iter().enumerate() {
            let value = column[at].1;
            print!("{value:>12.*}", if value >= 1000.0 { 0 } else { 2 });
            if number > 0 {
                print!("{:>9}", format!("×{:.1}", value / base));
            }
        }
        println!();
    }
    for (step, of) in [("search", (|c| &c.search) as fn(&Column) -> &StepTimes), ("recall", |c| &c.recall)] {
        let answered: Vec<String> =
            columns.iter().map(|column| format!("{} of {}", of(column).answered, of(column).times.len())).collect();
        println!("{:<32}{}", format!("{step}: questions answered"), answered.join(", "));
    }
}

fn print_verdicts(columns: &[Column]) {
    let p95 = |column: &Column| percentile(&column.search.times, 95);
    let Some(target) = columns.iter().find(|column| column.is_about(TARGET_SIZE)) else {
        println!("the targets are for 100000 chunks and a million: neither was measured");
        return;
    };
    verdict("warm search at 100k, p95", p95(target), 20.0, " ms");
    verdict("its own memory at 100k", target.memory.anonymous_mb, 200.0, " MB");
    verdict("with mapped files at 100k", target.memory.total_mb, 200.0, " MB");
    if let Some(large) = columns.iter().find(|column| column.is_about(LARGE_SIZE)) {
        verdict("warm search, p95, 1M / 100k", p95(large) / p95(target), 5.0, "×");
    }
}
