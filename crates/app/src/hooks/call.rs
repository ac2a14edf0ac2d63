//! A call of a hook, and its outcome.

use std::path::PathBuf;
use std::time::Instant;

use backstory_engine::derive::Vectors;
use serde_json::Value;

use crate::commands::hook::HookCommand;
use crate::config::settings::HookSettings;
use crate::config::{self, Embedding, Loaded};
use crate::error::AppError;
use crate::home;
use crate::hook_events::{Event, Host};
use crate::hook_runs::{self, RunResult};

use super::input::HookInput;

/// A call with everything that its answer depends on, except the memory.
pub struct HookCall {
    pub event: Event,
    pub host: Host,
    pub input: HookInput,
    pub home: PathBuf,
    pub config: Loaded,
    pub started: Instant,
}

impl HookCall {
    pub fn read(command: &HookCommand, started: Instant) -> Result<Self, AppError> {
        let event = Event::parse(&command.event).ok_or_else(|| hook_runs::unknown_event(&command.event))?;
        let home = home::memory_home()?;
        let input = HookInput::read(command.arguments.last()).map_err(hook_runs::unknown_input)?;
        let config = config::load_what_counts(&home, input.folder().as_deref());
        let default = if event == Event::Notify { Host::Codex } else { Host::Claude };
        let host = Host::parse(&command.host).unwrap_or(default);
        Ok(HookCall { event, host, input, home, config, started })
    }

    pub fn settings(&self) -> &HookSettings {
        &self.config.config.hooks
    }

    /// A mistake in the configuration may hide the choice of another model.
    pub fn vectors(&self) -> Vectors {
        let is_shipped = self.config.mistakes.is_empty() && self.config.config.embedding == Embedding::Static;
        if is_shipped { Vectors::Shipped } else { Vectors::Later }
    }
}

/// The outcome of a call.
#[derive(Default)]
pub struct HookOutcome {
    /// The JSON for the host.
    pub answer: Option<Value>,
    pub result: RunResult,
    /// A short description of the work or the fault.
    pub message: Option<String>,
    /// How to repair it.
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
