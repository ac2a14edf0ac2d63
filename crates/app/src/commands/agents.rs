use std::collections::BTreeMap;

use backstory_engine::model::Timestamp;
use backstory_engine::retrieve::SessionQuery;
use serde_json::json;

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::terminal;

use super::{Answers, page, sessions};

/// List the agents that worked in this project, newest first
///
/// Main agents, sub-agents and teammates, with the number of their runs and sessions.
#[derive(clap::Args)]
pub struct AgentsCommand {
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    #[command(flatten)]
    page: page::PageArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The data about an agent's name.
#[derive(Default)]
struct Agent {
    runs: u64,
    sessions: u64,
    last: Option<Timestamp>,
}

impl Answers for AgentsCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        list(context, &self.scope, &self.time, self.page)
    }
}

pub fn list(
    context: &mut AskContext,
    scope: &ProjectScope,
    time: &TimeScope,
    page: page::PageArgs,
) -> Result<Reply, AppError> {
    let project = context.scope(scope)?.project()?;
    let (from, to) = time.resolve()?;
    let all = known(context, &SessionQuery { project, from, to })?;
    let shown = page.of(&all);
    let items = shown.iter().map(|(name, agent)| {
        let last = agent.last.map(|at| at.to_string());
        json!({ "agent": name, "runs": agent.runs, "sessions": agent.sessions, "last": last })
    });
    let json = page.json(items.collect(), all.len());
    if shown.is_empty() {
        return Ok(Reply::nothing("agents", json, page.nothing(all.len(), sessions::NONE)));
    }
    let text: String = shown.iter().map(|(name, agent)| line(name, agent)).collect();
    let lines = shown.iter().map(|(name, agent)| format!("{name}\t{}\t{}", agent.runs, terminal::time(agent.last)));
    let lines: Vec<String> = lines.collect();
    Ok(Reply::recalled("agents", json, text + &page.rest(shown.len(), all.len())).with_lines(lines))
}

fn known(context: &mut AskContext, question: &SessionQuery) -> Result<Vec<(String, Agent)>, AppError> {
    let mut known: BTreeMap<String, Agent> = BTreeMap::new();
    for info in sessions::newest_first(context.memory()?, question)? {
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
    Ok(all)
}

fn line(name: &str, agent: &Agent) -> String {
    let (runs, sessions) = (terminal::count(agent.runs, "run"), terminal::count(agent.sessions, "session"));
    let known = format!("{runs} in {sessions} · last {}", terminal::time(agent.last));
    format!("{}  {}\n", terminal::paint(terminal::BOLD, name), terminal::paint(terminal::DIM, &known))
}
