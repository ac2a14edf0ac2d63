//! `memo.sqlite`: which vectors has a slow model made already, by model and text?
//!
//! It only saves time and may be deleted at any time. A rebuild of the views keeps it. It holds
//! no text, but a vector reveals something of its text, so forgetting also removes vectors.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Digest, digest_of};

use super::sqlite::{self, Schema, StoreError, floats};

const SCHEMA: Schema = Schema {
    application_id: 0x6273_6d6d, // "bsmm"
    version: 1,
    sql: "CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE vectors (
              model INTEGER NOT NULL REFERENCES models (id),
              text BLOB NOT NULL,
              vector BLOB NOT NULL,
              PRIMARY KEY (model, text)
          ) WITHOUT ROWID;
          CREATE TABLE forgetting (begun INTEGER PRIMARY KEY);",
};

pub struct Memo {
    conn: Connection,
}

/// The key of a text.
pub fn text_key(text: &str) -> Digest {
    digest_of("embedded text", &[text.as_bytes()])
}

impl Memo {
    /// Recreates a memo that cannot be read, or in which a forget was interrupted.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let conn = match sqlite::open(path, &SCHEMA, sqlite::LOCK_TIMEOUT) {
            Err(StoreError::Corrupt { .. } | StoreError::Older { .. }) => {
                sqlite::remove_database(path)?;
                sqlite::open(path, &SCHEMA, sqlite::LOCK_TIMEOUT)?
            }
            opened => opened?,
        };
        let memo = Memo { conn };
        let cut_off = memo.conn.query_row("SELECT begun FROM forgetting", [], |_| Ok(())).optional()?;
        if cut_off.is_some() {
            memo.end_forgetting(&HashSet::new())?;
        }
        Ok(memo)
    }

    pub fn vector(&self, model: &str, text: Digest) -> Result<Option<Vec<f32>>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT vector FROM vectors JOIN models ON models.id = vectors.model WHERE name = ?1 AND text = ?2",
        )?;
        let found = statement.query_row(params![model, text.0], |row| row.get::<_, Vec<u8>>(0)).optional()?;
        Ok(found.map(|bytes| floats(&bytes)))
    }

    pub fn put(&mut self, model: &str, vectors: &[(Digest, &[f32])]) -> Result<(), StoreError> {
        let tx = self.conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute("INSERT OR IGNORE INTO models (name) VALUES (?1)", [model])?;
        {
            let mut statement =
                tx.prepare_cached("INSERT OR REPLACE INTO vectors SELECT id, ?2, ?3 FROM models WHERE name = ?1")?;
            for (text, vector) in vectors {
                let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
                statement.execute(params![model, text.0, bytes])?;
            }
        }
        Ok(tx.commit()?)
    }

    pub fn count(&self) -> Result<u64, StoreError> {
        Ok(self.conn.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))?)
    }

    /// A process that opens the memo before [`Memo::end_forgetting`] empties it.
    pub fn begin_forgetting(&self) -> Result<(), StoreError> {
        self.conn.execute("INSERT OR REPLACE INTO forgetting VALUES (1)", [])?;
        sqlite::checkpoint_wal_or_fail(&self.conn).inspect_err(|_| {
            // Nothing was forgotten yet. If this fails too, only time is lost.
            _ = self.conn.execute("DELETE FROM forgetting", []);
        })
    }

    /// Keeps the vectors of these texts and removes all others.
    pub fn end_forgetting(&self, kept: &HashSet<Digest>) -> Result<(), StoreError> {
        let tx = self.conn.unchecked_transaction()?;
        let texts: Vec<[u8; 16]> = {
            let mut statement = tx.prepare("SELECT DISTINCT text FROM vectors")?;
            statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        for text in texts.iter().filter(|text| !kept.contains(&Digest(**text))) {
            tx.prepare_cached("DELETE FROM vectors WHERE text = ?1")?.execute([text])?;
        }
        tx.execute("DELETE FROM forgetting", [])?;
        tx.commit()?;
        self.conn.execute_batch("PRAGMA secure_delete = ON; VACUUM;")?;
        sqlite::checkpoint_wal_or_fail(&self.conn)
    }

    /// Moves the write-ahead log into the file, unless another process uses it.
    pub fn checkpoint_wal(&self) -> Result<(), StoreError> {
        sqlite::checkpoint_wal(&self.conn).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_folder() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("memo.sqlite");
        (folder, path)
    }

    #[test]
    fn models_are_kept_apart() {
        let (_folder, path) = in_folder();
        let mut memo = Memo::open(&path).expect("a memo");
        let text = text_key("apples");
        memo.put("a", &[(text, &[1.0, -0.5])]).expect("kept");
        memo.put("b", &[(text, &[0.25])]).expect("kept");
        assert_eq!(memo.vector("a", text).expect("read"), Some(vec![1.0, -0.5]));
        assert_eq!(memo.vector("b", text).expect("read"), Some(vec![0.25]));
        assert_eq!(memo.vector("c", text).expect("read"), None);
        assert_eq!(memo.vector("a", text_key("pears")).expect("read"), None);
    }

    #[test]
    fn forgetting_keeps_what_is_still_said() {
        let (_folder, path) = in_folder();
        let (apples, pears) = (text_key("apples"), text_key("pears"));
        let mut memo = Memo::open(&path).expect("a memo");
        memo.put("a", &[(apples, &[1.0]), (pears, &[2.0])]).expect("kept");
        memo.begin_forgetting().expect("begun");
        memo.end_forgetting(&HashSet::from([pears])).expect("done");
        assert_eq!((memo.vector("a", apples).expect("read"), memo.count().expect("read")), (None, 1));
    }

    #[test]
    fn a_forgetting_that_was_cut_off_leaves_nothing() {
        let (_folder, path) = in_folder();
        let mut memo = Memo::open(&path).expect("a memo");
        memo.put("a", &[(text_key("apples"), &[1.0])]).expect("kept");
        memo.begin_forgetting().expect("begun");
        drop(memo);
        assert_eq!(Memo::open(&path).expect("a memo").count().expect("read"), 0);
    }

    #[test]
    fn a_damaged_memo_is_recreated() {
        let (_folder, path) = in_folder();
        std::fs::write(&path, "no database at all").expect("written");
        assert_eq!(Memo::open(&path).expect("a memo").count().expect("read"), 0);
    }
}
