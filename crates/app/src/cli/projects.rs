use backstory_engine::retrieve::{ProjectInfo, projects};

use super::{Answers, page};
use crate::desk::Desk;
use crate::error::AppError;
use crate::reply::Reply;
use crate::{screen, wire};

/// List the projects the memory knows
///
/// A project is a repository, wherever it is checked out: worktrees and
/// sub-folders belong to it, another folder of the same name does not. Where
/// there is no repository, the folder is the project.
#[derive(clap::Args)]
pub struct ProjectsCommand {
    /// The list as JSON
    #[arg(long)]
    json: bool,
}

impl Answers for ProjectsCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, desk: &mut Desk) -> Result<Reply, AppError> {
        list(desk, 0, usize::MAX)
    }
}

/// A page of them, those with the most runs first.
pub fn list(desk: &mut Desk, offset: usize, limit: usize) -> Result<Reply, AppError> {
    let mut all = projects(desk.memory()?.log())?;
    all.sort_by(|a, b| b.episodes.cmp(&a.episodes).then_with(|| a.name.cmp(&b.name)));
    let shown = page::of(&all, offset, limit);
    let json = page::json(shown.iter().map(wire::project).collect(), all.len(), offset);
    if all.is_empty() {
        return Ok(Reply::plain("projects", json, "The memory is empty: `backstory ingest` fills it.\n"));
    }
    let text = format!("{}{}", table(shown), page::rest(shown.len(), all.len(), offset));
    Ok(Reply::plain("projects", json, text))
}

fn table(list: &[ProjectInfo]) -> String {
    let mut out = String::new();
    for info in list {
        let runs = screen::count(info.episodes, "run");
        out.push_str(&format!(
            "{}  {}  {}\n",
            screen::paint(screen::DIM, &info.id.short()),
            screen::paint(screen::BOLD, &info.name),
            runs
        ));
        if let Some(remote) = &info.remote {
            out.push_str(&format!("    {remote}\n"));
        }
        for path in &info.paths {
            out.push_str(&format!("    {path}\n"));
        }
    }
    out
}
