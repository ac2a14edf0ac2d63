//! How is a row of the log read when the row, or its page, may be damaged?
//!
//! A row that cannot be read costs that row only. It is returned without text, with
//! the reason, so that folds skip it in the same way each time.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::model::{Digest, EpisodeId, Event, EventId, EventKind, Meta, ProjectId, Timestamp};

use super::log_store::EncodedEvent;
use super::payload::{Codec, Payload, decode_payload, payload_hash};
use super::sqlite::StoreError;

/// What [`read_event`] reads, in its order.
pub(super) const EVENT_COLUMNS: &str = "pos, id, episode, seq, kind, time, payload, hash, chain";

/// How many positions to try when the end of the table is unknown.
const MOST_TRIED: u64 = 10_000;

/// The fewest bytes that a row takes in the file, with its index entries.
const SMALLEST_ROW: u64 = 32;

pub(super) type Episodes = HashMap<i64, (EpisodeId, ProjectId)>;

/// A row as stored, for verification and export.
pub struct EventRow {
    pub episode: EpisodeId,
    pub project: ProjectId,
    pub seq: u32,
    pub encoded: EncodedEvent,
    pub pos: u64,
    pub chain: [u8; 32],
    pub forgotten: bool,
    /// The payload, or why it cannot be used.
    pub payload: Result<Option<Payload>, String>,
}

/// A row whose content cannot be used, with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableRow {
    pub pos: u64,
    pub id: Option<EventId>,
    pub episode: Option<EpisodeId>,
    pub reason: String,
}

/// A table that is read in the order of its integer key.
pub(super) struct KeyedTable {
    pub name: &'static str,
    pub key: &'static str,
    pub columns: &'static str,
    /// An index that also has every key.
    pub index: &'static str,
}

pub(super) const EVENTS: KeyedTable =
    KeyedTable { name: "events", key: "pos", columns: EVENT_COLUMNS, index: "events_by_episode" };

/// Visits a row; `None` if its page cannot be read.
type Each<'a> = &'a mut dyn FnMut(u64, Option<&Row<'_>>) -> Result<bool, StoreError>;

/// Calls `each` for the rows after `after` in order, until it returns false.
pub(super) fn walk(conn: &Connection, table: &KeyedTable, after: u64, each: Each<'_>) -> Result<(), StoreError> {
    let mut at = after;
    loop {
        match walk_pages(conn, table, &mut at, each) {
            Err(StoreError::Damaged(_)) => {}
            done => return done,
        }
        if !walk_singly(conn, table, &mut at, each)? {
            return Ok(());
        }
    }
}

/// One pass up to the first damaged page. A row with an impossible key is damaged and has no
/// content.
fn walk_pages(conn: &Connection, table: &KeyedTable, at: &mut u64, each: Each<'_>) -> Result<(), StoreError> {
    let KeyedTable { name, key, columns, .. } = table;
    let mut statement =
        conn.prepare_cached(&format!("SELECT {columns}, {key} FROM {name} WHERE {key} > ?1 ORDER BY {key}"))?;
    let key = statement.column_count() - 1;
    let most = most_rows(conn)?;
    let mut rows = statement.query([*at])?;
    while let Some(row) = rows.next()? {
        let found = key_column(row, key).filter(|found| *found <= at.saturating_add(most));
        // Damaged keys may be out of order; going back could loop for ever.
        *at = found.map_or(*at + 1, |found| found.max(*at));
        if !each(found.unwrap_or(*at), found.map(|_| row))? {
            return Ok(());
        }
    }
    Ok(())
}

/// None if it is negative: no row is written with such a key.
fn key_column(row: &Row<'_>, column: usize) -> Option<u64> {
    row.get::<_, i64>(column).ok().and_then(|key| u64::try_from(key).ok())
}

/// No table of this file can have more rows.
fn most_rows(conn: &Connection) -> Result<u64, StoreError> {
    let pragma = |name: &str| conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let bytes = pragma("page_count")?.saturating_mul(pragma("page_size")?);
    Ok(u64::try_from(bytes).unwrap_or(0) / SMALLEST_ROW)
}

/// Reads past a damaged page, key by key. Returns true at the first sound row: from there, the
/// rest can be read in one pass.
fn walk_singly(conn: &Connection, table: &KeyedTable, at: &mut u64, each: Each<'_>) -> Result<bool, StoreError> {
    let KeyedTable { name, key, columns, .. } = table;
    let mut statement = conn.prepare_cached(&format!("SELECT {columns}, {key} FROM {name} WHERE {key} = ?1"))?;
    let known = last_key(conn, table)?;
    for pos in *at + 1..=known.unwrap_or(*at + MOST_TRIED) {
        let mut rows = statement.query([pos])?;
        let (go_on, found) = match rows.next().map_err(StoreError::from) {
            Ok(Some(row)) => (each(pos, Some(row))?, true),
            Ok(None) => (true, false),
            Err(StoreError::Damaged(_)) if known.is_some() => (each(pos, None)?, false),
            Err(StoreError::Damaged(_)) => (true, false),
            Err(error) => return Err(error),
        };
        *at = pos;
        if !go_on || found {
            return Ok(go_on);
        }
    }
    Ok(false)
}

/// The key of the newest row, from the table or, where that is damaged, from its index.
/// Keys count up from 1, so one beyond the size of the file is damaged.
pub(super) fn last_key(conn: &Connection, table: &KeyedTable) -> Result<Option<u64>, StoreError> {
    let KeyedTable { name, key, index, .. } = table;
    let ways = [
        format!("SELECT {key} FROM {name} ORDER BY {key} DESC LIMIT 1"),
        format!("SELECT max(+{key}) FROM {name} INDEXED BY {index}"),
    ];
    let most = most_rows(conn)?;
    for sql in ways {
        let found = conn.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0)).optional();
        match found.map_err(StoreError::from).map(|found| u64::try_from(found.flatten().unwrap_or(0))) {
            Ok(Ok(found)) if found <= most => return Ok(Some(found)),
            Ok(_) | Err(StoreError::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// An event; without text if its row cannot be used.
pub(super) fn read_event(
    row: &Row<'_>,
    conn: &Connection,
    episodes: &mut Episodes,
    codec: &mut Codec,
) -> Result<Event, StoreError> {
    let stored = match read_row(row, conn, episodes, codec) {
        Ok(stored) => stored,
        Err(error) => {
            let mut event = unreadable_event(row.get(0)?, reason_of(error)?, Some(row));
            // Its place counts only if both the episode and the position are known.
            if row.get::<_, u32>(3).is_ok()
                && let Ok((episode, _)) = row.get(2).map_err(Into::into).and_then(|num| episode_id(num, conn, episodes))
            {
                event.episode = episode;
            }
            return Ok(event);
        }
    };
    let (payload, unreadable) = match stored.payload {
        Ok(payload) => (payload, None),
        Err(reason) => (None, Some(reason)),
    };
    let forgotten = payload.is_none();
    let Payload { meta, text } = payload.unwrap_or_else(|| Payload { meta: Meta::default(), text: String::new() });
    let EncodedEvent { id, kind, time, .. } = stored.encoded;
    let (pos, episode, seq) = (stored.pos, stored.episode, stored.seq);
    Ok(Event { pos, id, episode, seq, kind, time, text, meta, forgotten, unreadable })
}

/// A placeholder for an unreadable row. It belongs to no existing episode.
pub(super) fn unreadable_event(pos: u64, reason: String, row: Option<&Row<'_>>) -> Event {
    let id = row.and_then(|row| id_column(row, 1).ok()).unwrap_or(EventId(Digest([0; 16])));
    let time = row.and_then(|row| row.get::<_, Option<i64>>(5).ok().flatten()).map(Timestamp);
    Event {
        pos,
        id,
        episode: EpisodeId(Digest([0; 16])),
        seq: row.and_then(|row| row.get(3).ok()).unwrap_or(0),
        kind: EventKind::Note,
        time,
        text: String::new(),
        meta: Meta::default(),
        forgotten: true,
        unreadable: Some(reason),
    }
}

/// The reason given for a damaged page.
pub(super) const BAD_PAGE: &str = "its page of the file is damaged";

/// A row as stored. Fails if a column cannot be used.
pub(super) fn read_row(
    row: &Row<'_>,
    conn: &Connection,
    episodes: &mut Episodes,
    codec: &mut Codec,
) -> Result<EventRow, StoreError> {
    let (episode, project) = episode_id(row.get(2)?, conn, episodes)?;
    let hash = array_column(row, 7)?;
    let packed = row.get_ref(6)?.as_bytes_or_null().map_err(|error| StoreError::Payload(error.to_string()))?;
    let payload = packed.map(|packed| read_payload(packed, &hash, codec)).transpose();
    let encoded = EncodedEvent {
        id: id_column(row, 1)?,
        kind: kind_column(row, 4)?,
        time: row.get::<_, Option<i64>>(5)?.map(Timestamp),
        packed: None,
        hash,
    };
    Ok(EventRow {
        pos: row.get(0)?,
        episode,
        project,
        seq: row.get(3)?,
        encoded,
        chain: array_column(row, 8)?,
        forgotten: packed.is_none(),
        payload,
    })
}

fn read_payload(packed: &[u8], hash: &[u8; 32], codec: &mut Codec) -> Result<Payload, String> {
    let unreadable = |error: StoreError| format!("its payload cannot be read: {error}");
    let bytes = codec.unpack(packed).map_err(unreadable)?;
    if payload_hash(&bytes) != *hash {
        return Err("its payload does not match its hash".to_owned());
    }
    decode_payload(bytes).map_err(unreadable)
}

/// Why a row cannot be used. Errors that do not concern the row are returned.
pub(super) fn reason_of(error: StoreError) -> Result<String, StoreError> {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    match error {
        StoreError::Payload(reason) => Ok(reason),
        StoreError::Damaged(_) => Ok(BAD_PAGE.to_owned()),
        StoreError::Sqlite(IntegralValueOutOfRange(4, kind)) => {
            Ok(format!("its kind {kind} is not known: a newer version of Backstory wrote it, or it is damaged"))
        }
        StoreError::Sqlite(
            error
            @ (FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)),
        ) => Ok(format!("it cannot be read: {error}")),
        error => Err(error),
    }
}

/// Looks up and caches one episode: there may be thousands, and few are needed. An episode is
/// written with its first event and never changes.
pub(super) fn episode_id(
    num: i64,
    conn: &Connection,
    episodes: &mut Episodes,
) -> Result<(EpisodeId, ProjectId), StoreError> {
    if let Some(known) = episodes.get(&num) {
        return Ok(*known);
    }
    let mut statement = conn.prepare_cached("SELECT id, project FROM episodes WHERE num = ?1")?;
    let ids = statement.query_row([num], |row| Ok((id_column(row, 0)?, id_column(row, 1)?))).optional()?;
    let (id, project) = ids.ok_or_else(|| StoreError::Payload(format!("its episode {num} is missing")))?;
    let known = (EpisodeId(id.0), ProjectId(project.0));
    episodes.insert(num, known);
    Ok(known)
}

pub(super) fn id_column(row: &Row<'_>, column: usize) -> rusqlite::Result<EventId> {
    Ok(EventId(Digest(array_column(row, column)?)))
}

pub(super) fn array_column<const N: usize>(row: &Row<'_>, column: usize) -> rusqlite::Result<[u8; N]> {
    row.get(column)
}

pub(super) fn kind_column(row: &Row<'_>, column: usize) -> rusqlite::Result<EventKind> {
    let number: i64 = row.get(column)?;
    let kind = u8::try_from(number).ok().and_then(EventKind::from_number);
    kind.ok_or(rusqlite::Error::IntegralValueOutOfRange(column, number))
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::fs;
    use std::path::Path;

    use super::*;

    const THINGS: KeyedTable = KeyedTable { name: "things", key: "at", columns: "text", index: "things_by_size" };

    /// Beyond every row of the file.
    const FAR: i64 = 1 << 62;

    /// Rows from 1 to 40, and the last one far away.
    fn table(file: &Path) -> Result<(), Box<dyn Error>> {
        let conn = Connection::open(file)?;
        conn.execute_batch(
            "CREATE TABLE things (at INTEGER PRIMARY KEY, size INTEGER, text TEXT);
             CREATE INDEX things_by_size ON things (size);",
        )?;
        let text = |name: &str| format!("{name} {}", "words ".repeat(80));
        for at in 1..=40 {
            conn.execute("INSERT INTO things VALUES (?1, 1, ?2)", rusqlite::params![at, text("a row")])?;
        }
        conn.execute("INSERT INTO things VALUES (?1, 1, ?2)", rusqlite::params![FAR, text("the last row")])?;
        Ok(())
    }

    /// The keys that a walk finds, each with whether its row can be read.
    fn walked(file: &Path) -> Result<Vec<(u64, bool)>, Box<dyn Error>> {
        let conn = Connection::open(file)?;
        let mut seen = Vec::new();
        walk(&conn, &THINGS, 0, &mut |at, row| {
            seen.push((at, row.is_some()));
            Ok(true)
        })?;
        Ok(seen)
    }

    fn position(bytes: &[u8], needle: &[u8]) -> Result<usize, Box<dyn Error>> {
        Ok(bytes.windows(needle.len()).position(|window| window == needle).ok_or("not found")?)
    }

    #[test]
    fn a_key_that_no_row_has_costs_its_row() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("things.sqlite");
        table(&file)?;
        let expected: Vec<(u64, bool)> = (1..=41).map(|at| (at, at <= 40)).collect();
        assert_eq!(walked(&file)?, expected, "too far");

        // The same key as it is in the file, then with its sign flipped.
        let key = [0xa0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00];
        let mut bytes = fs::read(&file)?;
        let at = position(&bytes, &key)?;
        bytes[at] = 0xe0;
        fs::write(&file, bytes)?;
        assert_eq!(walked(&file)?, expected, "negative");
        Ok(())
    }

    #[test]
    fn a_walk_past_a_damaged_page_ends() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("things.sqlite");
        table(&file)?;
        let mut bytes = fs::read(&file)?;
        let page = position(&bytes, b"the last row")? / 4096 * 4096;
        bytes[page..page + 4096].fill(0xa5);
        fs::write(&file, bytes)?;
        let seen = walked(&file)?;
        assert!(seen.len() >= 30, "{seen:?}");
        assert!(seen.iter().zip(1..).all(|(row, at)| *row == (at, true)), "{seen:?}");
        Ok(())
    }
}
