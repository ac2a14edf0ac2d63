//! Has every stage processed all of an episode, and are its rows still there?
//!
//! Each fold stores how many turns of an episode a stage processed and how many rows it made. A
//! stage that restarted while the episode grew has processed fewer turns than there are; lost rows
//! are found by their number.

use rusqlite::params;

use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::reader::ViewReader;
use super::writer::ViewTx;

/// How to count a stage's rows: for one episode, and for every episode.
struct Counted {
    stage: &'static str,
    /// A query for one episode; for edges, by the range of owners that are its turns.
    of_episode: &'static str,
    by_episode: &'static str,
}

/// In the order of the stages.
const COUNTED: [Counted; 7] = [
    Counted {
        stage: "chunk",
        of_episode: "SELECT count(*) FROM chunks WHERE episode = ?1",
        by_episode: "SELECT episode, count(*) FROM chunks GROUP BY episode",
    },
    // Edges between runs change when another episode grows, so they count for no episode.
    Counted {
        stage: "graph",
        of_episode: "SELECT count(*) FROM edges WHERE owner >= ?1 || '/' AND owner < ?1 || '0'",
        by_episode: "SELECT CAST(substr(owner, 1, instr(owner, '/') - 1) AS INTEGER), count(*)
                     FROM edges WHERE owner < ':' GROUP BY 1
                     UNION ALL SELECT 0, count(*) FROM edges WHERE owner > ':'",
    },
    Counted {
        stage: "links",
        of_episode: "SELECT (SELECT count(*) FROM causal_links WHERE episode = ?1)
                          + (SELECT count(*) FROM outcomes WHERE episode = ?1)
                          + (SELECT count(*) FROM task_notes WHERE episode = ?1)",
        by_episode: "SELECT episode, sum(n) FROM (
                       SELECT episode, count(*) AS n FROM causal_links GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM outcomes GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM task_notes GROUP BY episode
                     ) GROUP BY episode",
    },
    Counted {
        stage: "edits",
        of_episode: "SELECT count(*) FROM edits WHERE episode = ?1",
        by_episode: "SELECT episode, count(*) FROM edits GROUP BY episode",
    },
    Counted {
        stage: "cases",
        of_episode: "SELECT count(*) FROM cases WHERE episode = ?1",
        by_episode: "SELECT episode, count(*) FROM cases GROUP BY episode",
    },
    Counted {
        stage: "cards",
        of_episode: "SELECT (SELECT count(*) FROM card_findings WHERE episode = ?1)
                          + (SELECT count(*) FROM case_findings WHERE episode = ?1)
                          + (SELECT count(*) FROM check_runs WHERE episode = ?1)
                          + (SELECT count(*) FROM check_edits WHERE episode = ?1)
                          + (SELECT count(*) FROM failures WHERE episode = ?1)",
        by_episode: "SELECT episode, sum(n) FROM (
                       SELECT episode, count(*) AS n FROM card_findings GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM case_findings GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM check_runs GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM check_edits GROUP BY episode
                       UNION ALL SELECT episode, count(*) FROM failures GROUP BY episode
                     ) GROUP BY episode",
    },
    Counted {
        stage: "index",
        of_episode: "SELECT count(*) FROM passages WHERE episode = ?1",
        by_episode: "SELECT episode, count(*) FROM passages GROUP BY episode",
    },
];

/// Turns or rows that a stage lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub stage: &'static str,
    pub episode: EpisodeNum,
    pub kind: GapKind,
    pub expected: u64,
    pub found: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// The stage has processed fewer turns than there are.
    Turns,
    /// It has fewer or more rows than it made.
    Rows,
    /// Chunks that have no passages in the index, or passages of no chunk.
    Passages,
}

impl GapKind {
    pub fn name(self) -> &'static str {
        match self {
            GapKind::Turns => "turns",
            GapKind::Rows => "rows",
            GapKind::Passages => "passages",
        }
    }
}

impl ViewTx<'_> {
    /// Notes how many edges there are between episodes.
    pub fn put_coverage_between(&mut self) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO coverage (episode, stage, turns, rows)
                 VALUES (0, 'graph', 0, (SELECT count(*) FROM edges WHERE owner > ':'))",
            )?
            .execute([])?;
        Ok(())
    }

    /// Notes that every stage has all of this episode.
    pub fn put_coverage(&mut self, episode: EpisodeNum) -> Result<(), StoreError> {
        let turns = self.read().turn_count(episode)?;
        for counted in &COUNTED {
            let rows: u64 = self.tx.prepare_cached(counted.of_episode)?.query_row([episode.0], |row| row.get(0))?;
            self.tx
                .prepare_cached(
                    "INSERT OR REPLACE INTO coverage (episode, stage, turns, rows) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![episode.0, counted.stage, turns, rows])?;
        }
        Ok(())
    }

    /// Removes a stage's counts, because it starts again.
    pub fn clear_coverage(&mut self, stage: &str) -> Result<(), StoreError> {
        self.tx.execute("DELETE FROM coverage WHERE stage = ?1", [stage])?;
        Ok(())
    }
}

impl ViewReader<'_> {
    pub fn turn_count(&self, episode: EpisodeNum) -> Result<u32, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT count(*) FROM turns WHERE episode = ?1")?;
        Ok(statement.query_row([episode.0], |row| row.get(0))?)
    }

    /// The number of turns of the episode that every stage has processed.
    pub fn covered_turns(&self, episode: EpisodeNum) -> Result<u32, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT count(*), coalesce(min(turns), 0) FROM coverage WHERE episode = ?1")?;
        let (stages, turns): (usize, u32) = statement.query_row([episode.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(if stages == COUNTED.len() { turns } else { 0 })
    }

    /// Are the views small enough to look for gaps after every fold? Larger ones are checked
    /// once a day and after a restart.
    pub fn may_be_checked_often(&self) -> Result<bool, StoreError> {
        const FEW_CHUNKS: i64 = 2_000;
        let last: Option<i64> =
            self.conn.prepare_cached("SELECT max(rowid) FROM chunks")?.query_row([], |row| row.get(0))?;
        Ok(last.unwrap_or(0) <= FEW_CHUNKS)
    }

    /// All gaps in the views, by stage and episode. Counts by indexes and reads no text.
    pub fn gaps(&self) -> Result<Vec<Gap>, StoreError> {
        let mut gaps = Vec::new();
        for counted in &COUNTED {
            self.gaps_of(counted, &mut gaps)?;
        }
        self.chunks_without_passages(&mut gaps)?;
        Ok(gaps)
    }

    fn gaps_of(&self, counted: &Counted, gaps: &mut Vec<Gap>) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT episode, max(turns), max(given), max(noted), max(found) FROM (
               SELECT episode, count(*) AS turns, 0 AS given, 0 AS noted, 0 AS found FROM turns GROUP BY episode
               UNION ALL SELECT episode, 0, turns, rows, 0 FROM coverage WHERE stage = ?1
               UNION ALL SELECT episode, 0, 0, 0, n FROM (SELECT NULL AS episode, 0 AS n WHERE 0 UNION ALL {})
             ) GROUP BY episode HAVING max(turns) <> max(given) OR max(noted) <> max(found) ORDER BY episode",
            counted.by_episode
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([counted.stage])?;
        while let Some(row) = rows.next()? {
            let episode = EpisodeNum(row.get(0)?);
            let [turns, given, noted, found] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
            let mut gap = |kind, expected: u64, found: u64| {
                if expected != found {
                    gaps.push(Gap { stage: counted.stage, episode, kind, expected, found });
                }
            };
            gap(GapKind::Turns, turns, given);
            gap(GapKind::Rows, noted, found);
        }
        Ok(())
    }

    /// Compares the rows of the index stage with the chunks; no other stage allows that.
    fn chunks_without_passages(&self, gaps: &mut Vec<Gap>) -> Result<(), StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT chunks.episode, count(*), count(passages.chunk) FROM chunks LEFT JOIN passages
               ON passages.episode = chunks.episode AND passages.turn = chunks.turn AND passages.ord = chunks.ord
              AND passages.chunk = chunks.id
             GROUP BY chunks.episode HAVING count(*) <> count(passages.chunk)",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (episode, expected, found) = (EpisodeNum(row.get(0)?), row.get(1)?, row.get(2)?);
            gaps.push(Gap { stage: "index", episode, kind: GapKind::Passages, expected, found });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::COUNTED;
    use crate::derive::STAGES;

    #[test]
    fn every_stage_is_counted() {
        assert_eq!(COUNTED.map(|counted| counted.stage), STAGES.map(|stage| stage.name));
    }
}
