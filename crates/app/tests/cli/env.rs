//! A separate environment for each test: home, clock, zone and paths are fixed.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use backstory_engine::Memory;
use expect_test::Expect;
use serde_json::Value;

pub type TestResult<T = ()> = Result<T, Box<dyn Error>>;

pub struct TestEnv {
    root: tempfile::TempDir,
}

/// The output of a command and its exit code.
#[derive(Debug)]
pub struct Screen {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Screen {
    /// All output, for a snapshot. Trailing spaces are removed: they are invisible, and snapshots do not keep them. Ids
    /// are hashes: one change to hashed data would change every screen.
    pub fn text(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text.push_str(&format!("--- stderr\n{}", self.stderr));
        }
        if self.code != Some(0) {
            let code = self.code.map_or("none".to_owned(), |code| code.to_string());
            text.push_str(&format!("--- exit code {code}\n"));
        }
        text.lines().map(|line| format!("{}\n", without_token(&without_ids(line.trim_end())))).collect()
    }

    /// The output of a successful command.
    pub fn ok(self) -> TestResult<String> {
        match (self.code, self.stderr.is_empty()) {
            (Some(0), true) => Ok(self.stdout),
            _ => Err(self.text().into()),
        }
    }

    /// The JSON of an answer, including empty ones.
    pub fn json(self) -> TestResult<Value> {
        match (self.code, self.stderr.is_empty()) {
            (Some(0 | 1), true) => Ok(serde_json::from_str(&self.stdout)?),
            _ => Err(self.text().into()),
        }
    }

    /// The output of a command that finds nothing.
    pub fn nothing(self) -> TestResult<String> {
        match (self.code, self.stderr.is_empty()) {
            (Some(1), true) => Ok(self.stdout),
            _ => Err(self.text().into()),
        }
    }
}

impl TestEnv {
    pub fn new() -> TestResult<Self> {
        let root = tempfile::tempdir()?;
        for folder in ["home", "work"] {
            fs::create_dir(root.path().join(folder))?;
        }
        Ok(TestEnv { root })
    }

    /// With the bundled sample in the agents' folders.
    pub fn with_demo() -> TestResult<Self> {
        let env = TestEnv::new()?;
        copy_folder(&demo().join("projects"), &env.path("claude/projects"))?;
        copy_folder(&demo().join("codex"), &env.path("codex/sessions/2026/02/03"))?;
        Ok(env)
    }

    /// With the sample read into the memory.
    pub fn with_demo_read() -> TestResult<Self> {
        let env = Self::with_demo()?;
        env.run(&["ingest", "--quiet"]).ok()?;
        Ok(env)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> TestResult<PathBuf> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        fs::write(&path, bytes)?;
        Ok(path)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.command_in("memory", args)
    }

    /// The same environment with another memory.
    pub fn command_in(&self, memory: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backstory"));
        command
            .args(args)
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("BACKSTORY_HOME", self.path(memory))
            .env("CLAUDE_CONFIG_DIR", self.path("claude"))
            .env("CODEX_HOME", self.path("codex"))
            .env("BACKSTORY_NOW", "2026-03-01T00:00:00Z")
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Screen {
        self.run_in("memory", args)
    }

    pub fn run_in(&self, memory: &str, args: &[&str]) -> Screen {
        self.screen(self.command_in(memory, args).output())
    }

    /// With additional environment variables.
    pub fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Screen {
        self.screen(self.command(args).envs(variables.iter().copied()).output())
    }

    pub fn run_with_input(&self, memory: &str, args: &[&str], input: &str) -> TestResult<Screen> {
        self.feed(self.command_in(memory, args), input)
    }

    pub fn feed(&self, mut command: Command, input: &str) -> TestResult<Screen> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        // A command may exit before reading everything.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
        Ok(self.screen(child.wait_with_output()))
    }

    fn screen(&self, output: std::io::Result<Output>) -> Screen {
        match output {
            Ok(output) => Screen {
                stdout: self.scrub(&String::from_utf8_lossy(&output.stdout)),
                stderr: self.scrub(&String::from_utf8_lossy(&output.stderr)),
                code: output.status.code(),
            },
            Err(error) => Screen { stdout: String::new(), stderr: error.to_string(), code: None },
        }
    }

    /// Replaces text that differs between machines and runs.
    fn scrub(&self, text: &str) -> String {
        let root = fs::canonicalize(self.root.path()).unwrap_or_else(|_| self.root.path().to_owned());
        let text = text.replace(&*root.to_string_lossy(), "[ROOT]");
        text.replace(&*self.root.path().to_string_lossy(), "[ROOT]")
            .split_inclusive('\n')
            .map(|line| without_version(&without_place(&without_sizes(&without_seconds(line)))))
            .collect()
    }

    pub fn export(&self, memory: &str) -> TestResult<String> {
        self.run_in(memory, &["log", "export"]).ok()
    }

    /// The ids of all events, each seen once.
    pub fn event_ids(&self, memory: &str) -> TestResult<BTreeSet<String>> {
        let mut ids = BTreeSet::new();
        for line in self.export(memory)?.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line["type"] == "event" && !ids.insert(line["id"].to_string()) {
                return Err(format!("the event {} is there twice", line["id"]).into());
            }
        }
        Ok(ids)
    }

    /// Every derived row.
    pub fn view_rows(&self, memory: &str) -> TestResult<Vec<String>> {
        Ok(Memory::open(&self.path(memory))?.views().read().dump()?)
    }
}

/// `in 0.1 s` -> `in [TIME] s`.
fn without_seconds(line: &str) -> String {
    let Some((before, after)) = line.split_once(") in ") else { return line.to_owned() };
    match after.split_once(" s") {
        Some((seconds, rest)) if seconds.contains('.') && seconds.parse::<f64>().is_ok() => {
            format!("{before}) in [TIME] s{rest}")
        }
        _ => line.to_owned(),
    }
}

/// `[689c517952a1]` -> `[CHUNK]`, and 32 digits -> `[ID]`.
fn without_ids(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let digits = rest[at..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let (before, run, after) = (&rest[..at], &rest[at..at + digits], &rest[at + digits..]);
        out.push_str(before);
        out.push_str(match digits {
            32 => "[ID]",
            12 if before.ends_with('[') && after.starts_with(']') => "CHUNK",
            _ => run,
        });
        rest = after;
    }
    out + rest
}

/// `--confirm 12c-03368a57128c8b71` -> `--confirm [TOKEN]`: it is derived from ids.
fn without_token(line: &str) -> String {
    let Some((before, after)) = line.split_once("--confirm ") else { return line.to_owned() };
    let token: String = after.chars().take_while(|c| c.is_ascii_hexdigit() || *c == '-').collect();
    format!("{before}--confirm [TOKEN]{}", &after[token.len()..])
}

/// `tabletop@d40643` -> `tabletop@[PLACE]`: the suffix distinguishes files of one name by their location.
fn without_place(line: &str) -> String {
    let mut pieces = line.split('@');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&if digits == 6 { format!("@[PLACE]{}", &piece[6..]) } else { format!("@{piece}") });
    }
    out
}

/// `chunk  version   2` -> `chunk  version [N]`: a new version of a stage must not change screens.
fn without_version(line: &str) -> String {
    let Some((stage, rest)) = line.split_once(" version ") else { return line.to_owned() };
    let state = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    if state.len() == rest.trim_start().len() { line.to_owned() } else { format!("{stage} version [N]{state}") }
}

/// `log.sqlite 663.3 KB` -> `log.sqlite [SIZE]`: the sizes of pages and write-ahead logs vary.
fn without_sizes(line: &str) -> String {
    let mut line = line.to_owned();
    if line.starts_with("  size ") {
        return "  size       [SIZE]\n".to_owned();
    }
    for file in ["log.sqlite", "views/memory.sqlite"] {
        let Some(at) = line.find(&format!("{file} ")) else { continue };
        let rest = &line[at + file.len()..];
        let size: String = rest.chars().take_while(|c| c.is_ascii_digit() || " .KMGB".contains(*c)).collect();
        line = format!("{}{file} [SIZE]{}", &line[..at], &rest[size.len()..]);
    }
    line
}

/// Checks the screen of one command on the sample.
pub fn check(args: &[&str], expected: Expect) -> TestResult {
    expected.assert_eq(&TestEnv::with_demo_read()?.run(args).text());
    Ok(())
}

pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("demo")
}

pub fn copy_folder(from: &Path, to: &Path) -> TestResult {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Copies of the sample's sessions without anything in common: every record, message and call has its own id in each
/// copy.
pub fn write_copies(folder: &Path, copies: usize) -> TestResult {
    for copy in 0..copies {
        let to = folder.join(format!("copy-{copy}"));
        copy_folder(&demo().join("projects"), &to)?;
        renumber(&to, copy)?;
    }
    Ok(())
}

fn renumber(folder: &Path, copy: usize) -> TestResult {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            renumber(&path, copy)?;
            continue;
        }
        let mut text = fs::read_to_string(&path)?;
        for field in ["uuid", "parentUuid", "logicalParentUuid", "sessionId", "leafUuid", "messageUuid"] {
            text = text.replace(&format!("\"{field}\":\""), &format!("\"{field}\":\"{copy}-"));
        }
        for id in ["msg_", "toolu_"] {
            text = text.replace(id, &format!("{id}{copy}x"));
        }
        fs::write(&path, text)?;
    }
    Ok(())
}
