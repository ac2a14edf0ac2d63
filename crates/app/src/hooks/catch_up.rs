//! Reads new events when a session ends, a sub-agent stops or the context is compacted.
//!
//! First everything new is added to the log, file by file, so that nothing is lost if the host kills this process. Then
//! views are derived until the time limit; the next process derives the rest.

use std::path::{Path, PathBuf};
use std::time::Duration;

use backstory_engine::ingest::{FileTask, Format, IngestReport, InputPlace, TaskKind, find};
use backstory_engine::ingest_into;
use backstory_engine::log::Log;

use crate::error::{AppError, ErrorKind};
use crate::hook_runs::{self, RunResult};
use crate::{home, last_read};

use crate::hook_events::{Event, Host};

use super::call::{HookCall, HookOutcome};
use super::{already_shown, memory};

/// At most this many folders of Codex are searched for a session, newest first.
const MOST_DAYS: usize = 60;

/// The hint if the host does not say what to read.
const LATER: &str = "`backstory ingest` reads what is there; nothing to do where the session left nothing.";

pub fn answer(call: &HookCall) -> Result<HookOutcome, AppError> {
    let session = call.input.session();
    hook_runs::note_start(&call.home, call.event, session);
    if call.event == Event::PreCompact
        && let Some(session) = session
    {
        already_shown::forget(&call.home, session);
    }
    let tasks = match tasks(call) {
        // A session without a request leaves none; Claude Code ends such a session even after `claude mcp list`.
        Err(error) if call.event == Event::SessionEnd && error.kind == ErrorKind::NotFound => {
            return Ok(HookOutcome::nothing(&error.message));
        }
        tasks => tasks?,
    };
    let mut log = memory::open_log(call)?;
    let has_time = || call.started.elapsed() < Duration::from_secs(call.settings().ingest_seconds);
    let report = ingest_into(&mut log, &tasks, &has_time)?;
    last_read::note(&call.home);
    let derived = derive(call, log);
    let message = render_report(&report, derived.as_ref().ok().copied());
    let result = if report.appended.new > 0 { RunResult::Read } else { RunResult::Nothing };
    match derived {
        Ok(_) => Ok(HookOutcome { result, message: Some(message), ..HookOutcome::default() }),
        // The events are in the log already.
        Err(error) => {
            let message = format!("{message}; {}", error.message);
            hook_runs::write_line(&call.home, call.event.name(), &message);
            Ok(HookOutcome {
                result: RunResult::Fault,
                message: Some(message),
                fix: error.hint,
                ..HookOutcome::default()
            })
        }
    }
}

/// Returns whether everything is derived.
fn derive(call: &HookCall, log: Log) -> Result<bool, AppError> {
    let mut memory = memory::open_or_repair(call, log)?;
    let most = Duration::from_secs(call.settings().ingest_seconds);
    let caught = memory.refresh_while(&|| call.started.elapsed() < most).map_err(AppError::from)?;
    Ok(caught.is_some_and(|caught| caught.all))
}

fn render_report(report: &IngestReport, all: Option<bool>) -> String {
    let events = crate::terminal::count(report.appended.new, "new event");
    match all {
        _ if report.cut_short > 0 => format!("{events}; the rest is read later"),
        Some(false) => format!("{events}; the rest is derived later"),
        _ if report.problems.is_empty() => events,
        _ => format!("{events}, {}", crate::terminal::count(report.problems.len() as u64, "problem")),
    }
}

fn tasks(call: &HookCall) -> Result<Vec<FileTask>, AppError> {
    let format = match call.host {
        Host::Claude if call.event != Event::Notify => Format::ClaudeCode,
        _ => Format::Codex,
    };
    let main = match call.input.transcript() {
        Some(path) => path.to_owned(),
        None => codex_session(call)?,
    };
    let main = session_file(&main)?;
    // Sub-agents and large outputs are in a folder named like the session.
    let beside = main.with_extension("");
    let mut found = Vec::new();
    if beside.is_dir() {
        found.extend(find(&[InputPlace::Given(beside)], Some(format)).tasks);
    }
    if let Some(agent) = call.input.agent_transcript()
        && let Ok(agent) = session_file(agent)
        && !found.iter().any(|task| task.path == agent)
    {
        found.push(FileTask { path: agent, kind: TaskKind::Session, format: Some(format), named: false });
    }
    // The session comes first: it contains the tasks of its agents.
    found.insert(0, FileTask { path: main, kind: TaskKind::Session, format: Some(format), named: false });
    Ok(found)
}

/// By the name that an ingest uses.
fn session_file(path: &Path) -> Result<PathBuf, AppError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.ends_with(".jsonl") {
        return Err(AppError::new(ErrorKind::Usage, "the host named a transcript that is no .jsonl file").hint(LATER));
    }
    std::fs::canonicalize(path).map_err(|error| {
        AppError::new(ErrorKind::NotFound, format!("the session's transcript {}: {error}", path.display())).hint(LATER)
    })
}

/// Codex's notify only names the session; the session's file name ends with it.
fn codex_session(call: &HookCall) -> Result<PathBuf, AppError> {
    let missing = || AppError::new(ErrorKind::NotFound, "the host named no transcript, and none was found").hint(LATER);
    let session = call.input.session().filter(|id| id.len() >= 8 && !id.contains(['/', '\\'])).ok_or_else(missing)?;
    let ends = format!("-{session}.jsonl");
    for place in home::agent_places()? {
        if let InputPlace::CodexSessions(folder) = place {
            for day in days(&folder) {
                let files = std::fs::read_dir(day).into_iter().flatten().flatten().map(|entry| entry.path());
                let mut named =
                    files.filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ends)));
                if let Some(file) = named.next() {
                    return Ok(file);
                }
            }
        }
    }
    Err(missing())
}

/// `2026/02/03`, newest first.
fn days(sessions: &Path) -> Vec<PathBuf> {
    let inside = |folder: &PathBuf| {
        let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect();
        folders.sort_unstable_by(|a, b| b.cmp(a));
        folders
    };
    let years = inside(&sessions.to_owned());
    let months = years.iter().flat_map(inside).take(MOST_DAYS);
    let mut days: Vec<PathBuf> = months.flat_map(|month| inside(&month)).take(MOST_DAYS).collect();
    days.push(sessions.to_owned());
    days
}
