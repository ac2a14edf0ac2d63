use std::collections::BTreeMap;

use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::Sessions;
use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{json, terminal};

use super::{Answers, page, projects, sessions};

/// List projects, sessions or agents, a page at a time
///
/// Projects come with the most runs first, sessions and agents with the newest
/// first. `--offset` goes on where a page ended.
#[derive(clap::Args)]
pub struct ListCommand {
    /// What to list
    what: What,
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::query::limit)]
    limit: usize,
    /// Leave out the first so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// The list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum What {
    /// All projects the memory knows
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
        match self.what {
            What::Projects => projects::list(context, self.offset, self.limit),
            What::Sessions => self.sessions(context),
            What::Agents => self.agents(context),
        }
    }
}

/// What is known of an agent's name.
#[derive(Default)]
struct Agent {
    runs: u64,
    sessions: u64,
    last: Option<Timestamp>,
}

impl ListCommand {
    fn question(&self, context: &mut AskContext) -> Result<Sessions, AppError> {
        let project = context.scope(&self.scope)?.project()?;
        let (from, to) = self.time.resolve()?;
        Ok(Sessions { project, from, to })
    }

    fn sessions(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let question = self.question(context)?;
        let mut all = sessions::list(context.memory()?, &question, None)?;
        all.reverse();
        let shown = page::of(&all, self.offset, self.limit);
        let json = page::json(shown.iter().map(json::session).collect(), all.len(), self.offset);
        if all.is_empty() {
            return Ok(Reply::plain("sessions", json, sessions::NONE));
        }
        let text = format!("{}{}", sessions::table(shown), page::rest(shown.len(), all.len(), self.offset));
        Ok(Reply::recalled("sessions", json, text))
    }

    fn agents(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let question = self.question(context)?;
        let mut known: BTreeMap<String, Agent> = BTreeMap::new();
        for info in sessions::list(context.memory()?, &question, None)? {
            let main = ("main".to_owned(), 1);
            let others = info.agents.iter().map(|agent| (agent.name.clone(), u64::from(agent.runs)));
            for (name, runs) in std::iter::once(main).chain(others) {
                let agent = known.entry(name).or_default();
                agent.runs += runs;
                agent.sessions += 1;
                agent.last = agent.last.max(info.ended);
            }
        }
        let mut all: Vec<(String, Agent)> = known.into_iter().collect();
        all.sort_by(|a, b| b.1.last.cmp(&a.1.last).then_with(|| b.1.runs.cmp(&a.1.runs)));
        let shown = page::of(&all, self.offset, self.limit);
        let items = shown.iter().map(|(name, agent)| {
            let last = agent.last.map(|at| at.to_string());
            json!({ "agent": name, "runs": agent.runs, "sessions": agent.sessions, "last": last })
        });
        let json = page::json(items.collect(), all.len(), self.offset);
        if all.is_empty() {
            return Ok(Reply::plain("agents", json, sessions::NONE));
        }
        let mut text: String = shown.iter().map(|(name, agent)| line(name, agent)).collect();
        text.push_str(&page::rest(shown.len(), all.len(), self.offset));
        Ok(Reply::recalled("agents", json, text))
    }
}

fn line(name: &str, agent: &Agent) -> String {
    let (runs, sessions) = (terminal::count(agent.runs, "run"), terminal::count(agent.sessions, "session"));
    let known = format!("{runs} in {sessions} · last {}", terminal::time(agent.last));
    format!("{}  {}\n", terminal::paint(terminal::BOLD, name), terminal::paint(terminal::DIM, &known))
}
