//! `views/memory.sqlite`: chunks and edges, folded from the log.

use std::cell::RefCell;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::model::{Chunk, ChunkBody, ChunkId, Digest, Edge, EdgeKind, EventId, Timestamp};

use super::log_store::EpisodeNum;
use super::payload::Codec;
use super::sqlite::{self, Schema, StoreError};

const SCHEMA: Schema = Schema {
    application_id: 0x6273_7677, // "bsvw"
    version: 2,
    sql: include_str!("view_schema.sql"),
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    pub name: String,
    pub version: u32,
    /// Log position up to which the stage has folded.
    pub cursor: u64,
    /// The log's chain value there.
    pub chain: [u8; 32],
}

/// What the events of one episode add up to.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorKind {
    /// A call that starts a sub-agent or teammate. key: tool_use_id.
    Spawn,
    /// The output of such a call. key: tool_use_id, name: the agent's id.
    Report,
    /// A background agent's end is announced. key: the agent's id.
    Notice,
    /// A message goes out. name: to whom.
    Send,
    /// A message comes in. name: from whom.
    Receive,
    /// A name for the session that holds a record. key: the record, name: the name.
    Title,
}

impl AnchorKind {
    const ALL: [AnchorKind; 6] = [
        AnchorKind::Spawn,
        AnchorKind::Report,
        AnchorKind::Notice,
        AnchorKind::Send,
        AnchorKind::Receive,
        AnchorKind::Title,
    ];

    fn name(self) -> &'static str {
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

/// A place where one run touches another.
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
    /// What a sub-agent was started for, in a few words.
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

/// Who a sub-agent's run is, and what started it.
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

pub struct ViewStore {
    conn: Connection,
    codec: RefCell<Codec>,
}

impl ViewStore {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(ViewStore { conn: sqlite::open(path, &SCHEMA)?, codec: RefCell::new(Codec::new()?) })
    }

    pub fn open_in_memory() -> Result<Self, StoreError> {
        Ok(ViewStore { conn: sqlite::open_in_memory(&SCHEMA)?, codec: RefCell::new(Codec::new()?) })
    }

    pub fn begin(&mut self) -> Result<ViewTx<'_>, StoreError> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(ViewTx { tx, codec: &self.codec })
    }

    /// Everything read through it until it is dropped sees the same state.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot { tx: self.conn.unchecked_transaction()?, codec: &self.codec })
    }

    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.conn, codec: &self.codec }
    }

    /// Empties the write-ahead log if nobody else is using it.
    pub fn settle(&self) -> Result<(), StoreError> {
        sqlite::settle(&self.conn)
    }

    pub fn checkpoint(&self) -> Result<(), StoreError> {
        sqlite::checkpoint(&self.conn)
    }
}

/// One state of the views, whatever others write meanwhile.
pub struct Snapshot<'a> {
    tx: Transaction<'a>,
    codec: &'a RefCell<Codec>,
}

impl Snapshot<'_> {
    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.tx, codec: self.codec }
    }
}

/// Questions to the views.
#[derive(Clone, Copy)]
pub struct ViewReader<'a> {
    conn: &'a Connection,
    codec: &'a RefCell<Codec>,
}

impl ViewReader<'_> {
    pub fn stage(&self, name: &str) -> Result<Option<StageRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT name, version, cursor, chain FROM stages WHERE name = ?1")?;
        Ok(statement
            .query_row([name], |row| {
                Ok(StageRow { name: row.get(0)?, version: row.get(1)?, cursor: row.get(2)?, chain: row.get(3)? })
            })
            .optional()?)
    }

    pub fn run(&self, episode: EpisodeNum) -> Result<Option<RunRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!("SELECT {RUN_COLUMNS} FROM runs WHERE episode = ?1"))?;
        Ok(statement.query_row([episode.0], |row| read_run(row, 0)).optional()?)
    }

    pub fn runs(&self) -> Result<Vec<(EpisodeNum, RunRow)>, StoreError> {
        let mut statement =
            self.conn.prepare_cached(&format!("SELECT episode, {RUN_COLUMNS} FROM runs ORDER BY episode"))?;
        let rows = statement.query_map([], |row| Ok((EpisodeNum(row.get(0)?), read_run(row, 1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every record or session that a run says it goes on from.
    pub fn named_origins(&self) -> Result<Vec<(EpisodeNum, String)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, forked_from FROM runs WHERE forked_from IS NOT NULL
             UNION SELECT episode, first_parent FROM runs WHERE first_parent IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn turns(&self, episode: EpisodeNum) -> Result<Vec<TurnRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT turn, first_seq, parent, active FROM turns WHERE episode = ?1 ORDER BY turn")?;
        let rows = statement.query_map([episode.0], read_turn)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn last_turn(&self, episode: EpisodeNum) -> Result<Option<TurnRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT turn, first_seq, parent, active FROM turns WHERE episode = ?1 ORDER BY turn DESC LIMIT 1",
        )?;
        Ok(statement.query_row([episode.0], read_turn).optional()?)
    }

    /// The turn that holds a host's record.
    pub fn record(&self, record: &Digest) -> Result<Option<(EpisodeNum, u32)>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT episode, turn FROM records WHERE record = ?1")?;
        Ok(statement.query_row([record.0], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?))).optional()?)
    }

    pub fn anchors(&self, episode: EpisodeNum) -> Result<Vec<Anchor>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {ANCHOR_COLUMNS} FROM anchors WHERE episode = ?1 ORDER BY turn, event, kind"
        ))?;
        let rows = statement.query_map([episode.0], read_anchor)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn anchors_of_kind(&self, kind: AnchorKind) -> Result<Vec<Anchor>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {ANCHOR_COLUMNS} FROM anchors WHERE kind = ?1 ORDER BY episode, turn, event"
        ))?;
        let rows = statement.query_map([kind.name()], read_anchor)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn chunk_rows(&self, episode: EpisodeNum) -> Result<Vec<ChunkRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("SELECT {CHUNK_COLUMNS} FROM chunks WHERE episode = ?1 ORDER BY turn, ord"))?;
        let rows = statement.query_map([episode.0], read_chunk_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn chunk_rows_from(&self, episode: EpisodeNum, turn: u32) -> Result<Vec<ChunkRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {CHUNK_COLUMNS} FROM chunks WHERE episode = ?1 AND turn >= ?2 ORDER BY turn, ord"
        ))?;
        let rows = statement.query_map(params![episode.0, turn], read_chunk_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn first_chunk(&self, episode: EpisodeNum) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 ORDER BY turn, ord LIMIT 1", [episode.0])
    }

    pub fn last_chunk(&self, episode: EpisodeNum) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 ORDER BY turn DESC, ord DESC LIMIT 1", [episode.0])
    }

    /// The last chunk of a turn that has any, going up from `turn` itself.
    pub fn last_chunk_of_turn(&self, episode: EpisodeNum, turn: u32) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 AND turn = ?2 ORDER BY ord DESC LIMIT 1", params![episode.0, turn])
    }

    /// The last chunk of the episode that had begun by `time`.
    pub fn last_chunk_before(&self, episode: EpisodeNum, time: Timestamp) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk(
            "episode = ?1 AND started <= ?2 ORDER BY turn DESC, ord DESC LIMIT 1",
            params![episode.0, time.0],
        )
    }

    /// The last chunk of the lane, in another episode, that had begun by `time`.
    pub fn last_chunk_in_lane(
        &self,
        lane: i64,
        other_than: EpisodeNum,
        time: Timestamp,
    ) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk(
            "lane = ?1 AND started <= ?3 AND episode <> ?2
             ORDER BY started DESC, episode DESC, turn DESC, ord DESC LIMIT 1",
            params![lane, other_than.0, time.0],
        )
    }

    /// Episodes of the lane that begin at `time` or later.
    pub fn episodes_in_lane_from(&self, lane: i64, time: Timestamp) -> Result<Vec<EpisodeNum>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT DISTINCT episode FROM chunks WHERE lane = ?1 AND started >= ?2 ORDER BY episode")?;
        let rows = statement.query_map(params![lane, time.0], |row| row.get(0).map(EpisodeNum))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn agent(&self, episode: EpisodeNum) -> Result<Option<AgentRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, name, team, parent, spawn_chunk, task FROM agents WHERE episode = ?1")?;
        Ok(statement.query_row([episode.0], read_agent).optional()?)
    }

    pub fn agents(&self) -> Result<Vec<AgentRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, name, team, parent, spawn_chunk, task FROM agents ORDER BY episode")?;
        let rows = statement.query_map([], read_agent)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn one_chunk(&self, condition: &str, params: impl rusqlite::Params) -> Result<Option<ChunkRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached(&format!("SELECT {CHUNK_COLUMNS} FROM chunks WHERE {condition}"))?;
        Ok(statement.query_row(params, read_chunk_row).optional()?)
    }

    pub fn body(&self, id: ChunkId) -> Result<Option<ChunkBody>, StoreError> {
        let packed: Option<Vec<u8>> = self
            .conn
            .prepare_cached("SELECT body FROM chunks WHERE id = ?1")?
            .query_row([id.as_bytes()], |row| row.get(0))
            .optional()?;
        packed.map(|packed| decode_body(&mut self.codec.borrow_mut(), &packed)).transpose()
    }

    /// Every chunk with its body, in no particular order.
    pub fn scan_chunks(&self, mut visit: impl FnMut(ChunkRow, ChunkBody) -> bool) -> Result<(), StoreError> {
        let mut statement = self.conn.prepare(&format!("SELECT {CHUNK_COLUMNS}, body FROM chunks"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let packed: Vec<u8> = row.get(8)?;
            if !visit(read_chunk_row(row)?, decode_body(&mut self.codec.borrow_mut(), &packed)?) {
                break;
            }
        }
        Ok(())
    }

    pub fn chunk_ids_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<ChunkId>, StoreError> {
        let Some((low, high)) = Digest::range_of_prefix(prefix) else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare_cached("SELECT id FROM chunks WHERE id BETWEEN ?1 AND ?2 LIMIT ?3")?;
        let rows = statement.query_map(params![low.0, high.0, limit as i64], |row| digest(row, 0))?;
        rows.map(|id| Ok(ChunkId(id?))).collect()
    }

    pub fn edges(&self) -> Result<Vec<EdgeRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare("SELECT source, target, kind, evidence, owner FROM edges ORDER BY source, target, kind")?;
        let rows = statement.query_map([], read_edge)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every derived row as text, in an order that does not depend on how it
    /// came to be written.
    pub fn dump(&self) -> Result<Vec<String>, StoreError> {
        let mut rows = Vec::new();
        for table in ["stages", "runs", "turns", "chunks", "records", "anchors", "edges", "agents"] {
            let mut statement = self.conn.prepare(&format!("SELECT * FROM {table}"))?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let mut line = table.to_owned();
                for column in 0..columns {
                    line.push_str(&format!(" {:?}", row.get_ref(column)?));
                }
                rows.push(line);
            }
        }
        rows.sort();
        Ok(rows)
    }

    pub fn chunk_and_edge_count(&self) -> Result<(u64, u64), StoreError> {
        let count = |sql: &str| self.conn.query_row(sql, [], |row| row.get(0));
        Ok((count("SELECT count(*) FROM chunks")?, count("SELECT count(*) FROM edges")?))
    }

    pub fn counts(&self) -> Result<ViewCounts, StoreError> {
        let turns = self.conn.query_row("SELECT count(*) FROM turns", [], |row| row.get(0))?;
        let (chunks, chunk_tokens) =
            self.conn.query_row("SELECT count(*), coalesce(sum(tokens), 0) FROM chunks", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let mut statement = self.conn.prepare("SELECT kind, count(*) FROM edges GROUP BY kind ORDER BY kind")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut edges = Vec::new();
        for row in rows {
            let (kind, count) = row?;
            edges.extend(EdgeKind::parse(&kind).map(|kind| (kind, count)));
        }
        Ok(ViewCounts { turns, chunks, chunk_tokens, edges })
    }

    /// Chunks and tokens per episode.
    pub fn sizes(&self) -> Result<Vec<(EpisodeNum, u32, u64)>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT episode, count(*), sum(tokens) FROM chunks GROUP BY episode")?;
        let rows = statement.query_map([], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A batch of derived rows on its way in, with the cursor that accounts for it.
pub struct ViewTx<'a> {
    tx: Transaction<'a>,
    codec: &'a RefCell<Codec>,
}

impl ViewTx<'_> {
    /// What the transaction sees, its own rows included.
    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.tx, codec: self.codec }
    }

    pub fn set_stage(&mut self, stage: &StageRow) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO stages (name, version, cursor, chain) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![stage.name, stage.version, stage.cursor, stage.chain])?;
        Ok(())
    }

    /// Empties the tables of the chunk stage.
    pub fn clear_chunks(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch(
            "DELETE FROM runs; DELETE FROM turns; DELETE FROM chunks; DELETE FROM records; DELETE FROM anchors;",
        )?)
    }

    /// Empties the tables of the graph stage.
    pub fn clear_edges(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch("DELETE FROM edges; DELETE FROM agents;")?)
    }

    pub fn put_run(&mut self, episode: EpisodeNum, run: &RunRow) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO runs (episode, {RUN_COLUMNS})
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
            ))?
            .execute(params![
                episode.0,
                run.next_seq,
                run.started.map(|time| time.0),
                run.ended.map(|time| time.0),
                run.prompts,
                run.events,
                run.title,
                run.first_prompt,
                run.prompt_hash.map(|digest| digest.0),
                run.agent_name,
                run.team,
                run.spawned_by,
                run.forked_from,
                run.first_parent,
            ])?;
        Ok(())
    }

    /// Removes the turns from `turn` on, with all they hold.
    pub fn clear_turns(&mut self, episode: EpisodeNum, turn: u32) -> Result<(), StoreError> {
        for table in ["turns", "chunks", "anchors"] {
            self.tx
                .prepare_cached(&format!("DELETE FROM {table} WHERE episode = ?1 AND turn >= ?2"))?
                .execute(params![episode.0, turn])?;
        }
        Ok(())
    }

    pub fn put_turn(&mut self, episode: EpisodeNum, turn: &TurnRow) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT INTO turns (episode, turn, first_seq, parent, active) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![episode.0, turn.turn, turn.first_seq, turn.parent, turn.active])?;
        Ok(())
    }

    pub fn set_active(&mut self, episode: EpisodeNum, turn: u32, active: bool) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("UPDATE turns SET active = ?3 WHERE episode = ?1 AND turn = ?2")?
            .execute(params![episode.0, turn, active])?;
        Ok(())
    }

    /// `lane`: set for a session's main agent; sessions of one lane follow each other.
    pub fn put_chunk(&mut self, episode: EpisodeNum, lane: Option<i64>, chunk: &Chunk) -> Result<(), StoreError> {
        let body = serde_json::to_vec(&chunk.body).map_err(|error| StoreError::Payload(error.to_string()))?;
        self.tx
            .prepare_cached(
                "INSERT INTO chunks (id, episode, turn, ord, first_seq, last_seq, started, ended, tokens, lane, body, first_event)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                chunk.id.as_bytes(),
                episode.0,
                chunk.turn,
                chunk.ord,
                chunk.first_seq,
                chunk.last_seq,
                chunk.started.map(|time| time.0),
                chunk.ended.map(|time| time.0),
                chunk.tokens,
                lane,
                self.codec.borrow_mut().pack(&body),
                chunk.body.parts.first().map(|part| part.event.0.0),
            ])?;
        Ok(())
    }

    /// The first event that carries a record decides where it is.
    pub fn put_record(&mut self, record: &Digest, episode: EpisodeNum, turn: u32) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO records (record, episode, turn) VALUES (?1, ?2, ?3)")?
            .execute(params![record.0, episode.0, turn])?;
        Ok(())
    }

    pub fn put_anchor(&mut self, anchor: &Anchor) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(&format!(
                "INSERT OR REPLACE INTO anchors ({ANCHOR_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            ))?
            .execute(params![
                anchor.episode.0,
                anchor.turn,
                anchor.event.as_bytes(),
                anchor.kind.name(),
                anchor.chunk.as_ref().map(ChunkId::as_bytes),
                anchor.time.map(|time| time.0),
                anchor.key,
                anchor.name,
                anchor.team,
                anchor.digest.map(|digest| digest.0),
                anchor.task,
            ])?;
        Ok(())
    }

    pub fn put_agent(&mut self, agent: &AgentRow) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO agents (episode, name, team, parent, spawn_chunk, task) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                agent.episode.0,
                agent.name,
                agent.team,
                agent.parent.map(|parent| parent.0),
                agent.spawn_chunk.as_ref().map(ChunkId::as_bytes),
                agent.task,
            ])?;
        Ok(())
    }

    pub fn clear_owner(&mut self, owner: &str) -> Result<(), StoreError> {
        self.tx.prepare_cached("DELETE FROM edges WHERE owner = ?1")?.execute([owner])?;
        Ok(())
    }

    pub fn put_edge(&mut self, edge: &Edge, owner: &str) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR IGNORE INTO edges (source, target, kind, weight, evidence, owner) VALUES (?1, ?2, ?3, 1.0, ?4, ?5)",
            )?
            .execute(params![
                edge.source.as_bytes(),
                edge.target.as_bytes(),
                edge.kind.name(),
                edge.evidence.as_bytes(),
                owner
            ])?;
        Ok(())
    }

    pub fn commit(self) -> Result<(), StoreError> {
        Ok(self.tx.commit()?)
    }
}

const RUN_COLUMNS: &str = "next_seq, started, ended, prompts, events, title, first_prompt, prompt_hash, agent_name, team, \
     spawned_by, forked_from, first_parent";
const CHUNK_COLUMNS: &str = "id, episode, turn, ord, started, ended, tokens, first_event";
const ANCHOR_COLUMNS: &str = "episode, turn, event, kind, chunk, time, key, name, team, digest, task";

fn read_run(row: &Row<'_>, first: usize) -> rusqlite::Result<RunRow> {
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

fn read_turn(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    Ok(TurnRow { turn: row.get(0)?, first_seq: row.get(1)?, parent: row.get(2)?, active: row.get(3)? })
}

fn read_chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
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

fn read_anchor(row: &Row<'_>) -> rusqlite::Result<Anchor> {
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

fn read_agent(row: &Row<'_>) -> rusqlite::Result<AgentRow> {
    Ok(AgentRow {
        episode: EpisodeNum(row.get(0)?),
        name: row.get(1)?,
        team: row.get(2)?,
        parent: row.get::<_, Option<i64>>(3)?.map(EpisodeNum),
        spawn_chunk: optional_digest(row, 4)?.map(ChunkId),
        task: row.get(5)?,
    })
}

fn read_edge(row: &Row<'_>) -> rusqlite::Result<EdgeRow> {
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

fn decode_body(codec: &mut Codec, packed: &[u8]) -> Result<ChunkBody, StoreError> {
    serde_json::from_slice(&codec.unpack(packed)?).map_err(|error| StoreError::Payload(error.to_string()))
}

fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    Ok(Digest(row.get(column)?))
}

fn optional_digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Digest>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Digest))
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}
