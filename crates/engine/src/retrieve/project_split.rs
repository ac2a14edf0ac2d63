//! Which runs of a project were in a folder?

use std::collections::HashMap;

use crate::ingest::Projects;
use crate::log::Log;
use crate::model::{EpisodeId, ProjectId, SourceKind, is_within};

use super::RetrieveError;

/// A run names its folder among this many first events, or never.
const FIRST_EVENTS: u32 = 400;

/// The runs that would leave a project, and the number that would stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderRuns {
    pub inside: Vec<EpisodeId>,
    pub outside: usize,
}

/// Worktrees belong to the folder of their repository. A sub-agent that names no folder goes
/// with its session.
pub fn runs_in_folder(log: &mut Log, project: ProjectId, folder: &str) -> Result<FolderRuns, RetrieveError> {
    let mut places = Projects::of_log(log)?;
    let mut is_inside = |named: &str| is_within(named, folder) || places.of_folder(named).path == folder;
    let mut sessions: HashMap<(SourceKind, String), bool> = HashMap::new();
    let mut runs = FolderRuns::default();
    let mut episodes = log.store().episodes()?;
    episodes.retain(|(_, episode)| episode.project == project && episode.key.source != SourceKind::Backstory);
    // Main runs first.
    episodes.sort_by_key(|(num, episode)| (episode.key.agent.is_some(), *num));
    for (num, episode) in episodes {
        let session = (episode.key.source, episode.key.session.clone());
        let inside = match log.store().folder_of(num, FIRST_EVENTS)? {
            Some(named) => is_inside(&named),
            None => sessions.get(&session).copied().unwrap_or(false),
        };
        sessions.entry(session).or_insert(inside);
        match inside {
            true => runs.inside.push(episode.id()),
            false => runs.outside += 1,
        }
    }
    Ok(runs)
}
