//! Does a long-running server leak resources?
//!
//! Mixed calls, eight at once, while sessions grow and are read. Its resources are read from /proc (Linux).

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::input::unpack;
use crate::mcp_server::McpServer;
use crate::program::{Program, run as run_process};
use crate::questions;

const AT_ONCE: u64 = 8;
/// New sessions are read after this many calls.
const CALLS_A_READING: u64 = 256;
const ROWS: u64 = 20;

pub fn run(data: &Path, calls: u64) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let (raw, home) = (scratch.path().join("raw"), scratch.path().join("home"));
    unpack(data, &raw)?;
    let program = Program::beside_this_one(&home)?;
    run_process(program.command(&["ingest", "--quiet"]).arg(&raw))?;
    let questions = questions::asked_by_people();
    let growing = scratch.path().join("growing.jsonl");
    let mut server = McpServer::start(&program)?;
    let (mut made, mut next_row) = (0, 0);
    while made < calls {
        for _ in 0..AT_ONCE {
            server.send("tools/call", call(made, &questions))?;
            made += 1;
        }
        for _ in 0..AT_ONCE {
            server.receive()?;
        }
        if made % CALLS_A_READING < AT_ONCE {
            grow(&growing, made, &questions)?;
            run_process(program.command(&["ingest", "--quiet"]).arg(&growing))?;
        }
        if made >= next_row {
            println!("{made:>7} calls  {}", held(server.process())?);
            next_row += calls / ROWS;
        }
    }
    println!("{made:>7} calls  {}", held(server.process())?);
    Ok(())
}

fn call(number: u64, questions: &[String]) -> Value {
    let question = &questions[number as usize % questions.len()];
    let everywhere = json!({"query": question, "all_projects": true});
    let (name, arguments) = match number % 12 {
        0..=3 => ("search", everywhere),
        4 => ("recall", everywhere),
        5 => ("predict", everywhere),
        6 => ("pack", json!({"task": question, "all_projects": true})),
        7 => ("check", json!({"action": question, "all_projects": true})),
        8 => ("explain", json!({"verb": "search", "query": question, "all_projects": true})),
        9 => ("list", json!({"what": "sessions", "all_projects": true})),
        10 => ("loops", json!({"all_projects": true})),
        _ => ("search", json!({"querry": question})),
    };
    json!({"name": name, "arguments": arguments})
}

/// Appends to a session.
fn grow(file: &Path, made: u64, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let mut lines = String::new();
    for line in 0..4 {
        let (kind, text) = (["user", "assistant"][line % 2], &questions[(made as usize + line) % questions.len()]);
        let record = json!({
            "type": kind, "uuid": format!("{made}-{line}"), "sessionId": "soak", "cwd": "/nowhere/soak",
            "timestamp": "2026-02-28T10:00:00.000Z", "message": {"role": kind, "content": format!("{made}: {text}")},
        });
        writeln!(lines, "{record}")?;
    }
    Ok(OpenOptions::new().create(true).append(true).open(file)?.write_all(lines.as_bytes())?)
}

fn held(process: u32) -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let megabytes = |name: &str| -> f64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or(0.0) / 1024.0
    };
    let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
    let files = fs::read_dir(format!("/proc/{process}/fd"))?.count();
    let threads = fs::read_dir(format!("/proc/{process}/task"))?.count();
    Ok(format!(
        "{:>6.1} MB, {:>6.1} its own; {threads} threads, {} maps, {files} files",
        megabytes("VmRSS"),
        megabytes("RssAnon"),
        maps.lines().count()
    ))
}
