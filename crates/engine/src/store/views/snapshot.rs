//! How do all reads of one answer see the same state?

use std::cell::RefCell;

use rusqlite::Transaction;

use super::super::index::IndexFiles;
use super::super::lock::ReadLock;
use super::super::payload::Codec;
use super::reader::ViewReader;

/// One state of the views, unaffected by concurrent writes.
pub struct Snapshot<'a> {
    tx: Transaction<'a>,
    codec: &'a RefCell<Codec>,
    files: &'a IndexFiles,
    /// Released after the transaction: fields are dropped in order.
    _lock: Option<ReadLock>,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(
        tx: Transaction<'a>,
        codec: &'a RefCell<Codec>,
        files: &'a IndexFiles,
        lock: Option<ReadLock>,
    ) -> Self {
        Snapshot { tx, codec, files, _lock: lock }
    }

    pub fn read(&self) -> ViewReader<'_> {
        ViewReader { conn: &self.tx, codec: self.codec, files: self.files }
    }
}
