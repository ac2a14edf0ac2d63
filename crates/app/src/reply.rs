//! A command's answer, before a surface shows it.

use serde_json::Value;

use crate::error::AppError;
use crate::terminal::Audience;
use crate::untrusted::Contents;
use crate::{json, terminal, untrusted};

/// One answer, in the form that every surface needs.
pub struct Reply {
    pub verb: &'static str,
    pub json: Value,
    pub text: Text,
    /// Whether anything was found; sets the exit code.
    pub status: ReplyStatus,
    /// The output of `--plain`, one item per line; without it the text is printed.
    pub lines: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyStatus {
    Answered,
    NothingFound,
}

/// For people and agents to read.
pub enum Text {
    /// Text from the memory: marked unless a person reads it.
    Recalled(String),
    /// Our own text.
    Plain(String),
}

impl Reply {
    pub fn recalled(verb: &'static str, json: Value, text: impl Into<String>) -> Self {
        Reply::new(verb, json, Text::Recalled(text.into()))
    }

    pub fn plain(verb: &'static str, json: Value, text: impl Into<String>) -> Self {
        Reply::new(verb, json, Text::Plain(text.into()))
    }

    /// Our own text about what to try instead.
    pub fn nothing(verb: &'static str, json: Value, text: impl Into<String>) -> Self {
        Reply { status: ReplyStatus::NothingFound, ..Reply::plain(verb, json, text) }
    }

    /// What is shown says that the memory does not know.
    pub fn without_answer(self) -> Self {
        Reply { status: ReplyStatus::NothingFound, ..self }
    }

    fn new(verb: &'static str, json: Value, text: Text) -> Self {
        Reply { verb, json, text, status: ReplyStatus::Answered, lines: None }
    }

    /// The output of `--plain`: an item per line, with tab-separated fields.
    pub fn with_lines(self, lines: impl IntoIterator<Item = String>) -> Self {
        let line = |line: String| format!("{}\n", line.replace('\n', " "));
        Reply { lines: Some(lines.into_iter().map(line).collect()), ..self }
    }

    /// Appends text.
    pub fn with_more(mut self, more: &str) -> Self {
        match &mut self.text {
            Text::Recalled(text) | Text::Plain(text) => text.push_str(more),
        }
        self
    }

    /// Prints the text on standard output.
    pub fn print(self) -> Result<(), AppError> {
        let is_for_pipe = terminal::audience() == Audience::Pipe;
        match (self.lines, self.text) {
            (Some(lines), _) if is_for_pipe => terminal::print(&lines)?,
            // A pipe gets only items.
            (_, Text::Plain(text)) if is_for_pipe && self.status == ReplyStatus::NothingFound => {
                terminal::print_error(&text);
            }
            (_, Text::Recalled(text)) => print_recalled(self.verb, &text)?,
            (_, Text::Plain(text)) => terminal::print_text(&text)?,
        }
        self.status.into_result()
    }

    pub fn print_json(self) -> Result<(), AppError> {
        json::print(self.verb, self.json)?;
        self.status.into_result()
    }
}

impl ReplyStatus {
    /// An empty result is an error without a message: the answer contains it.
    fn into_result(self) -> Result<(), AppError> {
        match self {
            ReplyStatus::Answered => Ok(()),
            ReplyStatus::NothingFound => Err(AppError::nothing_found()),
        }
    }
}

/// Prints recalled text. A person, or a person's own pipe (`--plain`), gets it unchanged. Any other reader (an agent, a
/// file) gets it quoted, and a later ingest recognises it as Backstory's own output.
pub fn print_recalled(verb: &str, text: &str) -> Result<(), AppError> {
    match terminal::audience() {
        Audience::Person => terminal::print_text(text),
        Audience::Pipe => terminal::print(text),
        Audience::Agent if terminal::is_always_coloured() => terminal::print(&untrusted::wrapped_in_colour(verb, text)),
        Audience::Agent => terminal::print(&untrusted::wrapped(verb, &untrusted::text(text), Contents::Quotations)),
    }
}
