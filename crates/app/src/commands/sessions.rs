use backstory_engine::Memory;
use backstory_engine::model::SourceKind;
use backstory_engine::retrieve::{SessionInfo, Sessions, sessions};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{json, terminal};

use super::Answers;

/// List the sessions in the memory, newest last
#[derive(clap::Args)]
pub struct SessionsCommand {
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    /// Only the newest N
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// The list as JSON
    #[arg(long)]
    json: bool,
}

impl Answers for SessionsCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let project = context.scope(&self.scope)?.project()?;
        let (from, to) = self.time.resolve()?;
        let list = list(context.memory()?, &Sessions { project, from, to }, self.limit)?;
        let items: Vec<_> = list.iter().map(json::session).collect();
        let json = serde_json::json!({ "items": items });
        if list.is_empty() {
            return Ok(Reply::plain("sessions", json, NONE));
        }
        Ok(Reply::recalled("sessions", json, table(&list)))
    }
}

pub const NONE: &str = "No session fits. `backstory sessions --all-projects` lists all of them.\n";

pub fn list(memory: &mut Memory, question: &Sessions, limit: Option<usize>) -> Result<Vec<SessionInfo>, AppError> {
    let (log, views) = memory.parts();
    let mut list = sessions(log, views, question)?;
    // A resume leaves files whose every record stands in another session.
    list.retain(|info| info.chunks > 0);
    if let Some(limit) = limit {
        list.drain(..list.len().saturating_sub(limit));
    }
    Ok(list)
}

pub fn table(list: &[SessionInfo]) -> String {
    let mut out = String::new();
    for info in list {
        let noun = if info.source == SourceKind::Transcript { "line" } else { "prompt" };
        let name = info.title.as_deref().or(info.first_prompt.as_deref()).unwrap_or("(no prompt)");
        out.push_str(&format!(
            "{}  {}  {}  {}\n    {}\n",
            terminal::paint(terminal::DIM, &short(&info.session)),
            period(info),
            terminal::paint(terminal::BOLD, &info.project.name),
            terminal::paint(
                terminal::DIM,
                &format!(
                    "{} · {} · {} tokens",
                    info.source.name(),
                    terminal::count(u64::from(info.prompts), noun),
                    terminal::number(info.tokens)
                )
            ),
            terminal::clip(name, 100),
        ));
        if !info.agents.is_empty() {
            let agents: Vec<String> = info
                .agents
                .iter()
                .map(|agent| match agent.runs {
                    1 => agent.name.clone(),
                    runs => format!("{} ×{runs}", agent.name),
                })
                .collect();
            out.push_str(&format!("    agents: {}\n", agents.join(", ")));
        }
    }
    out
}

/// From when to when; the day is said once.
fn period(info: &SessionInfo) -> String {
    let (Some(_), Some(_)) = (info.started, info.ended) else { return terminal::time(None) };
    let (started, ended) = (terminal::time(info.started), terminal::time(info.ended));
    match (started.split_once(' '), ended.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => format!("{started} – {time}"),
        _ => format!("{started} – {ended}"),
    }
}

/// Session ids are long; their beginning is enough to name one.
pub fn short(session: &str) -> String {
    let is_uuid = session.len() == 36 && session.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    if is_uuid { session[..8].to_owned() } else { session.to_owned() }
}
