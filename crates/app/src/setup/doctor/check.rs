//! The result of one check.

use crate::error::AppError;

/// The state of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Well,
    /// Worth knowing; nothing is broken.
    Note,
    Fault,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Well => "ok",
            State::Note => "note",
            State::Fault => "fault",
        }
    }
}

/// One examined thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    pub message: String,
    pub fix: Option<String>,
}

impl Check {
    pub fn well(name: &'static str, message: impl Into<String>) -> Self {
        Check { name, state: State::Well, message: message.into(), fix: None }
    }

    pub fn note(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Check { name, state: State::Note, message: message.into(), fix: Some(fix.into()) }
    }

    pub fn fault(name: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Check { name, state: State::Fault, message: message.into(), fix: Some(fix.into()) }
    }

    /// An error with its own hint, or with `fix`.
    pub fn failed(name: &'static str, error: &AppError, fix: &str) -> Self {
        Check::fault(name, &error.message, error.hint.as_deref().unwrap_or(fix))
    }
}
