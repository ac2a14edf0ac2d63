//! Fills a memory of about the given number of chunks with copies of the real sessions.

use std::error::Error;
use std::fs;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::retrieve::totals;

use crate::input::bytes_in;
use crate::phase::{Cost, measure};
use crate::shaped::Shaped;

/// The number of copies on disk at once: a million chunks would take 18 GB.
const AT_ONCE: u32 = 4;

/// The cost of filling a memory.
#[derive(Clone, Copy)]
pub struct Filled {
    pub chunks: u64,
    pub raw_bytes: u64,
    pub stored_bytes: u64,
    /// The total of all batches; the memory is the maximum.
    pub cost: Cost,
}

/// `per_copy`: the number of chunks of one copy.
pub fn fill(
    shaped: &Shaped,
    chunks: u64,
    per_copy: u64,
    home: &Path,
    scratch: &Path,
) -> Result<Filled, Box<dyn Error>> {
    let mut filled = Filled {
        chunks: 0,
        raw_bytes: 0,
        stored_bytes: 0,
        cost: Cost { cpu_ms: 0.0, wall_ms: 0.0, peak_mb: 0.0, done: 0 },
    };
    let whole = (chunks / per_copy) as u32;
    let mut next = 1;
    while next <= whole {
        let last = whole.min(next + AT_ONCE - 1);
        filled.raw_bytes += ingest(shaped, next, last, 1.0, home, scratch, &mut filled.cost)?;
        next = last + 1;
        println!("  {} of about {chunks} chunks read", u64::from(last) * per_copy);
    }
    let share = (chunks % per_copy) as f64 / per_copy as f64;
    filled.raw_bytes += ingest(shaped, next, next, share, home, scratch, &mut filled.cost)?;
    filled.stored_bytes = bytes_in(home);
    filled.chunks = chunks_in(home)?;
    Ok(filled)
}

fn ingest(
    shaped: &Shaped,
    first: u32,
    last: u32,
    share: f64,
    home: &Path,
    scratch: &Path,
    sum: &mut Cost,
) -> Result<u64, Box<dyn Error>> {
    let raw = scratch.join("raw");
    fs::create_dir_all(&raw)?;
    let bytes = shaped.write(first..=last, share, &raw)?;
    let cost = measure("ingest", &raw, home)?;
    fs::remove_dir_all(&raw)?;
    sum.cpu_ms += cost.cpu_ms;
    sum.wall_ms += cost.wall_ms;
    sum.peak_mb = sum.peak_mb.max(cost.peak_mb);
    sum.done += cost.done;
    Ok(bytes)
}

/// The number of chunks of one copy.
pub fn chunks_per_copy(shaped: &Shaped, scratch: &Path) -> Result<u64, Box<dyn Error>> {
    let home = scratch.join("home-of-one");
    let mut cost = Cost { cpu_ms: 0.0, wall_ms: 0.0, peak_mb: 0.0, done: 0 };
    ingest(shaped, 1, 1, 1.0, &home, scratch, &mut cost)?;
    let chunks = chunks_in(&home)?;
    fs::remove_dir_all(&home)?;
    Ok(chunks)
}

fn chunks_in(home: &Path) -> Result<u64, Box<dyn Error>> {
    let mut memory = Memory::open(home)?;
    let (log, views) = memory.parts();
    Ok(totals(log, views)?.chunks)
}
