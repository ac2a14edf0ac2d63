//! Is what a card names still in the working tree?

use std::path::{Path, PathBuf};

use backstory_engine::ingest::branch_around;
use backstory_engine::model::Card;
use backstory_engine::retrieve::{NamedInTree, card_doubt};
use backstory_files as files;

use crate::home;

/// The maximum size of a build file.
const LARGEST_TEXT: u64 = 4 << 20;

/// The instruction files that agents read at their start, and the size up to which they are read.
const INSTRUCTION_FILES: [&str; 6] =
    ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"];
const LARGEST_INSTRUCTIONS: u64 = 256 << 10;

/// A working tree, if it is on this machine.
pub struct WorkingTree {
    root: Option<PathBuf>,
}

impl WorkingTree {
    /// The repository of a folder, or the folder itself.
    pub fn around(folder: &Path) -> Self {
        WorkingTree { root: Some(Self::root_around(folder)) }
    }

    pub fn root_around(folder: &Path) -> PathBuf {
        folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder).to_owned()
    }

    /// The branch that is checked out around a folder, if any.
    pub fn branch_in(folder: &Path) -> Option<String> {
        branch_around(folder, home::user_home().ok().as_deref())
    }

    /// What the instruction files of the tree say, of its root and of each folder down to `folder`.
    pub fn instructions(&self, folder: &Path) -> String {
        let Some(root) = &self.root else { return String::new() };
        let folders = folder.ancestors().take_while(|folder| folder.starts_with(root));
        let mut texts = Vec::new();
        for folder in folders {
            for name in INSTRUCTION_FILES {
                texts.extend(files::text_within(folder, name, LARGEST_INSTRUCTIONS).ok());
            }
        }
        texts.join("\n")
    }

    /// Another project's tree is elsewhere.
    pub fn elsewhere() -> Self {
        WorkingTree { root: None }
    }

    /// None if unknown.
    pub fn has(&self, named: &NamedInTree) -> Option<bool> {
        has(self.root.as_deref()?, named)
    }

    /// Why a card is not reliable.
    pub fn doubt(&self, card: &Card) -> Option<String> {
        card_doubt(card, &|named| self.has(named))
    }
}

/// None if unknown: there is no such build file, or it cannot be read.
fn has(root: &Path, named: &NamedInTree) -> Option<bool> {
    match named {
        NamedInTree::Path(path) => Some(root.join(path).exists()),
        NamedInTree::Task { tool, task } => has_task(root, tool, task),
        NamedInTree::Version { name, version } => declared(root, name).map(|declared| admits(&declared, version)),
    }
}

/// A build file of the tree.
fn text_of(root: &Path, file: &str) -> Option<String> {
    files::text_within(root, file, LARGEST_TEXT).ok()
}

/// The version of a language or a package that the tree's files require.
fn declared(root: &Path, name: &str) -> Option<String> {
    let read = |file: &str| text_of(root, file);
    let line = |file: &str| read(file).and_then(|text| text.lines().next().map(|line| line.trim().to_owned()));
    let of_language = match name {
        "node" => line(".nvmrc").or_else(|| line(".node-version")).or_else(|| package_json(root, &["engines"], name)),
        "python" => {
            line(".python-version").or_else(|| toml_value(root, "pyproject.toml", &["project", "requires-python"]))
        }
        "rust" => toml_value(root, "rust-toolchain.toml", &["toolchain", "channel"])
            .or_else(|| line("rust-toolchain"))
            .or_else(|| toml_value(root, "Cargo.toml", &["package", "rust-version"]))
            .or_else(|| toml_value(root, "Cargo.toml", &["workspace", "package", "rust-version"])),
        "go" => read("go.mod")?.lines().find_map(|line| line.strip_prefix("go ").map(str::to_owned)),
        _ => None,
    };
    of_language
        .or_else(|| package_json(root, &["dependencies", "devDependencies", "peerDependencies"], name))
        .or_else(|| cargo_dependency(root, name))
        .or_else(|| go_module(root, name))
}

fn package_json(root: &Path, tables: &[&str], name: &str) -> Option<String> {
    let text = text_of(root, "package.json")?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    tables.iter().find_map(|table| package.get(*table)?.get(name)?.as_str().map(str::to_owned))
}

fn toml_value(root: &Path, file: &str, keys: &[&str]) -> Option<String> {
    let table: toml::Table = text_of(root, file)?.parse().ok()?;
    let (last, before) = keys.split_last()?;
    let inner = before.iter().try_fold(&table, |table, key| table.get(*key)?.as_table())?;
    inner.get(*last)?.as_str().map(str::to_owned)
}

fn cargo_dependency(root: &Path, name: &str) -> Option<String> {
    const TABLES: [&[&str]; 3] = [&["dependencies"], &["dev-dependencies"], &["workspace", "dependencies"]];
    TABLES.iter().find_map(|table| {
        let plain = [*table, &[name]].concat();
        let detailed = [*table, &[name, "version"]].concat();
        toml_value(root, "Cargo.toml", &plain).or_else(|| toml_value(root, "Cargo.toml", &detailed))
    })
}

/// By the last part of its path.
fn go_module(root: &Path, name: &str) -> Option<String> {
    let text = text_of(root, "go.mod")?;
    text.lines().find_map(|line| {
        let mut words = line.trim().trim_start_matches("require ").split_whitespace();
        let (path, version) = (words.next()?, words.next()?);
        (path == name || path.rsplit('/').next() == Some(name)).then(|| version.to_owned())
    })
}

/// Is `version` compatible with the tree's `declared` one? Compared at their common precision; a range admits
/// everything.
fn admits(declared: &str, version: &str) -> bool {
    if declared.contains(['<', '>', '*', '|', ' ', 'x']) {
        return true;
    }
    let is_loose = declared.starts_with(['^', '~']);
    let numbers = |text: &str| -> Vec<u64> {
        let text = text.trim_start_matches(['^', '~', '=', 'v']);
        text.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
    };
    let (asked, said) = (numbers(declared), numbers(version));
    let most = if is_loose { asked.iter().take_while(|number| **number == 0).count() + 1 } else { asked.len() };
    asked.is_empty() || asked.iter().zip(&said).take(most).all(|(a, b)| a == b)
}

fn has_task(root: &Path, tool: &str, task: &str) -> Option<bool> {
    let read = |name: &str| text_of(root, name);
    let files: &[&str] = match tool {
        "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
        "make" => &["Makefile", "makefile", "GNUmakefile"],
        "just" => &["justfile", "Justfile", ".justfile"],
        _ => &[],
    };
    if !files.is_empty() && !files.iter().any(|file| root.join(file).exists()) {
        return Some(false);
    }
    match tool {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let package: serde_json::Value = serde_json::from_str(&read("package.json")?).ok()?;
            Some(package.get("scripts")?.get(task).is_some())
        }
        "make" => {
            let makefile = read("Makefile").or_else(|| read("makefile"))?;
            // The definitions of an included file are unknown.
            let unclear = makefile.lines().any(|line| line.starts_with("include") || line.contains('%'));
            has_rule(&makefile, task).then_some(true).or((!unclear).then_some(false))
        }
        "just" => Some(has_rule(&read("justfile").or_else(|| read("Justfile"))?, task)),
        // Tasks of mise may be files in several folders.
        "mise" => {
            let config = read("mise.toml").or_else(|| read(".mise.toml"))?;
            let file_tasks = ["mise-tasks", ".mise-tasks", ".mise/tasks", "mise/tasks"];
            let in_file = file_tasks.iter().any(|folder| root.join(folder).join(task.replace(':', "/")).exists());
            Some(in_file || config.contains(task))
        }
        _ => None,
    }
}

fn has_rule(file: &str, task: &str) -> bool {
    file.lines().any(|line| {
        let name = line.trim_start_matches('@').split([':', ' ']).next().unwrap_or_default();
        name == task && line.contains(':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_is_seen() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        std::fs::write(root.join("package.json"), r#"{"scripts": {"lint": "x"}}"#)?;
        std::fs::write(root.join("Makefile"), "check: build\n\tx\n")?;
        let task = |tool: &str, task: &str| has(root, &NamedInTree::Task { tool: tool.into(), task: task.into() });
        assert_eq!((task("npm", "lint"), task("npm", "gone")), (Some(true), Some(false)));
        assert_eq!((task("make", "check"), task("make", "x")), (Some(true), Some(false)));
        assert_eq!(task("just", "x"), Some(false), "there is no justfile");
        assert_eq!(task("mise", "x"), None, "it may be configured elsewhere");
        std::fs::write(root.join("go.mod"), "module shop\n\ngo 1.24\n\nrequire example.com/cart v2.1.0\n")?;
        std::fs::write(root.join("Cargo.toml"), "[dependencies]\nserde = { version = \"1.0.9\" }\n")?;
        let version =
            |name: &str, version: &str| has(root, &NamedInTree::Version { name: name.into(), version: version.into() });
        assert_eq!((version("go", "1.24"), version("go", "1.22")), (Some(true), Some(false)));
        assert_eq!((version("cart", "2"), version("cart", "3.0")), (Some(true), Some(false)));
        assert_eq!((version("serde", "1.0"), version("serde", "2.0")), (Some(true), Some(false)));
        assert_eq!(version("react", "18"), None, "nothing in the tree names it");
        assert!(admits("^18.2.0", "18.3") && !admits("^18.2.0", "17") && admits(">=3.11", "3.9"));
        assert_eq!(has(root, &NamedInTree::Path("package.json".into())), Some(true));
        assert_eq!(has(root, &NamedInTree::Path("src/gone.rs".into())), Some(false));
        Ok(())
    }
}
