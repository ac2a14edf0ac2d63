//! Which project does a working folder belong to?
//!
//! A project is a repository: its root commit and remote, wherever it is
//! checked out. Worktrees share their repository's common folder, sub-folders
//! their repository's root. Where there is no repository (or it is not on this
//! machine) the project is the folder's path. Never a folder's base name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::model::{Project, ProjectId, digest_of};

use super::repository;

/// What a look at the file system says about a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sighting {
    path: String,
    root_commit: Option<String>,
    remote: Option<String>,
}

/// Resolves folders to projects, remembering what it saw.
#[derive(Default)]
pub struct Projects {
    known: Vec<Project>,
    by_folder: HashMap<String, Project>,
    /// Root commits that were found before, by the repository's path.
    roots: HashMap<String, String>,
}

impl Projects {
    /// `known`: the projects that the log has already.
    pub fn new(known: Vec<Project>) -> Self {
        let roots = known.iter().filter_map(|known| Some((known.path.clone(), known.root_commit.clone()?)));
        Projects { roots: roots.collect(), known, by_folder: HashMap::new() }
    }

    /// Root commits of repositories that the log does not have.
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = (String, String)>) -> Self {
        for (path, root) in roots {
            self.roots.entry(path).or_insert(root);
        }
        self
    }

    pub fn of_folder(&mut self, folder: &str) -> Project {
        if let Some(project) = self.by_folder.get(folder) {
            return project.clone();
        }
        let project = self.identify(look(folder, &self.roots));
        self.by_folder.insert(folder.to_owned(), project.clone());
        if !self.known.contains(&project) {
            self.known.push(project.clone());
        }
        project
    }

    fn identify(&self, sighting: Sighting) -> Project {
        let Sighting { path, root_commit, remote } = sighting;
        // A folder that became a repository, or got its remote later, stays
        // the project it was; another repository in its place does not.
        let same_place = self.known.iter().find(|known| {
            known.path == path
                && (known.root_commit.is_none() || root_commit.is_none() || known.root_commit == root_commit)
        });
        let id = match same_place {
            Some(known) => known.id,
            None => project_id(&path, root_commit.as_deref(), remote.as_deref()),
        };
        Project { id, path, root_commit, remote }
    }
}

fn project_id(path: &str, root_commit: Option<&str>, remote: Option<&str>) -> ProjectId {
    let digest = match (root_commit, remote) {
        (None, None) => digest_of("project", &[b"path", path.as_bytes()]),
        (root, remote) => {
            let (root, remote) = (root.unwrap_or(""), remote.unwrap_or(""));
            digest_of("project", &[b"repository", root.as_bytes(), remote.as_bytes()])
        }
    };
    ProjectId(digest)
}

fn look(folder: &str, roots: &HashMap<String, String>) -> Sighting {
    let Some(existing) = nearest_existing(Path::new(folder)) else {
        return Sighting { path: tidy(folder), root_commit: None, remote: None };
    };
    match repository::discover(&existing) {
        Ok(repository) => look_at_repository(&repository, roots),
        Err(_) => {
            let path = match std::fs::canonicalize(folder) {
                Ok(path) => path.to_string_lossy().into_owned(),
                Err(_) => tidy(folder),
            };
            Sighting { path, root_commit: None, remote: None }
        }
    }
}

/// A worktree may be gone while its repository is still there.
fn nearest_existing(folder: &Path) -> Option<PathBuf> {
    folder.is_absolute().then(|| folder.ancestors().find(|folder| folder.is_dir()))?.map(Path::to_owned)
}

fn look_at_repository(repository: &git2::Repository, roots: &HashMap<String, String>) -> Sighting {
    let common = repository.commondir();
    // `…/project/.git` -> `…/project`; a bare repository is its own place.
    let root = if common.file_name().is_some_and(|name| name == ".git") { common.parent() } else { None };
    let root = root.unwrap_or(common);
    let path = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let path = path.to_string_lossy().trim_end_matches('/').to_owned();
    // Walking a long history takes a while; a root commit that was found here
    // before and is still here is still the root.
    let found_before = roots.get(&path).cloned();
    let still_here = |id: &String| git2::Oid::from_str(id).is_ok_and(|id| repository.find_commit(id).is_ok());
    let root_commit = found_before.filter(still_here).or_else(|| root_commit(repository));
    Sighting { path, root_commit, remote: remote(repository) }
}

/// The oldest commit without parents. A shallow clone does not know it.
fn root_commit(repository: &git2::Repository) -> Option<String> {
    if repository.is_shallow() {
        return None;
    }
    let mut walk = repository.revwalk().ok()?;
    walk.push_head().ok()?;
    let roots = walk.filter_map(Result::ok).filter_map(|id| repository.find_commit(id).ok());
    let oldest =
        roots.filter(|commit| commit.parent_count() == 0).min_by_key(|commit| (commit.time().seconds(), commit.id()));
    oldest.map(|commit| commit.id().to_string())
}

fn remote(repository: &git2::Repository) -> Option<String> {
    let names = repository.remotes().ok()?;
    let names: Vec<String> = names.iter().flatten().flatten().map(str::to_owned).collect();
    let name = names.iter().find(|name| *name == "origin").or(names.first())?;
    let remote = repository.find_remote(name).ok()?;
    Some(normal_remote(remote.url().ok()?))
}

/// The same repository by any road: scheme, user, password, port and `.git` go.
fn normal_remote(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = match rest.split_once('@') {
        Some((user, host)) if !user.contains('/') => host,
        _ => rest,
    };
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    match rest.split_once([':', '/']) {
        Some((host, path)) if url.contains("://") || url.contains('@') => {
            let path = match path.split_once('/') {
                Some((port, path)) if is_port(rest, host, port) => path,
                _ => path,
            };
            format!("{}/{}", host.to_ascii_lowercase(), path.trim_start_matches('/'))
        }
        _ => rest.to_owned(),
    }
}

/// A folder that is not on this machine, as it was written. Where its name
/// says that it is a worktree inside a repository, the repository is meant.
fn is_port(rest: &str, host: &str, port: &str) -> bool {
    rest[host.len()..].starts_with(':') && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn tidy(folder: &str) -> String {
    let above = ["/.worktrees/", "/.claude/worktrees/"].iter().find_map(|mark| folder.split_once(mark));
    let folder = above.map_or(folder, |(repository, _)| repository);
    let trimmed = folder.trim_end_matches(['/', '\\']);
    if trimmed.is_empty() { folder.to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_remote_by_many_roads() {
        for url in [
            "https://github.com/ada/shop.git",
            "https://user:pass@github.com/ada/shop",
            "git@github.com:ada/shop.git",
            "ssh://git@GitHub.com:22/ada/shop.git/",
        ] {
            assert_eq!(normal_remote(url), "github.com/ada/shop", "{url}");
        }
        assert_eq!(normal_remote("/srv/git/shop.git"), "/srv/git/shop");
        assert_eq!(normal_remote("https://github.com/1shop/sdk"), "github.com/1shop/sdk");
        assert_eq!(normal_remote("git@github.com:1shop/sdk.git"), "github.com/1shop/sdk");
    }

    #[test]
    fn folders_that_are_not_here_are_told_apart_by_path() {
        let mut projects = Projects::default();
        let shop = projects.of_folder("/nowhere/ada/shop");
        assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/").id);
        assert_ne!(shop.id, projects.of_folder("/nowhere/bob/shop").id);
        assert_eq!(shop.name(), "shop");
        assert_eq!(shop.id, projects.of_folder("/nowhere/ada/shop/.worktrees/ada/fix").id);
    }

    #[test]
    fn a_repository_is_one_project_wherever_it_is_seen() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let main = folder.path().join("shop");
        let repository = init_with_commit(&main)?;
        std::fs::create_dir_all(main.join("packages/cart"))?;
        repository.worktree("feature", &folder.path().join("shop-feature"), None)?;

        let mut projects = Projects::default();
        let at_root = projects.of_folder(&main.to_string_lossy());
        let in_package = projects.of_folder(&main.join("packages/cart").to_string_lossy());
        let in_worktree = projects.of_folder(&folder.path().join("shop-feature").to_string_lossy());
        let gone = projects.of_folder(&main.join("deleted/worktree").to_string_lossy());
        assert!(at_root.root_commit.is_some());
        assert_eq!(at_root.id, in_package.id);
        assert_eq!(at_root.id, in_worktree.id);
        assert_eq!(at_root.id, gone.id);

        let other = folder.path().join("elsewhere/shop");
        std::fs::create_dir_all(&other)?;
        assert_ne!(at_root.id, projects.of_folder(&other.to_string_lossy()).id);

        repository.remote("origin", "https://example.com/ada/shop.git")?;
        let mut later = Projects::new(vec![at_root.clone()]);
        assert_eq!(later.of_folder(&main.to_string_lossy()).id, at_root.id, "a remote added later changes nothing");
        Ok(())
    }

    fn init_with_commit(path: &Path) -> Result<git2::Repository, git2::Error> {
        let repository = git2::Repository::init(path)?;
        {
            let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_700_000_000, 0))?;
            let tree = repository.find_tree(repository.index()?.write_tree()?)?;
            repository.commit(Some("HEAD"), &who, &who, "first", &tree, &[])?;
        }
        Ok(repository)
    }
}
