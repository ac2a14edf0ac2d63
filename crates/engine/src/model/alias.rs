//! Which projects did people merge, split or rename?
//!
//! Such acts are events of Backstory's own, in the order of the log. Episodes keep their stored
//! id; [`Aliases`] gives the current project.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use backstory_language::digest::{Digest, digest_of};

use super::ids::{EpisodeId, EventId, ProjectId};

/// The session id of such events.
pub const PROJECTS_SESSION: &str = "projects";

/// The input of a judgement about projects.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum ProjectAct {
    /// Merges both under the id of `into`.
    Merge {
        from: ProjectId,
        into: ProjectId,
    },
    /// A folder and its episodes become a separate project.
    Split {
        project: ProjectId,
        into: ProjectId,
        folder: String,
        episodes: Vec<EpisodeId>,
    },
    Rename {
        project: ProjectId,
        name: String,
    },
    /// Revokes an earlier act.
    Undo {
        event: EventId,
    },
}

/// Which project is a stored project now?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Acts that were not undone, in the order of the log.
    acts: Vec<(EventId, ProjectAct)>,
    merged: BTreeMap<ProjectId, ProjectId>,
    moved: BTreeMap<EpisodeId, ProjectId>,
    names: BTreeMap<ProjectId, String>,
    /// Projects of splits that were undone.
    rejoined: BTreeSet<ProjectId>,
}

impl Aliases {
    /// All acts of the log, in its order.
    pub fn of(acts: Vec<(EventId, ProjectAct)>) -> Self {
        let (acts, undone) = that_count(acts);
        let mut aliases = Aliases { acts, ..Aliases::default() };
        for (_, act) in aliases.acts.clone() {
            match act {
                ProjectAct::Merge { from, into } => {
                    let (from, into) = (aliases.current(from), aliases.current(into));
                    if from != into {
                        aliases.merged.insert(from, into);
                    }
                }
                ProjectAct::Split { into, episodes, .. } => {
                    aliases.moved.extend(episodes.into_iter().map(|episode| (episode, into)));
                }
                ProjectAct::Rename { project, name } => drop(aliases.names.insert(project, name)),
                ProjectAct::Undo { .. } => {}
            }
        }
        for (_, act) in undone {
            if let ProjectAct::Split { project, into, .. } = act {
                aliases.rejoin(into, project);
            }
        }
        aliases
    }

    /// Returns what was stored while a split was in force to its project, unless a merge that is
    /// in force says otherwise.
    fn rejoin(&mut self, part: ProjectId, project: ProjectId) {
        let whole = self.current(project);
        if !self.merged.contains_key(&part) && whole != part {
            self.merged.insert(part, whole);
            self.rejoined.insert(part);
        }
    }

    /// Acts that were not undone, oldest first.
    pub fn acts(&self) -> &[(EventId, ProjectAct)] {
        &self.acts
    }

    pub fn is_empty(&self) -> bool {
        self.acts.is_empty()
    }

    /// Does any episode belong to another project than the stored one? A new name alone changes
    /// nothing.
    pub fn is_changing(&self) -> bool {
        !self.merged.is_empty() || !self.moved.is_empty()
    }

    /// The project that this one is part of now.
    pub fn current(&self, project: ProjectId) -> ProjectId {
        let mut current = project;
        // A merge joins two different projects, so this ends.
        for _ in 0..=self.merged.len() {
            match self.merged.get(&current) {
                Some(into) => current = *into,
                None => break,
            }
        }
        current
    }

    /// Was this project made by a split that was undone? Then it is no project, and no merged
    /// one.
    pub fn is_rejoined(&self, project: ProjectId) -> bool {
        self.rejoined.contains(&project)
    }

    /// The current project of an episode, from its stored one.
    pub fn of_episode(&self, episode: EpisodeId, stored: ProjectId) -> ProjectId {
        self.current(self.moved.get(&episode).copied().unwrap_or(stored))
    }

    /// The name that a person gave.
    pub fn name(&self, project: ProjectId) -> Option<&str> {
        self.names.get(&project).map(String::as_str)
    }

    /// The projects that were merged into this one.
    pub fn parts(&self, project: ProjectId) -> Vec<ProjectId> {
        self.merged.keys().copied().filter(|part| self.current(*part) == project).collect()
    }

    /// Other ids under which judgements about this project's cards may be stored.
    pub fn former(&self, project: ProjectId) -> Vec<ProjectId> {
        let mut ids: BTreeSet<ProjectId> = self.parts(project).into_iter().collect();
        for (_, act) in &self.acts {
            if let ProjectAct::Split { project: of, into, .. } = act
                && (*into == project || ids.contains(into))
            {
                ids.insert(*of);
            }
        }
        ids.remove(&project);
        ids.into_iter().collect()
    }

    /// The split-off folder that contains `folder`, with its project.
    pub fn split_off(&self, folder: &str, place: &str) -> Option<(&str, ProjectId)> {
        let splits = self.acts.iter().rev().filter_map(|(_, act)| match act {
            ProjectAct::Split { folder, into, .. } => Some((folder.as_str(), *into)),
            _ => None,
        });
        // A repository below the folder keeps its own project.
        let fitting =
            splits.filter(|(split, _)| place == *split || (is_within(folder, split) && is_within(split, place)));
        fitting.max_by_key(|(split, _)| split.len())
    }

    /// Was this place split off from the project?
    pub fn has_left(&self, project: ProjectId, place: &str) -> bool {
        self.split_off(place, place).is_some_and(|(_, into)| into != project)
    }

    /// Equal for two logs whose episodes belong to the same projects.
    pub fn fingerprint(&self) -> Digest {
        let merged = self.merged.iter().flat_map(|(from, into)| [from.as_bytes(), into.as_bytes()]);
        let moved = self.moved.iter().flat_map(|(episode, into)| [episode.as_bytes(), into.as_bytes()]);
        let count = (self.merged.len() as u64).to_le_bytes();
        let parts: Vec<&[u8]> = std::iter::once(count.as_slice()).chain(merged).chain(moved).collect();
        digest_of("aliases", &parts)
    }
}

/// Is a path this folder, or below it?
pub fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

type Acts = Vec<(EventId, ProjectAct)>;

/// Acts in force and undone acts, both in order. Later acts may undo earlier ones, and an undo
/// may be undone.
fn that_count(acts: Acts) -> (Acts, Acts) {
    let mut named: HashSet<EventId> = HashSet::new();
    let (mut counting, mut undone) = (Acts::new(), Acts::new());
    for (event, act) in acts.into_iter().rev() {
        if named.contains(&event) {
            undone.push((event, act));
            continue;
        }
        if let ProjectAct::Undo { event } = &act {
            named.insert(*event);
        }
        counting.push((event, act));
    }
    counting.reverse();
    undone.reverse();
    (counting, undone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(name: &str) -> ProjectId {
        ProjectId(digest_of("test", &[name.as_bytes()]))
    }

    fn event(number: u8) -> EventId {
        EventId(digest_of("test", &[&[number]]))
    }

    fn episode(number: u8) -> EpisodeId {
        EpisodeId(digest_of("episode", &[&[number]]))
    }

    fn merge(from: &str, into: &str) -> ProjectAct {
        ProjectAct::Merge { from: project(from), into: project(into) }
    }

    fn aliases(acts: Vec<ProjectAct>) -> Aliases {
        Aliases::of(acts.into_iter().enumerate().map(|(at, act)| (event(at as u8), act)).collect())
    }

    #[test]
    fn merges_add_up_and_never_go_round() {
        let all = aliases(vec![merge("a", "b"), merge("b", "c"), merge("c", "a"), merge("d", "a")]);
        for name in ["a", "b", "c", "d"] {
            assert_eq!(all.current(project(name)), project("c"), "{name}");
        }
        assert_eq!(all.parts(project("c")).len(), 3);
        assert_eq!(all.current(project("e")), project("e"));
    }

    #[test]
    fn what_is_undone_does_not_count() {
        let undo = |number| ProjectAct::Undo { event: event(number) };
        assert_eq!(aliases(vec![merge("a", "b"), undo(0)]).current(project("a")), project("a"));
        assert_eq!(aliases(vec![merge("a", "b"), undo(0), undo(1)]).current(project("a")), project("b"));
        let with = aliases(vec![merge("a", "b"), undo(0)]).fingerprint();
        assert_eq!(with, Aliases::default().fingerprint(), "nothing is left to follow");
        assert!(!aliases(vec![merge("a", "b"), undo(0)]).is_changing());
    }

    fn split(from: &str, into: &str) -> ProjectAct {
        let (folder, episodes) = (format!("/w/{into}"), vec![episode(1)]);
        ProjectAct::Split { project: project(from), into: project(into), folder, episodes }
    }

    #[test]
    fn what_an_undone_split_made_is_part_of_the_project_again() {
        let undo = |number| ProjectAct::Undo { event: event(number) };
        let all = aliases(vec![split("a", "b"), undo(0)]);
        assert_eq!(all.of_episode(episode(1), project("a")), project("a"));
        assert_eq!(all.of_episode(episode(2), project("b")), project("a"), "stored while the split counted");
        assert_eq!(all.split_off("/w/b", "/w"), None);
        assert_eq!(all.acts().len(), 1, "only the undo counts");
        assert!(all.is_rejoined(project("b")) && all.former(project("a")).contains(&project("b")));

        let again = aliases(vec![split("a", "b"), undo(0), undo(1)]);
        assert_eq!(again.of_episode(episode(2), project("b")), project("b"));
        assert!(!again.is_rejoined(project("b")));

        let nested = aliases(vec![split("a", "b"), split("b", "c"), undo(0), undo(1)]);
        assert_eq!(nested.current(project("c")), project("a"));
    }

    /// The merge concerned the part, not the whole.
    #[test]
    fn a_merge_of_what_was_split_off_outlives_the_split() {
        let undo = ProjectAct::Undo { event: event(0) };
        let all = aliases(vec![split("a", "b"), merge("b", "c"), undo.clone()]);
        assert_eq!((all.current(project("b")), all.current(project("a"))), (project("c"), project("a")));
        let other_way = aliases(vec![split("a", "b"), merge("a", "b"), undo]);
        assert_eq!((other_way.current(project("a")), other_way.current(project("b"))), (project("b"), project("b")));
    }

    #[test]
    fn a_split_takes_episodes_and_folders_along() {
        let all = aliases(vec![split("a", "b"), merge("b", "c")]);
        assert_eq!(all.of_episode(episode(1), project("a")), project("c"));
        assert_eq!(all.of_episode(episode(2), project("a")), project("a"));
        assert_eq!(all.split_off("/w/b/deep", "/w"), Some(("/w/b", project("b"))));
        assert_eq!(all.split_off("/w/bc", "/w"), None);
        assert_eq!(all.split_off("/w/b/lib", "/w/b/lib"), None, "a repository of its own");
        assert_eq!(all.split_off("/w/b-feature", "/w/b"), Some(("/w/b", project("b"))), "a worktree of it");
        assert_eq!(all.former(project("c")), {
            let mut ids = vec![project("a"), project("b")];
            ids.sort();
            ids
        });
    }
}
