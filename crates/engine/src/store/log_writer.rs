//! How is the log written? In one short transaction.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::model::{ArtifactId, Digest, Episode, EventId, Problem, ProblemKind, ProjectId};

use super::log_store::{Cursor, EncodedEvent, EpisodeNum, Head};
use super::sqlite::StoreError;

/// A write in progress. Dropping it without `commit` leaves no trace.
pub struct LogTx<'a> {
    pub(super) tx: Transaction<'a>,
    head: Head,
    next_seq: HashMap<i64, u32>,
}

impl<'a> LogTx<'a> {
    pub(super) fn new(tx: Transaction<'a>, head: Head) -> Self {
        LogTx { tx, head, next_seq: HashMap::new() }
    }

    /// The first append decides the project: if the episode exists, `episode` gets its stored
    /// project.
    pub fn put_episode(&mut self, episode: &mut Episode) -> Result<EpisodeNum, StoreError> {
        let id = episode.id();
        if let Some((num, project)) = self
            .tx
            .prepare_cached("SELECT num, project FROM episodes WHERE id = ?1")?
            .query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
        {
            episode.project = ProjectId(Digest(project));
            return Ok(EpisodeNum(num));
        }
        let key = &episode.key;
        self.tx
            .prepare_cached("INSERT INTO episodes (id, source, session, agent, project) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![id.as_bytes(), key.source.name(), key.session, key.agent, episode.project.as_bytes()])?;
        Ok(EpisodeNum(self.tx.last_insert_rowid()))
    }

    pub fn contains(&self, event: EventId) -> Result<bool, StoreError> {
        let found = self
            .tx
            .prepare_cached("SELECT 1 FROM events WHERE id = ?1")?
            .query_row([event.as_bytes()], |_| Ok(()))
            .optional()?;
        Ok(found.is_some())
    }

    /// Returns true if the event is new. A known event changes nothing.
    pub fn append(&mut self, num: EpisodeNum, episode: &Episode, event: &EncodedEvent) -> Result<bool, StoreError> {
        let seq = self.next_seq(num)?;
        let head = self.head.next(episode.id(), episode.project, seq, event);
        let added = self
            .tx
            .prepare_cached(
                "INSERT INTO events (pos, id, episode, seq, kind, time, payload, hash, chain)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO NOTHING",
            )?
            .execute(params![
                head.pos,
                event.id.as_bytes(),
                num.0,
                seq,
                event.kind.number(),
                event.time.map(|time| time.0),
                event.packed,
                event.hash,
                head.chain,
            ])?;
        if added == 0 {
            return Ok(false);
        }
        self.head = head;
        self.next_seq.insert(num.0, seq + 1);
        Ok(true)
    }

    fn next_seq(&mut self, num: EpisodeNum) -> Result<u32, StoreError> {
        if let Some(seq) = self.next_seq.get(&num.0) {
            return Ok(*seq);
        }
        let last: Option<u32> = self
            .tx
            .prepare_cached("SELECT max(seq) FROM events WHERE episode = ?1")?
            .query_row([num.0], |row| row.get(0))?;
        let next = last.map_or(0, |last| last + 1);
        self.next_seq.insert(num.0, next);
        Ok(next)
    }

    pub fn put_artifact(&mut self, id: ArtifactId, path: &str, packed: &[u8]) -> Result<bool, StoreError> {
        let added = self
            .tx
            .prepare_cached("INSERT OR IGNORE INTO artifacts (id, path, payload) VALUES (?1, ?2, ?3)")?
            .execute(params![id.as_bytes(), path, packed])?;
        Ok(added > 0)
    }

    pub fn set_cursor(&mut self, cursor: &Cursor) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO cursors (path, format, size, mtime_ns, offset, line, prefix_check, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                cursor.path, cursor.format, cursor.size, cursor.mtime_ns, cursor.offset, cursor.line, cursor.check.0,
                cursor.state,
            ])?;
        Ok(())
    }

    /// Removes the problems of a file that is read again from its start.
    pub fn clear_problems(&mut self, path: &str) -> Result<(), StoreError> {
        self.tx.prepare_cached("DELETE FROM problems WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    pub fn add_problem(&mut self, problem: &Problem) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO problems (path, line, skipped, reason) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![problem.file, problem.line, problem.kind == ProblemKind::Skipped, problem.reason])?;
        Ok(())
    }

    pub fn commit(self) -> Result<(), StoreError> {
        Ok(self.tx.commit()?)
    }
}
