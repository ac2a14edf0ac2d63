//! Can this repository be opened without harm?
//!
//! [`super::owner`] decides which repository it is: a `.git` file or a setting can name any other on the machine.
//! libgit2 reads the files of a repository whole and waits for pipes. A repository from an archive may contain anything
//! there. So everything that libgit2 opens is checked first: no pipes and devices, no links to folders, no file that is
//! larger than any real one, and the same for what the configuration includes and for the object folders that it
//! borrows from.

use std::collections::HashSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use git2::Repository;

use super::alternates::alternates;
use super::config::GitConfig;
use super::owner::{Around, OwningRepository, around, beginning_at};
use crate as files;

/// `HEAD`, references, `commondir`.
const LARGEST_POINTER: u64 = 64 << 10;
const LARGEST_GIT_CONFIG: u64 = 1 << 20;
/// `index`, `packed-refs`, loose objects.
const LARGEST_PART: u64 = 512 << 20;
/// Larger blobs are neither compared nor blamed.
pub const LARGEST_BLOB: u64 = 16 << 20;
/// A working tree with more entries is not checked.
const MOST_ENTRIES: usize = 200_000;
/// The nesting limit of configuration includes; libgit2's limit too.
const DEEPEST_INCLUDE: usize = 10;
/// The nesting limit of folders, as for references.
const DEEPEST_FOLDER: usize = 32;
/// The nesting limit of alternates; libgit2's limit too.
const DEEPEST_ALTERNATE: usize = 5;
/// The limit on the files of a repository. Git packs loose objects long before.
const MOST_FILES: usize = 500_000;

/// The repository around a folder.
pub fn discover(folder: &Path) -> Result<Repository, git2::Error> {
    open_checked(&find(folder)?)
}

/// The repository of a working tree, or the one whose git folder this is.
pub fn open(root: &Path) -> Result<Repository, git2::Error> {
    let folder = root.canonicalize().map_err(|_| not_found(root))?;
    let found = beginning_at(&folder).ok_or_else(|| not_found(root))?;
    check(&found)?;
    open_checked(&found)
}

/// The history around a folder. Opened without its working tree: libgit2 would read the tree's attribute files for
/// every diff.
pub fn history(folder: &Path) -> Result<Repository, git2::Error> {
    Repository::open_bare(find(folder)?.git)
}

/// The repository that owns a folder.
fn find(folder: &Path) -> Result<OwningRepository, git2::Error> {
    let start = folder.canonicalize().map_err(|_| not_found(folder))?;
    match around(&start, None) {
        Around::Repository(found) => check(&found).map(|()| found),
        Around::Unproven(_) | Around::Nothing => Err(not_found(folder)),
    }
}

/// Opened as a bare repository, then given its tree: libgit2 would trust `core.worktree`, and a `.git` in the git
/// folder.
fn open_checked(found: &OwningRepository) -> Result<Repository, git2::Error> {
    let repository = Repository::open_bare(&found.git)?;
    // A bare repository can have worktrees: the setting applies to its own folder.
    let is_bare = found.common == found.git && GitConfig::read(&found.common).is_bare;
    if let Some(tree) = found.tree.as_ref().filter(|_| !is_bare) {
        repository.set_workdir(tree, false)?;
    }
    Ok(repository)
}

/// The size of a file in the last commit.
pub fn size_at_head(repository: &Repository, path: &str) -> Option<u64> {
    let tree = repository.head().ok()?.peel_to_tree().ok()?;
    let entry = tree.get_path(Path::new(path)).ok()?;
    repository.odb().ok()?.read_header(entry.id()).ok().map(|(size, _)| size as u64)
}

/// Are the files that libgit2 reads when it scans a working tree regular ones? False if the tree is too large to check.
pub fn has_plain_rules(root: &Path) -> bool {
    let mut walk = walkdir::WalkDir::new(root).into_iter().flatten().take(MOST_ENTRIES + 1);
    let mut seen = 0;
    walk.all(|entry| {
        seen += 1;
        let is_rule = [".gitignore", ".gitattributes"].iter().any(|name| entry.file_name() == *name);
        seen <= MOST_ENTRIES && (!is_rule || files::open_within(root, entry.path(), LARGEST_GIT_CONFIG).is_ok())
    })
}

/// Repositories that were checked already: a question opens its repository several times.
static CHECKED: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

fn check(found: &OwningRepository) -> Result<(), git2::Error> {
    let known = || CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    if known().contains(&found.git) {
        return Ok(());
    }
    let mut checked = Check { files: 0 };
    checked.git_folder(&found.git)?;
    if found.common != found.git {
        checked.git_folder(&found.common)?;
    }
    checked.alternates(&found.common.join("objects"), 0)?;
    for name in ["config", "config.worktree"] {
        check_config(&found.git.join(name), 0)?;
        check_config(&found.common.join(name), 0)?;
    }
    known().insert(found.git.clone());
    Ok(())
}

/// Subfolders of a git folder in which libgit2 opens files.
const READ: [&str; 4] = ["objects", "refs", "info", "logs"];

/// The number of files checked so far.
struct Check {
    files: usize,
}

impl Check {
    fn git_folder(&mut self, git: &Path) -> Result<(), git2::Error> {
        for entry in entries(git) {
            let (name, path) = (entry.file_name(), entry.path());
            let folder = READ.iter().copied().find(|read| name.eq_ignore_ascii_case(read));
            if folder.is_some() || !path.is_dir() {
                self.entry(&path, entry.file_type().ok(), folder.unwrap_or_default(), 0)?;
            }
        }
        Ok(())
    }

    /// `folder`: the one of [`READ`] that contains it.
    fn entry(&mut self, path: &Path, kind: Option<FileType>, folder: &str, depth: usize) -> Result<(), git2::Error> {
        let Some(kind) = kind else { return Err(refused(path, "cannot be read")) };
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(refused(path, &format!("the repository has more than {MOST_FILES} files; run `git gc`")));
        }
        if kind.is_dir() {
            if depth >= DEEPEST_FOLDER {
                return Err(refused(path, "too many folders inside each other"));
            }
            return entries(path)
                .try_for_each(|entry| self.entry(&entry.path(), entry.file_type().ok(), folder, depth + 1));
        }
        let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
        if metadata.is_dir() {
            return Err(refused(path, "a link to a folder"));
        }
        if !metadata.is_file() {
            return Err(refused(path, "not a regular file"));
        }
        // Packs are mapped in parts and have arbitrary names, so only the file type is checked.
        let is_pack = path.parent().is_some_and(|folder| folder.ends_with("pack"));
        match metadata.len() > limit_of(path, folder) && !(is_pack && folder == "objects") {
            true => Err(refused(path, "too large")),
            false => Ok(()),
        }
    }

    /// The object folders from which one borrows.
    fn alternates(&mut self, objects: &Path, depth: usize) -> Result<(), git2::Error> {
        let borrowed = alternates(objects)
            .ok_or_else(|| refused(&objects.join("info/alternates"), "alternates that cannot be read"))?;
        for folder in borrowed {
            if depth >= DEEPEST_ALTERNATE {
                return Err(refused(objects, "too many object folders borrow from each other"));
            }
            // libgit2 would resolve it relative to the working directory.
            if depth > 0 && folder.starts_with(objects) {
                return Err(refused(objects, "borrows from a relative path"));
            }
            for entry in entries(&folder) {
                self.entry(&entry.path(), entry.file_type().ok(), "objects", 1)?;
            }
            self.alternates(&folder, depth + 1)?;
        }
        Ok(())
    }
}

fn limit_of(path: &Path, folder: &str) -> u64 {
    match path.file_name().and_then(|name| name.to_str()) {
        _ if folder == "refs" => LARGEST_POINTER,
        _ if folder == "logs" => LARGEST_PART,
        Some("HEAD" | "commondir" | "gitdir" | "alternates") => LARGEST_POINTER,
        Some("config" | "config.worktree" | "exclude" | "attributes" | "grafts" | "shallow") => LARGEST_GIT_CONFIG,
        _ => LARGEST_PART,
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = std::fs::DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten()
}

/// libgit2 also opens the files that a configuration includes.
fn check_config(file: &Path, depth: usize) -> Result<(), git2::Error> {
    if file.symlink_metadata().is_err() {
        return Ok(());
    }
    let text = files::read(file, LARGEST_GIT_CONFIG).map_err(|error| refused(file, &error.to_string()))?;
    for included in included(&String::from_utf8_lossy(&text)) {
        if depth >= DEEPEST_INCLUDE {
            return Err(refused(file, "too many files include each other"));
        }
        let named = included.ok_or_else(|| refused(file, "an include that cannot be read"))?;
        // Files in the user's home are trusted.
        if !named.starts_with('~') {
            check_config(&file.parent().unwrap_or(Path::new("")).join(named), depth + 1)?;
        }
    }
    Ok(())
}

/// The paths in sections called `include` and `includeIf`; None for one in unusual syntax.
fn included(text: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut is_include = false;
    for line in text.lines() {
        let mut line = line.trim();
        if line.starts_with('[') {
            let lower = line.to_ascii_lowercase();
            is_include = lower[1..].trim_start().starts_with("include");
            // The rest of the line after a heading counts; the quoted name may contain a `]`.
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

#[cfg(test)]
mod tests {
    use super::*;

    type TestResult = Result<(), Box<dyn std::error::Error>>;

    fn repository(folder: &Path, subject: &str) -> Result<Repository, git2::Error> {
        let repository = Repository::init(folder)?;
        let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(1_770_000_000, 0))?;
        let tree = repository.treebuilder(None)?.write()?;
        repository.commit(Some("HEAD"), &who, &who, subject, &repository.find_tree(tree)?, &[])?;
        Ok(repository)
    }

    /// Neither a `.git` file nor a setting gives access to another repository's history or files.
    #[test]
    fn only_a_repository_that_owns_the_folder_is_opened() -> TestResult {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        repository(&at("private"), "Secret plans")?;
        let private = at("private/.git");
        std::fs::create_dir_all(at("claims"))?;
        std::fs::write(at("claims/.git"), format!("gitdir: {}\n", private.display()))?;
        // A git folder inside its tree may be anywhere, and contain a `.git` of its own.
        repository(&at("inner"), "Begin")?;
        std::fs::rename(at("inner/.git"), at("inner/git"))?;
        std::fs::write(at("inner/.git"), "gitdir: git\n")?;
        std::fs::write(at("inner/git/.git"), format!("gitdir: {}\n", private.display()))?;
        // A repository that borrows another's objects.
        repository(&at("shares"), "Begin")?;
        std::fs::write(at("shares/.git/commondir"), format!("{}\n", private.display()))?;
        for name in ["claims", "shares"] {
            assert!(discover(&at(name)).is_err(), "{name}");
            assert!(open(&at(name)).is_err(), "{name}");
            assert!(history(&at(name)).is_err(), "{name}");
        }
        for opened in [discover(&at("inner"))?, open(&at("inner"))?, history(&at("inner"))?] {
            assert_eq!(opened.head()?.peel_to_commit()?.summary()?, Some("Begin"));
        }
        Ok(())
    }

    #[test]
    fn the_tree_is_where_the_repository_lies() -> TestResult {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        std::fs::create_dir_all(root.join("private"))?;
        let repository = repository(&root.join("shop"), "Begin")?;
        repository.config()?.set_str("core.worktree", &root.join("private").to_string_lossy())?;
        std::fs::create_dir_all(root.join("shop/src"))?;
        for opened in [discover(&root.join("shop/src"))?, open(&root.join("shop"))?] {
            let tree = opened.workdir().ok_or("no tree")?.canonicalize()?;
            assert_eq!(tree, root.join("shop"));
        }
        Ok(())
    }

    /// Worktrees are opened by their own folder and by their git folder.
    #[test]
    fn a_worktree_is_opened() -> TestResult {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let repository = repository(&root.join("shop"), "Begin")?;
        repository.worktree("fix", &root.join("fix"), None)?;
        let opened = discover(&root.join("fix"))?;
        assert_eq!(opened.workdir().ok_or("no tree")?.canonicalize()?, root.join("fix"));
        for opened in [open(&root.join("fix"))?, open(opened.path())?, open(&root.join("shop/.git"))?] {
            assert_eq!(opened.head()?.peel_to_commit()?.summary()?, Some("Begin"));
        }
        Ok(())
    }

    /// No link escapes the check.
    #[cfg(unix)]
    #[test]
    fn links_to_folders_and_alternates_are_looked_at() -> TestResult {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        for name in ["linked", "borrows", "far", "near", "many", "sound"] {
            repository(&at(name), "Begin")?;
        }
        std::fs::rename(at("linked/.git/refs/heads"), at("heads"))?;
        std::os::unix::fs::symlink(at("heads"), at("linked/.git/refs/heads"))?;
        // A device in place of a pack: opening it could wait forever.
        std::fs::create_dir_all(at("lender/pack"))?;
        std::os::unix::fs::symlink("/dev/zero", at("lender/pack/multi-pack-index"))?;
        std::fs::create_dir_all(at("between/info"))?;
        std::fs::write(at("between/info/alternates"), format!("{}\n", at("lender").display()))?;
        std::fs::create_dir_all(at("relative/info"))?;
        std::fs::write(at("relative/info/alternates"), "../lender\n")?;
        for (name, lender) in [("borrows", "lender"), ("far", "between"), ("near", "relative")] {
            std::fs::create_dir_all(at(name).join(".git/objects/info"))?;
            std::fs::write(at(name).join(".git/objects/info/alternates"), format!("{}\n", at(lender).display()))?;
        }
        // Folders that libgit2 does not open may contain anything.
        std::os::unix::fs::symlink("/", at("sound/.git/annex"))?;
        std::fs::create_dir_all(at("sound/.git/logs/refs/heads"))?;
        std::fs::write(at("sound/.git/logs/refs/heads/long"), "x".repeat(LARGEST_POINTER as usize + 1))?;
        for (name, why) in [
            ("linked", "a link to a folder"),
            ("borrows", "not a regular file"),
            ("far", "not a regular file"),
            ("near", "a relative path"),
        ] {
            let error = discover(&at(name)).err().ok_or(name)?;
            assert!(error.message().contains(why), "{name}: {error}");
        }
        assert!(discover(&at("sound")).is_ok());
        let git = at("many/.git");
        let error = Check { files: MOST_FILES }.git_folder(&git).err().ok_or("many")?;
        assert!(error.message().contains("git gc"), "{error}");
        Ok(())
    }
}
