use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};

use super::page::PageArgs;
use super::{Answers, agents, projects, sessions};

/// List projects, sessions or agents, newest first
///
/// The same lists as `projects`, `sessions` and `agents`, 20 items at a time.
#[derive(clap::Args)]
pub struct ListCommand {
    /// What to list
    what: What,
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// Show at most N items
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::query::limit)]
    limit: usize,
    /// Skip the first N items
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum What {
    /// All projects in the memory
    Projects,
    /// Sessions of the project
    Sessions,
    /// Agents that worked in the project: main agents, sub-agents, teammates
    Agents,
}

impl Answers for ListCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let page = PageArgs::new(self.offset, self.limit);
        match self.what {
            What::Projects => projects::list(context, page),
            What::Sessions => sessions::page_of(context, &self.scope, &self.time, page),
            What::Agents => agents::list(context, &self.scope, &self.time, page),
        }
    }
}
