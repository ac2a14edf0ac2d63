//! Which repository does an episode belong to?

use super::ids::ProjectId;

/// One place where a project was seen. A project has one row per path
/// (worktrees, clones), all with the same id.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Project {
    pub id: ProjectId,
    /// The repository's root folder, or the working folder where there is none.
    pub path: String,
    pub root_commit: Option<String>,
    pub remote: Option<String>,
}

impl Project {
    /// A name for people; never an identity (two projects may share it).
    pub fn name(&self) -> &str {
        let trimmed = self.path.trim_end_matches(['/', '\\']);
        match trimmed.rsplit(['/', '\\']).next() {
            Some(name) if !name.is_empty() => name,
            _ => &self.path,
        }
    }
}

/// What was seen at a project's place when it last changed. It serves to recognise the place
/// later; no stored id depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub project: ProjectId,
    pub path: String,
    pub root_commit: Option<String>,
    pub remote: Option<String>,
    /// Distinguishes this folder from others at the same path: its identity on the disk, or
    /// where the sessions of a container were found.
    pub mark: Option<String>,
}

impl From<Sighting> for Project {
    fn from(seen: Sighting) -> Self {
        let Sighting { project, path, root_commit, remote, .. } = seen;
        Project { id: project, path, root_commit, remote }
    }
}

impl From<Project> for Sighting {
    fn from(project: Project) -> Self {
        let Project { id, path, root_commit, remote } = project;
        Sighting { project: id, path, root_commit, remote, mark: None }
    }
}
