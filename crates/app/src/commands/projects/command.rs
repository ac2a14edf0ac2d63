//! `backstory projects`: lists the projects.

use std::collections::HashMap;

use backstory_engine::Memory;
use backstory_engine::model::{ProjectId, Timestamp};
use backstory_engine::retrieve::{ProjectInfo, ProjectSuggestion, SessionQuery, project_suggestions, projects};
use serde_json::{Value, json};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, project_suggestions, terminal};

use crate::commands::page::PageArgs;
use crate::commands::{Answers, sessions};

use super::changes;

/// List, merge, split and rename projects
///
/// A project is a repository with all its worktrees, sub-folders and clones of the same
/// remote. A folder without a repository is a project of its own. Projects are listed
/// newest first.
///
/// If two projects are probably one, or one is probably two, the list ends with the
/// command that changes it. Changes are events in the log and can be undone.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ProjectsCommand {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    page: PageArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    Merge(changes::Merge),
    Split(changes::Split),
    Rename(changes::Rename),
    Changes(changes::Changes),
    Undo(changes::Undo),
}

impl Answers for ProjectsCommand {
    fn as_json(&self) -> bool {
        match &self.command {
            None => self.json,
            Some(Command::Merge(command)) => command.json,
            Some(Command::Split(command)) => command.json,
            Some(Command::Rename(command)) => command.json,
            Some(Command::Changes(command)) => command.json,
            Some(Command::Undo(command)) => command.json,
        }
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        match self.command {
            None => list_with_suggestions(context, self.page),
            Some(Command::Merge(command)) => command.reply(context),
            Some(Command::Split(command)) => command.reply(context),
            Some(Command::Rename(command)) => command.reply(context),
            Some(Command::Changes(command)) => command.reply(context),
            Some(Command::Undo(command)) => command.reply(context),
        }
    }
}

/// All projects, with suggestions.
fn list_with_suggestions(context: &mut AskContext, page: PageArgs) -> Result<Reply, AppError> {
    let suggestions = project_suggestions(context.memory()?.log())?;
    let mut reply = list(context, page)?;
    if !suggestions.is_empty() {
        reply.json["suggestions"] = suggestions.iter().map(suggestion_json).collect();
        let lines: String = suggestions
            .iter()
            .map(|it| {
                format!("  {}\n      {}\n", project_suggestions::command_of(it), project_suggestions::reason_of(it))
            })
            .collect();
        reply = reply.with_more(&format!("\nSuggestions:\n{lines}"));
    }
    Ok(reply)
}

/// A project with a summary of its sessions.
struct Listed {
    info: ProjectInfo,
    sessions: u64,
    last: Option<Timestamp>,
}

/// A page of projects, newest first.
pub fn list(context: &mut AskContext, page: PageArgs) -> Result<Reply, AppError> {
    let all = newest_first(context.memory()?)?;
    let shown = page.of(&all);
    let json = page.json(shown.iter().map(listed_json).collect(), all.len());
    if shown.is_empty() {
        let none = "The memory is empty: `backstory ingest` fills it.\n";
        return Ok(Reply::nothing("projects", json, page.nothing(all.len(), none)));
    }
    let text = table(shown) + &page.rest(shown.len(), all.len());
    Ok(Reply::plain("projects", json, text).with_lines(shown.iter().map(line).collect::<Vec<_>>()))
}

/// The project with this id.
pub fn one(context: &mut AskContext, id: &str) -> Result<Reply, AppError> {
    let mut all = newest_first(context.memory()?)?;
    all.retain(|listed| listed.info.id.to_string() == id);
    let json = json!({ "project": all.first().map(listed_json) });
    Ok(Reply::plain("projects", json, table(&all)))
}

fn newest_first(memory: &mut Memory) -> Result<Vec<Listed>, AppError> {
    let mut seen: HashMap<ProjectId, (u64, Option<Timestamp>)> = HashMap::new();
    for session in sessions::newest_first(memory, &SessionQuery::default())? {
        let (count, last) = seen.entry(session.project.id).or_default();
        *count += 1;
        *last = (*last).max(session.ended);
    }
    let listed = projects(memory.log())?.into_iter().map(|info| {
        let (sessions, last) = seen.get(&info.id).copied().unwrap_or_default();
        Listed { info, sessions, last }
    });
    let mut all: Vec<Listed> = listed.collect();
    all.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.info.name.cmp(&b.info.name)));
    Ok(all)
}

fn listed_json(listed: &Listed) -> Value {
    let mut value = json::project(&listed.info);
    value["sessions"] = json!(listed.sessions);
    value["last"] = json!(listed.last.map(|at| at.to_string()));
    value
}

/// One line for a pipe.
fn line(listed: &Listed) -> String {
    let Listed { info, sessions, .. } = listed;
    let path = info.paths.first().map_or("", String::as_str);
    format!("{}\t{}\t{sessions}\t{path}", info.id.short(), info.name)
}

fn table(list: &[Listed]) -> String {
    let mut out = String::new();
    for Listed { info, sessions, last } in list {
        let last = last.map(|_| format!(" · last {}", terminal::day(*last))).unwrap_or_default();
        out.push_str(&format!(
            "{}  {}  {}, {}{last}\n",
            terminal::paint(terminal::DIM, &info.id.short()),
            terminal::paint(terminal::BOLD, &info.name),
            terminal::count(*sessions, "session"),
            terminal::count(info.episodes, "run"),
        ));
        if let Some(remote) = &info.remote {
            out.push_str(&format!("    {remote}\n"));
        }
        for path in &info.paths {
            out.push_str(&format!("    {path}\n"));
        }
        for part in &info.merged {
            out.push_str(&format!("    merged: {} {}\n", part.id.short(), part.name));
        }
    }
    out
}

fn suggestion_json(suggestion: &ProjectSuggestion) -> Value {
    let mut value = match suggestion {
        ProjectSuggestion::Merge { from, into, .. } => json!({ "act": "merge", "from": from, "into": into }),
        ProjectSuggestion::Split { project, folder, .. } => {
            json!({ "act": "split", "project": project, "folder": folder })
        }
    };
    value["reason"] = json!(project_suggestions::reason_of(suggestion));
    value["command"] = json!(project_suggestions::command_of(suggestion));
    value
}
