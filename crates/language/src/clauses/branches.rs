//! On which branch does the next command of a line act?

use crate::shell::{CURRENT_BRANCH, base_name};

/// The branch that is checked out while a line is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Branches {
    here: Option<String>,
    /// Other possible branches: a folder was entered that may belong to the same repository, or something was checked
    /// out that may be a file.
    perhaps: Vec<String>,
    /// All branches that were checked out.
    seen: Vec<String>,
    /// Folders with a branch of their own.
    worktrees: Vec<(String, String)>,
    /// A folder was entered that is known only at run time: any branch is possible.
    is_unknown: bool,
}

/// The limit on each of these lists.
const MOST: usize = 16;

impl Branches {
    pub fn new(branch: Option<&str>) -> Self {
        let mut branches = Branches::default();
        branches.enter(branch.map(str::to_owned));
        branches
    }

    pub fn here(&self) -> Option<&str> {
        self.here.as_deref()
    }

    pub fn perhaps(&self) -> &[String] {
        &self.perhaps
    }

    pub fn seen(&self) -> &[String] {
        &self.seen
    }

    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Updates the state after a command.
    pub fn follow(&mut self, words: &[String]) {
        let get = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
        match (base_name(get(0)), get(1)) {
            ("cd" | "pushd" | "popd", folder) => self.change_folder(folder),
            ("git", "worktree") if get(2) == "add" => self.add_worktree(&words[3..]),
            ("git", "checkout" | "switch") => self.check_out(&words[2..]),
            ("git", "branch") => self.rename(&words[2..]),
            _ => {}
        }
    }

    /// The state for a command in another folder, which may belong to the same repository.
    pub fn elsewhere(&self, folder: &str) -> Self {
        let mut left = self.clone();
        left.leave(folder);
        left
    }

    /// Sets the current branch.
    fn enter(&mut self, branch: Option<String>) {
        self.perhaps.clear();
        self.is_unknown = false;
        if let Some(name) = &branch {
            keep(&mut self.seen, name);
        }
        self.here = branch;
    }

    fn leave(&mut self, folder: &str) {
        self.is_unknown |= folder.contains(['$', '`']);
        let here = self.here.take();
        let beside: Vec<String> = self.worktrees.iter().map(|(_, branch)| branch.clone()).collect();
        for branch in here.iter().chain(&beside) {
            keep(&mut self.perhaps, branch);
        }
    }

    fn change_folder(&mut self, folder: &str) {
        let folder = folder.trim_end_matches('/');
        match self.worktrees.iter().find(|(path, _)| path == folder).map(|(_, branch)| branch.clone()) {
            Some(branch) => self.enter(Some(branch)),
            None => self.leave(folder),
        }
    }

    /// `git worktree add FOLDER BRANCH`; the default branch has the folder's name.
    fn add_worktree(&mut self, words: &[String]) {
        let makes = words.iter().position(|word| matches!(word.as_str(), "-b" | "-B"));
        let is_value = |at: usize| makes.is_some_and(|makes| at == makes + 1);
        let named = words.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !is_value(*at));
        let named: Vec<&String> = named.map(|(_, word)| word).collect();
        let is_detached = words.iter().any(|word| matches!(word.as_str(), "-d" | "--detach"));
        let Some(folder) = named.first().map(|folder| folder.trim_end_matches('/')).filter(|_| !is_detached) else {
            return;
        };
        let made = makes.and_then(|at| words.get(at + 1));
        let branch = made.or(named.get(1).copied()).map_or(base_name(folder), String::as_str);
        if self.worktrees.len() < MOST {
            self.worktrees.push((folder.to_owned(), branch.to_owned()));
        }
    }

    /// `git branch -m NEW`, `git branch -m OLD NEW`
    fn rename(&mut self, words: &[String]) {
        if !words.iter().any(|word| matches!(word.as_str(), "-m" | "-M" | "--move")) {
            return;
        }
        let named: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        match named.as_slice() {
            [new] => self.enter(Some((*new).clone())),
            [old, new] if self.here.as_ref() == Some(*old) => self.enter(Some((*new).clone())),
            [_, new] => keep(&mut self.perhaps, new),
            _ => {}
        }
    }

    fn check_out(&mut self, words: &[String]) {
        let makes = words.iter().position(|word| matches!(word.as_str(), "-b" | "-B" | "-c" | "-C" | "--orphan"));
        if let Some(name) = makes.and_then(|at| words.get(at + 1)) {
            return self.enter(Some(name.clone()));
        }
        let named: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        // Words after `--`, and after a branch, are files.
        if words.iter().any(|word| word == "--") || named.len() > 1 {
            return;
        }
        if let Some(here) = self.here.take() {
            keep(&mut self.perhaps, &here);
        }
        match named.first() {
            Some(name) if *name == CURRENT_BRANCH => {
                for branch in self.seen.clone() {
                    keep(&mut self.perhaps, &branch);
                }
            }
            Some(name) => {
                keep(&mut self.seen, name);
                self.here = Some((*name).clone());
            }
            None => {}
        }
    }
}

fn keep(names: &mut Vec<String>, name: &str) {
    if names.len() < MOST && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Branches {
        let mut branches = Branches::new(Some("feat"));
        for line in lines {
            branches.follow(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        }
        branches
    }

    #[test]
    fn a_branch_is_followed_through_folders_and_names() {
        assert_eq!(after(&["git branch -m main"]).here(), Some("main"));
        assert_eq!(after(&["git branch -m feat main"]).here(), Some("main"));
        assert_eq!(after(&["git worktree add ../w main", "cd ../w/"]).here(), Some("main"));
        assert_eq!(after(&["git worktree add -b x ../w main", "cd ../w"]).here(), Some("x"));
        assert_eq!(after(&["git worktree add ../w main"]).here(), Some("feat"));
        assert_eq!(after(&["git worktree add ../w main", "cd $W"]).perhaps(), ["feat", "main"]);
        assert_eq!(after(&["git checkout main", "git checkout -b x"]).perhaps(), [] as [String; 0]);
    }
}
