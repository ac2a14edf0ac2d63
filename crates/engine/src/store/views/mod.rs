//! `views/memory.sqlite`: chunks and edges, folded from the log.

mod cards;
mod cases;
mod clusters;
mod coverage;
mod edits;
mod failures;
mod index;
mod links;
mod next;
mod reader;
mod rows;
mod writer;

pub use cards::{CardFilter, CardRow, Changed, Decision, FindingRow, LedgerRow};
pub use cases::CaseRow;
pub use clusters::{ClusterRow, ClusterShare, ClusterState};
pub use coverage::{Gap, GapKind};
pub use edits::EditRow;
pub use failures::{FailureRow, Fingerprint};
pub use index::{Index, IndexState, PassageRow};
pub use links::{LinkRow, OutcomeRow, TaskNote};
pub use reader::ViewReader;
pub use rows::{AgentRow, Anchor, AnchorKind, ChunkRow, EdgeRow, RunRow, StageRow, TurnRow, ViewCounts};
pub use writer::ViewTx;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::index::IndexFiles;
use super::lock::ReadLock;
use super::page_sums::{self, PageSums};
use super::payload::Codec;
use super::sqlite::{self, Schema, StoreError};

const SCHEMA: Schema = Schema {
    application_id: 0x6273_7677, // "bsvw"
    version: 15,
    sql: include_str!("schema.sql"),
};

/// Longer write-ahead logs are moved before something is added to them.
const LONGEST_WAL: u64 = 16 << 20;

pub struct ViewStore {
    conn: Connection,
    codec: RefCell<Codec>,
    files: IndexFiles,
    /// Of the index files; nobody shares those that lie in memory.
    lock: Option<PathBuf>,
    /// None of a database in memory.
    sums: Option<PageSums>,
}

impl ViewStore {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_within(path, sqlite::LOCK_TIMEOUT)
    }

    /// Waits no longer than this for whoever holds the file, now and later.
    pub fn open_within(path: &Path, timeout: Duration) -> Result<Self, StoreError> {
        let files = IndexFiles::in_folder(path.with_file_name("index"));
        let lock = Some(path.with_file_name("index.lock"));
        if !path.exists() {
            // Those of a database that is gone.
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

    /// May nothing be folded?
    pub fn is_read_only(&self) -> bool {
        sqlite::is_read_only(&self.conn)
    }

    /// Only under the derive lock.
    pub fn begin(&mut self) -> Result<ViewTx<'_>, StoreError> {
        self.settle_beyond(LONGEST_WAL);
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(ViewTx { tx, codec: &self.codec, files: &self.files })
    }

    /// Everything read through it until it is dropped sees the same state, and
    /// finds the index files of that state: no file is removed meanwhile.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        let lock = self.lock.as_deref().map(ReadLock::take).transpose()?;
        let tx = self.conn.unchecked_transaction()?;
        Ok(Snapshot { tx, codec: &self.codec, files: &self.files, _lock: lock })
    }

    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.conn, codec: &self.codec, files: &self.files }
    }

    /// Runs SQLite's own check; the first complaint, if any.
    pub fn integrity(&self) -> Result<Option<String>, StoreError> {
        sqlite::integrity(&self.conn)
    }

    /// Takes what was deleted out of every page of the file.
    pub fn scrub(&self) -> Result<(), StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON; VACUUM;")?;
        self.checkpoint()
    }

    /// Pages of the file that are not what was written, by their checksums.
    pub fn damaged_pages(&self) -> Result<Vec<u32>, StoreError> {
        self.with_sums(PageSums::damaged).map(Option::unwrap_or_default)
    }

    /// Takes the checksums that are missing, when the views were found whole. Only under
    /// the derive lock.
    pub fn complete_page_sums(&self) -> Result<(), StoreError> {
        self.with_sums(PageSums::complete).map(drop)
    }

    /// When the rows were made anew.
    pub fn drop_page_sums(&self) -> Result<(), StoreError> {
        self.with_sums(PageSums::drop_all).map(drop)
    }

    fn with_sums<T>(&self, ask: impl FnOnce(&PageSums) -> std::io::Result<T>) -> Result<Option<T>, StoreError> {
        let failed = |source| StoreError::Io { file: self.conn.path().map(PathBuf::from).unwrap_or_default(), source };
        self.sums.as_ref().map(|sums| ask(sums).map_err(failed)).transpose()
    }

    /// Every page that is moved from the write-ahead log gets its checksum.
    fn move_wal(&self, settle: impl FnOnce(&Connection) -> Result<bool, StoreError>) -> Result<bool, StoreError> {
        self.sync_index()?;
        match &self.sums {
            Some(sums) => sums.follow(|| settle(&self.conn)),
            None => settle(&self.conn),
        }
    }

    /// Removes index files that are not needed any more. Not while somebody
    /// reads, who may have seen the rows but not yet opened the files: then the
    /// next one who tidies does. Keeping each file for one round more would be
    /// enough only as long as no two rounds fit into the opening of files.
    pub fn tidy_index(&self) -> Result<(), StoreError> {
        let remove = || self.remove_unused_files();
        self.lock.as_deref().map_or_else(remove, |lock| ReadLock::unless_read(lock, remove))
    }

    /// The same, whoever reads: what is forgotten must be gone.
    pub fn remove_unused_files(&self) -> Result<(), StoreError> {
        index::remove_unused(&self.files, &self.read())
    }

    pub fn index_bytes(&self) -> u64 {
        self.files.bytes()
    }

    /// Empties the write-ahead log if nobody else is using it.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.move_wal(sqlite::settle).map(drop)
    }

    /// The same if it is longer than this, for those in a hurry.
    pub fn settle_beyond(&self, bytes: u64) {
        if sqlite::is_wal_beyond(&self.conn, bytes) {
            // What keeps it from being done harms nothing: what was committed is safe where it is.
            _ = self.move_wal(sqlite::settle_and_begin);
        }
    }

    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.move_wal(|conn| sqlite::checkpoint(conn).map(|()| true)).map(drop)
    }

    fn sync_index(&self) -> Result<(), StoreError> {
        self.files.sync().map_err(|source| StoreError::Io { file: self.files.path(""), source })
    }
}

/// One state of the views, whatever others write meanwhile.
pub struct Snapshot<'a> {
    tx: Transaction<'a>,
    codec: &'a RefCell<Codec>,
    files: &'a IndexFiles,
    /// Given back after the transaction.
    _lock: Option<ReadLock>,
}

impl Snapshot<'_> {
    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.tx, codec: self.codec, files: self.files }
    }
}
