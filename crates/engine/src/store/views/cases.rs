//! Which pieces of work were found?

use backstory_language::commands::SHORTEST_HASH;
use rusqlite::{Row, params};

use crate::model::{Case, CaseId, Digest};

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::links::json;
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

#[derive(Clone, Debug, PartialEq)]
pub struct CaseRow {
    pub episode: EpisodeNum,
    pub case: Case,
}

impl ViewTx<'_> {
    pub fn clear_cases(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch("DELETE FROM cases; DELETE FROM case_commits;")?)
    }

    /// Replaces the cases that begin at `turn` or later.
    pub fn replace_cases(&mut self, episode: EpisodeNum, turn: u32, cases: &[Case]) -> Result<(), StoreError> {
        for table in ["cases", "case_commits"] {
            self.tx
                .prepare_cached(&format!("DELETE FROM {table} WHERE episode = ?1 AND first_turn >= ?2"))?
                .execute(params![episode.0, turn])?;
        }
        let mut insert = self.tx.prepare_cached(
            "INSERT INTO cases (episode, first_turn, last_turn, id, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut insert_commit = self.tx.prepare_cached(
            "INSERT OR IGNORE INTO case_commits (episode, first_turn, hash, subject) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for case in cases {
            insert.execute(params![episode.0, case.first_turn, case.last_turn, case.id.as_bytes(), json(case)?])?;
            for commit in &case.commits {
                insert_commit.execute(params![episode.0, case.first_turn, commit.hash, commit.subject])?;
            }
        }
        Ok(())
    }
}

impl ViewReader<'_> {
    /// The case that a turn belongs to.
    pub fn case_of_turn(&self, episode: EpisodeNum, turn: u32) -> Result<Option<CaseRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, body FROM cases WHERE episode = ?1 AND first_turn <= ?2 AND last_turn >= ?2
             ORDER BY first_turn DESC LIMIT 1",
        )?;
        statement.query_map(params![episode.0, turn], |row| Ok(read_case(row)))?.next().transpose()?.transpose()
    }

    /// Episode, first and last turn of every case, in order.
    pub fn case_places(&self) -> Result<Vec<(u32, u32, u32)>, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT episode, first_turn, last_turn FROM cases ORDER BY episode, first_turn")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The cases of an episode, in order.
    pub fn cases_of(&self, episode: EpisodeNum) -> Result<Vec<CaseRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT episode, body FROM cases WHERE episode = ?1 ORDER BY first_turn")?;
        let rows = statement.query_map([episode.0], |row| Ok(read_case(row)))?;
        rows.map(|row| row?).collect()
    }

    /// Episode and first turn of the cases that made a commit with this subject.
    pub fn cases_with_commit(&self, subject: &str) -> Result<Vec<(EpisodeNum, u32)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, first_turn FROM case_commits WHERE subject = ?1 ORDER BY episode, first_turn",
        )?;
        let rows = statement.query_map([subject], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Episode and first turn of the case that made this commit; git's output may shorten its id.
    pub fn case_of_commit(&self, id: &str) -> Result<Option<(EpisodeNum, u32)>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, first_turn FROM case_commits WHERE hash = ?1 ORDER BY episode, first_turn LIMIT 1",
        )?;
        for length in SHORTEST_HASH..=id.len() {
            let named = id.get(..length).unwrap_or(id);
            let found = statement.query_map([named], |row| Ok((EpisodeNum(row.get(0)?), row.get(1)?)))?.next();
            if let Some(found) = found {
                return Ok(Some(found?));
            }
        }
        Ok(None)
    }

    pub fn case_ids_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<CaseId>, StoreError> {
        let Some((low, high)) = Digest::range_of_prefix(prefix) else { return Ok(Vec::new()) };
        let mut statement =
            self.conn.prepare_cached("SELECT id FROM cases WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3")?;
        let rows = statement.query_map(params![low.0, high.0, limit as i64], |row| digest(row, 0))?;
        rows.map(|id| Ok(CaseId(id?))).collect()
    }

    pub fn case(&self, id: CaseId) -> Result<Option<CaseRow>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT episode, body FROM cases WHERE id = ?1")?;
        statement.query_map([id.as_bytes()], |row| Ok(read_case(row)))?.next().transpose()?.transpose()
    }
}

fn read_case(row: &Row<'_>) -> Result<CaseRow, StoreError> {
    let body: String = row.get(1)?;
    let case =
        serde_json::from_str(&body).map_err(|_| StoreError::Payload("a row of the cases cannot be read".to_owned()))?;
    Ok(CaseRow { episode: EpisodeNum(row.get(0)?), case })
}
