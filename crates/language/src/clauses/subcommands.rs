//! Which task does a program run?

use std::collections::BTreeSet;

use crate::shell::base_name;

use super::ClauseReader;
use super::action::{Unknowns, drop_global_options, is_git};

/// Programs whose first word is a sub-command.
pub(super) const WITH_COMMANDS: [&str; 32] = [
    "apt", "apt-get", "aws", "brew", "bun", "bundle", "cargo", "composer", "deno", "docker", "dotnet", "gcloud", "gh",
    "git", "go", "helm", "just", "kubectl", "make", "mise", "mix", "npm", "npx", "pip", "pnpm", "poetry", "rails",
    "rake", "systemctl", "terraform", "uv", "yarn",
];

/// The task of a command, as far as known.
pub(super) struct Task {
    /// Its words; if known only at run time, those of all possible tasks.
    pub verbs: BTreeSet<String>,
    /// It is known only at run time: `git $CMD`.
    pub is_open: bool,
}

impl ClauseReader {
    /// `starts`: the number of places in the command where git may be started.
    pub(super) fn task(&mut self, plain: &[String], unknowns: &Unknowns, starts: usize) -> Task {
        let (mut told, mut is_open): (Vec<String>, bool) = (Vec::new(), false);
        let places = plain.iter().enumerate().filter(|(at, word)| *at == 0 || is_git(word));
        for (at, word) in places.take(starts) {
            let mut words = plain[at..].to_vec();
            drop_global_options(&mut words);
            let program = base_name(word);
            let (next, third) = (words.get(1), words.get(2));
            let is_unknown = unknowns.open.contains(word);
            match next {
                _ if !is_unknown && !is_git(word) && !WITH_COMMANDS.contains(&program) => told.push(program.to_owned()),
                Some(next) if unknowns.open.contains(next) => {
                    is_open |= !is_unknown;
                    told.extend([program, commands_of(program)].map(str::to_owned));
                }
                // `$PYTHON main.py` names a file.
                Some(next) if is_unknown && !next.chars().all(|c| c.is_ascii_lowercase() || c == '-') => {}
                Some(next) => {
                    told.push(next.clone());
                    told.extend(third.filter(|third| next == "run" && !unknowns.open.contains(*third)).cloned());
                }
                None => {}
            }
        }
        Task { verbs: self.words(&told.join(" ")), is_open }
    }
}

/// The possible sub-commands.
fn commands_of(program: &str) -> &'static str {
    match program {
        "git" | "git.exe" | "hub" => {
            "push commit merge rebase reset checkout switch restore stash tag branch add rm clean revert pull fetch"
        }
        "npm" | "pnpm" | "yarn" | "bun" => "install add remove update publish exec link",
        "docker" => "push pull run build rm prune exec",
        "kubectl" => "apply delete exec scale edit",
        "terraform" => "apply destroy import",
        "cargo" => "publish install add",
        "gh" => "merge release",
        _ => "",
    }
}
