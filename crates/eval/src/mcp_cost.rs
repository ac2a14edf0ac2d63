//! What does a call of the server cost, beyond the engine's own time?
//!
//! The same questions, alternating: the engine in this process, with its memory and its model open, and a call over the
//! pipes of a running server.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::retrieve::{Search, search};
use backstory_language::embed::StaticTable;
use serde_json::{Value, json};

use crate::input::unpack;
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
    let mut server = Server::start(&program)?;
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

pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    pub fn start(program: &Program) -> Result<Self, Box<dyn Error>> {
        let mut child = program.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("the server has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut server = Server { child, input, output, asked: 0 };
        let client = json!({"name": "measure", "version": "1"});
        server.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )?;
        writeln!(server.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// From the first byte sent to the last one read.
    fn ask(&mut self, question: &str) -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        let arguments = json!({"query": question, "all_projects": true});
        let answer = self.request("tools/call", json!({"name": "search", "arguments": arguments}))?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        match answer.contains("\"isError\":false") {
            true => Ok(ms),
            false => Err(format!("the server refused: {answer}").into()),
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<String, Box<dyn Error>> {
        self.send(method, params)?;
        self.receive()
    }

    pub fn send(&mut self, method: &str, params: Value) -> Result<(), Box<dyn Error>> {
        self.asked += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        Ok(self.input.write_all(format!("{request}\n").as_bytes())?)
    }

    /// The next line of its output.
    pub fn receive(&mut self) -> Result<String, Box<dyn Error>> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("the server is gone".into()),
            _ => Ok(line),
        }
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
