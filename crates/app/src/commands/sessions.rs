use backstory_engine::Memory;
use backstory_engine::model::{ProjectId, SourceKind};
use backstory_engine::retrieve::{AgentInfo, SessionInfo, SessionQuery, find_session, sessions};

use crate::ask_context::AskContext;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{json, terminal};

use super::Answers;
use super::page::PageArgs;

/// List the sessions of this project, newest first
#[derive(clap::Args)]
pub struct SessionsCommand {
    #[command(flatten)]
    scope: ProjectScope,
    #[command(flatten)]
    time: TimeScope,
    #[command(flatten)]
    page: PageArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for SessionsCommand {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        page_of(context, &self.scope, &self.time, self.page)
    }
}

pub const NONE: &str = "No session found. `backstory sessions --all-projects` lists all of them.\n";

pub fn page_of(
    context: &mut AskContext,
    scope: &ProjectScope,
    time: &TimeScope,
    page: PageArgs,
) -> Result<Reply, AppError> {
    let project = context.scope(scope)?.project()?;
    let (from, to) = time.resolve()?;
    let all = newest_first(context.memory()?, &SessionQuery { project, from, to })?;
    let shown = page.of(&all);
    let json = page.json(shown.iter().map(json::session).collect(), all.len());
    if shown.is_empty() {
        return Ok(Reply::nothing("sessions", json, page.nothing(all.len(), NONE)));
    }
    let text = table(shown) + &page.rest(shown.len(), all.len());
    Ok(Reply::recalled("sessions", json, text).with_lines(shown.iter().map(line).collect::<Vec<_>>()))
}

/// The session with this id, or the only one whose id starts with it, in any project.
pub fn named(memory: &mut Memory, asked: &str) -> Result<SessionInfo, AppError> {
    let (log, views) = memory.parts();
    Ok(find_session(&sessions(log, views, &SessionQuery::default())?, asked)?)
}

/// The filter from `--session` and the project options.
pub struct SessionFilter {
    /// None: all projects.
    pub project: Option<ProjectId>,
    pub session: Option<SessionInfo>,
}

impl SessionFilter {
    /// An id names a session of any project, unless there is a project option.
    pub fn of(context: &mut AskContext, session: Option<&str>, scope: &ProjectScope) -> Result<Self, AppError> {
        let session = session.map(|asked| named(context.memory()?, asked)).transpose()?;
        let project = match session {
            Some(_) if !scope.is_given() => None,
            _ => context.scope(scope)?.project()?,
        };
        Ok(SessionFilter { project, session })
    }

    pub fn has(&self, session: &str) -> bool {
        self.session.as_ref().is_none_or(|info| info.session == session)
    }
}

/// The sessions with chunks: a resume leaves files whose records are all in another session.
pub fn newest_first(memory: &mut Memory, question: &SessionQuery) -> Result<Vec<SessionInfo>, AppError> {
    let (log, views) = memory.parts();
    let mut list = sessions(log, views, question)?;
    list.retain(|info| info.chunks > 0);
    list.reverse();
    Ok(list)
}

/// One line for a pipe.
fn line(info: &SessionInfo) -> String {
    let (id, when, project) = (&info.session, terminal::time(info.started), &info.project.name);
    format!("{id}\t{when}\t{project}\t{}", terminal::clip(name(info), 200))
}

pub fn name(info: &SessionInfo) -> &str {
    info.title.as_deref().or(info.first_prompt.as_deref()).unwrap_or("(no prompt)")
}

pub fn table(list: &[SessionInfo]) -> String {
    let mut out = String::new();
    for info in list {
        let noun = if info.source == SourceKind::Transcript { "line" } else { "prompt" };
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
            terminal::clip_to_width(name(info), 4, 100),
        ));
        if let Some(agents) = agents(info) {
            out.push_str(&format!("    agents: {agents}\n"));
        }
    }
    out
}

/// The helpers and their number of runs.
pub fn agents(info: &SessionInfo) -> Option<String> {
    let name = |agent: &AgentInfo| match agent.runs {
        1 => agent.name.clone(),
        runs => format!("{} ×{runs}", agent.name),
    };
    let names: Vec<String> = info.agents.iter().map(name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The start and the end; the day is written once.
pub fn period(info: &SessionInfo) -> String {
    let (Some(_), Some(_)) = (info.started, info.ended) else { return terminal::time(None) };
    let (started, ended) = (terminal::time(info.started), terminal::time(info.ended));
    match (started.split_once(' '), ended.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => format!("{started} – {time}"),
        _ => format!("{started} – {ended}"),
    }
}

/// Session ids are long; a prefix identifies one.
pub fn short(session: &str) -> String {
    let is_uuid = session.len() == 36 && session.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    if is_uuid { session[..8].to_owned() } else { session.to_owned() }
}
