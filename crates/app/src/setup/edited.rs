//! The change to a settings file, or the reason for leaving it unchanged.

use super::entries;

/// Why a settings file is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsDamage {
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
    /// Objects and lists that were created for our entries and are removed with them.
    pub created: Vec<String>,
    /// Notes for the person, one line each.
    pub notes: Vec<String>,
}

impl Edited {
    pub fn new(text: &str) -> Self {
        Edited { text: text.to_owned(), ..Edited::default() }
    }

    /// Adds what a later step did to the same text.
    pub fn then(mut self, next: Edited) -> Self {
        self.text = next.text;
        self.added.extend(next.added);
        self.updated.extend(next.updated);
        self.removed.extend(next.removed);
        self.created.extend(next.created);
        self.notes.extend(next.notes);
        self
    }
}

/// An entry of ours in a file: its purpose (`mcp`, `notify`, or the host's name of a hook event), its command, and the
/// program in that.
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
