//! Which projects does the memory know?

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{Project, ProjectId};

use super::RetrieveError;

/// A project with all the places it was seen at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProjectInfo {
    pub id: ProjectId,
    pub name: String,
    pub paths: Vec<String>,
    pub remote: Option<String>,
    pub root_commit: Option<String>,
    /// Runs in it, sub-agents included.
    pub episodes: u64,
}

/// What a project is called and where it was seen first.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProjectName {
    pub id: ProjectId,
    pub name: String,
    pub path: Option<String>,
}

impl ProjectInfo {
    fn new(first: Project, episodes: u64) -> Self {
        let name = first.name().to_owned();
        let Project { id, path, remote, root_commit } = first;
        ProjectInfo { id, name, paths: vec![path], remote, root_commit, episodes }
    }

    /// One more place at which it was seen.
    fn add(&mut self, place: Project) {
        self.paths.push(place.path);
        self.remote = self.remote.take().or(place.remote);
        self.root_commit = self.root_commit.take().or(place.root_commit);
    }

    /// Does a person mean this project: by id prefix, name or path?
    pub fn is_meant_by(&self, asked: &str) -> bool {
        let asked = asked.trim_end_matches('/');
        self.name == asked
            || self.paths.iter().any(|path| path == asked)
            || self.remote.as_deref() == Some(asked)
            || (asked.len() >= 4 && self.id.to_string().starts_with(asked))
    }
}

pub fn projects(log: &mut Log) -> Result<Vec<ProjectInfo>, RetrieveError> {
    let mut infos: Vec<ProjectInfo> = Vec::new();
    for row in log.store().projects()? {
        match infos.iter_mut().find(|info| info.id == row.project.id) {
            Some(info) => info.add(row.project),
            None => infos.push(ProjectInfo::new(row.project, row.episodes)),
        }
    }
    Ok(infos)
}

/// One of them, without counting what is in it.
pub(super) fn project_uncounted(log: &mut Log, id: ProjectId) -> Result<Option<ProjectInfo>, RetrieveError> {
    let mut places = log.store().known_projects()?.into_iter().filter(|project| project.id == id);
    let mut info = places.next().map(|first| ProjectInfo::new(first, 0));
    if let Some(info) = &mut info {
        places.for_each(|place| info.add(place));
    }
    Ok(info)
}

/// The names of all projects, without counting what is in them.
pub(super) fn project_names(log: &mut Log) -> Result<HashMap<ProjectId, ProjectName>, RetrieveError> {
    let mut names = HashMap::new();
    for project in log.store().known_projects()? {
        let (id, name, path) = (project.id, project.name().to_owned(), Some(project.path));
        names.entry(id).or_insert(ProjectName { id, name, path });
    }
    Ok(names)
}
