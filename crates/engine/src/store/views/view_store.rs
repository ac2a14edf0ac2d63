//! How is the file of the views opened, checkpointed and checked?

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::super::index::IndexFiles;
use super::super::lock::ReadLock;
use super::super::page_sums::{self, PageSums};
use super::super::payload::Codec;
use super::super::sqlite::{self, Schema, StoreError};
use super::index;
use super::reader::ViewReader;
use super::snapshot::Snapshot;
use super::writer::ViewTx;

const SCHEMA: Schema = Schema {
    application_id: 0x6273_7677, // "bsvw"
    version: 17,
    sql: include_str!("schema.sql"),
};

/// A longer write-ahead log is checkpointed before the next transaction.
const WAL_LIMIT_BEFORE_WRITE: u64 = 16 << 20;

pub struct ViewStore {
    pub(super) conn: Connection,
    codec: RefCell<Codec>,
    pub(super) files: IndexFiles,
    /// Protects the index files; files in memory need none.
    lock: Option<PathBuf>,
    /// None for a database in memory.
    sums: Option<PageSums>,
}

impl ViewStore {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, sqlite::LOCK_TIMEOUT)
    }

    /// Waits at most `timeout` for a lock, now and later.
    pub fn open_within(path: &Path, timeout: Duration) -> Result<Self, StoreError> {
        let files = IndexFiles::in_folder(path.with_file_name("index"));
        let lock = Some(path.with_file_name("index.lock"));
        if !path.exists() {
            // Left over from a database that was removed.
            let sums = page_sums::path_of(path);
            page_sums::remove(&sums).map_err(|source| StoreError::Io { file: sums, source })?;
        }
        let conn = sqlite::open(path, &SCHEMA, timeout)?;
        if !sqlite::is_read_only(&conn) {
            conn.execute_batch("PRAGMA wal_autocheckpoint = 0")?;
        }
        let sums = Some(PageSums::of(path));
        Ok(ViewStore { conn, codec: RefCell::new(Codec::new()?), files, lock, sums })
    }

    pub fn open_in_memory() -> Result<Self, StoreError> {
        let files = IndexFiles::in_memory();
        let conn = sqlite::open_in_memory(&SCHEMA)?;
        Ok(ViewStore { conn, codec: RefCell::new(Codec::new()?), files, lock: None, sums: None })
    }

    /// Does the file forbid writing?
    pub fn is_read_only(&self) -> bool {
        sqlite::is_read_only(&self.conn)
    }

    /// Only under the derive lock.
    pub fn begin(&mut self) -> Result<ViewTx<'_>, StoreError> {
        self.checkpoint_wal_if_over(WAL_LIMIT_BEFORE_WRITE);
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(ViewTx { tx, codec: &self.codec, files: &self.files })
    }

    /// All reads through the snapshot see the same state and find its index files: no file
    /// is removed until it is dropped.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let lock = self.lock.as_deref().map(ReadLock::take).transpose()?;
        let tx = self.conn.unchecked_transaction()?;
        Ok(Snapshot::new(tx, &self.codec, &self.files, lock))
    }

    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.conn, codec: &self.codec, files: &self.files }
    }

    /// The first fault that SQLite's integrity check reports, if any.
    pub fn integrity(&self) -> Result<Option<String>, StoreError> {
        sqlite::integrity(&self.conn)
    }

    /// Removes deleted text from every page of the file.
    pub fn scrub(&self) -> Result<(), StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON; VACUUM;")?;
        self.checkpoint_wal_or_fail()
    }

    /// Pages of the file whose checksums do not match.
    pub fn damaged_pages(&self) -> Result<Vec<u32>, StoreError> {
        self.with_sums(PageSums::damaged).map(Option::unwrap_or_default)
    }

    /// Takes the missing checksums, after the views were found sound. Only under the derive
    /// lock.
    pub fn complete_page_sums(&self) -> Result<(), StoreError> {
        self.with_sums(PageSums::complete).map(drop)
    }

    /// Drops all checksums, after the rows were derived again.
    pub fn drop_page_sums(&self) -> Result<(), StoreError> {
        self.with_sums(PageSums::drop_all).map(drop)
    }

    fn with_sums<T>(&self, action: impl FnOnce(&PageSums) -> std::io::Result<T>) -> Result<Option<T>, StoreError> {
        let failed = |source| StoreError::Io { file: self.conn.path().map(PathBuf::from).unwrap_or_default(), source };
        self.sums.as_ref().map(|sums| action(sums).map_err(failed)).transpose()
    }

    /// Runs a checkpoint and takes the checksums of the pages that it moves.
    fn move_wal(&self, checkpoint: impl FnOnce(&Connection) -> Result<bool, StoreError>) -> Result<bool, StoreError> {
        self.sync_index()?;
        match &self.sums {
            Some(sums) => sums.follow(|| checkpoint(&self.conn)),
            None => checkpoint(&self.conn),
        }
    }

    /// Removes index files that no row names. Does nothing while a process reads: it may have seen
    /// the rows and not opened the files yet. The next call removes them then. Keeping each file
    /// for one more round is not enough: two rounds may pass while a reader opens files.
    pub fn tidy_index(&self) -> Result<(), StoreError> {
        let remove = || self.remove_unused_files();
        self.lock.as_deref().map_or_else(remove, |lock| ReadLock::unless_read(lock, remove))
    }

    /// The same while others read: forgotten text must be gone.
    pub fn remove_unused_files(&self) -> Result<(), StoreError> {
        index::remove_unused(&self.files, &self.read())
    }

    pub fn index_bytes(&self) -> u64 {
        self.files.bytes()
    }

    /// Moves the write-ahead log into the file, unless another process uses it.
    pub fn checkpoint_wal(&self) -> Result<(), StoreError> {
        self.move_wal(sqlite::checkpoint_wal).map(drop)
    }

    /// The same if the write-ahead log is longer than `bytes`.
    pub fn checkpoint_wal_if_over(&self, bytes: u64) {
        if sqlite::is_wal_over(&self.conn, bytes) {
            // A failure is harmless: committed data is safe in the write-ahead log.
            _ = self.move_wal(sqlite::checkpoint_and_begin_wal);
        }
    }

    pub fn checkpoint_wal_or_fail(&self) -> Result<(), StoreError> {
        self.move_wal(|conn| sqlite::checkpoint_wal_or_fail(conn).map(|()| true)).map(drop)
    }

    pub(super) fn sync_index(&self) -> Result<(), StoreError> {
        self.files.sync().map_err(|source| StoreError::Io { file: self.files.path(""), source })
    }
}
