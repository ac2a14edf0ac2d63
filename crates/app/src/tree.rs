//! Is what a card names still in the working tree?

use std::path::{Path, PathBuf};

use backstory_engine::retrieve::Named;

/// The root of the repository that a folder is in, or the folder itself.
pub fn root(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder).to_owned()
}

/// None where nothing can be said: no such build file, or one that cannot be read.
pub fn has(root: &Path, named: &Named) -> Option<bool> {
    match named {
        Named::Path(path) => Some(root.join(path).exists()),
        Named::Task { tool, task } => has_task(root, tool, task),
    }
}

fn has_task(root: &Path, tool: &str, task: &str) -> Option<bool> {
    let read = |name: &str| std::fs::read_to_string(root.join(name)).ok();
    match tool {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let package: serde_json::Value = serde_json::from_str(&read("package.json")?).ok()?;
            Some(package.get("scripts")?.get(task).is_some())
        }
        "make" => {
            let makefile = read("Makefile").or_else(|| read("makefile"))?;
            // What an included file defines is not known.
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
        let task = |tool: &str, task: &str| has(root, &Named::Task { tool: tool.into(), task: task.into() });
        assert_eq!((task("npm", "lint"), task("npm", "gone")), (Some(true), Some(false)));
        assert_eq!((task("make", "check"), task("make", "x")), (Some(true), Some(false)));
        assert_eq!(task("just", "x"), None, "there is no justfile");
        assert_eq!(has(root, &Named::Path("package.json".into())), Some(true));
        assert_eq!(has(root, &Named::Path("src/gone.rs".into())), Some(false));
        Ok(())
    }
}
