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
        let Project { id, ref path, ref remote, ref root_commit } = row.project;
        match infos.iter_mut().find(|info| info.id == id) {
            Some(info) => {
                info.paths.push(path.clone());
                info.remote = info.remote.take().or_else(|| remote.clone());
                info.root_commit = info.root_commit.take().or_else(|| root_commit.clone());
            }
            None => infos.push(ProjectInfo {
                id,
                name: row.project.name().to_owned(),
                paths: vec![path.clone()],
                remote: remote.clone(),
                root_commit: root_commit.clone(),
                episodes: row.episodes,
            }),
        }
    }
    Ok(infos)
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
