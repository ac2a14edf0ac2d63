//! What can be shown for a question: a place in the code, a test, a page, a commit, a memory.

use super::chain::entity_id;
use crate::tree::{EntityNum, TreeEntity, TreeIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    Code,
    Config,
    Test,
    Page,
    Commit,
    Session,
    /// A request, and the code written for it.
    Decision,
    /// A failure, and its outcome.
    Failure,
    Card,
}

impl DocumentKind {
    /// Would the program behave differently if this were changed? Documents that would not change it can explain, but
    /// are not causes.
    pub fn can_be_cause(self) -> bool {
        matches!(self, DocumentKind::Code | DocumentKind::Config)
    }

    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Code => "code",
            DocumentKind::Config => "config",
            DocumentKind::Test => "test",
            DocumentKind::Page => "page",
            DocumentKind::Commit => "commit",
            DocumentKind::Session => "session",
            DocumentKind::Decision => "decision",
            DocumentKind::Failure => "failure",
            DocumentKind::Card => "card",
        }
    }
}

/// The author of a document's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenBy {
    /// The person whose memory it is.
    Person,
    /// The repository's authors, an agent, a tool.
    Others,
}

/// A document that can be shown.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Document {
    /// `code:src/cart.ts:Cart.total`, `commit:3f2a…`.
    pub id: String,
    pub kind: DocumentKind,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// The line that matters most, if one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The text at that line.
    pub text: String,
    /// Its position in the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    pub written_by: WrittenBy,
    #[serde(skip)]
    pub entity: Option<EntityNum>,
}

impl Document {
    /// `src/cart.ts:45`.
    pub fn place(&self) -> Option<String> {
        let path = self.path.as_ref()?;
        let line = self.line.or(self.lines.map(|lines| lines.0));
        Some(line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
    }
}

/// A memory: found elsewhere, and passed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    pub id: String,
    pub kind: DocumentKind,
    pub name: String,
    pub text: String,
    pub written_by: WrittenBy,
    pub citation: Option<String>,
    /// The place in the code that it is about, by the id of its document.
    pub about: Option<String>,
    /// Its relation to the place or the question: `wrote 6 of its lines`.
    pub what: String,
    /// Files it touched.
    pub files: Vec<String>,
    /// How well it matches, from 0 to 1.
    pub score: f32,
    /// It must be respected, as opposed to an event.
    pub constrains: bool,
}

/// A location in the code that the memory is queried for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLocation {
    /// The id of its document.
    pub id: String,
    pub path: String,
    pub lines: (u32, u32),
    /// Its names in the code: `Cart.add`, `add`.
    pub names: Vec<String>,
}

impl CodeLocation {
    pub fn of(tree: &TreeIndex, entity: &TreeEntity<'_>) -> Self {
        let mut names = vec![entity.qualified.to_owned(), entity.name.to_owned()];
        names.dedup();
        names.retain(|name| !name.is_empty());
        CodeLocation {
            id: entity_id(tree, entity),
            path: entity.path.to_owned(),
            lines: (entity.first_line, entity.last_line),
            names,
        }
    }
}

/// The interface to the memory for questions about code.
pub trait MemoryLookup {
    fn of_question(&mut self) -> Vec<Remembered>;

    /// Memories about locations that may be the cause.
    fn of_locations(&mut self, locations: &[CodeLocation]) -> Vec<Remembered>;
}

/// No memory.
impl MemoryLookup for () {
    fn of_question(&mut self) -> Vec<Remembered> {
        Vec::new()
    }

    fn of_locations(&mut self, _: &[CodeLocation]) -> Vec<Remembered> {
        Vec::new()
    }
}
