//! What does a repository's own `config` say about remotes and the working tree?
//!
//! Only that one file counts: no includes, no user settings, no environment.

use std::path::{Path, PathBuf};

use super::small;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitConfig {
    /// Name and URL of each remote, in the order of the file.
    pub remotes: Vec<(String, String)>,
    /// `core.worktree`, as written.
    pub worktree: Option<PathBuf>,
    /// `core.bare`: a history without files.
    pub is_bare: bool,
    /// Which remote each branch follows.
    tracked: Vec<(String, String)>,
}

impl GitConfig {
    /// An unreadable file counts as empty.
    pub fn read(folder: &Path) -> Self {
        small::read(&folder.join("config"), small::SMALL).map_or_else(GitConfig::default, |text| Self::parse(&text))
    }

    pub fn parse(text: &str) -> Self {
        let mut config = GitConfig::default();
        let mut section = (String::new(), String::new());
        for line in logical_lines(text) {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix('[') {
                let Some((heading, after)) = split_heading(rest) else { continue };
                section = heading;
                config.take(&section, after.trim());
            } else {
                config.take(&section, line);
            }
        }
        config
    }

    fn take(&mut self, (section, name): &(String, String), line: &str) {
        let Some((key, value)) = line.split_once('=') else { return };
        let (key, value) = (key.trim().to_ascii_lowercase(), plain_value(value));
        match (section.as_str(), key.as_str()) {
            ("core", "worktree") => self.worktree = Some(PathBuf::from(value)),
            ("core", "bare") => self.is_bare = is_true(&value),
            ("remote", "url") if !name.is_empty() && self.url(name).is_none() && !value.is_empty() => {
                self.remotes.push((name.clone(), value));
            }
            ("branch", "remote") => self.tracked.push((name.clone(), value)),
            _ => {}
        }
    }

    fn url(&self, name: &str) -> Option<&str> {
        self.remotes.iter().find(|(remote, _)| remote == name).map(|(_, url)| url.as_str())
    }

    /// The URL of `origin`; otherwise that of the remote that the current branch follows, of `upstream`, or of the
    /// first by name.
    pub fn main_remote(&self, branch: Option<&str>) -> Option<&str> {
        let followed = || self.tracked.iter().find(|(name, _)| Some(name.as_str()) == branch).map(|(_, remote)| remote);
        let first = || self.remotes.iter().min().map(|(_, url)| url.as_str());
        self.url("origin").or_else(|| self.url(followed()?)).or_else(|| self.url("upstream")).or_else(first)
    }
}

/// The values that git reads as true.
fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Lines, with those that end in a backslash joined to the next.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut().filter(|_| continues) {
            Some(last) => last.push_str(line),
            None => lines.push(line.to_owned()),
        }
        continues = more;
    }
    lines
}

/// `remote "origin"] …` -> (remote, origin) and what follows the bracket.
fn split_heading(rest: &str) -> Option<((String, String), &str)> {
    let Some((section, quoted)) = rest.split_once('"').filter(|(before, _)| !before.contains(']')) else {
        let (section, after) = rest.split_once(']')?;
        let (section, name) = section.split_once('.').unwrap_or((section, ""));
        return Some(((section.trim().to_ascii_lowercase(), name.trim().to_owned()), after));
    };
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => name.extend(chars.next().map(|(_, char)| char)),
            '"' => {
                let after = quoted[at + 1..].split_once(']')?.1;
                return Some(((section.trim().to_ascii_lowercase(), name), after));
            }
            char => name.push(char),
        }
    }
    None
}

/// A value without quotes, escapes and comments.
fn plain_value(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = value.trim().chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => quoted = !quoted,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(char) => out.push(char),
                None => {}
            },
            '#' | ';' if !quoted => break,
            char => out.push(char),
        }
    }
    if quoted { out } else { out.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_read_as_git_reads_them() {
        let config = GitConfig::parse(
            "[core]\n\tbare = false\n\tworktree = ../../shop ; here\n[Remote \"upstream\"]\n url = \"https://h/b#c\" # note\n\
             [remote \"or\\\"igin\"] url = x\n[branch \"main\"]\n\tremote = fork\n[remote \"fork\"]\n\turl = git@h:\\\n ada/shop\n\
             [remote \"broken\n[include]\n\tpath = /dev/zero\n",
        );
        assert_eq!(config.worktree, Some(PathBuf::from("../../shop")));
        assert!(!config.is_bare && GitConfig::parse("[core]\nbare = True\n").is_bare);
        let remotes: Vec<(&str, &str)> =
            config.remotes.iter().map(|(name, url)| (name.as_str(), url.as_str())).collect();
        assert_eq!(remotes, [("upstream", "https://h/b#c"), ("or\"igin", "x"), ("fork", "git@h: ada/shop")]);
        assert_eq!(config.main_remote(Some("main")), Some("git@h: ada/shop"));
        assert_eq!(config.main_remote(None), Some("https://h/b#c"));
    }
}
