//! Which edit wrote which file?

use rusqlite::{Row, params};

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::reader::ViewReader;
use super::writer::ViewTx;

/// A call that wrote a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRow {
    pub episode: EpisodeNum,
    pub turn: u32,
    pub seq: u32,
    /// As the host wrote it, with `/` between its parts.
    pub path: String,
}

impl ViewTx<'_> {
    pub fn clear_edits(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch("DELETE FROM edits;")?)
    }

    /// Replaces the rows of the turns from `turn` on.
    pub fn replace_edits(&mut self, episode: EpisodeNum, turn: u32, rows: &[EditRow]) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("DELETE FROM edits WHERE episode = ?1 AND turn >= ?2")?
            .execute(params![episode.0, turn])?;
        let mut insert = self.tx.prepare_cached(
            "INSERT OR IGNORE INTO edits (episode, turn, seq, path, base) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for row in rows {
            insert.execute(params![row.episode.0, row.turn, row.seq, row.path, base_name(&row.path)])?;
        }
        Ok(())
    }
}

impl ViewReader<'_> {
    /// All edits of an episode, in its order.
    pub fn edits_in(&self, episode: EpisodeNum) -> Result<Vec<EditRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, turn, seq, path FROM edits WHERE episode = ?1 ORDER BY seq, path")?;
        let rows = statement.query_map([episode.0], read_edit)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All edits of files with this base name, in the order of episodes.
    pub fn edits_named(&self, base: &str) -> Result<Vec<EditRow>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, turn, seq, path FROM edits WHERE base = ?1 ORDER BY episode, seq, path")?;
        let rows = statement.query_map([base], read_edit)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_edit(row: &Row<'_>) -> rusqlite::Result<EditRow> {
    Ok(EditRow { episode: EpisodeNum(row.get(0)?), turn: row.get(1)?, seq: row.get(2)?, path: row.get(3)? })
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
