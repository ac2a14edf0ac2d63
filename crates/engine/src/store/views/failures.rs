//! Which commands were run, which files were edited, and how did failures end?

use rusqlite::{Row, params};

use crate::model::{CardId, CheckRun, Digest, EditMade, Failure, ProjectId, Scope, Tier};

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::links::json;
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

/// A failure with where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRow {
    pub project: ProjectId,
    pub episode: EpisodeNum,
    pub failure: Failure,
}

/// The key by which failures are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fingerprint {
    /// The fingerprint of the diagnostic.
    Diagnostic(Digest),
    /// The fingerprint of its rule.
    Rule(Digest),
}

impl ViewTx<'_> {
    pub(super) fn clear_failures(&mut self) -> Result<(), StoreError> {
        Ok(self.tx.execute_batch(
            "DELETE FROM check_runs; DELETE FROM check_edits; DELETE FROM failures; DELETE FROM card_prohibitions;",
        )?)
    }

    /// Replaces the rows of the turns from `turn` on. Returns whether anything changed.
    pub fn replace_checks(
        &mut self,
        episode: EpisodeNum,
        turn: u32,
        runs: &[CheckRun],
        edits: &[EditMade],
    ) -> Result<bool, StoreError> {
        let runs: Vec<(u32, u32, String)> =
            runs.iter().map(|run| Ok((run.turn, run.seq, json(run)?))).collect::<Result<_, StoreError>>()?;
        let edits: Vec<(u32, u32, String)> =
            edits.iter().map(|edit| Ok((edit.turn, edit.seq, json(edit)?))).collect::<Result<_, StoreError>>()?;
        let changed = self.replace_rows("check_runs", episode, turn, &runs)?;
        Ok(self.replace_rows("check_edits", episode, turn, &edits)? || changed)
    }

    fn replace_rows(
        &mut self,
        table: &str,
        episode: EpisodeNum,
        turn: u32,
        rows: &[(u32, u32, String)],
    ) -> Result<bool, StoreError> {
        let before: Vec<(u32, u32, String)> = {
            let mut statement = self.tx.prepare_cached(&format!(
                "SELECT turn, seq, body FROM {table} WHERE episode = ?1 AND turn >= ?2 ORDER BY turn, seq"
            ))?;
            let rows =
                statement.query_map(params![episode.0, turn], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        if before == rows {
            return Ok(false);
        }
        self.tx
            .prepare_cached(&format!("DELETE FROM {table} WHERE episode = ?1 AND turn >= ?2"))?
            .execute(params![episode.0, turn])?;
        let mut insert = self.tx.prepare_cached(&format!(
            "INSERT OR REPLACE INTO {table} (episode, turn, seq, body) VALUES (?1, ?2, ?3, ?4)"
        ))?;
        for (turn, seq, body) in rows {
            insert.execute(params![episode.0, turn, seq, body])?;
        }
        Ok(true)
    }

    pub fn replace_failures(
        &mut self,
        project: ProjectId,
        episode: EpisodeNum,
        failures: &[Failure],
    ) -> Result<(), StoreError> {
        self.tx.prepare_cached("DELETE FROM failures WHERE episode = ?1")?.execute([episode.0])?;
        let mut insert = self.tx.prepare_cached(
            "INSERT INTO failures (episode, ord, project, fingerprint, rule, resolved, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (ord, failure) in failures.iter().enumerate() {
            insert.execute(params![
                episode.0,
                ord as u32,
                project.as_bytes(),
                failure.fingerprint.0,
                failure.rule_fingerprint.map(|fingerprint| fingerprint.0),
                failure.resolution.is_some(),
                json(failure)?
            ])?;
        }
        Ok(())
    }

    /// Replaces the words of actions for which the cards of a scope must be checked.
    pub fn replace_prohibitions(
        &mut self,
        scope: &Scope,
        prohibitions: &[(CardId, Vec<String>)],
    ) -> Result<(), StoreError> {
        let scope = project_or_wider(scope);
        self.tx.prepare_cached("DELETE FROM card_prohibitions WHERE scope = ?1")?.execute([&scope])?;
        let mut insert = self
            .tx
            .prepare_cached("INSERT OR IGNORE INTO card_prohibitions (scope, word, card) VALUES (?1, ?2, ?3)")?;
        for (card, words) in prohibitions {
            for word in words {
                insert.execute(params![scope, word, card.as_bytes()])?;
            }
        }
        Ok(())
    }
}

/// The project's id; empty for wider scopes.
fn project_or_wider(scope: &Scope) -> String {
    if scope.tier == Tier::Repo { scope.id.clone() } else { String::new() }
}

impl ViewReader<'_> {
    /// The runs and edits of an episode, in order.
    pub fn checks_of(&self, episode: EpisodeNum) -> Result<(Vec<CheckRun>, Vec<EditMade>), StoreError> {
        self.checks_in(episode, (0, u32::MAX))
    }

    /// The runs and edits of some turns of an episode, in order.
    pub fn checks_in(
        &self,
        episode: EpisodeNum,
        (first, last): (u32, u32),
    ) -> Result<(Vec<CheckRun>, Vec<EditMade>), StoreError> {
        let runs = self.bodies("check_runs", episode, first, last)?;
        Ok((runs, self.bodies("check_edits", episode, first, last)?))
    }

    fn bodies<T: serde::de::DeserializeOwned>(
        &self,
        table: &str,
        episode: EpisodeNum,
        first: u32,
        last: u32,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT body FROM {table} WHERE episode = ?1 AND turn BETWEEN ?2 AND ?3 ORDER BY turn, seq"
        ))?;
        let rows = statement.query_map([episode.0, first.into(), last.into()], |row| row.get::<_, String>(0))?;
        rows.map(|body| parse(&body?)).collect()
    }

    /// Failures with a fingerprint, newest episode first; of one project, or of all.
    pub fn failures_like(
        &self,
        fingerprint: Fingerprint,
        project: Option<ProjectId>,
        limit: usize,
    ) -> Result<Vec<FailureRow>, StoreError> {
        let (column, digest) = match fingerprint {
            Fingerprint::Diagnostic(digest) => ("fingerprint", digest),
            Fingerprint::Rule(digest) => ("rule", digest),
        };
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT episode, project, body FROM failures WHERE {column} = ?1 AND (?2 IS NULL OR project = ?2)
             ORDER BY episode DESC, ord DESC LIMIT ?3"
        ))?;
        let project = project.map(|project| project.as_bytes().to_vec());
        let rows = statement.query_map(params![digest.0, project, limit as i64], read_failure)?;
        rows.map(|row| row?).collect()
    }

    /// The newest failures of a project, or of all, newest episode first.
    pub fn newest_failures(&self, project: Option<ProjectId>, limit: usize) -> Result<Vec<FailureRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT episode, project, body FROM failures WHERE ?1 IS NULL OR project = ?1
             ORDER BY episode DESC, ord DESC LIMIT ?2",
        )?;
        let project = project.map(|project| project.as_bytes().to_vec());
        let rows = statement.query_map(params![project, limit as i64], read_failure)?;
        rows.map(|row| row?).collect()
    }

    /// Every failure of an episode.
    pub fn failures_of(&self, episode: EpisodeNum) -> Result<Vec<FailureRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT episode, project, body FROM failures WHERE episode = ?1 ORDER BY ord")?;
        let rows = statement.query_map([episode.0], read_failure)?;
        rows.map(|row| row?).collect()
    }

    /// The cards that must be checked for any of these words: those of a project (without one,
    /// of all), and those of wider scopes.
    pub fn prohibiting(&self, project: Option<ProjectId>, words: &[String]) -> Result<Vec<CardId>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT card FROM card_prohibitions WHERE word = ?1 AND (?2 IS NULL OR scope = ?2 OR scope = '')",
        )?;
        let project = project.map(|project| project.to_string());
        let mut found = std::collections::BTreeSet::new();
        for word in words {
            for card in statement.query_map(params![word, project], |row| digest(row, 0))? {
                found.insert(CardId(card?));
            }
        }
        Ok(found.into_iter().collect())
    }
}

fn read_failure(row: &Row<'_>) -> rusqlite::Result<Result<FailureRow, StoreError>> {
    let (episode, project) = (EpisodeNum(row.get(0)?), ProjectId(digest(row, 1)?));
    let body: String = row.get(2)?;
    Ok(parse(&body).map(|failure| FailureRow { project, episode, failure }))
}

fn parse<T: serde::de::DeserializeOwned>(body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|_| StoreError::Payload("a row of the failures cannot be read".to_owned()))
}
