//! What does a call of the server cost, beyond the engine's own time?
//!
//! The same questions, alternating: the engine in this process, with its memory and its model open, and a call over the
//! pipes of a running server.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::retrieve::{Search, search};
use backstory_language::embed::StaticTable;

use crate::input::unpack;
use crate::mcp_server::McpServer;
use crate::program::{Program, run as run_process};
use crate::stats::{percentile, verdict};
use crate::{mcp_size, phase, questions};

/// The maximum overhead of the server.
const MOST_MS: f64 = 2.0;

pub fn run(data: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let (raw, home) = (scratch.path().join("raw"), scratch.path().join("home"));
    let bytes = unpack(data, &raw)?;
    let program = Program::beside_this_one(&home)?;
    run_process(program.command(&["ingest", "--quiet"]).arg(&raw))?;
    let questions = questions::asked_by_people();
    println!(
        "{} files, {:.1} MB; {} questions, {rounds} rounds",
        phase::files(&raw).len(),
        bytes as f64 / 1e6,
        questions.len()
    );
    let mut engine = Engine { memory: Memory::open(&home)?, model: StaticTable::shipped() };
    let mut server = McpServer::start(&program)?;
    let (mut alone, mut called, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        for question in &questions {
            let (one, other) = (engine.ask(question)?, server.ask(question)?);
            // The first round warms up both.
            if round > 0 {
                alone.push(one);
                called.push(other);
                added.push(other - one);
            }
        }
    }
    for (what, times) in [("the engine alone", &alone), ("a call of the server", &called), ("added", &added)] {
        println!("  {what:<22} median {:>7.3} ms, 95 % below {:>7.3} ms", percentile(times, 50), percentile(times, 95));
    }
    verdict("p95 of the call - p95 of the engine", percentile(&called, 95) - percentile(&alone, 95), MOST_MS, " ms");
    mcp_size::report(&mut server, &questions)
}

struct Engine {
    memory: Memory,
    model: StaticTable,
}

impl Engine {
    fn ask(&mut self, question: &str) -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        let (log, views) = self.memory.parts();
        search(log, views, &mut self.model, &Search::new(question))?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}
