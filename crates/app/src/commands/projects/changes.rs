//! A person's changes to projects: merges, splits and names.

use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::model::{EventId, Project, ProjectAct, ProjectId};
use backstory_engine::retrieve::{ProjectInfo, projects, runs_in_folder};
use serde_json::{Value, json};

use crate::ask_context::AskContext;
use crate::commands::free_text::not_blank;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::named_project;
use crate::{environment, terminal};

/// Merge a project into another
///
/// Sessions and cards of both then belong to one project, with the name of the second.
/// `backstory projects undo` reverts it.
#[derive(clap::Args)]
pub struct Merge {
    /// The project to merge: its name, path or id
    #[arg(value_name = "PROJECT", value_parser = not_blank)]
    from: String,
    /// The project that it becomes part of
    #[arg(value_name = "INTO", value_parser = not_blank)]
    into: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Split a project
///
/// With a FOLDER, the sessions in that folder become a project of their own, and later
/// ones too. Without it, a project that was merged into another is separate again.
#[derive(clap::Args)]
pub struct Split {
    /// The project: its name, path or id
    #[arg(value_name = "PROJECT", value_parser = not_blank)]
    project: String,
    /// The folder that becomes a project
    #[arg(value_name = "FOLDER", value_parser = not_blank)]
    folder: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Rename a project
///
/// Lists, answers and --project use the name.
#[derive(clap::Args)]
pub struct Rename {
    /// The project: its name, path or id
    #[arg(value_name = "PROJECT", value_parser = not_blank)]
    project: String,
    /// The new name
    #[arg(value_name = "NAME", value_parser = not_blank)]
    name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// List the merges, splits and names in force, newest first
#[derive(clap::Args)]
pub struct Changes {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Undo a merge, split or rename
///
/// Without an id it undoes the newest change. An undo is a change too: a second
/// `projects undo` reverts the first.
#[derive(clap::Args)]
pub struct Undo {
    /// The change's id, or how it begins (`backstory projects changes` lists them)
    #[arg(value_name = "CHANGE", value_parser = not_blank)]
    change: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Merge {
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let (from, into) = (named_project(memory, &self.from)?, named_project(memory, &self.into)?);
        if from == into {
            let message = format!("'{}' and '{}' are one project already", self.from, self.into);
            return Err(AppError::new(ErrorKind::Usage, message).hint("`backstory projects` shows what was merged."));
        }
        let names = (name_of(memory, from)?, name_of(memory, into)?);
        let told = format!("Merged {} into {}", names.0, names.1);
        done(context, &ProjectAct::Merge { from, into }, Vec::new(), &told)
    }
}

impl Split {
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        match &self.folder {
            Some(folder) => {
                let folder = whole_path(context, folder)?;
                self.leave(context, &folder)
            }
            None => self.unmerge(context),
        }
    }

    fn leave(&self, context: &mut AskContext, folder: &str) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let project = named_project(memory, &self.project)?;
        let name = name_of(memory, project)?;
        let runs = runs_in_folder(memory.log(), project, folder)?;
        let known = projects(memory.log())?;
        let paths = known.iter().find(|info| info.id == project).map(|info| info.paths.clone()).unwrap_or_default();
        if runs.inside.is_empty() && !paths.iter().any(|path| path == folder) {
            let message = format!("nothing of {name} happened in {folder}");
            return Err(AppError::new(ErrorKind::NotFound, message)
                .hint(format!("Name a folder of its sessions: {}", paths.join(", "))));
        }
        if runs.outside == 0 && paths.len() < 2 {
            let message = format!("everything of {name} happened in {folder}: there is nothing to split");
            return Err(AppError::new(ErrorKind::Usage, message)
                .hint("`backstory projects rename PROJECT NAME` gives it another name."));
        }
        let place = memory.projects()?.apart(folder);
        let moved = terminal::count(runs.inside.len() as u64, "run");
        let told = format!("Split {folder} off {name} as {} with {moved}", place.name());
        let (into, episodes) = (place.id, runs.inside);
        let act = ProjectAct::Split { project, into, folder: folder.to_owned(), episodes };
        done(context, &act, vec![place], &told)
    }

    fn unmerge(&self, context: &mut AskContext) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let parts: Vec<(ProjectId, String)> = projects(memory.log())?
            .into_iter()
            .flat_map(|info| info.merged)
            .filter(|part| part.name == self.project || is_prefix(&self.project, &part.id.to_string()))
            .map(|part| (part.id, part.name))
            .collect();
        let (part, name) = match parts.as_slice() {
            [(part, name)] => (*part, name.clone()),
            [] => {
                let project = named_project(memory, &self.project)?;
                let message = format!("{} was not merged into another project", name_of(memory, project)?);
                let hint = "Name the folder that is to leave it: `backstory projects split PROJECT FOLDER`.";
                return Err(AppError::new(ErrorKind::Usage, message).hint(hint));
            }
            several => {
                let ids: Vec<String> = several.iter().map(|(id, _)| id.short()).collect();
                let message = format!("'{}' is the name of {} merged projects", self.project, several.len());
                return Err(AppError::new(ErrorKind::Usage, message).hint(format!("Say which: {}", ids.join(", "))));
            }
        };
        let aliases = memory.log().store().aliases()?;
        let merge =
            aliases.acts().iter().rev().find(|(_, act)| matches!(act, ProjectAct::Merge { from, .. } if *from == part));
        let Some((event, _)) = merge.cloned() else {
            let message = format!("{name} is merged through another project");
            return Err(AppError::new(ErrorKind::Usage, message).hint(
                "`backstory projects changes` lists the merges; `backstory projects undo CHANGE` takes one back.",
            ));
        };
        done(context, &ProjectAct::Undo { event }, Vec::new(), &format!("{name} is a project of its own again"))
    }
}

impl Rename {
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let name = self.name.trim().to_owned();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(AppError::new(ErrorKind::Usage, "a name has at least one letter and no line breaks")
                .hint("For example: `backstory projects rename app shop-frontend`."));
        }
        let memory = context.memory()?;
        let project = named_project(memory, &self.project)?;
        if projects(memory.log())?.iter().any(|info| info.id != project && info.name == name) {
            return Err(AppError::new(ErrorKind::Usage, format!("another project is called {name} already"))
                .hint("Choose another name, or make the two one project: `backstory projects merge PROJECT INTO`."));
        }
        let told = format!("{} is called {name}", name_of(memory, project)?);
        done(context, &ProjectAct::Rename { project, name }, Vec::new(), &told)
    }
}

impl Changes {
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let known = projects(memory.log())?;
        let aliases = memory.log().store().aliases()?;
        let newest_first = || aliases.acts().iter().rev();
        let items: Vec<Value> = newest_first().map(|(id, act)| change_json(*id, act)).collect();
        let json = json!({ "items": items, "total": aliases.acts().len() });
        if aliases.is_empty() {
            return Ok(Reply::plain("projects", json, "Nothing was merged, split or renamed.\n"));
        }
        let line = |(id, act): &(EventId, ProjectAct)| format!("{}  {}\n", id.short(), describe(act, &known));
        Ok(Reply::plain("projects", json, newest_first().map(line).collect::<String>()))
    }
}

impl Undo {
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let known = projects(memory.log())?;
        let aliases = memory.log().store().aliases()?;
        let wanted = |id: &EventId| self.change.as_ref().is_none_or(|asked| is_prefix(asked, &id.to_string()));
        let mut found: Vec<&(EventId, ProjectAct)> = aliases.acts().iter().rev().filter(|(id, _)| wanted(id)).collect();
        if self.change.is_none() {
            found.truncate(1);
        }
        match found.as_slice() {
            [(event, act)] => {
                let told = format!("Undone: {}", describe(act, &known));
                done(context, &ProjectAct::Undo { event: *event }, Vec::new(), &told)
            }
            [] => Err(AppError::new(ErrorKind::NotFound, "there is no such change to undo")
                .hint("`backstory projects changes` lists those that count.")),
            several => {
                let ids: Vec<String> = several.iter().map(|(id, _)| id.short()).collect();
                Err(AppError::new(ErrorKind::Usage, format!("{} changes begin like this", several.len()))
                    .hint(format!("Say which: {}", ids.join(", "))))
            }
        }
    }
}

/// Adds the act to the log and refreshes the views.
fn done(context: &mut AskContext, act: &ProjectAct, places: Vec<Project>, told: &str) -> Result<Reply, AppError> {
    let memory = context.memory()?;
    let change = memory.log().append_of_projects(environment::now(), act, places)?;
    let is_followed = memory.refresh(&mut |_| {})?.is_some();
    let mut text = format!("{told}. `backstory projects undo {}` takes it back.\n", change.short());
    if !is_followed {
        text.push_str("Another process is deriving: answers follow when it is done.\n");
    }
    Ok(Reply::plain("projects", change_json(change, act), text))
}

fn change_json(id: EventId, act: &ProjectAct) -> Value {
    let mut value = serde_json::to_value(act).unwrap_or_default();
    value["id"] = json!(id);
    value
}

fn describe(act: &ProjectAct, known: &[ProjectInfo]) -> String {
    let name = |id: ProjectId| {
        let own = known.iter().find(|info| info.id == id).map(|info| info.name.clone());
        let part =
            || known.iter().flat_map(|info| &info.merged).find(|part| part.id == id).map(|part| part.name.clone());
        let name = own.or_else(part).unwrap_or_default();
        format!("{} {name}", id.short())
    };
    match act {
        ProjectAct::Merge { from, into } => format!("merged {} into {}", name(*from), name(*into)),
        ProjectAct::Split { project, into, folder, episodes } => {
            let runs = terminal::count(episodes.len() as u64, "run");
            format!("split {folder} ({runs}) off {} as {}", name(*project), name(*into))
        }
        ProjectAct::Rename { project, name: given } => format!("renamed {} to {given}", project.short()),
        ProjectAct::Undo { event } => format!("undid {}", event.short()),
    }
}

fn name_of(memory: &mut Memory, project: ProjectId) -> Result<String, AppError> {
    let known = projects(memory.log())?;
    Ok(known.into_iter().find(|info| info.id == project).map_or_else(|| project.short(), |info| info.name))
}

fn is_prefix(asked: &str, id: &str) -> bool {
    asked.len() >= 4 && id.starts_with(&asked.to_lowercase())
}

/// The absolute path of a folder, which may no longer exist.
fn whole_path(context: &AskContext, folder: &str) -> Result<String, AppError> {
    let path = Path::new(folder);
    let path = if path.is_absolute() || folder.contains('\\') { path.to_owned() } else { context.folder.join(path) };
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    let text = path.to_string_lossy();
    let trimmed = text.trim_end_matches('/');
    Ok(if trimmed.is_empty() { text.into_owned() } else { trimmed.to_owned() })
}
