//! Which evidence is there about a folder's project? From the file system, and from the session.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use backstory_files::git::{Around, GitConfig, OwningRepository, around, disk, tree_around};

use super::history::{CommitHistory, Root};
use super::known::is_container_path;
use super::remote::{self, Remote};
use crate::model::{ProjectId, Sighting};

/// What a session recorded about its repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Recorded {
    pub remote: Option<String>,
    /// The commit that was checked out.
    pub commit: Option<String>,
}

impl Recorded {
    pub fn is_empty(&self) -> bool {
        self.remote.is_none() && self.commit.is_none()
    }
}

/// The state of a folder on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceEvidence {
    Repository,
    /// There is a repository that cannot be read or trusted.
    Unproven,
    /// A folder without a repository.
    Plain,
    /// Not on this machine.
    Absent,
}

pub struct Evidence {
    /// The repository's folder, or the folder itself if there is none.
    pub place: String,
    /// The requested folder.
    pub folder: String,
    pub seen: PlaceEvidence,
    pub root: Option<String>,
    /// Replaces `root` if the history is too long to walk.
    pub long_history: Option<String>,
    pub remote: Option<Remote>,
    pub disk: Option<String>,
    /// The host's folder of the session: distinguishes machines that use the same path.
    pub origin: Option<String>,
    /// The commit that the session recorded.
    commit: Option<String>,
    repository: Option<OwningRepository>,
    history: OnceCell<Option<CommitHistory>>,
}

/// The resolver's prior knowledge.
pub struct Looking<'a> {
    /// Known root commits, by the repository's place.
    pub roots: &'a HashMap<String, String>,
    pub home: Option<&'a Path>,
}

impl Evidence {
    pub fn gather(folder: &str, recorded: &Recorded, origin: Option<&str>, looking: &Looking<'_>) -> Self {
        let seen = Self::look(folder, looking);
        let evidence = if seen.agrees_with(recorded) { seen } else { Self::of_record(folder, recorded) };
        Evidence { origin: origin.map(str::to_owned), folder: folder.to_owned(), ..evidence }
    }

    fn look(folder: &str, looking: &Looking<'_>) -> Self {
        let Some(asked) = without_links(Path::new(folder)) else {
            return Self::bare(tidy(folder), PlaceEvidence::Absent);
        };
        match around(&asked, looking.home) {
            Around::Repository(repository) => Self::of_repository(repository, looking),
            Around::Unproven(place) => Self::bare(text(&place), PlaceEvidence::Unproven),
            Around::Nothing if asked.is_dir() => {
                let disk = disk::identity(&asked);
                Evidence { disk, ..Self::bare(text(&asked), PlaceEvidence::Plain) }
            }
            Around::Nothing => Self::bare(tidy(folder), PlaceEvidence::Absent),
        }
    }

    fn bare(place: String, seen: PlaceEvidence) -> Self {
        Evidence {
            folder: place.clone(),
            place,
            seen,
            root: None,
            long_history: None,
            remote: None,
            disk: None,
            origin: None,
            commit: None,
            repository: None,
            history: OnceCell::new(),
        }
    }

    fn of_record(folder: &str, recorded: &Recorded) -> Self {
        let remote = recorded.remote.as_deref().map(|url| Remote::new(url, Path::new(folder)));
        Evidence { remote, commit: recorded.commit.clone(), ..Self::bare(tidy(folder), PlaceEvidence::Absent) }
    }

    fn of_repository(repository: OwningRepository, looking: &Looking<'_>) -> Self {
        let place = std::fs::canonicalize(repository.place()).unwrap_or_else(|_| repository.place().to_owned());
        let config = GitConfig::read(&repository.common);
        let branch = CommitHistory::branch(&repository.git);
        let remote = config.main_remote(branch.as_deref()).map(|url| Remote::new(url, &place));
        let disk = disk::identity(&repository.common);
        let place = text(&place);
        let mut evidence = Evidence {
            remote,
            disk,
            repository: Some(repository),
            ..Self::bare(place.clone(), PlaceEvidence::Repository)
        };
        // Walking a long history takes a while; a root commit that was found here
        // before and is still here is still the root.
        let before = looking.roots.get(&place).map(String::as_str).unwrap_or_default();
        let too_long_at = before.strip_prefix(TOO_LONG);
        let is_here = evidence.contains(too_long_at.unwrap_or(before));
        if is_here {
            evidence.root = too_long_at.is_none().then(|| before.to_owned());
            return evidence;
        }
        match evidence.history().map(CommitHistory::root) {
            Some(Root::Commit(root)) => evidence.root = Some(root),
            Some(Root::TooLong) => evidence.long_history = evidence.history().and_then(long_history_mark),
            Some(Root::Unknown) | None => {}
        }
        evidence
    }

    /// A session that recorded another repository was not in the one that is there now.
    fn agrees_with(&self, recorded: &Recorded) -> bool {
        if recorded.commit.as_deref().is_some_and(|commit| self.contains(commit)) {
            return true;
        }
        match (&recorded.remote, &self.remote) {
            (None, _) => true,
            (Some(url), Some(here)) => remote::is_same(&remote::normal(url), &here.text),
            (Some(_), None) => false,
        }
    }

    /// Does the repository hold this commit?
    pub fn contains(&self, commit: &str) -> bool {
        self.history().is_some_and(|history| history.contains(commit))
    }

    /// Commits that another copy of the repository may have too.
    pub fn commits(&self) -> Vec<String> {
        let tip = self.history().and_then(CommitHistory::tip);
        self.root.iter().cloned().chain(tip).chain(self.commit.clone()).collect()
    }

    fn history(&self) -> Option<&CommitHistory> {
        let open = || self.repository.as_ref().and_then(|it| CommitHistory::open(&it.common, &it.git));
        self.history.get_or_init(open).as_ref()
    }

    /// Distinguishes this folder from others at the same path.
    pub fn mark(&self) -> Option<String> {
        let origin =
            self.origin.as_ref().filter(|_| self.seen == PlaceEvidence::Absent && is_container_path(&self.place));
        self.disk.clone().or_else(|| origin.map(|origin| format!("from {origin}")))
    }

    pub fn sighting(&self, project: ProjectId) -> Sighting {
        let remote = self.remote.as_ref().map(|remote| remote.text.clone());
        let (path, root_commit) = (self.place.clone(), self.root.clone());
        Sighting { project, path, root_commit, remote, mark: self.mark() }
    }

    /// The same for a folder that was split off. Inside a repository it gets none of the
    /// repository's evidence.
    pub fn sighting_of_part(&self, project: ProjectId, folder: &str) -> Sighting {
        if folder == self.place {
            return self.sighting(project);
        }
        Sighting { project, path: folder.to_owned(), root_commit: None, remote: None, mark: None }
    }

    /// The remote that clones share.
    pub fn meeting_place(&self) -> Option<&str> {
        self.remote.as_ref().filter(|remote| remote.is_meeting_place).map(|remote| remote.text.as_str())
    }
}

/// Replaces a root commit: this prefix, then the commit from which the history was too long to walk.
const TOO_LONG: char = '-';

/// The replacement of a root commit for a repository whose history is too long, so that it is
/// walked once. It is valid while the repository has the named commit. None for any other
/// repository.
pub fn mark_of_long_history(place: &str) -> Option<String> {
    let Around::Repository(repository) = around(Path::new(place), None) else { return None };
    let history = CommitHistory::open(&repository.common, &repository.git)?;
    (history.root() == Root::TooLong).then(|| long_history_mark(&history)).flatten()
}

fn long_history_mark(history: &CommitHistory) -> Option<String> {
    history.tip().map(|tip| format!("{TOO_LONG}{tip}"))
}

pub fn is_mark_of_long_history(root: &str) -> bool {
    root.starts_with(TOO_LONG)
}

/// The branch that is checked out around a folder, if one is.
pub fn branch_around(folder: &Path, home: Option<&Path>) -> Option<String> {
    match around(&without_links(folder)?, home) {
        Around::Repository(repository) => CommitHistory::branch(&repository.git),
        Around::Unproven(_) | Around::Nothing => None,
    }
}

/// The files of a folder's project: the working tree of its repository, or the folder itself, with
/// links resolved. None if the folder does not exist.
pub fn project_tree(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(folder).ok()?;
    Some(tree_around(&folder, home))
}

/// Does the repository at a known place hold one of these commits?
pub fn holds_any(place: &str, commits: &[String]) -> bool {
    let Around::Repository(repository) = around(Path::new(place), None) else { return false };
    let history = CommitHistory::open(&repository.common, &repository.git);
    history.is_some_and(|history| commits.iter().any(|commit| history.contains(commit)))
}

fn text(path: &Path) -> String {
    let text = path.to_string_lossy();
    let trimmed = text.trim_end_matches('/');
    if trimmed.is_empty() { text.into_owned() } else { trimmed.to_owned() }
}

/// The folder with the links of its existing part resolved. None if the path is not absolute on this machine.
fn without_links(folder: &Path) -> Option<PathBuf> {
    if !folder.is_absolute() {
        return None;
    }
    let existing = folder.ancestors().find(|folder| folder.is_dir())?;
    let rest = folder.strip_prefix(existing).ok()?;
    let real = std::fs::canonicalize(existing).ok()?;
    Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

/// The path of a folder that is not on this machine. A worktree inside a repository gives the
/// repository's path.
fn tidy(folder: &str) -> String {
    let marks = ["/.worktrees/", "/.claude/worktrees/", r"\.worktrees\", r"\.claude\worktrees\"];
    let above = marks.iter().find_map(|mark| folder.split_once(mark));
    let folder = above.map_or(folder, |(repository, _)| repository);
    let trimmed = folder.trim_end_matches(['/', '\\']);
    if trimmed.is_empty() { folder.to_owned() } else { trimmed.to_owned() }
}
