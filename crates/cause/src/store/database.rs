//! The rows from which an update continues.

use std::path::{Path, PathBuf};

use backstory_code::ParsedFile;
use backstory_files as files;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;

use super::CodeStoreError;
use super::walk::Listed;
use crate::digest::FileDigest;
use crate::past::{CommitDigest, CommitId};

/// Raise it on every change to parsing, digests or the tables: everything is then read again.
const VERSION: i64 = 6;
const COMPRESSION: i32 = 1;

/// The key under which the last listing of the tree is stored.
pub const LISTING: &str = "listing";

/// Identifies a file's version: a hash of its path and its bytes.
pub type ContentKey = [u8; 16];

/// A file as last read.
pub struct KnownFile {
    pub listed: Listed,
    pub key: ContentKey,
}

pub struct Database {
    connection: Connection,
    path: PathBuf,
}

const EMPTY: &str = "
    drop table if exists files; drop table if exists contents;
    drop table if exists commits; drop table if exists facts;
";
const SCHEMA: &str = "
    create table if not exists files (path text primary key, size integer, changed integer, key blob) without rowid;
    create table if not exists contents (key blob primary key, data blob);
    create table if not exists commits (id blob primary key, data blob);
    create table if not exists facts (name text primary key, value blob) without rowid;
";

impl Database {
    pub fn open(path: &Path) -> Result<Self, CodeStoreError> {
        match Self::try_open(path) {
            // Nothing here is the only copy: an unreadable database is recreated.
            Err(CodeStoreError::Database { source, .. }) if is_damage(&source) => {
                for end in ["", "-wal", "-shm"] {
                    let _ = std::fs::remove_file(format!("{}{end}", path.display()));
                }
                Self::try_open(path)
            }
            other => other,
        }
    }

    fn try_open(path: &Path) -> Result<Self, CodeStoreError> {
        let failed = |source| CodeStoreError::Database { path: path.to_owned(), source };
        // SQLite gives its side files the permissions of the database.
        let made = files::for_writing().open(path).map(drop);
        made.map_err(|source| CodeStoreError::Io { path: path.to_owned(), source })?;
        let connection = Connection::open(path).map_err(failed)?;
        let prepare = || {
            connection.busy_timeout(std::time::Duration::from_secs(60))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "normal")?;
            let version = || connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
            if version()? == VERSION {
                return Ok(());
            }
            // Another process may be creating the tables now; the second one finds them complete.
            let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)?;
            if version()? != VERSION {
                transaction.execute_batch(EMPTY)?;
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            transaction.commit()
        };
        prepare().map_err(failed)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    pub fn fact(&self, name: &str) -> Result<Option<Vec<u8>>, CodeStoreError> {
        let value = self.connection.query_row("select value from facts where name = ?", [name], |row| row.get(0));
        self.with_path(value.optional())
    }

    pub fn set_fact(&self, name: &str, value: &[u8]) -> Result<(), CodeStoreError> {
        let done = self.connection.execute("insert or replace into facts values (?, ?)", params![name, value]);
        self.with_path(done).map(drop)
    }

    pub fn files(&self) -> Result<FxHashMap<String, KnownFile>, CodeStoreError> {
        let read = || {
            let mut rows = self.connection.prepare("select path, size, changed, key from files")?;
            let known = rows.query_map([], |row| {
                let path: String = row.get(0)?;
                let listed = Listed { path: path.clone(), size: row.get(1)?, changed: row.get(2)? };
                Ok((path, KnownFile { listed, key: row.get(3)? }))
            })?;
            known.collect()
        };
        self.with_path(read())
    }

    /// Writes all rows of one update in one transaction.
    pub fn write(&mut self, write: impl FnOnce(&Writer<'_>) -> rusqlite::Result<()>) -> Result<(), CodeStoreError> {
        let path = self.path.clone();
        let run = || {
            let transaction = self.connection.transaction()?;
            write(&Writer { connection: &transaction })?;
            transaction.commit()
        };
        run().map_err(|source| CodeStoreError::Database { path, source })
    }

    /// All files of the tree, in the order of their paths. One that cannot be unpacked is left out and forgotten, so
    /// that the next update reads it again.
    pub fn contents(&mut self) -> Result<Vec<(ParsedFile, FileDigest)>, CodeStoreError> {
        let read = || -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
            let mut rows = self.connection.prepare(
                "select files.path, contents.data from files left join contents on contents.key = files.key order by files.path",
            )?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get::<_, Option<Vec<u8>>>(1)?.unwrap_or_default())))?
                .collect()
        };
        let packed = self.with_path(read())?;
        let contents = in_parallel(&packed, |(_, data)| unpack(data));
        if contents.len() < packed.len() {
            let damaged = packed.iter().filter(|(_, data)| unpack(data).is_none());
            self.write(|rows| {
                // So that the next update does not treat the tree as unchanged.
                rows.fact(LISTING, &[])?;
                damaged.map(|(path, _)| path).try_for_each(|path| rows.remove_file(path))
            })?;
        }
        Ok(contents)
    }

    pub fn commit_ids(&self) -> Result<rustc_hash::FxHashSet<CommitId>, CodeStoreError> {
        let read = || {
            let mut rows = self.connection.prepare("select id from commits")?;
            rows.query_map([], |row| row.get(0))?.collect()
        };
        self.with_path(read())
    }

    pub fn commits(&self) -> Result<Vec<CommitDigest>, CodeStoreError> {
        let read = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let mut rows = self.connection.prepare("select data from commits")?;
            rows.query_map([], |row| row.get(0))?.collect()
        };
        let packed = self.with_path(read())?;
        Ok(packed.iter().filter_map(|data| postcard::from_bytes(data).ok()).collect())
    }

    fn with_path<T>(&self, result: rusqlite::Result<T>) -> Result<T, CodeStoreError> {
        result.map_err(|source| CodeStoreError::Database { path: self.path.clone(), source })
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Writes rows within a transaction.
pub struct Writer<'a> {
    connection: &'a Connection,
}

impl Writer<'_> {
    pub fn fact(&self, name: &str, value: &[u8]) -> rusqlite::Result<()> {
        self.connection.execute("insert or replace into facts values (?, ?)", params![name, value]).map(drop)
    }

    pub fn file(&self, listed: &Listed, key: &ContentKey) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("insert or replace into files values (?, ?, ?, ?)")?;
        insert.execute(params![listed.path, listed.size, listed.changed, key]).map(drop)
    }

    pub fn content(&self, key: &ContentKey, data: &[u8]) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("insert or replace into contents values (?, ?)")?;
        insert.execute(params![key, data]).map(drop)
    }

    pub fn remove_file(&self, path: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached("delete from files where path = ?")?.execute([path]).map(drop)
    }

    /// Removes versions that no file has any more.
    pub fn remove_unused(&self) -> rusqlite::Result<()> {
        self.connection.execute("delete from contents where key not in (select key from files)", []).map(drop)
    }

    pub fn commit(&self, commit: &CommitDigest) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("insert or replace into commits values (?, ?)")?;
        let data = postcard::to_stdvec(commit).unwrap_or_default();
        insert.execute(params![commit.id, data]).map(drop)
    }
}

pub fn pack(parsed: &ParsedFile, digest: &FileDigest) -> Vec<u8> {
    let bytes = postcard::to_stdvec(&(parsed, digest)).unwrap_or_default();
    zstd::bulk::compress(&bytes, COMPRESSION).unwrap_or_default()
}

fn unpack(data: &[u8]) -> Option<(ParsedFile, FileDigest)> {
    let bytes = zstd::decode_all(data).ok()?;
    postcard::from_bytes(&bytes).ok()
}

/// The result of `work` for each item, in order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let parts = items.chunks(items.len().div_ceil(threads).max(1));
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().filter_map(work).collect::<Vec<R>>())).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    })
}
