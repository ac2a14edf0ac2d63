//! The protocol by hand, line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

pub struct Raw {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Raw {
    /// A server with an initialised session.
    pub fn begun(env: &TestEnv) -> TestResult<Self> {
        Self::begin(env.command(&["mcp"]))
    }

    pub fn begin(command: Command) -> TestResult<Self> {
        let mut raw = Raw::start(command)?;
        raw.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "rude", "version": "1"},
        }}))?;
        let answer = raw.answer_to(0)?;
        assert_eq!(answer["result"]["serverInfo"]["name"], "backstory");
        raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(raw)
    }

    pub fn start(mut command: Command) -> TestResult<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take().ok_or("no output")?);
        Ok(Raw { child, input, output: BufReader::new(output) })
    }

    pub fn send(&mut self, message: &Value) -> TestResult {
        self.write(format!("{message}\n").as_bytes())
    }

    pub fn write(&mut self, bytes: &[u8]) -> TestResult {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        input.write_all(bytes)?;
        Ok(input.flush()?)
    }

    pub fn call(&mut self, id: u64, name: &str, arguments: &Value) -> TestResult {
        let params = json!({"name": name, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// All messages up to the answer to `id`, one per line.
    pub fn until(&mut self, id: u64) -> TestResult<Vec<Value>> {
        let mut heard = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("the server is gone; it said {heard:?}").into());
            }
            let message: Value = serde_json::from_str(&line)?;
            let is_answer = message["id"] == id && message.get("method").is_none();
            heard.push(message);
            if is_answer {
                return Ok(heard);
            }
        }
    }

    /// The next message of the server.
    pub fn request(&mut self) -> TestResult<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    pub fn answer_to(&mut self, id: u64) -> TestResult<Value> {
        self.until(id)?.pop().ok_or_else(|| "no answer".into())
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the input and waits for the end.
    pub fn end(mut self) -> TestResult<Option<i32>> {
        drop(self.input.take());
        Ok(self.child.wait()?.code())
    }
}
