//! A unit of retrieval: a few hundred tokens of one turn, with its evidence.

use backstory_language::digest::Digest;

use super::event::Exit;
use super::evidence::{EvidenceKind, EvidenceRef};
use super::ids::{ChunkId, EpisodeId, EventId};
use super::time::Timestamp;

/// The kind of a part; readers decide which kinds to show or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    User,
    Assistant,
    /// Thinking: searchable and shown on request, never embedded.
    Thinking,
    ToolCall,
    ToolOutput,
    Note,
}

/// A run of text from one event.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Part {
    pub kind: PartKind,
    /// The speaker: a person's or agent's name, a tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub text: String,
    #[serde(rename = "on")]
    pub evidence_kind: EvidenceKind,
    pub event: EventId,
    pub start: u32,
    pub end: u32,
    pub hash: Digest,
}

impl Part {
    pub fn evidence(&self) -> EvidenceRef {
        EvidenceRef { kind: self.evidence_kind, id: self.event.0, start: self.start, end: self.end, hash: self.hash }
    }
}

/// A command that ran in this chunk, and how it ended (unknown while it runs).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommandRun {
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
}

/// The stored content of a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ChunkBody {
    /// Never empty: a chunk without evidence does not exist.
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandRun>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub id: ChunkId,
    pub episode: EpisodeId,
    /// The turn within the episode, and the chunk's place within the turn.
    pub turn: u32,
    pub ord: u32,
    pub first_seq: u32,
    pub last_seq: u32,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// Estimated tokens of the text, thinking not counted.
    pub tokens: u32,
    pub body: ChunkBody,
}
