//! How do views that were built beside the old ones replace them?

use std::path::Path;

use super::super::index::IndexFiles;
use super::super::sqlite::StoreError;
use super::{IndexState, ViewStore};

impl ViewStore {
    /// New views without rows. Their index files have unused names.
    pub fn empty_beside(&self, place: &Path) -> Result<ViewStore, StoreError> {
        let mut next = ViewStore::open(place)?;
        let generation = self.unused_generation();
        let mut tx = next.begin()?;
        tx.set_index_state(&IndexState { generation, ..IndexState::default() })?;
        tx.commit()?;
        Ok(next)
    }

    /// New views with the same rows. Index files are not copied: the stage that is rebuilt
    /// writes them again.
    pub fn copy_rows_to(&self, place: &Path) -> Result<ViewStore, StoreError> {
        // Creates the folder.
        drop(ViewStore::open(place)?);
        super::super::sqlite::remove_database(place)?;
        self.conn.execute("VACUUM INTO ?1", [place.to_string_lossy()])?;
        let mut next = ViewStore::open(place)?;
        let state = IndexState { generation: self.unused_generation(), ..next.read().index_state()? };
        let mut tx = next.begin()?;
        tx.set_index_state(&state)?;
        tx.commit()?;
        Ok(next)
    }

    fn unused_generation(&self) -> u32 {
        let of_file = |name: &String| name.split('-').nth(1)?.parse::<u32>().ok();
        let there = self.files.names().iter().filter_map(of_file).max().unwrap_or(0);
        let known = self.read().index_state().map_or(0, |state| state.generation);
        there.max(known) + 1
    }

    /// Replaces the rows and index files of these views by those of other views, in one
    /// transaction.
    pub fn take_over(&mut self, place: &Path) -> Result<(), StoreError> {
        let made = IndexFiles::in_folder(place.with_file_name("index"));
        self.files.adopt(&made).map_err(|source| StoreError::Io { file: self.files.path(""), source })?;
        self.sync_index()?;
        self.conn.execute("ATTACH ?1 AS next", [place.to_string_lossy()])?;
        let copied = self.copy_tables();
        let detached = self.conn.execute_batch("DETACH next");
        copied?;
        detached?;
        self.tidy_index()
    }

    fn copy_tables(&mut self) -> Result<(), StoreError> {
        let tx = self.conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let tables: Vec<String> = {
            let sql = "SELECT name FROM next.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
            let mut statement = tx.prepare(sql)?;
            statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        for table in tables {
            tx.execute_batch(&format!(
                "DELETE FROM main.\"{table}\"; INSERT INTO main.\"{table}\" SELECT * FROM next.\"{table}\";"
            ))?;
        }
        Ok(tx.commit()?)
    }
}
