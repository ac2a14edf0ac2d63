//! A running MCP server, asked over its pipes.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::program::Program;

pub struct McpServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl McpServer {
    pub fn start(program: &Program) -> Result<Self, Box<dyn Error>> {
        let mut child = program.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("the server has no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut server = McpServer { child, input, output, asked: 0 };
        let client = json!({"name": "measure", "version": "1"});
        server.request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )?;
        writeln!(server.input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// From the first byte sent to the last one read.
    pub fn ask(&mut self, question: &str) -> Result<f64, Box<dyn Error>> {
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

impl Drop for McpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
