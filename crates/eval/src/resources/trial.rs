//! Runs a command and records what it does.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::Result;
use super::confine::FORBIDDEN_CALL;
use super::contract::{Beyond, End, Trial};
use super::files::FolderSnapshot;
use super::world::TrialHome;
use crate::program::{Look, look_at};

/// The maximum memory of a command on the sample, in any build.
const MOST_MB: f64 = 256.0;
/// The maximum number of threads besides one per core: the first, those that wait for input, and those that answer
/// calls.
const MOST_THREADS_BESIDE_CORES: u64 = 6;

pub struct Outcome {
    pub trial: &'static Trial,
    /// The maximum of each resource.
    pub peak: Look,
    pub code: Option<i32>,
    pub violations: Vec<String>,
}

impl Outcome {
    /// Is it more than such a small memory can need?
    pub fn out_of_proportion(&self) -> Option<String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let Look { memory, threads, .. } = &self.peak;
        let is_fine = memory.total_mb <= MOST_MB && *threads <= cores + MOST_THREADS_BESIDE_CORES;
        (!is_fine).then(|| format!("`{}` held {:.0} MB and {threads} threads", self.trial.typed(), memory.total_mb))
    }
}

impl Trial {
    pub fn typed(&self) -> String {
        let words =
            self.arguments.iter().map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() });
        std::iter::once(self.command.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }
}

pub fn run(world: &TrialHome, trial: &'static Trial) -> Result<Outcome> {
    let arguments: Vec<String> = trial.arguments.iter().map(|word| world.fill_in(word)).collect::<Result<_>>()?;
    let input = world.fill_in(trial.input)?;
    let words: Vec<&str> = trial.command.split(' ').chain(arguments.iter().map(String::as_str)).collect();
    let before = FolderSnapshot::of(world.root(), &world.memory())?;
    let mut command = confined(world, trial.beyond, world.program().to_str().unwrap_or_default(), &words)?;
    let ran = watch(&mut command, &input, trial.end)?;
    let changed = before.changes(&FolderSnapshot::of(world.root(), &world.memory())?);
    let mut violations = Vec::new();
    violations.extend(ended_badly(trial, &ran));
    violations.extend(
        changed
            .into_iter()
            .filter(|path| !may_change(trial.beyond, path))
            .map(|path| format!("`{}` changed {path}", trial.typed())),
    );
    Ok(Outcome { trial, peak: ran.peak, code: ran.status.code(), violations })
}

/// Is the sandbox effective? Reports what is unsupported here.
pub fn controls(world: &TrialHome) -> Result<Vec<String>> {
    let shell = |script: &str| -> Result<ExitStatus> {
        Ok(watch(&mut confined(world, &[], "/bin/sh", &["-c", script])?, "", End::Well)?.status)
    };
    if shell("exit 0")?.code() != Some(0) {
        return Err("a program that does nothing is not let through".into());
    }
    if shell("/bin/true; exit 0")?.signal() != Some(FORBIDDEN_CALL) {
        return Err("a child process is not noticed".into());
    }
    let program = world.program().to_str().unwrap_or_default();
    let mut serve = confined(world, &[Beyond::SocketPair], program, &["serve", "--port", "0"])?;
    if watch(&mut serve, "", End::After("Stop with Ctrl-C."))?.status.signal() != Some(FORBIDDEN_CALL) {
        return Err("a socket is not noticed".into());
    }
    let elsewhere = tempfile::tempdir()?;
    let file = elsewhere.path().join("file");
    shell(&format!("echo x > '{}'", file.display()))?;
    let note = "This kernel has no Landlock: writes outside the folder of the trials were not refused.";
    Ok(file.exists().then(|| note.to_owned()).into_iter().collect())
}

fn confined(world: &TrialHome, beyond: &[Beyond], program: &str, words: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("confined").arg("--tree").arg(world.root());
    command.args(beyond.contains(&Beyond::Sockets).then_some("--sockets"));
    command.args(beyond.contains(&Beyond::SocketPair).then_some("--socket-pair"));
    command.arg(program).args(words);
    world.set_up(&mut command);
    Ok(command)
}

struct Ran {
    peak: Look,
    status: ExitStatus,
    stopped: bool,
    printed: String,
    errors: String,
}

/// Output goes to files, so that the command never waits for a reader.
fn watch(command: &mut Command, input: &str, end: End) -> Result<Ran> {
    let (output, errors) = (tempfile::NamedTempFile::new()?, tempfile::NamedTempFile::new()?);
    let to = |file: &tempfile::NamedTempFile| -> Result<File> { Ok(file.reopen()?) };
    let mut child = command.stdin(Stdio::piped()).stdout(to(&output)?).stderr(to(&errors)?).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A command that does not read it may have ended already.
        drop(pipe.write_all(input.as_bytes()));
    }
    let mut peak = Look::default();
    let mut stopped = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak.raise(&looked(&child));
        if let End::After(words) = end
            && !stopped
            && fs::read_to_string(output.path())?.contains(words)
        {
            child.kill()?;
            stopped = true;
        }
        std::thread::sleep(Duration::from_micros(200));
    };
    let (printed, errors) = (fs::read(output.path())?, fs::read_to_string(errors.path())?);
    Ok(Ran { peak, status, stopped, printed: String::from_utf8_lossy(&printed).into_owned(), errors })
}

/// Empty while the process is still the one that sets up the sandbox.
fn looked(child: &Child) -> Look {
    look_at(child).filter(|look| look.name == "backstory").unwrap_or_default()
}

fn ended_badly(trial: &Trial, ran: &Ran) -> Option<String> {
    let typed = trial.typed();
    if ran.status.signal() == Some(FORBIDDEN_CALL) {
        return Some(format!("`{typed}` started a process or opened a socket"));
    }
    let is_fine = match (trial.end, ran.status.code()) {
        (End::Well, code) => code == Some(0),
        (End::Printing(words), code) => code == Some(0) && ran.printed.contains(words),
        (End::Codes(codes), code) => code.is_some_and(|code| codes.contains(&code)),
        (End::After(_), _) => ran.stopped,
    };
    (!is_fine).then(|| format!("`{typed}` ended with {}: {}", ran.status, ran.errors.trim()))
}

fn may_change(beyond: &[Beyond], path: &str) -> bool {
    let original = path.split(".backstory-backup").next().unwrap_or_default();
    let is_in = |place: &&str| original == *place || place.ends_with('/') && original.starts_with(*place);
    beyond.iter().flat_map(|beyond| beyond.places()).any(is_in)
}
