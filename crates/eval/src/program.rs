//! Runs the program as people and agents do: a process per question.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// `backstory` with a separate memory.
pub struct Program {
    path: PathBuf,
    home: PathBuf,
}

impl Program {
    /// The binary that was built beside this program.
    pub fn beside_this_one(home: &Path) -> Result<Self, Box<dyn Error>> {
        let this = std::env::current_exe()?;
        // Test binaries are in a subfolder.
        let folder =
            this.parent().map(|folder| if folder.ends_with("deps") { folder.join("..") } else { folder.into() });
        let path = folder.unwrap_or_default().join(format!("backstory{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            return Err(format!("{} is missing: `cargo build --release -p backstory` makes it", path.display()).into());
        }
        Ok(Program { path, home: home.to_owned() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).env("BACKSTORY_HOME", &self.home);
        command
    }
}

/// The result of a process.
pub struct Ran {
    pub ms: f64,
    pub printed: Vec<u8>,
}

pub fn run(command: &mut Command) -> Result<Ran, Box<dyn Error>> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    // Code 1 of ripgrep means that there was nothing to find.
    if !output.status.success() && output.status.code() != Some(1) {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} failed: {error}", command.get_program().display()).into());
    }
    Ok(Ran { ms, printed: output.stdout })
}

/// The peak memory of a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peak {
    /// Its private memory.
    pub anonymous_mb: f64,
    /// Including mapped pages of files, which the system may reclaim.
    pub total_mb: f64,
}

/// Samples a process until it ends (Linux; elsewhere nothing). The system keeps the peak of the total; the private
/// memory is sampled.
pub fn watch(command: &mut Command) -> Result<Peak, Box<dyn Error>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = Peak::default();
    while child.try_wait()?.is_none() {
        if let Some(now) = look_at(&child) {
            peak.raise(now.memory);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(peak)
}

impl Peak {
    fn raise(&mut self, now: Peak) {
        self.anonymous_mb = self.anonymous_mb.max(now.anonymous_mb);
        self.total_mb = self.total_mb.max(now.total_mb);
    }
}

/// The system's data about a process.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The first 15 bytes of the program's name.
    pub name: String,
    pub memory: Peak,
    pub threads: u64,
}

impl Look {
    pub fn raise(&mut self, now: &Look) {
        self.memory.raise(now.memory);
        self.threads = self.threads.max(now.threads);
    }
}

/// None if it has ended.
pub fn look_at(child: &Child) -> Option<Look> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next();
    let megabytes = |name: &str| -> Option<f64> { Some(value(name)?.parse::<f64>().ok()? / 1024.0) };
    Some(Look {
        name: value("Name:")?.to_owned(),
        memory: Peak { anonymous_mb: megabytes("RssAnon:")?, total_mb: megabytes("VmHWM:")? },
        threads: value("Threads:")?.parse().ok()?,
    })
}
