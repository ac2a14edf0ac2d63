//! Which files should be read?

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::model::{Problem, ProblemKind};
use backstory_files as files;

use super::format::Format;
use super::reading::FileOrigin;

/// The size limit of the host's notes beside a sub-agent's file.
const LARGEST_AGENT_META: u64 = 1 << 20;

/// Where to search. The app says where the agents keep their files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// `~/.claude/projects` or its configured location.
    ClaudeProjects(PathBuf),
    /// `~/.codex/sessions`.
    CodexSessions(PathBuf),
    /// A file or folder that the user named.
    Given(PathBuf),
}

/// One file to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTask {
    pub path: PathBuf,
    pub kind: TaskKind,
    /// Known from the place or named by the user; otherwise detected.
    pub format: Option<Format>,
    /// The user named this very file, so a failure must be reported.
    pub named: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    Session,
    /// Tool output too large for the session file, kept beside it.
    SpilledOutput,
}

#[derive(Debug, Default)]
pub struct FoundFiles {
    pub tasks: Vec<FileTask>,
    pub problems: Vec<Problem>,
    /// Files skipped on purpose.
    pub ignored: u64,
    /// Symbolic links were followed: the same file may have been found twice.
    linked: bool,
}

/// Walks the places in a fixed order. An unreadable folder is a problem.
pub fn find(places: &[InputPlace], format: Option<Format>) -> FoundFiles {
    let mut found = FoundFiles::default();
    for place in places {
        // One name per file, however it was reached.
        let (InputPlace::ClaudeProjects(path) | InputPlace::CodexSessions(path) | InputPlace::Given(path)) = place;
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        match place {
            InputPlace::ClaudeProjects(_) => walk(&path, Some(Format::ClaudeCode), &mut found),
            InputPlace::CodexSessions(_) => walk(&path, Some(Format::Codex), &mut found),
            InputPlace::Given(_) if path.is_dir() => walk(&path, format, &mut found),
            InputPlace::Given(_) => found.tasks.push(FileTask { path, kind: TaskKind::Session, format, named: true }),
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.tasks.retain_mut(|task| {
        if found.linked {
            task.path = std::fs::canonicalize(&task.path).unwrap_or_else(|_| task.path.clone());
        }
        seen.insert(task.path.clone())
    });
    found
}

fn walk(folder: &Path, format: Option<Format>, found: &mut FoundFiles) {
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        found.linked |= entry.as_ref().is_ok_and(|entry| entry.depth() > 0 && entry.path_is_symlink());
        match entry {
            Ok(entry) if entry.file_type().is_file() => match role(entry.path()) {
                Some(kind) => {
                    found.tasks.push(FileTask { path: entry.into_path(), kind, format, named: false });
                }
                None => found.ignored += 1,
            },
            Ok(_) => {}
            Err(error) => {
                let file = error.path().unwrap_or(folder).to_string_lossy().into_owned();
                let reason = match error.io_error() {
                    Some(io) => format!("cannot be entered: {}", io.kind()),
                    None => "a link that leads back to itself".to_owned(),
                };
                found.problems.push(Problem { file, line: None, kind: ProblemKind::Skipped, reason });
            }
        }
    }
}

/// What kind of file this is, judged by its name alone.
fn role(path: &Path) -> Option<TaskKind> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let (stem, extension) = name.rsplit_once('.')?;
    if path.components().any(|part| part.as_os_str() == "tool-results") {
        return (extension == "txt").then_some(TaskKind::SpilledOutput);
    }
    // Compaction helpers repeat the session; journals and indexes hold no messages.
    let helper =
        stem.starts_with("agent-acompact-") || stem == "journal" || stem.ends_with(".meta") || stem == "sessions-index";
    let is_session = matches!(extension, "jsonl" | "json" | "txt" | "log") || is_causantic(name);
    (!helper && is_session).then_some(TaskKind::Session)
}

/// Does Causantic use this name for its database or an archive?
fn is_causantic(name: &str) -> bool {
    name == "memory.db" || name.ends_with(".causantic")
}

impl FileTask {
    /// How to name the file to people and in the cursor.
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// The format that the user named for this very file.
    pub fn named_format(&self) -> Option<Format> {
        self.format.filter(|_| self.named)
    }

    /// What the file's path says about it.
    pub fn origin(&self, name: &str) -> FileOrigin {
        let stem = stem_of(&self.path);
        let agent = stem.strip_prefix("agent-").map(str::to_owned);
        let folder = self.path.parent().unwrap_or(Path::new(""));
        match agent {
            Some(agent) => {
                let in_session_folder = folder.components().any(|part| part.as_os_str() == "subagents");
                let session = if in_session_folder { session_above(folder) } else { stem };
                let spawned_by = spawned_by(folder, &agent);
                FileOrigin { file: name.to_owned(), session, agent: Some(agent), spawned_by, ..FileOrigin::default() }
            }
            None => {
                let mut agents_with_files = agents_in(&folder.join(&stem).join("subagents"));
                agents_with_files.extend(agents_in(folder));
                FileOrigin { file: name.to_owned(), session: stem, agents_with_files, ..FileOrigin::default() }
            }
        }
    }
}

fn stem_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// `…/<session>/subagents/…` -> `<session>`.
fn session_above(folder: &Path) -> String {
    let above = folder.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "subagents"));
    let session = above.and_then(Path::parent).and_then(Path::file_name);
    session.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn spawned_by(folder: &Path, agent: &str) -> Option<String> {
    let meta = files::read(&folder.join(format!("agent-{agent}.meta.json")), LARGEST_AGENT_META).ok()?;
    let meta: serde_json::Value = serde_json::from_slice(&meta).ok()?;
    meta.get("toolUseId")?.as_str().map(str::to_owned)
}

fn agents_in(folder: &Path) -> std::collections::HashSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| name.contains(".jsonl"))
        .filter_map(|name| stem_of(Path::new(&name)).strip_prefix("agent-").map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_roles() {
        for (path, expected) in [
            ("p/a.jsonl", Some(TaskKind::Session)),
            ("p/a.jsonl.gz", Some(TaskKind::Session)),
            ("p/s/subagents/agent-a1.jsonl", Some(TaskKind::Session)),
            ("p/s/subagents/agent-acompact-1.jsonl", None),
            ("p/s/subagents/agent-a1.meta.json", None),
            ("p/s/subagents/workflows/wf_1/journal.jsonl", None),
            ("p/s/tool-results/b1.txt", Some(TaskKind::SpilledOutput)),
            (".causantic/memory.db", Some(TaskKind::Session)),
            (".causantic/memory.db-wal", None),
            ("backup.causantic", Some(TaskKind::Session)),
            ("p/notes.md", None),
        ] {
            assert_eq!(role(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_sub_agents_file_names_its_session() {
        let task = FileTask {
            path: PathBuf::from("/p/s1/subagents/workflows/wf_1/agent-a1.jsonl.gz"),
            kind: TaskKind::Session,
            format: None,
            named: false,
        };
        let origin = task.origin("x");
        assert_eq!((origin.session.as_str(), origin.agent.as_deref()), ("s1", Some("a1")));
    }
}
