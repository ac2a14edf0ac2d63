//! What do the cards of an episode cost, relative to reading it?
//!
//! Two parts: finding candidates in its turns, which is measured for all episodes
//! together, and rewriting its card set, which is measured after every file.

use std::path::Path;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::derive::{STAGES, Stage, cards};
use backstory_engine::log::Log;
use backstory_engine::store::ViewStore;

use super::EvalResult;
use super::stability::in_order_of_time;
use crate::stats::{percentile, verdict};

pub fn run(data: &Path) -> EvalResult {
    let home = tempfile::tempdir()?;
    let (mut read, mut settled) = (Vec::new(), Vec::new());
    for task in in_order_of_time(&data.join("sessions"))? {
        let mut memory = Memory::open(home.path())?;
        let start = Instant::now();
        memory.ingest(&[task], Vec::new(), &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        read.push(start.elapsed().as_secs_f64() * 1e3);
        drop(memory);
        settled.push(settle_all(home.path())?);
    }
    let found = (rebuild(home.path(), cards::NAME)? - rebuild(home.path(), "index")?) / read.len() as f64;
    println!("{} files in the order of time, wall ms, median / 95 %", read.len());
    for (what, times) in [("reading one, all stages", &read), ("rewriting all card sets", &settled)] {
        println!("{what:<26} {:>8.2} {:>8.2}", percentile(times, 50), percentile(times, 95));
    }
    // Rebuilding without the stage may take as long as with it: then the difference is noise.
    let found = found.max(0.0);
    println!("finding candidates         {found:>8.2} on average\n");
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    verdict("cards of an episode / reading it", (found + mean(&settled)) / mean(&read), 1.0, "×");
    Ok(())
}

/// More than any episode requires: the card sets of all projects.
fn settle_all(home: &Path) -> EvalResult<f64> {
    let mut log = Log::open(&home.join("log.sqlite"))?;
    let mut views = ViewStore::open(&home.join("views").join("memory.sqlite"))?;
    let mut tx = views.begin()?;
    tx.mark_all_cards_stale()?;
    tx.commit()?;
    let start = Instant::now();
    cards::rewrite_stale(&mut log, &mut views)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// A stage and those that follow it.
fn rebuild(home: &Path, name: &str) -> EvalResult<f64> {
    let stage: Option<Stage> = STAGES.into_iter().find(|stage| stage.name == name);
    let mut memory = Memory::open(home)?;
    let start = Instant::now();
    memory.rebuild(stage, &mut |_| {})?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
