//! What is in a database of Causantic, another memory for agents? It is read, never written.
//!
//! Its folder must not change. A database without a write-ahead log is opened as immutable,
//! which creates no file. The last writes may still be in a write-ahead log, which only SQLite
//! can apply; then a copy is opened.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use super::lock::DeriveLock;
use super::sqlite::{BESIDE, beside, files_beside, is_wal_empty, open_immutable};
use backstory_files as files;

/// A chunk is a few thousand tokens, so longer texts are not chunks.
const LONGEST_TEXT: u64 = 64 << 20;
const COPY_TRIES: usize = 3;
/// Columns that every version has.
const NEEDED: [&str; 3] = ["id", "session_id", "content"];

#[derive(Debug, thiserror::Error)]
pub enum CausanticError {
    #[error("a database of another program")]
    OtherProgram,
    #[error("it is being written to just now; try again later")]
    Changing,
    #[error("what was written last lies in a file beside it; close the program that uses it and try again")]
    NoPlaceForCopy,
    #[error("cannot be copied: {0}")]
    Copy(io::Error),
    #[error("cannot be read: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("cannot be read: {0}")]
    Store(#[from] super::StoreError),
}

/// One chunk as Causantic keeps it. Absent columns are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CausanticChunk {
    pub id: String,
    pub session: String,
    pub slug: String,
    pub path: String,
    /// A JSON list of the numbers of its turns.
    pub turns: String,
    pub started: String,
    pub ended: String,
    pub content: String,
    pub agent: String,
    pub team: String,
}

/// A chunk's identity, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CausanticKey {
    pub row: i64,
    pub id: String,
    pub session: String,
    pub started: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CausanticEdge {
    pub source: String,
    pub target: String,
    pub kind: String,
}

pub struct CausanticDb {
    conn: Connection,
    columns: HashSet<String>,
    /// Declared last, so that the file is closed before it goes.
    _copy: Option<Copied>,
}

impl CausanticDb {
    /// `scratch`: the folder for a copy while this is open.
    pub fn open(path: &Path, scratch: Option<&Path>) -> Result<Self, CausanticError> {
        let (conn, copy) = if is_wal_empty(path) {
            (open_immutable(path)?, None)
        } else {
            let copy = Copied::make(path, scratch.ok_or(CausanticError::NoPlaceForCopy)?)?;
            (Connection::open_with_flags(copy.database(), OpenFlags::SQLITE_OPEN_READ_WRITE)?, Some(copy))
        };
        // The file is foreign: nothing in its schema may run.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        let columns = columns(&conn, "chunks")?;
        if NEEDED.iter().any(|needed| !columns.contains(*needed)) {
            return Err(CausanticError::OtherProgram);
        }
        Ok(CausanticDb { conn, columns, _copy: copy })
    }

    /// The number of its newest migration.
    pub fn version(&self) -> Option<i64> {
        self.conn.query_row("SELECT max(version) FROM schema_version", [], |row| row.get(0)).ok().flatten()
    }

    /// All chunks in the order they were written, and the error that prevented reading some.
    /// Rows around a damaged page are read from both sides.
    pub fn keys(&self) -> (Vec<CausanticKey>, Option<rusqlite::Error>) {
        let (mut keys, error) = self.scan("ASC");
        if error.is_some() {
            let last = keys.last().map_or(i64::MIN, |key| key.row);
            let (mut behind, _) = self.scan("DESC");
            behind.retain(|key| key.row > last);
            behind.reverse();
            keys.extend(behind);
        }
        (keys, error)
    }

    fn scan(&self, order: &str) -> (Vec<CausanticKey>, Option<rusqlite::Error>) {
        let mut keys = Vec::new();
        let sql =
            format!("SELECT rowid, id, session_id, {} FROM chunks ORDER BY rowid {order}", self.column("start_time"));
        let mut scan = || -> rusqlite::Result<()> {
            let mut statement = self.conn.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (id, session, started) = (text(row, 1)?, text(row, 2)?, text(row, 3)?);
                keys.push(CausanticKey { row: row.get(0)?, id, session, started });
            }
            Ok(())
        };
        let error = scan().err();
        (keys, error)
    }

    /// `None` if it has no text, or one too long for a chunk.
    pub fn chunk(&self, row: i64) -> Result<Option<CausanticChunk>, CausanticError> {
        let sql = format!(
            "SELECT id, session_id, CASE WHEN length(content) <= {LONGEST_TEXT} THEN content END, {}, {}, {}, {}, {}, {}, {}
             FROM chunks WHERE rowid = ?1",
            self.column("session_slug"),
            self.column("project_path"),
            self.column("turn_indices"),
            self.column("start_time"),
            self.column("end_time"),
            self.column("agent_id"),
            self.column("team_name"),
        );
        let read = |row: &Row<'_>| {
            Ok(CausanticChunk {
                id: text(row, 0)?,
                session: text(row, 1)?,
                content: text(row, 2)?,
                slug: text(row, 3)?,
                path: text(row, 4)?,
                turns: text(row, 5)?,
                started: text(row, 6)?,
                ended: text(row, 7)?,
                agent: text(row, 8)?,
                team: text(row, 9)?,
            })
        };
        let chunk = self.conn.prepare_cached(&sql)?.query_row([row], read).optional()?;
        Ok(chunk.filter(|chunk| !chunk.content.is_empty()))
    }

    /// Edges from an earlier chunk to a later one.
    pub fn edges(&self) -> Result<Vec<CausanticEdge>, CausanticError> {
        if !columns(&self.conn, "edges")?.contains("source_chunk_id") {
            return Ok(Vec::new());
        }
        let mut statement = self.conn.prepare(
            "SELECT source_chunk_id, target_chunk_id, reference_type FROM edges
             WHERE edge_type = 'forward' AND reference_type IN ('brief', 'within-chain') ORDER BY rowid",
        )?;
        let edge =
            |row: &Row<'_>| Ok(CausanticEdge { source: text(row, 0)?, target: text(row, 1)?, kind: text(row, 2)? });
        Ok(statement.query_map([], edge)?.collect::<Result<_, _>>()?)
    }

    fn column(&self, name: &'static str) -> &'static str {
        if self.columns.contains(name) { name } else { "NULL" }
    }
}

/// The columns of a table; none for a view of that name.
fn columns(conn: &Connection, table: &str) -> rusqlite::Result<HashSet<String>> {
    let is_table: bool =
        conn.query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1", [table], |row| {
            row.get(0)
        })?;
    if !is_table {
        return Ok(HashSet::new());
    }
    let mut statement = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

/// Any value as text: in SQLite, a value need not have its column's type.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    })
}

/// A copy of a database and the files beside it, in a folder that is removed on drop. There is one
/// at a time: the holder of the lock removes the remains of a crash.
struct Copied {
    folder: PathBuf,
    _lock: DeriveLock,
}

impl Copied {
    fn make(path: &Path, scratch: &Path) -> Result<Self, CausanticError> {
        let lock = DeriveLock::take(&scratch.join("import.lock"))?;
        let folder = scratch.join("import");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(CausanticError::Copy)?;
        }
        files::create_dir(&folder).map_err(CausanticError::Copy)?;
        let copy = Copied { folder, _lock: lock };
        for _ in 0..COPY_TRIES {
            let before = stamps(path);
            copy.fill(path).map_err(CausanticError::Copy)?;
            if stamps(path) == before {
                return Ok(copy);
            }
        }
        Err(CausanticError::Changing)
    }

    fn fill(&self, path: &Path) -> io::Result<()> {
        fs::copy(path, self.database())?;
        for suffix in BESIDE {
            let (from, to) = (beside(path, suffix), beside(&self.database(), suffix));
            match fs::copy(from, &to) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_file(to)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn database(&self) -> PathBuf {
        self.folder.join("memory.db")
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // The next copy removes it.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// Size and modification time of a database and of the files beside it.
fn stamps(path: &Path) -> Vec<Option<(u64, std::time::SystemTime)>> {
    let stamp = |path: PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    std::iter::once(path.to_owned()).chain(files_beside(path)).map(stamp).collect()
}
