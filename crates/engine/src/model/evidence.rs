//! Which bytes does something rest on? A span of an event or artifact, with the hash of its
//! text.

use backstory_language::digest::Digest;

use super::event::{Class, Event, EventKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Words of a person.
    UserSpan,
    /// The output of a tool.
    ToolOutput,
    /// A stored file version.
    DocSpan,
    /// Words, thinking or actions of an agent. Enough for the source of a chunk and for a proposed
    /// card; never enough for an active card.
    AgentSpan,
}

impl EvidenceKind {
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::UserSpan => "user_span",
            EvidenceKind::ToolOutput => "tool_output",
            EvidenceKind::DocSpan => "doc_span",
            EvidenceKind::AgentSpan => "agent_span",
        }
    }

    /// A teammate's message is an agent's word, though it comes as a prompt.
    pub fn of_event(event: &Event) -> Self {
        match event.kind {
            EventKind::User if event.meta.class != Some(Class::Teammate) => EvidenceKind::UserSpan,
            EventKind::ToolOutput => EvidenceKind::ToolOutput,
            _ => EvidenceKind::AgentSpan,
        }
    }
}

/// Byte offsets into the text of the event (or artifact) `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct EvidenceRef {
    pub kind: EvidenceKind,
    pub id: Digest,
    pub start: u32,
    pub end: u32,
    pub hash: Digest,
}
