//! What is done when a host (Claude Code, Codex) calls `backstory hook EVENT`?
//!
//! A hook must never harm the session that it is called in. So it always ends with
//! code 0, prints nothing but one JSON object or nothing at all, never waits long
//! for anybody, and asks no network and no other program. What goes wrong is one
//! line in `hooks.log`, and `backstory status` tells it.
//!
//! - [`event`]: which event is it? [`input`]: what did the host say?
//! - [`session_start`], [`user_prompt`], [`pre_tool_use`], [`post_tool_use`]: what is told?
//! - [`catch_up`]: what is read when a session ends or is compacted?
//! - [`answer`]: how is it told to the host?
//! - [`memory`]: how is the memory opened by those who must not wait?
//! - [`told`]: what was this session told before?
//! - [`record`]: what did hooks do last, and what went wrong?

mod answer;
mod catch_up;
mod event;
mod guard;
mod input;
mod memory;
mod post_tool_use;
mod pre_tool_use;
mod record;
mod session_start;
mod told;
mod user_prompt;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use backstory_engine::derive::Vectors;
use serde_json::Value;

use crate::config::settings::HookSettings;
use crate::config::{self, Embedding};
use crate::error::{AppError, ErrorKind};
use crate::home;

pub use event::{Event, Host};
pub use input::HookInput;
pub use record::{LastRun, MEND_ENTRIES, RunResult, last_misuse, last_runs, log_file};

/// A call of a hook.
pub struct Asked {
    pub event: Event,
    pub host: Host,
    pub input: HookInput,
    pub home: PathBuf,
    pub settings: HookSettings,
    pub vectors: Vectors,
    pub started: Instant,
}

/// What came of it.
#[derive(Default)]
pub struct Done {
    /// What the host is told.
    pub answer: Option<Value>,
    pub result: RunResult,
    /// In a few words: what was done, or what went wrong beside it.
    pub message: Option<String>,
    /// What mends it.
    pub fix: Option<String>,
    pub project: Option<String>,
}

impl Done {
    pub fn nothing(why: &str) -> Self {
        Done { message: Some(why.to_owned()), ..Done::default() }
    }

    pub fn off() -> Self {
        Done { result: RunResult::Off, ..Done::default() }
    }
}

/// Runs a hook, come what may. `input` gives the host's JSON.
pub fn run(typed_event: &str, host: Host, input: impl FnOnce() -> Result<Vec<u8>, String>) {
    let started = Instant::now();
    let home = home::memory_home().ok();
    let mut session = None;
    let done = guard::catching(|| {
        let event = Event::parse(typed_event).ok_or_else(|| record::unknown_event(typed_event))?;
        let home = home::memory_home()?;
        let input = input().and_then(|bytes| HookInput::parse(&bytes)).map_err(record::unknown_input)?;
        session = input.session().map(str::to_owned);
        let (settings, vectors) = chosen(event, &home, &input)?;
        answer_to(&Asked { event, host, input, home, settings, vectors, started })
    });
    let (done, fault) = match done {
        Ok(done) => (done, None),
        Err(fault) => (Done { result: RunResult::Fault, ..Done::default() }, Some(fault)),
    };
    if let Some(answer) = &done.answer {
        let mut out = std::io::stdout().lock();
        // Whoever does not listen is not told.
        let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
    }
    if let Some(home) = home {
        let event = Event::parse(typed_event);
        record::note(&home, event, &done, fault, session, started.elapsed());
    }
}

/// Where a mistake in the configuration leaves open what is wanted, nothing is
/// told. What happened is read all the same, as far as what is right there says so.
fn chosen(event: Event, home: &Path, input: &HookInput) -> Result<(HookSettings, Vectors), AppError> {
    let loaded = config::load_what_counts(home, input.folder().as_deref());
    let is_right = loaded.mistakes.is_empty();
    if !is_right && event.reads() {
        record::write_line(home, event.name(), &loaded.mistakes.join("; "));
    } else if let Some(mistake) = loaded.mistakes.into_iter().next() {
        let fix = "Mend it: nothing is told until then. `backstory config example` shows what may stand there.";
        return Err(AppError::new(ErrorKind::Usage, mistake).hint(fix));
    }
    // What was meant may be another model.
    let vectors =
        if is_right && loaded.config.embedding == Embedding::Static { Vectors::Shipped } else { Vectors::Later };
    Ok((loaded.config.hooks, vectors))
}

fn answer_to(asked: &Asked) -> Result<Done, AppError> {
    match asked.event {
        Event::SessionStart => session_start::answer(asked),
        Event::UserPromptSubmit => user_prompt::answer(asked),
        Event::PreToolUse => pre_tool_use::answer(asked),
        Event::PostToolUse => post_tool_use::answer(asked),
        _ => catch_up::answer(asked),
    }
}

/// A hook that could not even be called as it was typed.
pub fn note_misuse(what: &str) {
    if let Ok(home) = home::memory_home() {
        record::write_line(&home, record::NO_EVENT, what);
    }
}
