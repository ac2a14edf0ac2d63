//! What a command answers, before a door shows it.

use serde_json::Value;

use crate::error::AppError;
use crate::{screen, wire};

/// One answer, in the shape that every door needs.
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
            (true, _) => wire::print(self.verb, self.json),
            (false, Text::Recalled(text)) => screen::print_recalled(self.verb, &text),
            (false, Text::Plain(text)) => screen::print(&text),
        }
    }
}
