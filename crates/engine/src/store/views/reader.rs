//! Queries on the views.

use std::cell::RefCell;

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Chunk, ChunkBody, ChunkId, Digest, EdgeKind, EpisodeId, Timestamp};

use super::super::index::IndexFiles;
use super::super::log_store::EpisodeNum;
use super::super::payload::Codec;
use super::super::sqlite::StoreError;
use super::rows::*;

#[derive(Clone, Copy)]
pub struct ViewReader<'a> {
    pub(super) conn: &'a Connection,
    pub(super) codec: &'a RefCell<Codec>,
    pub(super) files: &'a IndexFiles,
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

    /// Every record or session that a run names as its origin.
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

    pub fn turn(&self, episode: EpisodeNum, turn: u32) -> Result<Option<TurnRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT turn, first_seq, parent, active FROM turns WHERE episode = ?1 AND turn = ?2")?;
        Ok(statement.query_row(params![episode.0, turn], read_turn).optional()?)
    }

    pub fn last_turn(&self, episode: EpisodeNum) -> Result<Option<TurnRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT turn, first_seq, parent, active FROM turns WHERE episode = ?1 ORDER BY turn DESC LIMIT 1",
        )?;
        Ok(statement.query_row([episode.0], read_turn).optional()?)
    }

    /// The episodes that hold a host's record, and the turns: mostly one.
    pub fn record_holders(&self, record: &Digest) -> Result<Vec<(EpisodeNum, u32)>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT episode, turn FROM records WHERE record = ?1 ORDER BY episode")?;
        let rows = statement.query_map([record.0], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn turn_with_record(&self, episode: EpisodeNum, record: &Digest) -> Result<Option<u32>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT turn FROM records WHERE record = ?1 AND episode = ?2")?;
        Ok(statement.query_row(params![record.0, episode.0], |row| row.get(0)).optional()?)
    }

    /// When the earliest of an episode's chunks from `turn` on begins.
    pub fn earliest_chunk(&self, episode: EpisodeNum, turn: u32) -> Result<Option<Timestamp>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT min(started) FROM chunks WHERE episode = ?1 AND turn >= ?2")?;
        let earliest: Option<i64> = statement.query_row(params![episode.0, turn], |row| row.get(0))?;
        Ok(earliest.map(Timestamp))
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

    /// Whole chunks of an episode from a turn on, in order.
    pub fn chunks_from(&self, episode: EpisodeNum, id: EpisodeId, turn: u32) -> Result<Vec<Chunk>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {CHUNK_COLUMNS}, body, first_seq, last_seq FROM chunks
             WHERE episode = ?1 AND turn >= ?2 ORDER BY turn, ord"
        ))?;
        let mut rows = statement.query(params![episode.0, turn])?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            let packed: Vec<u8> = row.get(8)?;
            let ChunkRow { id: chunk, turn, ord, started, ended, tokens, .. } = read_chunk_row(row)?;
            let body = decode_body(&mut self.codec.borrow_mut(), &packed)?;
            let (first_seq, last_seq) = (row.get(9)?, row.get(10)?);
            chunks.push(Chunk { id: chunk, episode: id, turn, ord, first_seq, last_seq, started, ended, tokens, body });
        }
        Ok(chunks)
    }

    pub fn first_chunk(&self, episode: EpisodeNum) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 ORDER BY turn, ord LIMIT 1", [episode.0])
    }

    pub fn last_chunk(&self, episode: EpisodeNum) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 ORDER BY turn DESC, ord DESC LIMIT 1", [episode.0])
    }

    /// The last chunk of `turn`, or of its nearest ancestor that has one.
    pub fn last_chunk_of_turn(&self, episode: EpisodeNum, turn: u32) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("episode = ?1 AND turn = ?2 ORDER BY ord DESC LIMIT 1", params![episode.0, turn])
    }

    /// The last chunk of the episode that started by `time`.
    pub fn last_chunk_before(&self, episode: EpisodeNum, time: Timestamp) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk(
            "episode = ?1 AND started <= ?2 ORDER BY turn DESC, ord DESC LIMIT 1",
            params![episode.0, time.0],
        )
    }

    /// The last chunk of another episode of the lane that started by `time`.
    pub fn last_chunk_in_lane(
        &self,
        lane: i64,
        other_than: EpisodeNum,
        time: Timestamp,
    ) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk(
            "lane = ?1 AND started <= ?3 AND (started < ?3 OR episode < ?2) AND episode <> ?2
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

    /// The episodes of the lane with the latest chunks, newest first, with the start of their
    /// last chunk.
    pub fn latest_in_lane(&self, lane: i64, most: usize) -> Result<Vec<(EpisodeNum, Timestamp)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, started FROM chunks WHERE lane = ?1 AND started IS NOT NULL
             ORDER BY started DESC, episode DESC",
        )?;
        let mut rows = statement.query([lane])?;
        let mut latest: Vec<(EpisodeNum, Timestamp)> = Vec::new();
        while latest.len() < most
            && let Some(row) = rows.next()?
        {
            let num = EpisodeNum(row.get(0)?);
            if !latest.iter().any(|(known, _)| *known == num) {
                latest.push((num, Timestamp(row.get(1)?)));
            }
        }
        Ok(latest)
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

    pub fn chunk_row(&self, id: ChunkId) -> Result<Option<ChunkRow>, StoreError> {
        self.one_chunk("id = ?1", [id.as_bytes()])
    }

    /// Edges into a chunk, with their source chunks.
    pub fn edges_into(&self, chunk: ChunkId) -> Result<Vec<(EdgeKind, ChunkId)>, StoreError> {
        self.edge_ends("SELECT kind, source FROM edges WHERE target = ?1", chunk)
    }

    /// Edges from a chunk, with their target chunks.
    pub fn edges_from(&self, chunk: ChunkId) -> Result<Vec<(EdgeKind, ChunkId)>, StoreError> {
        self.edge_ends("SELECT kind, target FROM edges WHERE source = ?1", chunk)
    }

    fn edge_ends(&self, sql: &str, chunk: ChunkId) -> Result<Vec<(EdgeKind, ChunkId)>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows =
            statement.query_map([chunk.as_bytes()], |row| Ok((row.get::<_, String>(0)?, ChunkId(digest(row, 1)?))))?;
        let mut ends = Vec::new();
        for row in rows {
            let (kind, chunk) = row?;
            ends.extend(EdgeKind::parse(&kind).map(|kind| (kind, chunk)));
        }
        Ok(ends)
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

    /// Every derived row as text, in an order that does not depend on when it was written.
    pub fn dump(&self) -> Result<Vec<String>, StoreError> {
        let mut rows = Vec::new();
        for table in [
            "stages", "coverage", "runs", "turns", "chunks", "records", "anchors", "edges", "agents", "causal_links",
            "outcomes", "task_notes", "card_findings", "case_findings", "cards", "card_ledger", "stale_cards",
            "exposed_sessions", "check_runs", "check_edits", "failures", "card_prohibitions", "edits", "cases",
            "case_commits",
        ] {
            // A stage without input has no row yet.
            let which = if table == "stages" { " WHERE cursor > 0" } else { "" };
            let mut statement = self.conn.prepare(&format!("SELECT * FROM {table}{which}"))?;
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
        rows.extend(self.dump_index()?);
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

    /// Chunks per episode.
    pub fn chunk_counts(&self) -> Result<Vec<(EpisodeNum, u64)>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT episode, count(*) FROM chunks GROUP BY episode")?;
        let rows = statement.query_map([], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Chunks and tokens per episode.
    pub fn sizes(&self) -> Result<Vec<(EpisodeNum, u32, u64)>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT episode, count(*), sum(tokens) FROM chunks GROUP BY episode")?;
        let rows = statement.query_map([], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
