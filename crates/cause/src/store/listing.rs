//! Which files does a tree have now, given an earlier listing?
//!
//! A walk opens every folder and checks every name against the git ignore rules. The set of names changes only with a
//! folder's modification time or with a rule, so if no folder and no rule changed, checking the files themselves is
//! enough.

use std::fs::{Metadata, symlink_metadata};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::rules::{NAMES, exclude_file};
use super::walk::{Folder, Listed, Walked, changed, walk};

/// A file that changed this shortly before the listing may change again within the same clock tick.
pub const UNSETTLED: i64 = 2_000_000_000;

/// A listing of a tree.
#[derive(Serialize, Deserialize)]
pub struct Listing {
    /// When it began.
    taken: i64,
    pub files: Vec<Listed>,
    pub unnamed: Vec<String>,
    folders: Vec<Folder>,
    /// The files that say which names are ignored.
    rules: Vec<Rule>,
}

/// A file of ignore rules, or the path where one would count.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Rule {
    path: PathBuf,
    /// Size and time; None if there is none.
    state: Option<(u64, i64)>,
}

impl Listing {
    /// Lists a tree. Reuses `before` to avoid the walk if it still says which files there are.
    pub fn take(root: &Path, before: Option<&Listing>, now: i64) -> Self {
        before.and_then(|before| before.again(root, now)).unwrap_or_else(|| Self::walk(root, now))
    }

    /// Does the later listing show that no file changed since?
    pub fn still_holds(&self, later: &Listing) -> bool {
        self.files.iter().all(|file| self.is_settled(file.changed))
            && self.files == later.files
            && self.unnamed == later.unnamed
    }

    pub fn is_settled(&self, changed: i64) -> bool {
        changed < self.taken - UNSETTLED
    }

    fn walk(root: &Path, now: i64) -> Self {
        // The rules come first, so that a change during the walk is detected.
        let mut rules = rules_around(root);
        let Walked { files, unnamed, folders } = walk(root);
        for folder in folders.iter().map(|folder| root.join(&folder.path)) {
            // A rule file added later changes the time of its folder.
            rules.extend(NAMES.map(|name| Rule::at(folder.join(name))).into_iter().filter(|rule| rule.state.is_some()));
            rules.extend(excluded(&folder));
        }
        Self { taken: now, files, unnamed, folders, rules }
    }

    /// None if files may have been added or removed.
    fn again(&self, root: &Path, now: i64) -> Option<Self> {
        let times = self.folders.iter().map(|folder| folder.changed);
        let of_rules = self.rules.iter().filter_map(|rule| rule.state.map(|(_, changed)| changed));
        let settled = times.chain(of_rules).all(|changed| self.is_settled(changed));
        let same_rules = self.rules.starts_with(&rules_around(root)) && self.rules.iter().all(Rule::is_same);
        if !settled || !same_rules {
            return None;
        }
        each(&self.folders, |folder| {
            let meta = symlink_metadata(root.join(&folder.path)).ok()?;
            (meta.is_dir() && changed(&meta) == folder.changed).then_some(())
        })?;
        let files = each(&self.files, |file| {
            let meta = symlink_metadata(root.join(&file.path)).ok().filter(Metadata::is_file)?;
            Some(Listed { path: file.path.clone(), size: meta.len(), changed: changed(&meta) })
        })?;
        let rules = self.rules.iter().map(|rule| Rule { path: rule.path.clone(), state: rule.state }).collect();
        Some(Self { taken: now, files, unnamed: self.unnamed.clone(), folders: self.folders.clone(), rules })
    }
}

impl Rule {
    fn at(path: PathBuf) -> Self {
        // The target of a link counts, not the link.
        let state = std::fs::metadata(&path).ok().map(|meta| (meta.len(), changed(&meta)));
        Self { path, state }
    }

    fn is_same(&self) -> bool {
        Rule::at(self.path.clone()) == *self
    }
}

/// The rules of the folders around a tree, and the user's own.
fn rules_around(root: &Path) -> Vec<Rule> {
    let personal = ignore::gitignore::gitconfig_excludes_path().map(Rule::at);
    let mut rules: Vec<Rule> = personal.into_iter().collect();
    for folder in root.ancestors().skip(1) {
        rules.extend(NAMES.map(|name| Rule::at(folder.join(name))));
        rules.extend(excluded(folder));
    }
    rules
}

/// A repository's own rules, if the folder is a repository.
fn excluded(folder: &Path) -> Option<Rule> {
    exclude_file(folder).map(Rule::at)
}

/// The result of `look` for all items, in order; None if it fails for one.
fn each<T: Sync, R: Send>(items: &[T], look: impl Fn(&T) -> Option<R> + Sync) -> Option<Vec<R>> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let parts = items.chunks(items.len().div_ceil(threads).max(1));
    std::thread::scope(|scope| {
        let look = &look;
        let running: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(look).collect::<Option<Vec<R>>>())).collect();
        let mut all = Vec::with_capacity(items.len());
        for thread in running {
            all.extend(thread.join().ok()??);
        }
        Some(all)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::Listing;
    use crate::store::walk::nanoseconds;

    const NAMES: [&str; 6] = ["a/one.py", "a/b/two.py", "a/b/built.py", ".gitignore", "a/b", "a"];

    /// A tree that was not touched for an hour, and a listing of it.
    fn settled() -> (tempfile::TempDir, Listing) {
        let tree = tempfile::tempdir().unwrap();
        let at = |name: &str| tree.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir(at(".git")).unwrap();
        for name in &NAMES[..3] {
            fs::write(at(name), "x = 1\n").unwrap();
        }
        fs::write(at(".gitignore"), "built.py\n").unwrap();
        NAMES.iter().for_each(|name| age(&at(name)));
        age(tree.path());
        let listing = Listing::take(tree.path(), None, now());
        assert_eq!(listing.files.len(), 2);
        (tree, listing)
    }

    fn age(path: &Path) {
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        File::open(path).unwrap().set_modified(hour_ago).unwrap();
    }

    fn now() -> i64 {
        nanoseconds(SystemTime::now())
    }

    #[test]
    fn an_untouched_tree_needs_no_walk() {
        let (tree, before) = settled();
        let later = before.again(tree.path(), now()).expect("no walk");
        assert!(before.still_holds(&later));
    }

    #[test]
    fn an_edit_in_place_is_seen_without_a_walk() {
        let (tree, before) = settled();
        fs::write(tree.path().join("a/b/two.py"), "x = 2\n").unwrap();
        let later = before.again(tree.path(), now()).expect("no walk");
        assert!(!before.still_holds(&later));
        assert!(!later.still_holds(&later), "it may change again within the same tick");
    }

    #[test]
    fn what_came_or_went_and_other_rules_need_a_walk() {
        type Change = fn(&Path);
        let changes: [Change; 5] = [
            |tree| fs::write(tree.join("a/three.py"), "").unwrap(),
            |tree| fs::remove_file(tree.join("a/one.py")).unwrap(),
            |tree| fs::write(tree.join(".gitignore"), "other.py\n").unwrap(),
            |tree| fs::write(tree.join("a/.ignore"), "one.py\n").unwrap(),
            |tree| {
                fs::create_dir(tree.join(".git/info")).unwrap();
                fs::write(tree.join(".git/info/exclude"), "one.py\n").unwrap();
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let (tree, before) = settled();
            change(tree.path());
            assert!(before.again(tree.path(), now()).is_none(), "change {number}");
        }
    }
}
