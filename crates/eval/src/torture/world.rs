//! A memory, the sessions that it reads, and the program.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::dice::Dice;
use super::report::Report;
use crate::input;
use crate::phase::files;
use crate::program::Program;

/// Longer sessions are left out, because everything is rebuilt after each act.
const LONGEST: u64 = 600_000;
const MOST_SESSIONS: usize = 24;
/// A command that takes longer counts as hanging.
const HANGS: Duration = Duration::from_secs(120);

pub struct TortureWorld {
    folder: PathBuf,
    pub dice: Dice,
    pub report: Report,
    pub sessions: Vec<Session>,
    /// Events that a command acknowledged.
    pub acknowledged: BTreeSet<String>,
    /// The usual duration of a command, for killing it midway.
    pub usual: Duration,
}

/// A session file that grows.
pub struct Session {
    pub path: PathBuf,
    text: Vec<u8>,
    written: usize,
}

/// How a command ended.
pub struct Ended {
    pub name: String,
    pub code: Option<i32>,
    pub text: String,
}

impl TortureWorld {
    pub fn new(home: &Path, data: Option<&Path>, seed: u64) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(home)?;
        if fs::read_dir(home)?.next().is_some() {
            return Err(format!("{} is not empty: name a folder for a new memory", home.display()).into());
        }
        let folder = fs::canonicalize(home)?;
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/demo/projects");
        let mut world = TortureWorld {
            dice: Dice::new(seed),
            report: Report::default(),
            sessions: sessions(data.unwrap_or(&sample), &folder.join("sessions"))?,
            acknowledged: BTreeSet::new(),
            usual: Duration::from_millis(300),
            folder,
        };
        fs::create_dir_all(world.folder.join("work"))?;
        for at in 0..world.sessions.len() {
            world.sessions[at].grow(20)?;
        }
        Ok(world)
    }

    pub fn memory(&self) -> PathBuf {
        self.folder.join("memory")
    }

    pub fn sources(&self) -> PathBuf {
        self.folder.join("sessions")
    }

    pub fn failures(&self) -> PathBuf {
        self.folder.join("failures")
    }

    /// A copy of the memory to damage; replaces the last one of that name.
    pub fn copy(&self, name: &str) -> Result<PathBuf, Box<dyn Error>> {
        let copy = self.folder.join(name);
        if copy.exists() {
            fs::remove_dir_all(&copy)?;
        }
        copy_folder(&self.memory(), &copy)?;
        Ok(copy)
    }

    /// Keeps a damaged memory for inspection.
    pub fn keep(&mut self, memory: &Path, what: &str) -> Result<(), Box<dyn Error>> {
        let kept = self.failures().join(self.report.failures.len().to_string());
        copy_folder(memory, &kept)?;
        self.report.fail(&format!("{what} (kept in {})", kept.display()));
        Ok(())
    }

    /// Extends some sessions, sometimes in the middle of a line.
    pub fn grow(&mut self) -> Result<(), Box<dyn Error>> {
        for _ in 0..=self.dice.below(3) {
            let at = self.dice.below(self.sessions.len() as u64) as usize;
            let lines = 1 + self.dice.below(30) as usize;
            self.sessions[at].grow(lines)?;
            if self.dice.one_in(4) {
                let bytes = self.dice.below(200) as usize;
                self.sessions[at].grow_bytes(bytes)?;
            }
        }
        self.report.add("times that sessions grew", 1);
        Ok(())
    }

    fn command(&self, memory: &Path, arguments: &[&str]) -> Result<Command, Box<dyn Error>> {
        let mut command = Program::beside_this_one(memory)?.command(arguments);
        command
            .current_dir(self.folder.join("work"))
            .env("HOME", &self.folder)
            .env("TMPDIR", &self.folder)
            .env("BACKSTORY_NOW", "2026-03-01T00:00:00Z")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }

    pub fn start(&self, memory: &Path, arguments: &[&str]) -> Result<Running, Box<dyn Error>> {
        let mut child = self.command(memory, arguments)?.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            let input = if arguments.first() == Some(&"hook") { self.hook_input() } else { String::new() };
            // A command that is killed at once does not read.
            _ = stdin.write_all(input.as_bytes());
        }
        let readers = [drain(child.stdout.take()), drain(child.stderr.take())];
        Ok(Running { child, readers, name: arguments.join(" ") })
    }

    /// Runs a command to its end.
    pub fn run(&mut self, memory: &Path, arguments: &[&str]) -> Result<Ended, Box<dyn Error>> {
        let begun = Instant::now();
        let ended = self.start(memory, arguments)?.wait()?;
        if arguments.first() == Some(&"ingest") {
            self.usual = begun.elapsed().max(Duration::from_millis(40));
        }
        self.report.add("commands run", 1);
        if let Some(fault) = ended.fault() {
            self.keep(memory, &fault)?;
        }
        Ok(ended)
    }

    fn hook_input(&self) -> String {
        let session = &self.sessions[0];
        json!({
            "session_id": session.path.file_stem().unwrap_or_default().to_string_lossy(), "cwd": self.folder.join("work"),
            "transcript_path": session.path, "source": "startup", "prompt": "why does the total fail?",
            "tool_name": "Bash", "tool_input": {"command": "npm test"},
        })
        .to_string()
    }
}

/// A running command.
pub struct Running {
    child: Child,
    readers: [std::thread::JoinHandle<String>; 2],
    name: String,
}

impl Running {
    /// Kills it; returns true if it had already ended.
    pub fn kill_after(mut self, delay: Duration) -> Result<(bool, Ended), Box<dyn Error>> {
        std::thread::sleep(delay);
        let had_ended = self.child.try_wait()?.is_some();
        _ = self.child.kill();
        Ok((had_ended, self.end()?))
    }

    pub fn wait(mut self) -> Result<Ended, Box<dyn Error>> {
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begun.elapsed() > HANGS {
                _ = self.child.kill();
                let mut ended = self.end()?;
                ended.text.push_str("panicked: hangs");
                return Ok(ended);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.end()
    }

    fn end(mut self) -> Result<Ended, Box<dyn Error>> {
        let code = self.child.wait()?.code();
        let text = self.readers.map(|reader| reader.join().unwrap_or_default()).concat();
        Ok(Ended { name: self.name, code, text })
    }
}

impl Ended {
    /// Faults that no command may have, in any state of the memory.
    pub fn fault(&self) -> Option<String> {
        let says = |words: &str| self.text.contains(words);
        let what = match self.code {
            None => "was ended by a signal",
            Some(code) if code > 4 => "ended with a code that nobody knows",
            _ if says("panicked") => "panicked or hung",
            _ if says("database is locked") => "met a lock",
            _ => return None,
        };
        let tail: String = self.text.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
        Some(format!("`{}` {what}: {tail}", self.name))
    }
}

impl Session {
    pub fn grow(&mut self, lines: usize) -> Result<(), Box<dyn Error>> {
        let rest = &self.text[self.written..];
        let ends = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let bytes = ends.take(lines).last().unwrap_or(rest.len());
        self.grow_bytes(bytes)
    }

    pub fn grow_bytes(&mut self, bytes: usize) -> Result<(), Box<dyn Error>> {
        let until = (self.written + bytes).min(self.text.len());
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(&self.text[self.written..until])?;
        self.written = until;
        Ok(())
    }
}

fn sessions(data: &Path, folder: &Path) -> Result<Vec<Session>, Box<dyn Error>> {
    let mut sessions = Vec::new();
    for path in files(data) {
        let name = path.strip_prefix(data)?.to_string_lossy().trim_end_matches(".gz").to_owned();
        if sessions.len() == MOST_SESSIONS || !name.ends_with(".jsonl") || fs::metadata(&path)?.len() > LONGEST / 4 {
            continue;
        }
        let text = input::text(&path)?.into_bytes();
        if text.len() as u64 > LONGEST {
            continue;
        }
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        sessions.push(Session { path, text, written: 0 });
    }
    if sessions.is_empty() {
        return Err(format!("{} has no session files", data.display()).into());
    }
    Ok(sessions)
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for path in files(from) {
        let target = to.join(path.strip_prefix(from)?);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(&path, &target)?;
        let written = fs::metadata(&path)?.modified()?;
        fs::File::options().write(true).open(&target)?.set_modified(written)?;
    }
    Ok(())
}
