//! Which repository does a folder really belong to?
//!
//! A `.git` file, a link or a `commondir` can name any repository on the machine. It counts only if that repository
//! names the folder in turn: a worktree must be listed by its repository, a separate git folder must say which working
//! tree is its own.

use std::path::{Component, Path, PathBuf};

use super::config::GitConfig;
use super::{disk, small};

/// A repository that owns a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwningRepository {
    /// The folder of its objects and settings.
    pub common: PathBuf,
    /// The folder of this working tree's `HEAD`.
    pub git: PathBuf,
    /// The folder whose `.git` this is, regardless of `core.worktree`. None for a bare repository.
    pub tree: Option<PathBuf>,
}

impl OwningRepository {
    fn bare(git: PathBuf) -> Self {
        OwningRepository { common: git.clone(), git, tree: None }
    }

    fn of_tree(git: PathBuf, tree: &Path) -> Self {
        OwningRepository { common: git.clone(), git, tree: Some(tree.to_owned()) }
    }

    /// `…/project/.git` -> `…/project`; any other git folder is returned unchanged.
    pub fn place(&self) -> &Path {
        match self.common.parent() {
            Some(parent) if self.common.file_name().is_some_and(|name| name == ".git") => parent,
            _ => &self.common,
        }
    }
}

/// The result of looking for a repository around a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Around {
    Repository(OwningRepository),
    /// Something at this folder claims to be a repository, but cannot be read or trusted.
    Unproven(PathBuf),
    Nothing,
}

/// `folder`: resolved, except for missing components at its end. `home`: the user's.
pub fn around(folder: &Path, home: Option<&Path>) -> Around {
    let mut bare = None;
    for above in folder.ancestors() {
        // Inside a `.git` folder, the project is the folder around it.
        if above.file_name().is_some_and(|name| name == ".git") {
            bare = None;
            continue;
        }
        match at(above) {
            Around::Nothing if bare.is_none() && is_bare(above) => {
                bare = Some(OwningRepository::bare(above.to_owned()))
            }
            Around::Nothing => {}
            Around::Repository(found) if claims(&found, above, folder, home) => return Around::Repository(found),
            Around::Repository(_) => break,
            unproven if bare.is_none() => return unproven,
            Around::Unproven(_) => break,
        }
    }
    // A bare repository inside a working tree is content that may come with a clone; in that case the loop has already
    // returned the surrounding tree.
    bare.map_or(Around::Nothing, Around::Repository)
}

/// The tree whose files belong to a folder's project: the working tree around it, or the folder itself. If one tree
/// contains many projects, as below a version-controlled home folder, the others are not part of it.
pub fn tree_around(folder: &Path, home: Option<&Path>) -> PathBuf {
    let tree = match around(folder, home) {
        Around::Repository(found) => found.tree,
        Around::Unproven(_) | Around::Nothing => None,
    };
    tree.filter(|tree| folder.starts_with(tree) && !is_shared_folder(tree, home)).unwrap_or_else(|| folder.to_owned())
}

/// The repository that begins at a folder: the folder is its working tree, or its git folder.
pub fn beginning_at(folder: &Path) -> Option<OwningRepository> {
    match at(folder) {
        Around::Repository(found) => Some(found),
        Around::Unproven(_) => None,
        Around::Nothing if is_bare(folder) => Some(OwningRepository::bare(folder.to_owned())),
        Around::Nothing => {
            let common = listed_by(folder)?;
            Some(OwningRepository { common, git: folder.to_owned(), tree: None })
        }
    }
}

/// The repository that lists a worktree's git folder.
fn listed_by(git: &Path) -> Option<PathBuf> {
    let common = std::fs::canonicalize(git.join(small::read_line(&git.join("commondir"))?)).ok()?;
    let is_listed = git.parent() == Some(common.join("worktrees").as_path());
    (is_listed && small::is_regular(&git.join("HEAD")) && small::is_folder(&common.join("objects"))).then_some(common)
}

/// The repository whose working tree begins at this folder.
fn at(folder: &Path) -> Around {
    let git = folder.join(".git");
    let found = match std::fs::symlink_metadata(&git) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Around::Nothing,
        // A parent is a file or missing: nothing can be there.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Around::Nothing,
        Err(_) => None,
        Ok(metadata) if metadata.is_dir() => own_folder(folder, git),
        Ok(metadata) if metadata.is_file() => linked(folder, &git),
        Ok(_) => None,
    };
    found.map_or_else(|| Around::Unproven(folder.to_owned()), Around::Repository)
}

/// A repository's own `.git` folder shares nothing with another repository.
fn own_folder(folder: &Path, git: PathBuf) -> Option<OwningRepository> {
    let borrows = ["commondir", "gitdir"].iter().any(|name| std::fs::symlink_metadata(git.join(name)).is_ok());
    let is_whole = small::is_regular(&git.join("HEAD")) && small::is_folder(&git.join("objects"));
    (is_whole && !borrows && !is_link(&git.join("config")) && !is_link(&git.join("refs")))
        .then(|| OwningRepository::of_tree(git, folder))
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// A `.git` file: a worktree, a submodule, or a separate git folder.
fn linked(folder: &Path, file: &Path) -> Option<OwningRepository> {
    let text = small::read_line(file)?;
    let git = std::fs::canonicalize(folder.join(text.strip_prefix("gitdir:")?.trim())).ok()?;
    if !small::is_regular(&git.join("HEAD")) {
        return None;
    }
    match std::fs::symlink_metadata(git.join("commondir")) {
        Ok(_) => {
            let common = listed_by(&git)?;
            let back = small::read_line(&git.join("gitdir"))?;
            is_same_path(&git.join(back), file).then(|| OwningRepository { common, git, tree: Some(folder.to_owned()) })
        }
        Err(_) => {
            let worktree = GitConfig::read(&git).worktree;
            let points_back = worktree.is_some_and(|worktree| is_same_path(&git.join(worktree), folder));
            let is_whole = small::is_folder(&git.join("objects"));
            (is_whole && (points_back || git.starts_with(folder))).then(|| OwningRepository::of_tree(git, folder))
        }
    }
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn is_bare(folder: &Path) -> bool {
    small::is_regular(&folder.join("HEAD"))
        && small::is_folder(&folder.join("objects"))
        && small::is_folder(&folder.join("refs"))
        && !is_link(&folder.join("config"))
        && std::fs::symlink_metadata(folder.join("commondir")).is_err()
}

/// Does a repository own the folders below its working tree? A version-controlled home folder owns the files it tracks,
/// but not every project on the machine.
fn claims(repository: &OwningRepository, top: &Path, folder: &Path, home: Option<&Path>) -> bool {
    if top == folder {
        return true;
    }
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(top);
    if !disk::has_same_owner(&repository.common, existing) {
        return false;
    }
    !is_shared_folder(top, home) || folder.strip_prefix(top).is_ok_and(|inside| tracks(repository, inside))
}

/// A folder that contains many projects: the home folder or one above it, or a temporary folder.
fn is_shared_folder(top: &Path, home: Option<&Path>) -> bool {
    let home = home.map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    if home.is_some_and(|home| home.starts_with(top)) {
        return true;
    }
    let names: Vec<&str> = top
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    matches!(
        names.as_slice(),
        [] | ["tmp" | "home" | "Users" | "root" | "mnt" | "media" | "opt" | "srv" | "var"]
            | ["var" | "private", "tmp"]
            | ["dev", "shm"]
            | ["home" | "Users", _]
            | ["var", "home", _]
    )
}

/// The largest index that is read.
const LARGEST_INDEX: u64 = 256 << 20;

fn tracks(repository: &OwningRepository, inside: &Path) -> bool {
    let file = repository.git.join("index");
    let fits = std::fs::symlink_metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_INDEX);
    if !fits {
        return false;
    }
    let Ok(index) = git2::Index::open(&file) else { return false };
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    index.find_prefix(format!("{}/", parts.join("/"))).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree of a folder is its repository's, and never a home folder around it.
    #[test]
    fn a_tree_holds_the_files_of_one_project() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().canonicalize().unwrap_or_default().join(name);
        for name in ["home/notes", "home/tracked", "home/shop/src", "private"] {
            std::fs::create_dir_all(at(name))?;
        }
        std::fs::write(at("home/tracked/file"), "text\n")?;
        let home = git2::Repository::init(at("home"))?;
        let mut index = home.index()?;
        index.add_path(Path::new("tracked/file"))?;
        index.write()?;
        let shop = git2::Repository::init(at("home/shop"))?;
        shop.config()?.set_str("core.worktree", &at("private").to_string_lossy())?;
        for (asked, tree) in [
            ("home", "home"),
            ("home/notes", "home/notes"),
            ("home/tracked", "home/tracked"),
            ("home/shop", "home/shop"),
            ("home/shop/src", "home/shop"),
            ("private", "private"),
        ] {
            assert_eq!(tree_around(&at(asked), Some(&at("home"))), at(tree), "{asked}");
        }
        Ok(())
    }
}
