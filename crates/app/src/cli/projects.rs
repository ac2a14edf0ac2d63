use backstory_engine::retrieve::projects;

use crate::error::AppError;
use crate::{home, screen, wire};

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

impl ProjectsCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_memory()?;
        let mut list = projects(memory.log())?;
        list.sort_by(|a, b| b.episodes.cmp(&a.episodes).then_with(|| a.name.cmp(&b.name)));
        if self.json {
            let items: Vec<_> = list.iter().map(wire::project).collect();
            return wire::print("projects", serde_json::json!({ "items": items }));
        }
        if list.is_empty() {
            return screen::print("The memory is empty: `backstory ingest` fills it.\n");
        }
        let mut out = String::new();
        for info in &list {
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
        screen::print(&out)
    }
}
