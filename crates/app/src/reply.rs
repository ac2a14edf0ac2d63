//! What does a command answer, before a surface shows it?

use serde_json::Value;

use crate::error::AppError;
use crate::{json, terminal, untrusted};

/// One answer, in the shape that every surface needs.
pub struct Reply {
    pub verb: &'static str,
    pub json: Value,
    pub text: Text,
}

/// For people and agents to read.
pub enum Text {
    /// Words out of the memory: marked where it is not a person who reads.
    Recalled(String),
    /// Our own words.
    Plain(String),
}

impl Reply {
    pub fn recalled(verb: &'static str, json: Value, text: impl Into<String>) -> Self {
        Reply { verb, json, text: Text::Recalled(text.into()) }
    }

    pub fn plain(verb: &'static str, json: Value, text: impl Into<String>) -> Self {
        Reply { verb, json, text: Text::Plain(text.into()) }
    }

    /// The same with more at the end.
    pub fn with_more(mut self, more: &str) -> Self {
        match &mut self.text {
            Text::Recalled(text) | Text::Plain(text) => text.push_str(more),
        }
        self
    }

    /// On standard output.
    pub fn print(self, as_json: bool) -> Result<(), AppError> {
        match (as_json, self.text) {
            (true, _) => json::print(self.verb, self.json),
            (false, Text::Recalled(text)) => print_recalled(self.verb, &text),
            (false, Text::Plain(text)) => terminal::print(&text),
        }
    }
}

/// Prints recalled text. A person reads it as it is. Anybody else (an agent runs the
/// command, output goes to a file) gets it quoted, and a later ingest recognises it as
/// Backstory's own words.
pub fn print_recalled(verb: &str, text: &str) -> Result<(), AppError> {
    match terminal::is_read_by_a_person() {
        true => terminal::print(text),
        false => terminal::print(&untrusted::wrapped(verb, &untrusted::text(text), true)),
    }
}
