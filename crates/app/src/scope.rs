//! The project and the time range of a command.

use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::model::{Digest, ProjectId, Timestamp};
use backstory_engine::retrieve::{ProjectInfo, projects};

use crate::error::{AppError, ErrorKind};
use crate::working_tree::WorkingTree;
use crate::{environment, home, root_commits, terminal};

/// A project's memory does not leak into another's: commands speak of the
/// project of the current folder unless told otherwise.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProjectScope {
    /// Use this project (name, path or id) instead of the one of the current folder
    #[arg(long, value_name = "PROJECT", conflicts_with = "all_projects", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub project: Option<String>,
    /// Use all projects
    #[arg(long)]
    pub all_projects: bool,
}

/// A resolved scope.
pub enum ResolvedScope {
    All,
    One(ProjectId),
    /// The current folder's project, which is not in the memory.
    Unknown {
        folder: String,
        project: ProjectId,
    },
}

impl ProjectScope {
    pub fn is_given(&self) -> bool {
        self.project.is_some() || self.all_projects
    }

    /// The working tree of the project.
    pub fn tree(&self) -> Result<WorkingTree, AppError> {
        Ok(self.tree_in(&home::current_folder()?))
    }

    /// The same, from that folder.
    pub fn tree_in(&self, folder: &Path) -> WorkingTree {
        if self.is_given() { WorkingTree::elsewhere() } else { WorkingTree::around(folder) }
    }

    pub fn resolve(&self, memory: &mut Memory) -> Result<ResolvedScope, AppError> {
        self.resolve_in(memory, &home::current_folder()?)
    }

    /// The same, from that folder.
    pub fn resolve_in(&self, memory: &mut Memory, folder: &Path) -> Result<ResolvedScope, AppError> {
        if self.all_projects {
            return Ok(ResolvedScope::All);
        }
        if let Some(asked) = &self.project {
            return named_project(memory, asked).map(ResolvedScope::One);
        }
        let folder = folder.to_string_lossy().into_owned();
        let known_roots = root_commits::known();
        let project = memory.projects()?.with_roots(known_roots.clone()).in_folder(&folder);
        root_commits::note(&project, &known_roots);
        let has_sessions = projects(memory.log())?.iter().any(|info| info.id == project.id && info.episodes > 0);
        let known = has_sessions || memory.views().read().has_cards(project.id)?;
        Ok(if known {
            ResolvedScope::One(project.id)
        } else {
            ResolvedScope::Unknown { folder: project.path, project: project.id }
        })
    }
}

impl ResolvedScope {
    /// For commands that accept an unknown project.
    pub fn even_unknown(self) -> Option<ProjectId> {
        match self {
            ResolvedScope::All => None,
            ResolvedScope::One(project) | ResolvedScope::Unknown { project, .. } => Some(project),
        }
    }

    /// For commands that need a project (or all): an unknown one is an error with a hint.
    pub fn project(self) -> Result<Option<ProjectId>, AppError> {
        match self {
            ResolvedScope::All => Ok(None),
            ResolvedScope::One(project) => Ok(Some(project)),
            ResolvedScope::Unknown { folder, .. } => {
                let message = format!("the memory has no session of the project in {folder}");
                let hint = "Use --all-projects, or --project with a name from `backstory projects`; \
                            `backstory ingest` reads new sessions.";
                Err(AppError::new(ErrorKind::NotFound, message).hint(hint))
            }
        }
    }
}

pub fn named_project(memory: &mut Memory, asked: &str) -> Result<ProjectId, AppError> {
    let canonical = std::fs::canonicalize(asked).ok().map(|path| path.to_string_lossy().into_owned());
    let known = projects(memory.log())?;
    let mut found: Vec<_> = known
        .iter()
        .filter(|info| info.is_meant_by(asked) || canonical.as_ref().is_some_and(|path| info.is_meant_by(path)))
        .collect();
    found.dedup_by_key(|info| info.id);
    match found.as_slice() {
        [info] => Ok(info.id),
        [] => {
            let near = near_names(&known, asked);
            without_sessions(memory, asked)?.ok_or_else(|| {
                AppError::new(ErrorKind::NotFound, format!("no project matches '{asked}'"))
                    .hint(format!("`backstory projects` lists them.{near}"))
            })
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|info| format!("{} ({})", info.id.short(), info.paths.join(", "))).collect();
            Err(AppError::new(ErrorKind::Usage, format!("{} projects are named '{asked}'", several.len()))
                .hint(format!("Use a path or an id: {}.", names.join("; "))))
        }
    }
}

/// Names that contain the typed one, or are contained in it.
fn near_names(known: &[ProjectInfo], asked: &str) -> String {
    let asked = asked.to_lowercase();
    let is_near = |name: &str| asked.len() > 2 && (name.contains(&asked) || asked.contains(name));
    let near = known.iter().filter(|info| is_near(&info.name.to_lowercase())).take(5);
    let near: Vec<String> = near.map(|info| format!("{} ({})", info.name, info.id.short())).collect();
    if near.is_empty() { String::new() } else { format!(" Near: {}.", near.join(", ")) }
}

/// A folder, or a project that has only cards.
fn without_sessions(memory: &mut Memory, asked: &str) -> Result<Option<ProjectId>, AppError> {
    if std::path::Path::new(asked).is_dir() {
        let folder = std::fs::canonicalize(asked)?.to_string_lossy().into_owned();
        return Ok(Some(memory.projects()?.in_folder(&folder).id));
    }
    let Some(project) = Digest::parse(asked).map(ProjectId) else { return Ok(None) };
    let project = memory.log().store().aliases()?.current(project);
    Ok(memory.views().read().has_cards(project)?.then_some(project))
}

/// From when to when.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct TimeScope {
    /// Only from this time on: a date, a date and time, `today` or `yesterday`
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Only before this time; a date includes that day
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only the last N days
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub days: Option<u32>,
}

impl TimeScope {
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.days.is_some()
    }

    pub fn resolve(&self) -> Result<(Option<Timestamp>, Option<Timestamp>), AppError> {
        let now = environment::now();
        let day = 24 * 3600 * 1000;
        let from = match (&self.from, self.days) {
            (Some(text), _) => Some(parse("--from", text, now)?),
            (None, Some(days)) => Some(Timestamp(now.0 - i64::from(days) * day)),
            (None, None) => None,
        };
        let to = self.to.as_deref().map(|text| parse("--to", text, now)).transpose()?;
        let whole_day =
            self.to.as_deref().is_some_and(|text| text.len() == 10 || !text.contains(|c: char| c.is_ascii_digit()));
        let to = to.map(|at| if whole_day { Timestamp(at.0 + day) } else { at });
        if let (Some(from), Some(to)) = (from, to)
            && from >= to
        {
            return Err(AppError::new(ErrorKind::Usage, "--from is not before --to"));
        }
        Ok((from, to))
    }
}

fn parse(flag: &str, text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    terminal::parse_time(text, now).ok_or_else(|| {
        AppError::new(ErrorKind::Usage, format!("{flag}: '{text}' is not a time"))
            .hint("Use a date (2026-01-03), a date and time (2026-01-03T10:00), `today` or `yesterday`.")
    })
}
