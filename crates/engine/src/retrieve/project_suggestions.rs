//! Which projects are probably one, and which is probably several? Unproven matches are only suggested: a wrong merge
//! would mix two memories.

use std::collections::BTreeMap;
use std::path::Path;

use crate::ingest::is_same_remote;
use crate::log::Log;
use crate::model::{ProjectId, Sighting};

use super::RetrieveError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectSuggestion {
    Merge { from: ProjectId, into: ProjectId, reason: String },
    Split { project: ProjectId, folder: String, reason: String },
}

/// At most this many suggestions are shown.
const MOST: usize = 20;

pub fn project_suggestions(log: &mut Log) -> Result<Vec<ProjectSuggestion>, RetrieveError> {
    let projects = places_by_project(log)?;
    let mut out = Vec::new();
    for (at, (id, places)) in projects.iter().enumerate() {
        for (other, other_places) in &projects[at + 1..] {
            if let Some(reason) = why_one(places, other_places) {
                // The project still in use is kept.
                let (from, into) =
                    if is_here(other_places) && !is_here(places) { (*id, *other) } else { (*other, *id) };
                out.push(ProjectSuggestion::Merge { from, into, reason });
            }
        }
        out.extend(copies(*id, places));
    }
    out.truncate(MOST);
    Ok(out)
}

/// The newest sighting of each place, under its current project.
fn places_by_project(log: &mut Log) -> Result<Vec<(ProjectId, Vec<Sighting>)>, RetrieveError> {
    let aliases = log.store().aliases()?;
    let known = log.store().known_projects()?.into_iter().map(Sighting::from);
    let mut newest: BTreeMap<(ProjectId, String), Sighting> = BTreeMap::new();
    let mut order: Vec<ProjectId> = Vec::new();
    for seen in known.chain(log.store().sightings()?) {
        if aliases.has_left(seen.project, &seen.path) {
            continue;
        }
        let id = aliases.current(seen.project);
        if !order.contains(&id) {
            order.push(id);
        }
        newest.insert((id, seen.path.clone()), seen);
    }
    let mut by_id: BTreeMap<ProjectId, Vec<Sighting>> = BTreeMap::new();
    for ((id, _), seen) in newest {
        by_id.entry(id).or_default().push(seen);
    }
    Ok(order.into_iter().filter_map(|id| Some((id, by_id.remove(&id)?))).collect())
}

fn is_here(places: &[Sighting]) -> bool {
    places.iter().any(|place| Path::new(&place.path).exists())
}

fn why_one(a: &[Sighting], b: &[Sighting]) -> Option<String> {
    let pairs = || a.iter().flat_map(|one| b.iter().map(move |other| (one, other)));
    let same_root =
        |(one, other): &(&Sighting, &Sighting)| one.root_commit.is_some() && one.root_commit == other.root_commit;
    let remotes = |(one, other): &(&Sighting, &Sighting)| Some((one.remote.clone()?, other.remote.clone()?));
    let same_remote =
        |pair: &(&Sighting, &Sighting)| remotes(pair).is_some_and(|(one, other)| is_same_remote(&one, &other));
    if pairs().any(|pair| same_root(&pair) && same_remote(&pair)) {
        return Some("both have the same root commit and the same remote".to_owned());
    }
    if let Some((one, _)) = pairs().find(|pair| same_remote(pair) && is_server(pair.0)) {
        let remote = one.remote.clone().unwrap_or_default();
        return Some(format!("both have the remote {remote}, with different histories"));
    }
    let same_name = |pair: &(&Sighting, &Sighting)| {
        remotes(pair).is_some_and(|(one, other)| tail(&one).is_some() && tail(&one) == tail(&other))
    };
    if pairs().any(|pair| same_root(&pair) && same_name(&pair)) {
        return Some("both have the same root commit, and remotes of the same name on different hosts".to_owned());
    }
    let gone = [a, b].into_iter().find(|places| !is_here(places));
    let has_other_remote = pairs().any(|pair| remotes(&pair).is_some_and(|(one, other)| !is_same_remote(&one, &other)));
    if let (Some(gone), true, false) = (gone, pairs().any(|pair| same_root(&pair)), has_other_remote) {
        let path = gone.first().map(|place| place.path.clone()).unwrap_or_default();
        return Some(format!("both have the same root commit, and {path} is gone: it may have been moved"));
    }
    // A folder before and after it became a repository.
    let is_same_folder = |(one, other): &(&Sighting, &Sighting)| {
        one.path == other.path
            && one.root_commit.is_some() != other.root_commit.is_some()
            && Path::new(&one.path).exists()
    };
    let (one, _) = pairs().find(is_same_folder)?;
    Some(format!("both were seen at {}, with and without a repository", one.path))
}

fn is_server(place: &Sighting) -> bool {
    place.remote.as_deref().is_some_and(|remote| !remote.starts_with(['/', '.']))
}

/// The path of a remote without its host.
fn tail(remote: &str) -> Option<&str> {
    remote.split_once('/').map(|(_, path)| path).filter(|path| path.contains('/'))
}

/// Working copies without a remote that were stored under one id: copies of a template.
fn copies(id: ProjectId, places: &[Sighting]) -> Vec<ProjectSuggestion> {
    let is_copy = |place: &&Sighting| {
        place.project == id
            && place.root_commit.is_some()
            && place.remote.is_none()
            && Path::new(&place.path).join(".git").is_dir()
    };
    let copies: Vec<&Sighting> = places.iter().filter(is_copy).collect();
    let reason = || "it shares a root commit with another folder and neither has a remote: copies of a template?";
    copies
        .into_iter()
        .skip(1)
        .map(|place| ProjectSuggestion::Split { project: id, folder: place.path.clone(), reason: reason().to_owned() })
        .collect()
}
