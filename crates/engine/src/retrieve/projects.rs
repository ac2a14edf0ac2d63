//! Which projects does the memory know?

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{Aliases, Project, ProjectId};

use super::RetrieveError;

/// A project with all its places.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProjectInfo {
    pub id: ProjectId,
    pub name: String,
    pub paths: Vec<String>,
    pub remote: Option<String>,
    pub root_commit: Option<String>,
    /// Runs in it, sub-agents included.
    pub episodes: u64,
    /// Projects merged into it.
    pub merged: Vec<MergedProject>,
}

/// A project that was merged into another.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MergedProject {
    pub id: ProjectId,
    pub name: String,
}

/// A project's name and first place.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProjectName {
    pub id: ProjectId,
    pub name: String,
    pub path: Option<String>,
}

impl ProjectInfo {
    fn new(id: ProjectId, aliases: &Aliases) -> Self {
        let name = aliases.name(id).unwrap_or_default().to_owned();
        ProjectInfo { id, name, paths: Vec::new(), remote: None, root_commit: None, episodes: 0, merged: Vec::new() }
    }

    /// Adds a place.
    fn add(&mut self, place: Project, aliases: &Aliases) {
        if self.name.is_empty() {
            self.name = place.name().to_owned();
        }
        if place.id != self.id && !self.merged.iter().any(|part| part.id == place.id) {
            let name = aliases.name(place.id).unwrap_or_else(|| place.name()).to_owned();
            self.merged.push(MergedProject { id: place.id, name });
        }
        if !self.paths.contains(&place.path) {
            self.paths.push(place.path);
        }
        self.remote = self.remote.take().or(place.remote);
        self.root_commit = self.root_commit.take().or(place.root_commit);
    }

    /// Does a person refer to this project, by id prefix, name or path?
    pub fn is_meant_by(&self, asked: &str) -> bool {
        let asked = match asked.trim_end_matches('/') {
            "" => asked,
            trimmed => trimmed,
        };
        let begins = |id: ProjectId| asked.len() >= 4 && id.to_string().starts_with(&asked.to_lowercase());
        self.name == asked
            || self.paths.iter().any(|path| path == asked)
            || self.remote.as_deref() == Some(asked)
            || begins(self.id)
            || self.merged.iter().any(|part| part.name == asked || begins(part.id))
    }
}

/// The current project of a stored place; None if the place was split off and is stored under the new project too, or
/// if that split was undone.
fn now_at(aliases: &Aliases, place: &Project) -> Option<ProjectId> {
    let is_gone = aliases.has_left(place.id, &place.path) || aliases.is_rejoined(place.id);
    (!is_gone).then(|| aliases.current(place.id))
}

pub fn projects(log: &mut Log) -> Result<Vec<ProjectInfo>, RetrieveError> {
    let aliases = log.store().aliases()?;
    let rows = log.store().projects()?;
    let mut infos: Vec<ProjectInfo> = Vec::new();
    let stored = rows.iter().filter(|row| aliases.current(row.project.id) == row.project.id);
    // Its own places come before those of merged projects.
    for row in stored.chain(rows.iter().filter(|row| aliases.current(row.project.id) != row.project.id)) {
        let id = aliases.current(row.project.id);
        let at = match infos.iter().position(|info| info.id == id) {
            Some(at) => at,
            None => {
                infos.push(ProjectInfo { episodes: row.episodes, ..ProjectInfo::new(id, &aliases) });
                infos.len() - 1
            }
        };
        if now_at(&aliases, &row.project).is_some() {
            infos[at].add(row.project.clone(), &aliases);
        }
    }
    if aliases.is_changing() {
        count_episodes(log, &mut infos)?;
    }
    for info in &mut infos {
        if info.name.is_empty() {
            info.name = info.id.short();
        }
    }
    Ok(infos)
}

fn count_episodes(log: &mut Log, infos: &mut [ProjectInfo]) -> Result<(), RetrieveError> {
    let mut counts: HashMap<ProjectId, u64> = HashMap::new();
    for (_, episode) in log.store().episodes()? {
        *counts.entry(episode.project).or_default() += 1;
    }
    for info in infos {
        info.episodes = counts.get(&info.id).copied().unwrap_or(0);
    }
    Ok(())
}

/// One of them, without the counts of its contents.
pub(super) fn project_uncounted(log: &mut Log, id: ProjectId) -> Result<Option<ProjectInfo>, RetrieveError> {
    let aliases = log.store().aliases()?;
    let mut places = log.store().known_projects()?;
    places.retain(|place| now_at(&aliases, place) == Some(id));
    places.sort_by_key(|place| place.id != id);
    let mut info = (!places.is_empty()).then(|| ProjectInfo::new(id, &aliases));
    if let Some(info) = &mut info {
        places.into_iter().for_each(|place| info.add(place, &aliases));
    }
    Ok(info)
}

/// The names of all projects, without the counts of their contents.
pub(super) fn project_names(log: &mut Log) -> Result<HashMap<ProjectId, ProjectName>, RetrieveError> {
    let aliases = log.store().aliases()?;
    let mut places = log.store().known_projects()?;
    places.sort_by_key(|place| aliases.current(place.id) != place.id);
    let mut names = HashMap::new();
    for place in places {
        let Some(id) = now_at(&aliases, &place) else { continue };
        let name = aliases.name(id).unwrap_or_else(|| place.name()).to_owned();
        names.entry(id).or_insert(ProjectName { id, name, path: Some(place.path) });
    }
    Ok(names)
}
