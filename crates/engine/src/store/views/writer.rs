//! How are derived rows written?

use std::cell::RefCell;

use rusqlite::{Transaction, params};

use crate::model::{Chunk, ChunkId, Digest, Edge};

use super::super::index::IndexFiles;
use super::super::log_store::EpisodeNum;
use super::super::payload::Codec;
use super::super::sqlite::StoreError;
use super::reader::ViewReader;
use super::rows::*;

/// A transaction that writes derived rows together with their stage's cursor.
pub struct ViewTx<'a> {
    pub(super) tx: Transaction<'a>,
    pub(super) codec: &'a RefCell<Codec>,
    pub(super) files: &'a IndexFiles,
}

impl ViewTx<'_> {
    /// What the transaction sees, its own rows included.
    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.tx, codec: self.codec, files: self.files }
    }

    pub fn set_stage(&mut self, stage: &StageRow) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO stages (name, version, cursor, chain) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![stage.name, stage.version, stage.cursor, stage.chain])?;
        Ok(())
    }

    pub fn remove_stage(&mut self, name: &str) -> Result<(), StoreError> {
        self.tx.prepare_cached("DELETE FROM stages WHERE name = ?1")?.execute([name])?;
        Ok(())
    }

    /// Empties the tables of the chunk stage.
    pub fn clear_chunks(&mut self) -> Result<(), StoreError> {
        self.clear_clusters()?;
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

    /// Removes the turns from `turn` on, with their chunks and anchors.
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

    pub fn set_turn_state(&mut self, episode: EpisodeNum, turn: u32, state: TurnState) -> Result<(), StoreError> {
        self.tx.prepare_cached("UPDATE turns SET active = ?3 WHERE episode = ?1 AND turn = ?2")?.execute(params![
            episode.0,
            turn,
            state == TurnState::Active
        ])?;
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

    /// If several turns of an episode have a record, the last one holds it.
    pub fn put_record(&mut self, record: &Digest, episode: EpisodeNum, turn: u32) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO records (record, episode, turn) VALUES (?1, ?2, ?3)")?
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
