//! Which projects does the log know, where were they seen, and how did people merge, split or rename them?

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{
    Aliases, Episode, EpisodeKey, Event, EventId, PROJECTS_SESSION, Project, ProjectAct, ProjectId, Sighting,
    SourceKind,
};

use super::log_rows::{EVENT_COLUMNS, EVENTS, Episodes, KeyedTable, id_column, last_key, read_event, reason_of, walk};
use super::log_store::{EpisodeNum, LogStore};
use super::log_writer::LogTx;
use super::payload::Codec;
use super::sqlite::StoreError;

/// A project with the number of its episodes in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRow {
    pub project: Project,
    pub episodes: u64,
}

const PROJECTS: KeyedTable = KeyedTable {
    name: "projects",
    key: "rowid",
    columns: "id, path, root_commit, remote",
    index: "sqlite_autoindex_projects_1",
};

/// The aliases with two counts of the acts they were read from: all, and those not forgotten.
pub(super) type CachedAliases = RefCell<((u64, u64), Arc<Aliases>)>;

/// Logs of earlier versions do not have this table: it is created with the first sighting.
const SIGHTINGS: &str = "CREATE TABLE IF NOT EXISTS sightings (
  path        TEXT NOT NULL,
  project     BLOB NOT NULL,
  root_commit TEXT,
  remote      TEXT,
  mark        TEXT
) STRICT";

impl LogStore {
    /// Every readable place of every project, with its stored id.
    pub fn known_projects(&self) -> Result<Vec<Project>, StoreError> {
        let mut found = Vec::new();
        walk(&self.conn, &PROJECTS, 0, &mut |_, row| {
            match row.map(|row| read_project(row).map_err(StoreError::from)) {
                Some(Ok(project)) => found.push(project),
                Some(Err(error)) => drop(reason_of(error)?),
                None => {}
            }
            Ok(true)
        })?;
        Ok(found)
    }

    /// The same with the number of episodes stored under each id.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        let mut runs: HashMap<ProjectId, u64> = HashMap::new();
        for (_, episode) in self.stored_episodes()? {
            *runs.entry(episode.project).or_default() += 1;
        }
        let row = |project: Project| ProjectRow { episodes: runs.get(&project.id).copied().unwrap_or(0), project };
        Ok(self.known_projects()?.into_iter().map(row).collect())
    }

    /// The sightings of all projects, oldest first, up to the first damaged page.
    pub fn sightings(&self) -> Result<Vec<Sighting>, StoreError> {
        let mut there = self.conn.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'sightings'")?;
        if !there.exists([])? {
            return Ok(Vec::new());
        }
        let mut statement = self
            .conn
            .prepare_cached("SELECT project, path, root_commit, remote, mark FROM sightings ORDER BY rowid")?;
        let mut found = Vec::new();
        for sighting in statement.query_map([], read_sighting)? {
            match sighting.map_err(StoreError::from) {
                Ok(sighting) => found.push(sighting),
                Err(StoreError::Damaged(_)) => break,
                Err(error) => drop(reason_of(error)?),
            }
        }
        Ok(found)
    }

    /// Current aliases from people's acts. Read again only after something was added.
    pub fn aliases(&self) -> Result<Arc<Aliases>, StoreError> {
        let own = EpisodeKey::main(SourceKind::Backstory, PROJECTS_SESSION).id();
        let Some(num) = self.episode_num(own)? else { return Ok(Arc::default()) };
        let mut counted = self.conn.prepare_cached("SELECT count(*), count(payload) FROM events WHERE episode = ?1")?;
        let count: (u64, u64) =
            match counted.query_row([num.0], |row| Ok((row.get(0)?, row.get(1)?))).map_err(StoreError::from) {
                // The count cannot be read: use the length of the log instead. A forget also
                // adds a row.
                Err(StoreError::Damaged(_)) => (last_key(&self.conn, &EVENTS)?.unwrap_or(0), u64::MAX),
                count => count?,
            };
        if self.aliases.borrow().0 != count {
            let aliases = Arc::new(Aliases::of(self.project_acts(num)?));
            *self.aliases.borrow_mut() = (count, aliases);
        }
        Ok(self.aliases.borrow().1.clone())
    }

    /// Skips acts that cannot be read.
    fn project_acts(&self, num: EpisodeNum) -> Result<Vec<(EventId, ProjectAct)>, StoreError> {
        let events = match self.select_acts(num) {
            Err(StoreError::Damaged(_)) => self.acts_without_index(num),
            found => found,
        }?;
        let act = |event: Event| -> Option<(EventId, ProjectAct)> {
            Some((event.id, serde_json::from_value(event.meta.input?).ok()?))
        };
        Ok(events.into_iter().filter_map(act).collect())
    }

    fn select_acts(&self, num: EpisodeNum) -> Result<Vec<Event>, StoreError> {
        let (mut episodes, mut codec) = (Episodes::new(), Codec::new()?);
        let sql = format!("SELECT {EVENT_COLUMNS} FROM events WHERE episode = ?1 ORDER BY seq");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query([num.0])?;
        let mut events = Vec::new();
        while let Some(row) = rows.next()? {
            events.push(read_event(row, &self.conn, &mut episodes, &mut codec)?);
        }
        Ok(events)
    }

    /// The same without the index, row by row, because the index or a page is damaged.
    fn acts_without_index(&self, num: EpisodeNum) -> Result<Vec<Event>, StoreError> {
        let (mut episodes, mut codec) = (Episodes::new(), Codec::new()?);
        let mut events = Vec::new();
        walk(&self.conn, &EVENTS, 0, &mut |_, row| {
            if let Some(row) = row
                && row.get::<_, i64>(2).ok() == Some(num.0)
            {
                events.push(read_event(row, &self.conn, &mut episodes, &mut codec)?);
            }
            Ok(true)
        })?;
        Ok(events)
    }

    /// An episode with its current project.
    pub(super) fn in_project(&self, episode: Episode) -> Result<Episode, StoreError> {
        let aliases = self.aliases()?;
        Ok(if aliases.is_empty() { episode } else { resolved(&aliases, episode) })
    }

    pub(super) fn in_projects(
        &self,
        mut episodes: Vec<(EpisodeNum, Episode)>,
    ) -> Result<Vec<(EpisodeNum, Episode)>, StoreError> {
        let aliases = self.aliases()?;
        if !aliases.is_empty() {
            episodes = episodes.into_iter().map(|(num, episode)| (num, resolved(&aliases, episode))).collect();
        }
        Ok(episodes)
    }

    /// The first working folder in an episode.
    pub fn folder_of(&mut self, episode: EpisodeNum, most_events: u32) -> Result<Option<String>, StoreError> {
        Ok(self.events_of(episode, 0, most_events)?.into_iter().find_map(|event| event.meta.cwd))
    }
}

fn resolved(aliases: &Aliases, episode: Episode) -> Episode {
    let project = aliases.of_episode(episode.id(), episode.project);
    Episode { project, ..episode }
}

impl LogTx<'_> {
    pub fn put_project(&mut self, project: &Project) -> Result<(), StoreError> {
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO projects (id, path, root_commit, remote) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![project.id.as_bytes(), project.path, project.root_commit, project.remote])?;
        Ok(())
    }

    /// Stores a sighting, unless it equals the newest one of its place.
    pub fn put_sighting(&mut self, seen: &Sighting) -> Result<(), StoreError> {
        self.tx.execute_batch(SIGHTINGS)?;
        let last = self
            .tx
            .prepare_cached(
                "SELECT project, path, root_commit, remote, mark FROM sightings
                 WHERE path = ?1 AND project = ?2 ORDER BY rowid DESC LIMIT 1",
            )?
            .query_row(params![seen.path, seen.project.as_bytes()], read_sighting)
            .optional()
            .map_err(StoreError::from);
        match last {
            Ok(Some(last)) if last == *seen => return Ok(()),
            Ok(_) => {}
            // An unreadable one counts as different.
            Err(error) => drop(reason_of(error)?),
        }
        self.tx
            .prepare_cached(
                "INSERT INTO sightings (project, path, root_commit, remote, mark) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![seen.project.as_bytes(), seen.path, seen.root_commit, seen.remote, seen.mark])?;
        Ok(())
    }
}

fn read_sighting(row: &Row<'_>) -> rusqlite::Result<Sighting> {
    Ok(Sighting { mark: row.get(4)?, ..Sighting::from(read_project(row)?) })
}

fn read_project(row: &Row<'_>) -> rusqlite::Result<Project> {
    let id: EventId = id_column(row, 0)?;
    Ok(Project { id: ProjectId(id.0), path: row.get(1)?, root_commit: row.get(2)?, remote: row.get(3)? })
}
