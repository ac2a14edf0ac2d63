//! Is a folder a project that the log knows?
//!
//! Identity needs proof: the same place without contradicting evidence, the same folder on the
//! disk, or the same remote with a common history. A root commit alone proves nothing: every copy
//! of a template has it. Without proof a folder gets an id of its own.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use backstory_files::git::disk;

use crate::model::{Project, ProjectId, Sighting, digest_of};

use super::evidence::{Evidence, PlaceEvidence, holds_any};
use super::remote;

/// The newest sighting of each place of each project.
#[derive(Default)]
pub struct KnownProjects {
    /// By an increasing number: the highest is the most recent.
    places: BTreeMap<usize, Sighting>,
    /// The number of each place.
    numbers: HashMap<(ProjectId, String), usize>,
    /// The number of sightings so far.
    noted: usize,
    /// Each with the number of ids known before it.
    ids: HashMap<ProjectId, usize>,
}

/// How a project with the same remote stands to what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RemoteProof {
    /// Both histories are known, and have nothing in common.
    Against,
    /// One of the histories is unknown.
    Remote,
    History,
}

impl KnownProjects {
    pub fn new(projects: Vec<Project>, sightings: Vec<Sighting>) -> Self {
        let mut known = KnownProjects::default();
        projects.into_iter().map(Sighting::from).chain(sightings).for_each(|sighting| {
            known.note(sighting);
        });
        known
    }

    /// Merges a sighting into what is known; true if it added anything.
    pub fn note(&mut self, mut sighting: Sighting) -> bool {
        let before = self.ids.len();
        self.ids.entry(sighting.project).or_insert(before);
        let number = self.noted;
        self.noted += 1;
        let earlier = self.numbers.insert((sighting.project, sighting.path.clone()), number);
        let Some(before) = earlier.and_then(|earlier| self.places.remove(&earlier)) else {
            self.places.insert(number, sighting);
            return true;
        };
        sighting.root_commit = sighting.root_commit.or_else(|| before.root_commit.clone());
        sighting.remote = sighting.remote.or_else(|| before.remote.clone());
        sighting.mark = sighting.mark.or_else(|| before.mark.clone());
        let is_new = sighting != before;
        self.places.insert(number, sighting);
        is_new
    }

    pub fn identify(&self, seen: &Evidence) -> ProjectId {
        match self.by_place(seen) {
            // A path alone is the weakest proof.
            Some(place) if place.root_commit.is_none() && place.remote.is_none() => {
                self.by_remote(seen).unwrap_or(place.project)
            }
            Some(place) => place.project,
            None => self.by_disk(seen).or_else(|| self.by_remote(seen)).unwrap_or_else(|| self.fresh(seen)),
        }
    }

    /// The project that was seen at this place before, if nothing contradicts it.
    fn by_place(&self, seen: &Evidence) -> Option<&Sighting> {
        let here = self.places.values().rev().filter(|place| is_same_path(&place.path, &seen.place));
        let fitting: Vec<&Sighting> = here.filter(|place| self.fits(place, seen)).collect();
        let same_root = fitting.iter().find(|place| seen.root.is_some() && place.root_commit == seen.root);
        same_root.or(fitting.first()).copied()
    }

    fn fits(&self, place: &Sighting, seen: &Evidence) -> bool {
        let mark = seen.mark();
        let marks = match (&place.mark, &mark) {
            (Some(before), Some(now)) => Some(before == now),
            _ => None,
        };
        let is_moved_away = || {
            let elsewhere = |it: &&Sighting| it.project == place.project && it.path != place.path;
            self.places.values().filter(elsewhere).any(|it| it.mark == place.mark)
        };
        if marks == Some(false) && (is_container_path(&seen.place) || is_moved_away()) {
            return false;
        }
        let history = match (&place.root_commit, &seen.root) {
            (Some(before), Some(now)) => before == now || seen.contains(before) || marks == Some(true),
            (None, Some(_)) if place.remote.is_none() => marks == Some(true) || is_still_there(place),
            (None, _) => true,
            (Some(_), None) => match seen.seen {
                PlaceEvidence::Plain => false,
                PlaceEvidence::Repository => marks != Some(false) || self.has_same_remote(place, seen),
                PlaceEvidence::Unproven | PlaceEvidence::Absent => true,
            },
        };
        history && self.remote_fits(place, seen, marks == Some(true))
    }

    fn has_same_remote(&self, place: &Sighting, seen: &Evidence) -> bool {
        match (&place.remote, &seen.remote) {
            (Some(before), Some(now)) => remote::is_same(before, &now.text),
            _ => false,
        }
    }

    /// A place has a new remote if the repository was renamed, or if the working copy now serves
    /// another purpose. If other copies still follow the old remote, it is the latter.
    fn remote_fits(&self, place: &Sighting, seen: &Evidence, is_same_disk: bool) -> bool {
        let (Some(before), Some(_)) = (&place.remote, &seen.remote) else { return true };
        if self.has_same_remote(place, seen) {
            return true;
        }
        let follows_old = |it: &&Sighting| {
            it.project == place.project
                && it.path != place.path
                && it.remote.as_deref().is_some_and(|remote| remote::is_same(remote, before))
                && Path::new(&it.path).exists()
        };
        let has_history = place.root_commit.as_ref().is_some_and(|root| seen.contains(root));
        seen.seen == PlaceEvidence::Repository
            && (has_history || is_same_disk)
            && !self.places.values().any(|it| follows_old(&it))
    }

    /// The same folder, moved or mounted elsewhere.
    fn by_disk(&self, seen: &Evidence) -> Option<ProjectId> {
        let mark = seen.disk.as_ref()?;
        let is_here = |place: &&Sighting| place.mark.as_ref() == Some(mark) && place.path != seen.place;
        let same_history = |place: &&Sighting| match (&place.root_commit, &seen.root) {
            (Some(before), Some(now)) => before == now || seen.contains(before),
            (Some(_), None) => seen.seen == PlaceEvidence::Repository,
            (None, _) => true,
        };
        let found = self.places.values().rev().filter(is_here).find(same_history)?;
        has_left(&found.path, mark, &seen.place).then_some(found.project)
    }

    fn by_remote(&self, seen: &Evidence) -> Option<ProjectId> {
        let remote = seen.meeting_place()?;
        let mut found: Vec<(RemoteProof, ProjectId)> = Vec::new();
        let is_clone = |place: &&Sighting| place.remote.as_deref().is_some_and(|it| remote::is_same(it, remote));
        for place in self.places.values().filter(is_clone) {
            let proof = proof(place, seen);
            match found.iter_mut().find(|(_, id)| *id == place.project) {
                Some((best, _)) => *best = proof.max(*best),
                None => found.push((proof, place.project)),
            }
        }
        let of = |proof: RemoteProof| found.iter().filter(move |(it, _)| *it == proof).map(|(_, id)| *id);
        // If several match, the first known project is meant.
        let first = of(RemoteProof::History).min_by_key(|id| self.ids.get(id));
        match (first, of(RemoteProof::Remote).count()) {
            (Some(id), _) => Some(id),
            (None, 1) => of(RemoteProof::Remote).next(),
            _ => None,
        }
    }

    /// An id that no known project has.
    pub fn fresh(&self, seen: &Evidence) -> ProjectId {
        let (root, place) = (seen.root.as_deref().unwrap_or(""), seen.place.as_bytes());
        let digest = match (seen.meeting_place(), &seen.root) {
            (Some(remote), _) => digest_of("project", &[b"repository", root.as_bytes(), remote.as_bytes()]),
            (None, Some(root)) => digest_of("project", &[b"copy", root.as_bytes(), place]),
            (None, None) => match seen.mark().filter(|_| is_container_path(&seen.place)) {
                Some(mark) => digest_of("project", &[b"path", place, mark.as_bytes()]),
                None => digest_of("project", &[b"path", place]),
            },
        };
        let mut id = ProjectId(digest);
        // Bounded by the number of projects.
        while self.ids.contains_key(&id) {
            id = ProjectId(digest_of("project", &[b"another", id.as_bytes(), place]));
        }
        id
    }
}

fn proof(place: &Sighting, seen: &Evidence) -> RemoteProof {
    let shared = || {
        let commits = seen.commits();
        !commits.is_empty() && holds_any(&place.path, &commits)
    };
    match (&place.root_commit, &seen.root) {
        (Some(before), Some(now)) if before == now || seen.contains(before) || shared() => RemoteProof::History,
        (Some(_), Some(_)) => RemoteProof::Against,
        _ if shared() => RemoteProof::History,
        _ => RemoteProof::Remote,
    }
}

/// Is this still the same folder, in which a repository was then created? A replacement would prove
/// nothing. Earlier versions kept no mark.
fn is_still_there(place: &Sighting) -> bool {
    place.mark.is_none() || disk::identity(Path::new(&place.path)) == place.mark
}

/// Is the folder with this mark gone from a path, or is the path another mount of it?
fn has_left(path: &str, mark: &str, now: &str) -> bool {
    let git = |path: &str| {
        let inside = Path::new(path).join(".git");
        if inside.is_dir() { inside } else { Path::new(path).to_owned() }
    };
    let (before, now) = (git(path), git(now));
    disk::identity(&before).as_deref() != Some(mark) || disk::is_same_folder(&before, &now)
}

/// Paths of Windows are the same in upper and lower case, and with either slash.
fn is_same_path(a: &str, b: &str) -> bool {
    a == b || (is_windows(a) && is_windows(b) && folded(a) == folded(b))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(r"\\")
        || (bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && bytes.get(2).is_some_and(|byte| matches!(byte, b'\\' | b'/')))
}

fn folded(path: &str) -> String {
    path.replace('\\', "/").to_lowercase()
}

/// Folders at which containers mount any project.
const CONTAINER_ROOTS: [&str; 12] = [
    "workspace", "workspaces", "app", "src", "code", "project", "projects", "repo", "testbed", "content", "sandbox",
    "build",
];

/// Such a path does not identify a project: each container has its own.
pub fn is_container_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let first = rest.split('/').next().unwrap_or_default();
    let is_exact = ["", "root", "work", "data", "usr/src", "usr/src/app", "mnt/data", "tmp"].contains(&rest);
    is_exact || CONTAINER_ROOTS.contains(&first) || ["home/user", "home/node", "home/vscode"].contains(&rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(project: &str, path: &str) -> Sighting {
        let (project, path) = (ProjectId(digest_of("test", &[project.as_bytes()])), path.to_owned());
        Sighting::from(Project { id: project, path, root_commit: None, remote: None })
    }

    #[test]
    fn of_each_place_the_newest_is_kept_and_the_last_seen_is_the_last() {
        let mut known = KnownProjects::default();
        let remote = Some("https://example.com/shop".to_owned());
        assert!(known.note(Sighting { remote: remote.clone(), ..sighting("shop", "/a") }));
        assert!(known.note(sighting("till", "/a")));
        assert!(known.note(sighting("shop", "/b")));
        assert!(!known.note(sighting("shop", "/a")), "nothing is new");
        assert!(known.note(Sighting { root_commit: Some("c0".to_owned()), ..sighting("shop", "/a") }));
        let whole = Sighting { remote, root_commit: Some("c0".to_owned()), ..sighting("shop", "/a") };
        let places: Vec<Sighting> = known.places.into_values().collect();
        assert_eq!(places, [sighting("till", "/a"), sighting("shop", "/b"), whole]);
    }

    /// Each hook notes all sightings of the log: none may look at all the others.
    #[test]
    fn what_is_seen_often_is_kept_once() {
        let seen = (0..200_000).map(|at| sighting("shop", &format!("/w/{}", at % 50_000))).collect();
        let known = KnownProjects::new(Vec::new(), seen);
        assert_eq!((known.places.len(), known.numbers.len(), known.noted), (50_000, 50_000, 200_000));
        assert_eq!(known.places.values().last().map(|place| place.path.as_str()), Some("/w/49999"));
    }
}
