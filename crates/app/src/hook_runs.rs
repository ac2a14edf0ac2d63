//! Records the last runs of hooks, and their faults.
//!
//! `hooks/<event>.json` contains the last run of each event, `hooks.log` one line for each fault. Neither contains
//! words from a session.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backstory_files as files;
use serde::{Deserialize, Serialize};

use crate::atomic_file::{self, Durability};
use crate::environment;
use crate::error::{AppError, ErrorKind};
use crate::hook_events::Event;

/// Above this size the older half of `hooks.log` is removed.
const LONGEST_LOG: u64 = 1 << 20;
const LONGEST_LINE: usize = 400;
/// In `hooks.log`: a call without a known event.
pub const NO_EVENT: &str = "hook";
/// How to repair such calls.
pub const MEND_ENTRIES: &str = "`backstory init` updates the entries in the settings of the hosts.";

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunResult {
    /// There was nothing to show.
    #[default]
    Nothing,
    /// The agent was shown something.
    Told,
    /// Something new was read.
    Read,
    /// It is turned off.
    Off,
    /// It has started; if this remains, the host killed it.
    Started,
    /// It failed: see the message.
    Fault,
}

impl RunResult {
    /// Did it work as intended?
    pub fn is_well(self) -> bool {
        !matches!(self, RunResult::Started | RunResult::Fault)
    }

    pub fn name(self) -> &'static str {
        match self {
            RunResult::Nothing => "nothing to tell",
            RunResult::Told => "told",
            RunResult::Read => "read",
            RunResult::Off => "off",
            RunResult::Started => "did not finish",
            RunResult::Fault => "fault",
        }
    }
}

/// The last run of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastRun {
    pub event: String,
    /// RFC 3339.
    pub time: String,
    pub duration_ms: f64,
    pub result: RunResult,
    pub message: Option<String>,
    /// How to repair a fault.
    #[serde(default)]
    pub fix: Option<String>,
    pub session: Option<String>,
    pub project: Option<String>,
}

/// The result of a run, besides the host's answer.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    pub result: RunResult,
    /// A short description of the work or the fault.
    pub message: Option<String>,
    /// How to repair it.
    pub fix: Option<String>,
    pub project: Option<String>,
}

pub fn log_file(home: &Path) -> PathBuf {
    home.join("hooks.log")
}

/// In the order of events in a session. Unreadable ones are skipped.
pub fn last_runs(home: &Path) -> Vec<LastRun> {
    let read = |event: Event| serde_json::from_slice(&files::read(&run_file(home, event), LONGEST_LOG).ok()?).ok();
    Event::ALL.into_iter().filter_map(read).collect()
}

/// The last call with an unknown event, unless a hook has run well since. Such a call has no run of its own, only a
/// line in `hooks.log`.
pub fn last_misuse(home: &Path, runs: &[LastRun]) -> Option<String> {
    let log = files::read(&log_file(home), 4 * LONGEST_LOG).ok()?;
    let log = String::from_utf8_lossy(&log);
    let line = log.lines().rfind(|line| line.split(' ').nth(1) == Some(NO_EVENT))?;
    let at = line.split(' ').next().unwrap_or_default();
    let is_past = runs.iter().any(|run| run.result.is_well() && run.time.as_str() > at);
    (!is_past).then(|| line.to_owned())
}

fn run_file(home: &Path, event: Event) -> PathBuf {
    home.join("hooks").join(format!("{}.json", event.name()))
}

/// Records the result of a run. Ignores failures to record.
pub fn note(
    home: &Path,
    event: Option<Event>,
    ended: &Ended,
    fault: Option<AppError>,
    session: Option<String>,
    took: Duration,
) {
    if let Some(fault) = &fault {
        write_line(home, event.map_or(NO_EVENT, Event::name), &in_one_line(fault));
    }
    let Some(event) = event else { return };
    let run = LastRun {
        event: event.name().to_owned(),
        time: environment::now().to_string(),
        duration_ms: (took.as_secs_f64() * 10_000.0).round() / 10.0,
        result: ended.result,
        fix: fault.as_ref().and_then(|fault| fault.hint.clone()).or_else(|| ended.fix.clone()),
        message: fault.map(|fault| fault.message).or_else(|| ended.message.clone()),
        session: session.map(|session| clip(&session, 80)),
        project: ended.project.clone(),
    };
    write_run(home, event, &run);
}

/// Records the start of a run, which the host may kill.
pub fn note_start(home: &Path, event: Event, session: Option<&str>) {
    let run = LastRun {
        event: event.name().to_owned(),
        time: environment::now().to_string(),
        duration_ms: 0.0,
        result: RunResult::Started,
        message: Some("the host ended it before it was done; the rest is read later".to_owned()),
        fix: None,
        session: session.map(|session| clip(session, 80)),
        project: None,
    };
    write_run(home, event, &run);
}

fn write_run(home: &Path, event: Event, run: &LastRun) {
    let (path, Ok(bytes)) = (run_file(home, event), serde_json::to_vec(run)) else { return };
    if write_atomically(&path, &bytes).is_err() {
        let _ = write_over(&path, bytes);
    }
}

/// On a full disk the old file is overwritten: otherwise a run that failed because of the disk would look like one that
/// the host killed.
fn write_over(path: &Path, mut bytes: Vec<u8>) -> std::io::Result<()> {
    let room = fs::metadata(path)?.len() as usize;
    bytes.resize(bytes.len().max(room), b' ');
    fs::OpenOptions::new().write(true).open(path)?.write_all(&bytes)
}

/// Adds a line to `hooks.log`.
pub fn write_line(home: &Path, event: &str, message: &str) {
    let write = || -> std::io::Result<()> {
        create_folder(home)?;
        let path = log_file(home);
        if fs::metadata(&path).is_ok_and(|log| log.len() > LONGEST_LOG) {
            let text = files::read_text(&path, 4 * LONGEST_LOG).unwrap_or_default();
            let half = text.ceil_char_boundary(text.len() / 2);
            let kept = text[half..].split_once('\n').map_or("", |(_, kept)| kept);
            write_atomically(&path, kept.as_bytes())?;
        }
        let line = format!("{} {event} {}\n", environment::now(), clip(message, LONGEST_LINE));
        files::for_appending().open(&path)?.write_all(line.as_bytes())
    };
    let _ = write();
}

/// Writes atomically, and creates the folder if it is missing.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    atomic_file::replace(path, bytes, None, Durability::Unsynced)
}

/// Readable by its owner only.
pub fn create_folder(folder: &Path) -> std::io::Result<()> {
    files::create_dir(folder)
}

fn in_one_line(error: &AppError) -> String {
    match &error.hint {
        Some(hint) => format!("{} ({hint})", error.message),
        None => error.message.clone(),
    }
}

/// The argument may be anything.
pub fn unknown_event(typed: &str) -> AppError {
    let plain: String = typed.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let message = format!("there is no event '{plain}'; `backstory hook --help` lists them");
    AppError::new(ErrorKind::Usage, message).hint(MEND_ENTRIES)
}

/// The host's input is not in the expected form.
pub fn unknown_input(told: String) -> AppError {
    let fix = "If it happens again, the host sends something that this version does not know: update both.";
    AppError::new(ErrorKind::Usage, told).hint(fix)
}

fn clip(text: &str, width: usize) -> String {
    crate::terminal::clip(text, width)
}
