//! Resolves a folder or session to its project.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::log::Log;
use crate::model::{Aliases, Project, Sighting};
use crate::store::StoreError;

use super::evidence::{Evidence, Looking, Recorded};
use super::known::KnownProjects;

/// Resolves folders to projects, with a cache.
#[derive(Default)]
pub struct Projects {
    known: KnownProjects,
    aliases: Aliases,
    by_folder: HashMap<SessionPlace, Project>,
    /// Known root commits by the repository's path, and marks of histories that are too long.
    roots: HashMap<String, String>,
    home: Option<PathBuf>,
    /// New sightings that are not in the log yet.
    new: Vec<Sighting>,
}

/// Where a session took place, as far as it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionPlace {
    pub folder: String,
    pub recorded: Recorded,
    /// The host's folder that held the session file.
    pub origin: Option<String>,
}

impl Projects {
    /// `known`: the projects that the log has already.
    pub fn new(known: Vec<Project>) -> Self {
        let roots = known.iter().filter_map(|known| Some((known.path.clone(), known.root_commit.clone()?)));
        Projects { roots: roots.collect(), known: KnownProjects::new(known, Vec::new()), ..Projects::default() }
    }

    /// With all places and all acts on projects in the log.
    pub fn of_log(log: &mut Log) -> Result<Self, StoreError> {
        let home = log.user_home().map(Path::to_owned);
        let (known, sightings, aliases) =
            (log.store().known_projects()?, log.store().sightings()?, log.store().aliases()?);
        let roots = known.iter().map(|it| (&it.path, &it.root_commit));
        let roots = roots.chain(sightings.iter().map(|it| (&it.path, &it.root_commit)));
        let roots = roots.filter_map(|(path, root)| Some((path.clone(), root.clone()?))).collect();
        let aliases = Aliases::clone(&aliases);
        Ok(Projects { roots, known: KnownProjects::new(known, sightings), aliases, home, ..Projects::default() })
    }

    /// Adds root commits that the log does not have.
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = (String, String)>) -> Self {
        for (path, root) in roots {
            self.roots.entry(path).or_insert(root);
        }
        self
    }

    /// The project according to the evidence, which is what the log stores.
    pub fn of_folder(&mut self, folder: &str) -> Project {
        self.of_session(&SessionPlace { folder: folder.to_owned(), ..SessionPlace::default() })
    }

    /// The same, with what the session itself says.
    pub fn of_session(&mut self, session: &SessionPlace) -> Project {
        if let Some(project) = self.by_folder.get(session) {
            return project.clone();
        }
        let evidence = self.gather(session);
        // Other folders of the repository need not walk its history again.
        if let Some(root) = evidence.root.as_ref().or(evidence.long_history.as_ref()) {
            self.roots.insert(evidence.place.clone(), root.clone());
        }
        let sighting = match self.aliases.split_off(&evidence.folder, &evidence.place) {
            Some((folder, id)) => evidence.sighting_of_part(id, folder),
            None => evidence.sighting(self.known.identify(&evidence)),
        };
        let project = Project::from(sighting.clone());
        self.by_folder.insert(session.clone(), project.clone());
        if self.known.note(sighting.clone()) {
            self.new.push(sighting);
        }
        project
    }

    /// The project for queries from a folder: merged projects are one.
    pub fn in_folder(&mut self, folder: &str) -> Project {
        let project = self.of_folder(folder);
        Project { id: self.aliases.current(project.id), ..project }
    }

    /// The new project for a folder that is split off from its project.
    pub fn apart(&mut self, folder: &str) -> Project {
        let evidence = self.gather(&SessionPlace { folder: folder.to_owned(), ..SessionPlace::default() });
        Project::from(evidence.sighting_of_part(self.known.fresh(&evidence), folder))
    }

    /// New sightings since the last call.
    pub fn take_sightings(&mut self) -> Vec<Sighting> {
        std::mem::take(&mut self.new)
    }

    fn gather(&self, session: &SessionPlace) -> Evidence {
        let looking = Looking { roots: &self.roots, home: self.home.as_deref() };
        Evidence::gather(&session.folder, &session.recorded, session.origin.as_deref(), &looking)
    }
}

#[cfg(test)]
mod tests;
