//! `views/memory.sqlite`: chunks and edges, folded from the log.

mod reader;
mod rows;
mod writer;

pub use reader::ViewReader;
pub use rows::{AgentRow, Anchor, AnchorKind, ChunkRow, EdgeRow, RunRow, StageRow, TurnRow, ViewCounts};
pub use writer::ViewTx;

use std::cell::RefCell;
use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::payload::Codec;
use super::sqlite::{self, Schema, StoreError};

const SCHEMA: Schema = Schema {
    application_id: 0x6273_7677, // "bsvw"
    version: 2,
    sql: include_str!("schema.sql"),
};

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

    /// Takes what was deleted out of every page of the file.
    pub fn scrub(&self) -> Result<(), StoreError> {
        self.conn.execute_batch("PRAGMA secure_delete = ON; VACUUM;")?;
        sqlite::checkpoint(&self.conn)
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
