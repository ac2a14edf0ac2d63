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
