//! `log.sqlite`: what happened? Append-only.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::model::{
    ArtifactId, Digest, Episode, EpisodeId, EpisodeKey, Event, EventId, EventKind, Problem, ProblemKind, ProjectId,
    SourceKind, Timestamp, digest_of,
};

use super::forgetting::UnfinishedForget;
use super::log_projects::CachedAliases;
use super::log_rows::{
    BAD_PAGE, EVENT_COLUMNS, EVENTS, Episodes, EventRow, KeyedTable, UnreadableRow, array_column, episode_id,
    id_column, last_key, read_event, read_row, reason_of, unreadable_event, walk,
};
use super::log_writer::LogTx;
use super::payload::{Codec, is_said_in, salvage};
use super::sqlite::{self, Schema, StoreError};

const SCHEMA: Schema = Schema {
    application_id: 0x6273_6c67, // "bslg"
    version: 1,
    sql: include_str!("log_schema.sql"),
};

const EPISODES: KeyedTable = KeyedTable {
    name: "episodes",
    key: "num",
    columns: "source, session, agent, project",
    index: "sqlite_autoindex_episodes_1",
};

const ARTIFACTS: KeyedTable =
    KeyedTable { name: "artifacts", key: "rowid", columns: "id, path, payload", index: "sqlite_autoindex_artifacts_1" };

const TRUNCATED: &str = "it is shorter than it was: its end is missing, and it is only read";

/// Row number of an episode: shorter than its id, valid in one log file only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct EpisodeNum(pub i64);

/// An event ready to be written: redacted, identified, compressed.
pub struct EncodedEvent {
    pub id: EventId,
    pub kind: EventKind,
    pub time: Option<Timestamp>,
    /// Absent when the event was forgotten.
    pub packed: Option<Vec<u8>>,
    pub hash: [u8; 32],
}

/// The newest row of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub pos: u64,
    pub chain: [u8; 32],
}

impl Head {
    pub const EMPTY: Head = Head { pos: 0, chain: [0; 32] };

    /// The chain value of the row that follows this one.
    pub fn next(&self, episode: EpisodeId, project: ProjectId, seq: u32, event: &EncodedEvent) -> Head {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.chain);
        hasher.update(event.id.as_bytes());
        hasher.update(episode.as_bytes());
        hasher.update(project.as_bytes());
        hasher.update(&seq.to_le_bytes());
        hasher.update(&event.time.map_or(i64::MIN, |time| time.0).to_le_bytes());
        hasher.update(&[event.kind.number()]);
        hasher.update(&event.hash);
        Head { pos: self.pos + 1, chain: *hasher.finalize().as_bytes() }
    }
}

/// How far a file has been read, and how to check that it is still that file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub path: String,
    pub format: String,
    pub size: u64,
    pub mtime_ns: i64,
    pub offset: u64,
    /// Lines before the offset.
    pub line: u64,
    /// Hash of samples of the bytes before the offset.
    pub check: Digest,
    /// What the format's reader needs in order to continue.
    pub state: Option<String>,
}

/// Was the text of blanked rows removed from unused pages?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scrubbed {
    Whole,
    /// The file is too damaged to be rewritten: unused pages may still hold text.
    Partly,
}

/// A stored file version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub id: ArtifactId,
    pub path: String,
    /// None if it was forgotten or is unreadable.
    pub text: Option<String>,
    pub unreadable: Option<String>,
}

pub struct LogStore {
    pub(super) conn: Connection,
    codec: Codec,
    episodes: Episodes,
    is_truncated: bool,
    pub(super) aliases: CachedAliases,
}

impl LogStore {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, sqlite::LOCK_TIMEOUT)
    }

    /// Waits at most `timeout` for a lock, now and later.
    pub fn open_within(path: &Path, timeout: Duration) -> Result<Self, StoreError> {
        match sqlite::open(path, &SCHEMA, timeout) {
            // Its end may be missing: the rest can be read.
            Err(StoreError::Corrupt { file, detail }) => match sqlite::open_truncated(path, &SCHEMA, timeout) {
                Ok(conn) => Ok(LogStore { is_truncated: true, ..Self::new(conn)? }),
                Err(_) => Err(StoreError::Corrupt { file, detail }),
            },
            opened => Self::new(opened?),
        }
    }

    pub fn open_in_memory() -> Result<Self, StoreError> {
        Self::new(sqlite::open_in_memory(&SCHEMA)?)
    }

    fn new(conn: Connection) -> Result<Self, StoreError> {
        let aliases = CachedAliases::default();
        Ok(LogStore { conn, codec: Codec::new()?, episodes: HashMap::new(), is_truncated: false, aliases })
    }

    /// The folder of the file; none for a log in memory.
    pub fn folder(&self) -> Option<PathBuf> {
        let file = self.conn.path().filter(|path| !path.is_empty())?;
        Path::new(file).parent().map(Path::to_owned)
    }

    /// Does the file forbid writing?
    pub fn is_read_only(&self) -> bool {
        sqlite::is_read_only(&self.conn)
    }

    /// Is the end of the file missing? Then it is only read, up to there.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Begins a transaction. Callers keep it short: costly work comes before it.
    pub fn begin(&mut self) -> Result<LogTx<'_>, StoreError> {
        if self.is_truncated {
            let file = self.conn.path().map(PathBuf::from).unwrap_or_default();
            return Err(StoreError::Corrupt { file, detail: TRUNCATED.to_owned() });
        }
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let head = head_of(&tx)?;
        Ok(LogTx::new(tx, head))
    }

    pub fn head(&self) -> Result<Head, StoreError> {
        head_of(&self.conn)
    }

    /// The chain value of a row; `None` if there is no such row, and that of an empty log if the
    /// row cannot be read.
    pub fn chain_at(&self, pos: u64) -> Result<Option<[u8; 32]>, StoreError> {
        if pos == 0 {
            return Ok(Some(Head::EMPTY.chain));
        }
        let mut statement = self.conn.prepare_cached("SELECT chain FROM events WHERE pos = ?1")?;
        match statement.query_row([pos], |row| array_column(row, 0)).optional().map_err(StoreError::from) {
            Err(error) => reason_of(error).map(|_| Some(Head::EMPTY.chain)),
            found => found,
        }
    }

    /// Is there an event of another kind after `pos`?
    pub fn has_other_than(&self, kind: EventKind, after: u64) -> Result<bool, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT 1 FROM events WHERE pos > ?1 AND kind <> ?2 LIMIT 1")?;
        match statement.exists(params![after, kind.number()]).map_err(StoreError::from) {
            // The next read reports the damage.
            Err(StoreError::Damaged(_)) => Ok(true),
            found => found,
        }
    }

    /// The number of sessions of agents and people. Backstory's own notes do not count, nor do
    /// imported copies of sessions that are in the log themselves.
    pub fn session_count(&self) -> Result<u64, StoreError> {
        let (mut sessions, mut copies) = (HashSet::new(), HashSet::new());
        for (_, Episode { key: EpisodeKey { source, session, .. }, .. }) in self.episodes()? {
            match source {
                SourceKind::Backstory => false,
                SourceKind::Causantic => copies.insert(session),
                source => sessions.insert((source, session)),
            };
        }
        let is_original = |session: &String| sessions.contains(&(SourceKind::ClaudeCode, session.clone()));
        Ok((sessions.len() + copies.iter().filter(|session| !is_original(session)).count()) as u64)
    }

    /// Calls `visit` for the events after `after`, in log order, until it returns false. An
    /// unreadable row comes without text, with the reason.
    pub fn scan(&mut self, after: u64, mut visit: impl FnMut(Event) -> bool) -> Result<(), StoreError> {
        let LogStore { conn, codec, episodes, .. } = self;
        walk(conn, &EVENTS, after, &mut |pos, row| {
            Ok(visit(match row {
                Some(row) => read_event(row, conn, episodes, codec)?,
                None => unreadable_event(pos, BAD_PAGE.to_owned(), None),
            }))
        })
    }

    /// The events of one episode with `from <= seq < to`, in order.
    pub fn events_of(&mut self, episode: EpisodeNum, from: u32, to: u32) -> Result<Vec<Event>, StoreError> {
        let sql =
            format!("SELECT {EVENT_COLUMNS} FROM events WHERE episode = ?1 AND seq >= ?2 AND seq < ?3 ORDER BY seq");
        match self.select(&sql, params![episode.0, from, to]) {
            Err(StoreError::Damaged(_)) => self.events_without_index(episode, |event| (from..to).contains(&event.seq)),
            found => found,
        }
    }

    /// The events of one episode with this kind and a time in this range, in order.
    pub fn events_between(
        &mut self,
        episode: EpisodeNum,
        kind: EventKind,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<Event>, StoreError> {
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM events
             WHERE episode = ?1 AND kind = ?2 AND time BETWEEN ?3 AND ?4 ORDER BY seq"
        );
        match self.select(&sql, params![episode.0, kind.number(), from.0, to.0]) {
            Err(StoreError::Damaged(_)) => self.events_without_index(episode, |event| {
                event.kind == kind && event.time.is_some_and(|time| (from..=to).contains(&time))
            }),
            found => found,
        }
    }

    fn select(&mut self, sql: &str, params: &[&dyn rusqlite::ToSql]) -> Result<Vec<Event>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut events = Vec::new();
        while let Some(row) = rows.next()? {
            events.push(read_event(row, &self.conn, &mut self.episodes, &mut self.codec)?);
        }
        Ok(events)
    }

    /// The same without the index, row by row, because the index or a page is damaged.
    fn events_without_index(
        &mut self,
        episode: EpisodeNum,
        wanted: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Event>, StoreError> {
        let Some(episode) = self.episode(episode)?.map(|episode| episode.id()) else { return Ok(Vec::new()) };
        let mut events = Vec::new();
        self.scan(0, |event| {
            if event.episode == episode && wanted(&event) {
                events.push(event);
            }
            true
        })?;
        Ok(events)
    }

    /// The time of the event at a position of an episode.
    pub fn time_of(&self, episode: EpisodeNum, seq: u32) -> Result<Option<Timestamp>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT time FROM events WHERE episode = ?1 AND seq = ?2")?;
        let time: Option<Option<i64>> = statement.query_row(params![episode.0, seq], |row| row.get(0)).optional()?;
        Ok(time.flatten().map(Timestamp))
    }

    /// The position of an episode's last event in the episode.
    pub fn last_seq(&self, episode: EpisodeNum) -> Result<Option<u32>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT max(seq) FROM events WHERE episode = ?1")?;
        Ok(statement.query_row([episode.0], |row| row.get(0))?)
    }

    /// The position of an episode's last event in the log.
    pub fn last_pos(&self, episode: EpisodeNum) -> Result<Option<u64>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT pos FROM events WHERE episode = ?1 ORDER BY seq DESC LIMIT 1")?;
        Ok(statement.query_row([episode.0], |row| row.get(0)).optional()?)
    }

    pub fn event(&mut self, id: EventId) -> Result<Option<Event>, StoreError> {
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE id = ?1");
        match self.select(&sql, params![id.as_bytes()]) {
            Err(StoreError::Damaged(_)) => {
                let mut found = None;
                self.scan(0, |event| {
                    let is_it = event.id == id;
                    found = is_it.then_some(event);
                    !is_it
                })?;
                Ok(found)
            }
            found => Ok(found?.pop()),
        }
    }

    /// Ids that start with these hexadecimal digits; at most `limit`.
    pub fn event_ids_with_prefix(&self, hex: &str, limit: usize) -> Result<Vec<EventId>, StoreError> {
        let Some((low, high)) = Digest::range_of_prefix(hex) else { return Ok(Vec::new()) };
        let mut statement = self.conn.prepare_cached("SELECT id FROM events WHERE id BETWEEN ?1 AND ?2 LIMIT ?3")?;
        let ids = statement.query_map(params![low.0, high.0, limit as i64], |row| row.get::<_, Vec<u8>>(0))?;
        let mut found = Vec::new();
        for id in ids {
            found.extend(EventId::from_slice(&id?));
        }
        Ok(found)
    }

    /// All rows as stored, for verification and export.
    pub fn scan_rows(
        &mut self,
        mut visit: impl FnMut(Result<EventRow, UnreadableRow>) -> bool,
    ) -> Result<(), StoreError> {
        let LogStore { conn, codec, episodes, .. } = self;
        walk(conn, &EVENTS, 0, &mut |pos, row| {
            let Some(row) = row else {
                let reason = BAD_PAGE.to_owned();
                return Ok(visit(Err(UnreadableRow { pos, id: None, episode: None, reason })));
            };
            Ok(visit(match read_row(row, conn, episodes, codec) {
                Ok(stored) => Ok(stored),
                Err(error) => {
                    let num = row.get(2).map_err(StoreError::from);
                    let episode = num.and_then(|num| episode_id(num, conn, episodes)).ok().map(|(id, _)| id);
                    Err(UnreadableRow { pos, id: id_column(row, 1).ok(), episode, reason: reason_of(error)? })
                }
            }))
        })
    }

    /// The rows whose content cannot be used, in log order. Reads every payload.
    pub fn unreadable(&mut self) -> Result<Vec<UnreadableRow>, StoreError> {
        let mut found = Vec::new();
        self.scan_rows(|row| {
            found.extend(match row {
                Ok(row) => row.payload.err().map(|reason| UnreadableRow {
                    pos: row.pos,
                    id: Some(row.encoded.id),
                    episode: Some(row.episode),
                    reason,
                }),
                Err(lost) => Some(lost),
            });
            true
        })?;
        Ok(found)
    }

    /// The position of the newest row, even if its page is damaged.
    pub fn last_position(&self) -> Result<u64, StoreError> {
        Ok(last_key(&self.conn, &EVENTS)?.unwrap_or(0))
    }

    /// The first fault that SQLite's integrity check reports, if any.
    pub fn integrity(&self) -> Result<Option<String>, StoreError> {
        sqlite::integrity(&self.conn)
    }

    /// All readable episodes, with their current projects.
    pub fn episodes(&self) -> Result<Vec<(EpisodeNum, Episode)>, StoreError> {
        self.in_projects(self.stored_episodes()?)
    }

    /// All readable episodes, with their stored projects.
    pub fn stored_episodes(&self) -> Result<Vec<(EpisodeNum, Episode)>, StoreError> {
        let mut found = Vec::new();
        walk(&self.conn, &EPISODES, 0, &mut |num, row| {
            match row.map(|row| read_episode(row, 0).map_err(StoreError::from)) {
                Some(Ok(episode)) => found.push((EpisodeNum(num as i64), episode)),
                Some(Err(error)) => drop(reason_of(error)?),
                None => {}
            }
            Ok(true)
        })?;
        Ok(found)
    }

    pub fn episode(&self, num: EpisodeNum) -> Result<Option<Episode>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT source, session, agent, project FROM episodes WHERE num = ?1")?;
        let stored = statement.query_row([num.0], |row| read_episode(row, 0)).optional()?;
        stored.map(|episode| self.in_project(episode)).transpose()
    }

    /// All runs of one session: the main agent's and its sub-agents'.
    pub fn episodes_of_session(
        &self,
        source: SourceKind,
        session: &str,
    ) -> Result<Vec<(EpisodeNum, Episode)>, StoreError> {
        match self.select_episodes_of(source, session) {
            Err(StoreError::Damaged(_)) => {
                let mut all = self.episodes()?;
                all.retain(|(_, episode)| episode.key.source == source && episode.key.session == session);
                Ok(all)
            }
            found => found,
        }
    }

    fn select_episodes_of(&self, source: SourceKind, session: &str) -> Result<Vec<(EpisodeNum, Episode)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT num, source, session, agent, project FROM episodes WHERE session = ?1 AND source = ?2 ORDER BY num",
        )?;
        let rows = statement
            .query_map([session, source.name()], |row| Ok((EpisodeNum(row.get(0)?), read_episode(row, 1)?)))?;
        self.in_projects(rows.collect::<Result<_, _>>()?)
    }

    pub fn episode_num(&self, id: EpisodeId) -> Result<Option<EpisodeNum>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT num FROM episodes WHERE id = ?1")?;
        let found = statement.query_row([id.as_bytes()], |row| row.get(0).map(EpisodeNum)).optional();
        match found.map_err(StoreError::from) {
            Err(StoreError::Damaged(_)) => {
                Ok(self.stored_episodes()?.into_iter().find(|(_, episode)| episode.id() == id).map(|(num, _)| num))
            }
            found => found,
        }
    }

    pub fn artifact(&mut self, id: ArtifactId) -> Result<Option<Artifact>, StoreError> {
        let row = self
            .conn
            .query_row("SELECT path, payload FROM artifacts WHERE id = ?1", [id.as_bytes()], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, Option<Vec<u8>>>(1)?))
            })
            .optional()?;
        Ok(row.map(|(path, packed)| self.read_artifact(id, path, packed)))
    }

    pub fn artifacts(&mut self) -> Result<Vec<Artifact>, StoreError> {
        let mut rows = Vec::new();
        walk(&self.conn, &ARTIFACTS, 0, &mut |_, row| {
            let columns = |row: &Row<'_>| {
                let id = id_column(row, 0).map(|id: EventId| ArtifactId(id.0))?;
                Ok((id, row.get::<_, String>(1)?, row.get::<_, Option<Vec<u8>>>(2)?))
            };
            rows.push(match row.map(|row| columns(row).map_err(|error: rusqlite::Error| StoreError::from(error))) {
                Some(Ok(columns)) => Ok(columns),
                Some(Err(error)) => Err(reason_of(error)?),
                None => Err(BAD_PAGE.to_owned()),
            });
            Ok(true)
        })?;
        Ok(rows
            .into_iter()
            .map(|row| match row {
                Ok((id, path, packed)) => self.read_artifact(id, path, packed),
                Err(reason) => Artifact {
                    id: ArtifactId(Digest([0; 16])),
                    path: String::new(),
                    text: None,
                    unreadable: Some(reason),
                },
            })
            .collect())
    }

    fn read_artifact(&mut self, id: ArtifactId, path: String, packed: Option<Vec<u8>>) -> Artifact {
        let read = |packed: Vec<u8>| -> Result<String, String> {
            let bytes = self.codec.unpack(&packed).map_err(|error| error.to_string())?;
            let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
            match digest_of("artifact", &[path.as_bytes(), text.as_bytes()]) == id.0 {
                true => Ok(text),
                false => Err("it does not match its id".to_owned()),
            }
        };
        let (text, unreadable) = match packed.map(read) {
            None => (None, None),
            Some(Ok(text)) => (Some(text), None),
            Some(Err(reason)) => (None, Some(reason)),
        };
        Artifact { id, path, text, unreadable }
    }

    pub fn pack(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.codec.pack(bytes)
    }

    pub fn cursors(&self) -> Result<Vec<Cursor>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT path, format, size, mtime_ns, offset, line, prefix_check, state FROM cursors ORDER BY path",
        )?;
        readable(statement.query_map([], read_cursor)?)
    }

    /// The cursor of one file.
    pub fn cursor(&self, path: &str) -> Result<Option<Cursor>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT path, format, size, mtime_ns, offset, line, prefix_check, state FROM cursors WHERE path = ?1",
        )?;
        Ok(statement.query_row([path], read_cursor).optional()?)
    }

    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT path, line, skipped, reason FROM problems ORDER BY path, line, reason")?;
        let rows = statement.query_map([], |row| {
            let kind = if row.get(2)? { ProblemKind::Skipped } else { ProblemKind::Repaired };
            Ok(Problem { file: row.get(0)?, line: row.get(1)?, kind, reason: row.get(3)? })
        })?;
        readable(rows)
    }

    /// Without kinds that this version does not know.
    pub fn count_by_kind(&self) -> Result<Vec<(EventKind, u64)>, StoreError> {
        let mut statement = self.conn.prepare("SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, u8>(0).ok(), row.get(1)?)))?;
        let mut counts = Vec::new();
        for row in rows {
            match row.map_err(StoreError::from) {
                Ok((number, count)) => counts.extend(number.and_then(EventKind::from_number).map(|kind| (kind, count))),
                Err(StoreError::Damaged(_)) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(counts)
    }

    /// Do the bytes of an unreadable payload contain these words? They are in lower case.
    pub fn says(&mut self, pos: u64, needle: &str) -> Result<bool, StoreError> {
        let sql = "SELECT payload FROM events WHERE pos = ?1";
        let bytes = self.conn.query_row(sql, [pos], |row| Ok(row.get_ref(0)?.as_bytes().ok().map(<[u8]>::to_vec)));
        match bytes.optional().map_err(StoreError::from) {
            Ok(bytes) => Ok(bytes.flatten().is_some_and(|bytes| is_said_in(&salvage(&bytes), needle))),
            Err(StoreError::Damaged(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Blanks the payloads that a forget names. May be repeated.
    pub fn blank(&mut self, marker: &UnfinishedForget) -> Result<(), StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON")?;
        let again: Vec<Cursor> = self.cursors()?.into_iter().filter(|row| marker.reads_again(&row.path)).collect();
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let sql = "UPDATE events SET payload = NULL WHERE pos = ?1 AND id = ?2 AND payload IS NOT NULL";
            let mut event = tx.prepare(sql)?;
            for (pos, id) in marker.rows() {
                event.execute(params![pos, id.as_bytes()])?;
            }
            let mut artifact = tx.prepare("UPDATE artifacts SET path = '', payload = NULL WHERE id = ?1")?;
            for id in marker.files() {
                artifact.execute([id.as_bytes()])?;
            }
            for cursor in again {
                tx.execute("DELETE FROM cursors WHERE path = ?1", [cursor.path])?;
            }
        }
        Ok(tx.commit()?)
    }

    /// Removes blanked text from the unused pages of the file and from the write-ahead log.
    pub fn scrub(&mut self) -> Result<Scrubbed, StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON")?;
        self.checkpoint_wal_or_fail()?;
        let scrubbed = match self.conn.execute_batch("VACUUM").map_err(StoreError::from) {
            Err(StoreError::Damaged(_)) => Scrubbed::Partly,
            done => done.map(|()| Scrubbed::Whole)?,
        };
        self.checkpoint_wal_or_fail()?;
        Ok(scrubbed)
    }

    /// Moves the write-ahead log into the file, unless another process uses it.
    pub fn checkpoint_wal(&self) -> Result<(), StoreError> {
        sqlite::checkpoint_wal(&self.conn).map(drop)
    }

    /// The same if the write-ahead log is longer than `bytes`.
    pub fn checkpoint_wal_if_over(&self, bytes: u64) {
        sqlite::checkpoint_wal_if_over(&self.conn, bytes);
    }

    /// Moves the write-ahead log into the file. Fails while another process reads.
    pub fn checkpoint_wal_or_fail(&self) -> Result<(), StoreError> {
        sqlite::checkpoint_wal_or_fail(&self.conn)
    }
}

/// Bookkeeping rows up to the first damaged page: the record does not depend on the rest.
fn readable<T>(rows: impl Iterator<Item = rusqlite::Result<T>>) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    for row in rows {
        match row.map_err(StoreError::from) {
            Ok(row) => found.push(row),
            Err(StoreError::Damaged(_)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn head_of(conn: &Connection) -> Result<Head, StoreError> {
    let head = conn
        .prepare_cached("SELECT pos, chain FROM events WHERE pos > 0 ORDER BY pos DESC LIMIT 1")?
        .query_row([], |row| Ok(Head { pos: row.get(0)?, chain: array_column(row, 1)? }))
        .optional()?;
    Ok(head.unwrap_or(Head::EMPTY))
}

fn read_episode(row: &Row<'_>, first: usize) -> rusqlite::Result<Episode> {
    let source: String = row.get(first)?;
    let project: EventId = id_column(row, first + 3)?;
    Ok(Episode {
        key: EpisodeKey {
            source: SourceKind::parse(&source).unwrap_or(SourceKind::Transcript),
            session: row.get(first + 1)?,
            agent: row.get(first + 2)?,
        },
        project: ProjectId(project.0),
    })
}

fn read_cursor(row: &Row<'_>) -> rusqlite::Result<Cursor> {
    Ok(Cursor {
        path: row.get(0)?,
        format: row.get(1)?,
        size: row.get(2)?,
        mtime_ns: row.get(3)?,
        offset: row.get(4)?,
        line: row.get(5)?,
        check: id_column(row, 6).map(|id: EventId| id.0)?,
        state: row.get(7)?,
    })
}
