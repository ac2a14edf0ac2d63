//! On which branch does the next command of a line act?

use backstory_language::shell::base_name;

/// The branch that is checked out while a line is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Branches {
    here: Option<String>,
    /// It may still be this one: a folder was entered that may belong to the same
    /// repository, or something was checked out that may be a file.
    perhaps: Option<String>,
}

impl Branches {
    pub fn new(branch: Option<&str>) -> Self {
        Branches { here: branch.map(str::to_owned), perhaps: None }
    }

    pub fn here(&self) -> Option<&str> {
        self.here.as_deref()
    }

    pub fn perhaps(&self) -> Option<&str> {
        self.perhaps.as_deref()
    }

    /// After this command.
    pub fn follow(&mut self, words: &[String]) {
        let get = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
        match (base_name(get(0)), get(1)) {
            ("cd" | "pushd" | "popd", _) => self.leave(),
            ("git", "worktree") => *self = Branches::default(),
            ("git", "checkout" | "switch") => self.check_out(&words[2..]),
            _ => {}
        }
    }

    /// For a command that is sent to another folder, which may belong to the same repository.
    pub fn elsewhere(&self) -> Self {
        let mut left = self.clone();
        left.leave();
        left
    }

    fn leave(&mut self) {
        self.perhaps = self.here.take().or_else(|| self.perhaps.take());
    }

    fn check_out(&mut self, words: &[String]) {
        let makes = words.iter().position(|word| matches!(word.as_str(), "-b" | "-B" | "-c" | "-C" | "--orphan"));
        if let Some(name) = makes.and_then(|at| words.get(at + 1)) {
            *self = Branches::new(Some(name));
            return;
        }
        let named: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        // Behind `--`, and behind a branch, stand files.
        if words.iter().any(|word| word == "--") || named.len() > 1 {
            return;
        }
        self.leave();
        self.here = named.first().map(|name| (*name).clone());
    }
}
