//! How do agents come to use the memory, and how do they stop?
//!
//! Hosts keep their settings in files of their own. Our entries are put in and
//! taken out as text; every other byte of those files stays as it is.

mod apply;
pub mod doctor;
pub mod entries;
mod file;
pub mod hosts;
mod json_file;
mod plan;
mod record;
mod sessions;
mod splice;
mod toml_file;

#[cfg(test)]
mod tests;

pub use apply::{Applied, FileOutcome, apply, delete_data};
pub use hosts::{Host, Level, Settings};
pub use plan::{Brought, Change, Parts, Plan, brought_by, plan_init, plan_uninstall, settings_everywhere};
pub use record::Record;
pub use sessions::{Sessions, sessions};

/// Why a settings file is not touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub line: usize,
    pub message: String,
}

/// A file's text with or without our entries, and what changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    pub added: Vec<String>,
    pub updated: Vec<String>,
    pub removed: Vec<String>,
    /// What had to be made around our entries: it goes with them.
    pub created: Vec<String>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl Edited {
    fn new(text: &str) -> Self {
        Edited { text: text.to_owned(), ..Edited::default() }
    }

    /// What another step did to the same text, after this one.
    fn then(mut self, next: Edited) -> Self {
        self.text = next.text;
        self.added.extend(next.added);
        self.updated.extend(next.updated);
        self.removed.extend(next.removed);
        self.created.extend(next.created);
        self.notes.extend(next.notes);
        self
    }
}

/// An entry of ours in a file: what it is for (`mcp`, `notify`, or the event of
/// a hook as its host calls it), what is run, and which program that names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub what: String,
    pub command: String,
    pub program: String,
}

impl Registered {
    pub fn is_hook(&self) -> bool {
        entries::EVENTS.iter().any(|event| event.name == self.what)
    }
}
