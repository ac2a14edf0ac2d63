//! `backstory projects`

mod changes;

use backstory_engine::retrieve::{ProjectInfo, ProjectSuggestion, project_suggestions, projects};
use serde_json::{Value, json};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{json, project_suggestions, terminal};

use super::{Answers, page};

/// List the projects the memory knows; merge, split and rename them
///
/// A project is a repository, wherever it is checked out: worktrees,
/// sub-folders and clones of one remote belong to it, a copy without that
/// remote or another folder of the same name does not. Where there is no
/// repository, the folder is the project.
///
/// Where two projects are probably one, or one is probably two, the list ends
/// with the command that would change it. Changes are added to the log and can
/// be undone; what was stored is never altered.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_long_help = LIST_EXAMPLES)]
pub struct ProjectsCommand {
    #[command(subcommand)]
    command: Option<Command>,
    /// The list as JSON
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

const LIST_EXAMPLES: &str = "\
Examples:
  backstory projects
      every project with its folders, and what probably belongs together
  backstory projects --json | jq '.items[] | select(.merged != [])'
      only projects that others were merged into";

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
            None => list_with_suggestions(context),
            Some(Command::Merge(command)) => command.reply(context),
            Some(Command::Split(command)) => command.reply(context),
            Some(Command::Rename(command)) => command.reply(context),
            Some(Command::Changes(command)) => command.reply(context),
            Some(Command::Undo(command)) => command.reply(context),
        }
    }
}

/// All of them, with what could be put right.
fn list_with_suggestions(context: &mut AskContext) -> Result<Reply, AppError> {
    let suggestions = project_suggestions(context.memory()?.log())?;
    let mut reply = list(context, 0, usize::MAX)?;
    if !suggestions.is_empty() {
        reply.json["suggestions"] = suggestions.iter().map(suggestion_json).collect();
        let lines: String = suggestions
            .iter()
            .map(|it| {
                format!("  {}\n      {}\n", project_suggestions::command_of(it), project_suggestions::reason_of(it))
            })
            .collect();
        reply = reply.with_more(&format!("\nProbably:\n{lines}"));
    }
    Ok(reply)
}

/// A page of them, those with the most runs first.
pub fn list(context: &mut AskContext, offset: usize, limit: usize) -> Result<Reply, AppError> {
    let mut all = projects(context.memory()?.log())?;
    all.sort_by(|a, b| b.episodes.cmp(&a.episodes).then_with(|| a.name.cmp(&b.name)));
    let shown = page::of(&all, offset, limit);
    let json = page::json(shown.iter().map(json::project).collect(), all.len(), offset);
    if all.is_empty() {
        return Ok(Reply::plain("projects", json, "The memory is empty: `backstory ingest` fills it.\n"));
    }
    let text = format!("{}{}", table(shown), page::rest(shown.len(), all.len(), offset));
    Ok(Reply::plain("projects", json, text))
}

fn table(list: &[ProjectInfo]) -> String {
    let mut out = String::new();
    for info in list {
        let runs = terminal::count(info.episodes, "run");
        out.push_str(&format!(
            "{}  {}  {}\n",
            terminal::paint(terminal::DIM, &info.id.short()),
            terminal::paint(terminal::BOLD, &info.name),
            runs
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
