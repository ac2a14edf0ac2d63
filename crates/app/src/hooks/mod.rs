//! What is done when a host (Claude Code, Codex) calls `backstory hook EVENT`?
//!
//! A hook must never harm the session that it is called in. So it always ends with
//! code 0, prints nothing but one JSON object or nothing at all, never waits long
//! for anybody, and asks no network and no other program. What goes wrong is one
//! line in `hooks.log`, and `backstory status` tells it.
//!
//! - [`call`]: how does a host call it? [`input`]: what did the host say?
//! - [`session_start`], [`user_prompt`], [`pre_tool_use`], [`post_tool_use`]: what is told?
//! - [`catch_up`]: what is read when a session ends or is compacted?
//! - [`answer`]: how is it told to the host?
//! - [`memory`]: how is the memory opened by those who must not wait?
//! - [`config_mistakes`]: what if the configuration has a mistake?
//! - [`already_shown`]: what was this session told before?

mod already_shown;
mod answer;
mod call;
mod catch_up;
mod config_mistakes;
mod input;
mod memory;
mod panic_barrier;
mod post_tool_use;
mod pre_tool_use;
mod session_start;
mod user_prompt;

use std::path::PathBuf;
use std::time::Instant;

use backstory_engine::derive::Vectors;
use serde_json::Value;

use crate::config::settings::HookSettings;
use crate::config::{self, Embedding, Loaded};
use crate::error::AppError;
use crate::hook_events::{Event, Host};
use crate::hook_runs::{self, Ended, RunResult};
use crate::{home, terminal};

pub use call::called;
pub use input::HookInput;

/// A call of a hook.
pub struct HookCall {
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
pub struct HookOutcome {
    /// What the host is told.
    pub answer: Option<Value>,
    pub result: RunResult,
    /// In a few words: what was done, or what went wrong beside it.
    pub message: Option<String>,
    /// What mends it.
    pub fix: Option<String>,
    pub project: Option<String>,
}

impl HookOutcome {
    pub fn nothing(why: &str) -> Self {
        HookOutcome { message: Some(why.to_owned()), ..HookOutcome::default() }
    }

    pub fn off() -> Self {
        HookOutcome { result: RunResult::Off, ..HookOutcome::default() }
    }
}

/// Runs a hook, come what may. `input` gives the host's JSON.
pub fn run(typed_event: &str, host: Host, input: impl FnOnce() -> Result<Vec<u8>, String>) {
    let started = Instant::now();
    let home = home::memory_home().ok();
    let mut session = None;
    let done = panic_barrier::run(|| {
        let event = Event::parse(typed_event).ok_or_else(|| hook_runs::unknown_event(typed_event))?;
        let home = home::memory_home()?;
        let input = input().and_then(|bytes| HookInput::parse(&bytes)).map_err(hook_runs::unknown_input)?;
        session = input.session().map(str::to_owned);
        let loaded = config::load_what_counts(&home, input.folder().as_deref());
        let (settings, vectors) = (loaded.config.hooks.clone(), vectors(&loaded));
        let call = HookCall { event, host, input, home, settings, vectors, started };
        if loaded.mistakes.is_empty() { answer_to(&call) } else { config_mistakes::answer(&call, &loaded) }
    });
    let (done, fault) = match done {
        Ok(done) => (done, None),
        Err(fault) => (HookOutcome { result: RunResult::Fault, ..HookOutcome::default() }, Some(fault)),
    };
    if let Some(answer) = &done.answer {
        let mut answer = answer.clone();
        terminal::make_visible(&mut answer);
        // Whoever does not listen is not told.
        let _ = terminal::print_json(&answer.to_string());
    }
    if let Some(home) = home {
        let event = Event::parse(typed_event);
        let HookOutcome { result, message, fix, project, .. } = done;
        hook_runs::note(&home, event, &Ended { result, message, fix, project }, fault, session, started.elapsed());
    }
}

/// What was meant may be another model.
fn vectors(loaded: &Loaded) -> Vectors {
    let is_shipped = loaded.mistakes.is_empty() && loaded.config.embedding == Embedding::Static;
    if is_shipped { Vectors::Shipped } else { Vectors::Later }
}

fn answer_to(call: &HookCall) -> Result<HookOutcome, AppError> {
    match call.event {
        Event::SessionStart => session_start::answer(call),
        Event::UserPromptSubmit => user_prompt::answer(call),
        Event::PreToolUse => pre_tool_use::answer(call),
        Event::PostToolUse => post_tool_use::answer(call),
        _ => catch_up::answer(call),
    }
}

/// A hook that could not even be called as it was typed.
pub fn note_misuse(what: &str) {
    if let Ok(home) = home::memory_home() {
        hook_runs::write_line(&home, hook_runs::NO_EVENT, what);
    }
}
