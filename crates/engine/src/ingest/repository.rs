//! Can this repository be opened without harm?
//!
//! libgit2 reads the files of a repository whole and waits for pipes. A repository that came in an archive, or lies
//! as a bare one in a folder of another, may hold anything there. So what libgit2 opens is looked at first: no pipes
//! and devices, no file of rows that is larger than any real one, and the same for what the configuration includes.

use std::collections::HashSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use git2::Repository;

use crate::files;

/// `.git` files, `HEAD`, references, `commondir`.
const LARGEST_POINTER: u64 = 64 << 10;
const LARGEST_CONFIG: u64 = 1 << 20;
/// `index`, `packed-refs`, objects that are not in a pack.
const LARGEST_PART: u64 = 512 << 20;
/// Blobs that are larger are neither compared nor blamed.
pub(super) const LARGEST_BLOB: u64 = 16 << 20;
/// More entries of a working tree are not looked at.
const MOST_ENTRIES: usize = 200_000;
/// Configurations include each other at most so deep; libgit2 stops there too.
const DEEPEST_INCLUDE: usize = 10;
/// Folders inside folders, as references may have.
const DEEPEST_FOLDER: usize = 32;

/// The repository around a folder.
pub fn discover(folder: &Path) -> Result<Repository, git2::Error> {
    Repository::open(find(folder)?)
}

/// The repository of a working tree, or a bare one.
pub fn open(root: &Path) -> Result<Repository, git2::Error> {
    check(&of_folder(root).ok_or_else(|| not_found(root))??)?;
    Repository::open(root)
}

/// The history around a folder. It is opened without its working tree, so no file of that tree is read for it:
/// libgit2 would ask its attributes for every diff.
pub(super) fn history(folder: &Path) -> Result<Repository, git2::Error> {
    Repository::open_bare(find(folder)?)
}

/// The folder of the repository that has this one in it, as libgit2 finds it: on the same disk.
fn find(folder: &Path) -> Result<PathBuf, git2::Error> {
    let start = folder.canonicalize().map_err(|_| not_found(folder))?;
    let disk = disk_of(&start);
    let mut around = start.ancestors().take_while(|folder| disk_of(folder) == disk);
    let found = around.find_map(of_folder).ok_or_else(|| not_found(folder))??;
    check(&found)?;
    Ok(found)
}

#[cfg(unix)]
fn disk_of(folder: &Path) -> Option<u64> {
    std::fs::metadata(folder).ok().map(|metadata| std::os::unix::fs::MetadataExt::dev(&metadata))
}

#[cfg(not(unix))]
fn disk_of(_: &Path) -> Option<u64> {
    None
}

/// The folder of a repository: a working tree's `.git`, what its `.git` file names, or a bare repository itself.
fn of_folder(folder: &Path) -> Option<Result<PathBuf, git2::Error>> {
    let git = folder.join(".git");
    let is_repository = |folder: &PathBuf| folder.join("HEAD").exists() && common_dir(folder).is_some();
    let inside = match std::fs::metadata(&git) {
        Ok(metadata) if metadata.is_dir() => Some(git),
        Ok(metadata) if metadata.is_file() => {
            return Some(named_in(&git).filter(is_repository).ok_or_else(|| not_found(folder)));
        }
        _ => None,
    };
    inside.into_iter().chain([folder.to_owned()]).find(is_repository).map(Ok)
}

/// How large a file is in the last commit.
pub(super) fn size_at_head(repository: &Repository, path: &str) -> Option<u64> {
    let tree = repository.head().ok()?.peel_to_tree().ok()?;
    let entry = tree.get_path(Path::new(path)).ok()?;
    repository.odb().ok()?.read_header(entry.id()).ok().map(|(size, _)| size as u64)
}

/// Are the files that libgit2 reads when it looks through a working tree plain ones? A tree that is too large to find
/// out counts as none.
pub(super) fn has_plain_rules(root: &Path) -> bool {
    let mut walk = walkdir::WalkDir::new(root).into_iter().flatten().take(MOST_ENTRIES + 1);
    let mut seen = 0;
    walk.all(|entry| {
        seen += 1;
        let is_rule = [".gitignore", ".gitattributes"].iter().any(|name| entry.file_name() == *name);
        seen <= MOST_ENTRIES && (!is_rule || files::open_within(root, entry.path(), LARGEST_CONFIG).is_ok())
    })
}

/// `gitdir: PATH`.
fn named_in(file: &Path) -> Option<PathBuf> {
    let text = files::read_text(file, LARGEST_POINTER).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(named))
}

/// What worktrees share, or the folder itself. None: it is no repository.
fn common_dir(git: &Path) -> Option<PathBuf> {
    let pointer = git.join("commondir");
    let common = match pointer.symlink_metadata() {
        Ok(_) => git.join(files::read_text(&pointer, LARGEST_POINTER).ok()?.trim()),
        Err(_) => git.to_owned(),
    };
    (common.join("objects").is_dir() && common.join("refs").is_dir()).then_some(common)
}

/// Those that were looked at already: a question opens its repository several times.
static CHECKED: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

fn check(git: &Path) -> Result<(), git2::Error> {
    let known = |set: &Mutex<HashSet<PathBuf>>| set.lock().unwrap_or_else(PoisonError::into_inner).contains(git);
    if known(&CHECKED) {
        return Ok(());
    }
    let common = common_dir(git).ok_or_else(|| not_found(git))?;
    check_folder(git)?;
    if common != git {
        check_folder(&common)?;
    }
    for name in ["config", "config.worktree"] {
        check_config(&git.join(name), 0)?;
        check_config(&common.join(name), 0)?;
    }
    CHECKED.lock().unwrap_or_else(PoisonError::into_inner).insert(git.to_owned());
    Ok(())
}

/// Entries of a repository's folder that libgit2 does not open for us.
const UNREAD: [&str; 6] = ["hooks", "logs", "modules", "worktrees", "lfs", "rr-cache"];

fn check_folder(git: &Path) -> Result<(), git2::Error> {
    for entry in entries(git) {
        let name = entry.file_name();
        if !UNREAD.iter().any(|unread| name == *unread) {
            check_entry(&entry.path(), entry.file_type().ok(), 0)?;
        }
    }
    Ok(())
}

fn check_entry(path: &Path, kind: Option<FileType>, depth: usize) -> Result<(), git2::Error> {
    let Some(kind) = kind else { return Err(refused(path, "cannot be read")) };
    if kind.is_dir() {
        // Packs are mapped in parts, and their names say nothing: only what they are counts.
        if depth >= DEEPEST_FOLDER {
            return Err(refused(path, "too many folders inside each other"));
        }
        return entries(path).try_for_each(|entry| check_entry(&entry.path(), entry.file_type().ok(), depth + 1));
    }
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    if kind.is_symlink() && metadata.is_dir() {
        return Ok(());
    }
    if !metadata.is_file() {
        return Err(refused(path, "not a regular file"));
    }
    let is_pack = path.parent().is_some_and(|folder| folder.ends_with("objects/pack"));
    match metadata.len() > limit_of(path) && !is_pack {
        true => Err(refused(path, "too large")),
        false => Ok(()),
    }
}

fn limit_of(path: &Path) -> u64 {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("HEAD" | "commondir" | "gitdir" | "alternates") => LARGEST_POINTER,
        Some("config" | "config.worktree" | "exclude" | "attributes" | "grafts" | "shallow") => LARGEST_CONFIG,
        _ if path.components().any(|part| part.as_os_str() == "refs") => LARGEST_POINTER,
        _ => LARGEST_PART,
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = std::fs::DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten()
}

/// What a configuration includes is opened by libgit2 as well.
fn check_config(file: &Path, depth: usize) -> Result<(), git2::Error> {
    if file.symlink_metadata().is_err() {
        return Ok(());
    }
    let text = files::read(file, LARGEST_CONFIG).map_err(|error| refused(file, &error.to_string()))?;
    for included in included(&String::from_utf8_lossy(&text)) {
        if depth >= DEEPEST_INCLUDE {
            return Err(refused(file, "too many files include each other"));
        }
        let named = included.ok_or_else(|| refused(file, "an include that cannot be read"))?;
        // What is in the person's home is theirs.
        if !named.starts_with('~') {
            check_config(&file.parent().unwrap_or(Path::new("")).join(named), depth + 1)?;
        }
    }
    Ok(())
}

/// The paths in sections called `include` and `includeIf`; None for one that is written in an unusual way.
fn included(text: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut is_include = false;
    for line in text.lines() {
        let mut line = line.trim();
        if line.starts_with('[') {
            let lower = line.to_ascii_lowercase();
            is_include = lower[1..].trim_start().starts_with("include");
            // What follows a heading on its line counts; a `]` may stand in the quoted name before.
            line = line.rsplit_once(']').map_or("", |(_, rest)| rest.trim());
        }
        if is_include && !line.is_empty() && !line.starts_with(['#', ';']) {
            found.push(path_of(line));
        }
    }
    found
}

fn path_of(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim();
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    let is_plain = key.trim().eq_ignore_ascii_case("path") && !value.contains(['"', '\\', '#', ';']);
    is_plain.then(|| value.to_owned())
}

fn not_found(folder: &Path) -> git2::Error {
    let message = format!("there is no repository at {}", folder.display());
    git2::Error::new(git2::ErrorCode::NotFound, git2::ErrorClass::Repository, message)
}

fn refused(path: &Path, why: &str) -> git2::Error {
    let message = format!("{}: {why}", path.display());
    git2::Error::new(git2::ErrorCode::Invalid, git2::ErrorClass::Repository, message)
}
