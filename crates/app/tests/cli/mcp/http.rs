//! The server over HTTP: only with the token, only for this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::env::{TestEnv, TestResult};

struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(env: &TestEnv, more: &[&str]) -> TestResult<Self> {
        let args = [&["serve", "--port", "0"], more].concat();
        let mut child = env.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let (mut first, mut second) = (String::new(), String::new());
        output.read_line(&mut first)?;
        output.read_line(&mut second)?;
        let address = first.trim().trim_start_matches("MCP at http://").trim_end_matches("/mcp").to_owned();
        let token = second.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        Ok(Served { child, address, token })
    }

    /// Sends a request; returns the status and the whole response.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> TestResult<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address)?;
        let mut request = "POST /mcp HTTP/1.1\r\nConnection: close\r\n".to_owned();
        request.push_str("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).unwrap_or_default().parse()?;
        Ok((status, answer))
    }
}

fn initialize() -> String {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }})
    .to_string()
}

#[test]
fn a_session_over_http() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let served = Served::start(&env, &[])?;
    let bearer = format!("Bearer {}", served.token);
    let (status, answer) = served.post(&[("Authorization", &bearer)], &initialize())?;
    assert_eq!(status, 200, "{answer}");
    let session = answer
        .lines()
        .find_map(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:").then(|| line[15..].trim().to_owned()))
        .ok_or("no session")?;
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(served.post(&headers, &initialized)?.0, 202);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search", "arguments": {"query": "NaN total", "all_projects": true},
    }});
    let (status, answer) = served.post(&headers, &call.to_string())?;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("backstory-memory") && answer.contains("NaN"), "{answer}");
    Ok(())
}

#[test]
fn nobody_else_is_let_in() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let served = Served::start(&env, &[])?;
    assert!(served.token.len() == 64 && served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let bearer = format!("Bearer {}", served.token);
    let status = |headers: &[(&str, &str)]| -> TestResult<u16> { Ok(served.post(headers, &initialize())?.0) };
    assert_eq!(status(&[])?, 401);
    assert_eq!(status(&[("Authorization", "Bearer 0000")])?, 401);
    assert_eq!(status(&[("Authorization", &served.token)])?, 401);
    assert_eq!(status(&[("Authorization", &bearer), ("Origin", "https://evil.example")])?, 403);
    assert_eq!(status(&[("Authorization", &bearer), ("Origin", "null")])?, 403);
    assert_eq!(status(&[("Authorization", &bearer), ("Host", "evil.example")])?, 403);
    let origin = format!("http://{}", served.address);
    assert_eq!(status(&[("Authorization", &bearer), ("Origin", &origin)])?, 200);
    Ok(())
}

#[test]
fn a_token_file_is_private_and_kept() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let file = env.path("token");
    let name = file.to_string_lossy().into_owned();
    let first = Served::start(&env, &["--token-file", &name])?;
    let token = std::fs::read_to_string(&file)?;
    assert_eq!(token.trim().len(), 64);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
    }
    drop(first);
    let second = Served::start(&env, &["--token-file", &name])?;
    assert_eq!(std::fs::read_to_string(&file)?, token);
    let bearer = format!("Bearer {}", token.trim());
    assert_eq!(second.post(&[("Authorization", &bearer)], &initialize())?.0, 200);
    env.write("empty", "")?;
    let refused = env.run(&["serve", "--port", "0", "--token-file", &env.path("empty").to_string_lossy()]);
    assert_eq!(refused.code, Some(2), "{}", refused.text());
    Ok(())
}

#[test]
fn the_port_can_be_configured() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    // Occupied, so that the server names the port it wanted.
    let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    let refused = env.run_with(&[("BACKSTORY_SERVE_PORT", &port)], &["serve"]);
    assert_eq!(refused.code, Some(5), "{}", refused.text());
    assert!(refused.stderr.contains(&format!("127.0.0.1:{port}")), "{}", refused.text());
    Ok(())
}
