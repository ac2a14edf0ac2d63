//! Which rows do the views have, and how are they read?

use rusqlite::Row;

use crate::model::{ChunkBody, ChunkId, Digest, Edge, EdgeKind, EventId, Timestamp};

use super::super::log_store::EpisodeNum;
use super::super::payload::Codec;
use super::super::sqlite::StoreError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub name: String,
    pub version: u32,
    /// Log position up to which the stage has folded.
    pub cursor: u64,
    /// The log's chain value there.
    pub chain: [u8; 32],
}

/// A summary of one episode's events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRow {
    pub next_seq: u32,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub prompts: u32,
    pub events: u32,
    pub title: Option<String>,
    pub first_prompt: Option<String>,
    pub prompt_hash: Option<Digest>,
    pub agent_name: Option<String>,
    pub team: Option<String>,
    pub spawned_by: Option<String>,
    pub forked_from: Option<String>,
    pub first_parent: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    pub turn: u32,
    pub first_seq: u32,
    pub parent: Option<u32>,
    pub active: bool,
}

/// Is a turn on the active branch?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnState {
    Active,
    Abandoned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorKind {
    /// A call that starts a sub-agent or teammate. key: tool_use_id.
    Spawn,
    /// The output of such a call. key: tool_use_id, name: the agent's id.
    Report,
    /// A notice that a background agent has ended. key: the agent's id.
    Notice,
    /// An outgoing message. name: the recipient.
    Send,
    /// An incoming message. name: the sender.
    Receive,
    /// A name for the session that holds a record. key: the record, name: the name.
    Title,
}

impl AnchorKind {
    pub(super) const ALL: [AnchorKind; 6] = [
        AnchorKind::Spawn,
        AnchorKind::Report,
        AnchorKind::Notice,
        AnchorKind::Send,
        AnchorKind::Receive,
        AnchorKind::Title,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            AnchorKind::Spawn => "spawn",
            AnchorKind::Report => "report",
            AnchorKind::Notice => "notice",
            AnchorKind::Send => "send",
            AnchorKind::Receive => "receive",
            AnchorKind::Title => "title",
        }
    }
}

/// A place where one run connects to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub episode: EpisodeNum,
    pub turn: u32,
    pub event: EventId,
    pub kind: AnchorKind,
    pub chunk: Option<ChunkId>,
    pub time: Option<Timestamp>,
    pub key: Option<String>,
    pub name: Option<String>,
    pub team: Option<String>,
    /// The task that a sub-agent was started for, in a few words.
    pub task: Option<String>,
    /// Hash of the text that both ends share: a prompt, a message.
    pub digest: Option<Digest>,
}

/// A chunk without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    pub id: ChunkId,
    pub episode: EpisodeNum,
    pub turn: u32,
    pub ord: u32,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub tokens: u32,
    pub first_event: EventId,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeRow {
    pub edge: Edge,
    pub owner: String,
}

/// A sub-agent's name, its team, and the chunk that started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRow {
    pub episode: EpisodeNum,
    pub name: String,
    pub task: Option<String>,
    pub team: Option<String>,
    pub parent: Option<EpisodeNum>,
    pub spawn_chunk: Option<ChunkId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewCounts {
    pub turns: u64,
    pub chunks: u64,
    pub chunk_tokens: u64,
    pub edges: Vec<(EdgeKind, u64)>,
}

pub(super) const RUN_COLUMNS: &str = "next_seq, started, ended, prompts, events, title, first_prompt, prompt_hash, agent_name, team, \
     spawned_by, forked_from, first_parent";
pub(super) const CHUNK_COLUMNS: &str = "id, episode, turn, ord, started, ended, tokens, first_event";
pub(super) const ANCHOR_COLUMNS: &str = "episode, turn, event, kind, chunk, time, key, name, team, digest, task";

pub(super) fn read_run(row: &Row<'_>, first: usize) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        next_seq: row.get(first)?,
        started: time(row, first + 1)?,
        ended: time(row, first + 2)?,
        prompts: row.get(first + 3)?,
        events: row.get(first + 4)?,
        title: row.get(first + 5)?,
        first_prompt: row.get(first + 6)?,
        prompt_hash: optional_digest(row, first + 7)?,
        agent_name: row.get(first + 8)?,
        team: row.get(first + 9)?,
        spawned_by: row.get(first + 10)?,
        forked_from: row.get(first + 11)?,
        first_parent: row.get(first + 12)?,
    })
}

pub(super) fn read_turn(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    Ok(TurnRow { turn: row.get(0)?, first_seq: row.get(1)?, parent: row.get(2)?, active: row.get(3)? })
}

pub(super) fn read_chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        id: ChunkId(digest(row, 0)?),
        episode: EpisodeNum(row.get(1)?),
        turn: row.get(2)?,
        ord: row.get(3)?,
        started: time(row, 4)?,
        ended: time(row, 5)?,
        tokens: row.get(6)?,
        first_event: EventId(digest(row, 7)?),
    })
}

pub(super) fn read_anchor(row: &Row<'_>) -> rusqlite::Result<Anchor> {
    let kind: String = row.get(3)?;
    let kind = AnchorKind::ALL.into_iter().find(|known| known.name() == kind).ok_or(rusqlite::Error::InvalidQuery)?;
    Ok(Anchor {
        episode: EpisodeNum(row.get(0)?),
        turn: row.get(1)?,
        event: EventId(digest(row, 2)?),
        kind,
        chunk: optional_digest(row, 4)?.map(ChunkId),
        time: time(row, 5)?,
        key: row.get(6)?,
        name: row.get(7)?,
        team: row.get(8)?,
        digest: optional_digest(row, 9)?,
        task: row.get(10)?,
    })
}

pub(super) fn read_agent(row: &Row<'_>) -> rusqlite::Result<AgentRow> {
    Ok(AgentRow {
        episode: EpisodeNum(row.get(0)?),
        name: row.get(1)?,
        team: row.get(2)?,
        parent: row.get::<_, Option<i64>>(3)?.map(EpisodeNum),
        spawn_chunk: optional_digest(row, 4)?.map(ChunkId),
        task: row.get(5)?,
    })
}

pub(super) fn read_edge(row: &Row<'_>) -> rusqlite::Result<EdgeRow> {
    let kind: String = row.get(2)?;
    Ok(EdgeRow {
        edge: Edge {
            source: ChunkId(digest(row, 0)?),
            target: ChunkId(digest(row, 1)?),
            kind: EdgeKind::parse(&kind).ok_or(rusqlite::Error::InvalidQuery)?,
            evidence: EventId(digest(row, 3)?),
        },
        owner: row.get(4)?,
    })
}

pub(super) fn decode_body(codec: &mut Codec, packed: &[u8]) -> Result<ChunkBody, StoreError> {
    serde_json::from_slice(&codec.unpack(packed)?).map_err(|error| StoreError::Payload(error.to_string()))
}

pub(super) fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    Ok(Digest(row.get(column)?))
}

pub(super) fn optional_digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Digest>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Digest))
}

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}
