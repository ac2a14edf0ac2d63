//! Which names of a folder does git ignore?
//!
//! The `ignore` crate reads rule files of any type: a link to an endless device would be read until memory runs out. So
//! the files are read here, and only small regular ones. A rule file in the tree may be a link to another file of the
//! tree.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use backstory_files as files;
use backstory_files::git;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use ignore::{DirEntry, Match};

/// Files of rules, in a folder.
pub const NAMES: [&str; 2] = [".gitignore", ".ignore"];
/// A larger rule file is ignored.
const LARGEST_IGNORE_FILE: u64 = 512 << 10;

/// The rules of a tree.
pub struct IgnoreRules {
    root: PathBuf,
    /// Rules of the folders around the tree, then of those in it as the walk reaches them.
    folders: Mutex<HashMap<PathBuf, Arc<FolderRules>>>,
    personal: Gitignore,
}

/// The rules in the files of one folder.
struct FolderRules {
    around: Option<Arc<FolderRules>>,
    git_ignore: Gitignore,
    ignore: Gitignore,
    exclude: Gitignore,
    /// Git's rules end at the repository that contains them.
    is_repository: bool,
}

impl IgnoreRules {
    pub fn of(root: &Path) -> Self {
        let personal = gitconfig_excludes_path().map_or_else(Gitignore::empty, |path| {
            // Its patterns apply to the tree, wherever the tree is.
            parse(root, files::read(&path, LARGEST_IGNORE_FILE).ok())
        });
        let mut around = None;
        let above: Vec<&Path> = root.ancestors().skip(1).collect();
        for folder in above.into_iter().rev() {
            around = Some(Arc::new(FolderRules::read(folder, None, around)));
        }
        let rules = IgnoreRules { root: root.to_owned(), folders: Mutex::default(), personal };
        rules.insert(root, FolderRules::read(root, Some(root), around));
        rules
    }

    /// Hidden files are skipped, unless a rule includes them.
    pub fn admit(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 {
            return true;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        match self.of_entry(entry.path(), is_folder) {
            Match::Ignore(()) => false,
            Match::Whitelist(()) => true,
            Match::None => !entry.file_name().as_encoded_bytes().starts_with(b"."),
        }
    }

    fn of_entry(&self, path: &Path, is_folder: bool) -> Match<()> {
        let Some(folder) = path.parent() else { return Match::None };
        let of_folder = self.folder(folder);
        of_folder.matched(path, is_folder).or(self.personal.matched(path, is_folder).map(|_| ()))
    }

    /// The rules of a folder of the tree, with those of the folders around it.
    fn folder(&self, folder: &Path) -> Arc<FolderRules> {
        if let Some(known) = self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let around = folder.parent().map(|parent| self.folder(parent));
        self.insert(folder, FolderRules::read(folder, Some(&self.root), around))
    }

    fn insert(&self, folder: &Path, rules: FolderRules) -> Arc<FolderRules> {
        let rules = Arc::new(rules);
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), rules.clone());
        rules
    }
}

impl FolderRules {
    /// `root`: the tree that contains the folder.
    fn read(folder: &Path, root: Option<&Path>, around: Option<Arc<FolderRules>>) -> Self {
        let read = |name: &str| {
            let path = folder.join(name);
            path.symlink_metadata().ok()?;
            match root {
                Some(root) => files::read_within(root, path, LARGEST_IGNORE_FILE).ok(),
                None => files::read(&path, LARGEST_IGNORE_FILE).ok(),
            }
        };
        let [git_ignore, ignore] = NAMES.map(|name| parse(folder, read(name)));
        let excluded = exclude_file(folder).and_then(|path| {
            let git = path.ancestors().nth(2)?;
            files::read_within(git, &path, LARGEST_IGNORE_FILE).ok()
        });
        let exclude = parse(folder, excluded);
        FolderRules { around, git_ignore, ignore, exclude, is_repository: folder.join(".git").exists() }
    }

    /// The innermost rule of a kind decides, and `.ignore` before `.gitignore`.
    fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        let (mut ignore, mut git_ignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut left_repository = false;
        let mut next = Some(self);
        while let Some(folder) = next {
            let ask = |rules: &Gitignore| rules.matched(path, is_folder).map(|_| ());
            ignore = ignore.or(ask(&folder.ignore));
            if !left_repository {
                git_ignore = git_ignore.or(ask(&folder.git_ignore));
                exclude = exclude.or(ask(&folder.exclude));
            }
            left_repository |= folder.is_repository;
            next = folder.around.as_deref();
        }
        ignore.or(git_ignore).or(exclude)
    }
}

/// A repository's own rules, if the folder is a repository.
pub fn exclude_file(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let common = match std::fs::metadata(&git).ok()? {
        meta if meta.is_dir() => git,
        _ => git::open(folder).ok()?.commondir().to_owned(),
    };
    Some(common.join("info/exclude"))
}

fn parse(folder: &Path, bytes: Option<Vec<u8>>) -> Gitignore {
    let Some(bytes) = bytes else { return Gitignore::empty() };
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // An invalid pattern is ignored, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
