use backstory_engine::log::{ForgetPlan, Selector};
use backstory_engine::retrieve::{ProjectInfo, SessionInfo, projects};
use backstory_engine::store::Scrubbed;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::json::{ForgetShare, Forgetting};
use crate::progress::Show;
use crate::reply::Reply;
use crate::scope::{ProjectScope, TimeScope};
use crate::{embedding, environment, json, terminal};

use super::free_text::not_blank;
use super::{Answers, sessions};

/// At most this many sessions of a project are named.
const MOST_NAMED: usize = 20;

/// Blank events for good, by session, project, time or words
///
/// Only events of the current project, unless --project, --all-projects or --session
/// is given; an event must meet all conditions. Without --yes nothing is changed: the
/// command lists what would be blanked and prints a token. --confirm TOKEN blanks
/// exactly what was listed.
///
/// The text and metadata are removed from the log, from everything derived from it and
/// from unused pages of the files. Ids and hashes stay, so that the log still verifies
/// and reading the same session again does not restore the text. Statements, questions,
/// notes and reasons that were given to Backstory are blanked too. If the command is
/// interrupted, the next command finishes it.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["session", "project", "query", "from", "to", "days"])))]
pub struct Forget {
    /// Only events of this session and its sub-agents
    #[arg(long, short, value_name = "ID", value_parser = not_blank)]
    session: Option<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Only events that contain these words, in any case
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    #[command(flatten)]
    time: TimeScope,
    /// Blank the events; without this nothing is changed
    #[arg(long)]
    yes: bool,
    /// Blank exactly the events that were listed with this token
    #[arg(long, value_name = "TOKEN", conflicts_with = "yes")]
    confirm: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for Forget {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        if self.query.as_deref().is_some_and(|query| query.trim().is_empty()) {
            return Err(AppError::new(ErrorKind::Usage, "--query is empty"));
        }
        let selector = self.selector(context)?;
        let whose = if context.is_agents() { Reader::Agent } else { Reader::Person };
        let memory = context.memory()?;
        let plan = memory.plan_forget(&selector)?;
        let known = projects(memory.log())?;
        self.refuse_another_plan(&plan)?;
        let mut scrubbed = Scrubbed::Whole;
        if self.is_agreed() && !plan.is_empty() {
            scrubbed = memory.forget(&plan, environment::now())?.scrubbed;
            embedding::try_to_catch_up(memory, if self.json { Show::Nothing } else { Show::bar() });
        }
        let going = by_project(&plan, &known);
        let json =
            json::forget_plan(&plan, &going, if self.is_agreed() { Forgetting::Done } else { Forgetting::Planned });
        let mut text = match plan.is_empty() {
            true => nothing(&selector, &known),
            false => self.render(&plan, &going, whose),
        };
        text.push_str(&reservations(&plan, scrubbed));
        Ok(Reply::plain("log forget", json, text))
    }
}

/// The reader of the plan, which decides how to consent.
#[derive(Clone, Copy)]
enum Reader {
    Person,
    Agent,
}

impl Forget {
    fn is_agreed(&self) -> bool {
        self.yes || self.confirm.is_some()
    }

    /// Refuses to forget what was not listed.
    fn refuse_another_plan(&self, plan: &ForgetPlan) -> Result<(), AppError> {
        match &self.confirm {
            Some(token) if *token != plan.token() => {
                let message = "nothing was changed: the token does not match what would be blanked now";
                let hint = "Repeat the command without --confirm: it lists what would be blanked and prints a \
                            new token.";
                Err(AppError::new(ErrorKind::Usage, message).hint(hint))
            }
            _ => Ok(()),
        }
    }

    fn selector(&self, context: &mut AskContext) -> Result<Selector, AppError> {
        let session = self.session.as_deref().map(|asked| sessions::named(context.memory()?, asked)).transpose()?;
        let project = match &session {
            // The id names it unambiguously.
            Some(info) if !self.scope.is_given() => {
                if context.is_agents() {
                    refuse_of_another_project(context, info)?;
                }
                None
            }
            _ => context.scope(&self.scope)?.project()?,
        };
        let (from, to) = self.time.resolve()?;
        let up_to = self.confirm.as_deref().and_then(ForgetPlan::up_to_of);
        Ok(Selector { session: session.map(|info| info.session), project, from, to, query: self.query.clone(), up_to })
    }

    fn render(&self, plan: &ForgetPlan, projects: &[ForgetShare<'_>], reader: Reader) -> String {
        let verb = if self.is_agreed() { "Forgot" } else { "Would forget" };
        let mut out = format!(
            "{verb} {} and {} ({} of text) in {}:\n",
            terminal::count(plan.events() as u64, "event"),
            terminal::count(plan.artifacts() as u64, "stored file"),
            terminal::bytes(plan.bytes),
            terminal::count(plan.sessions() as u64, "session"),
        );
        if !self.is_agreed() {
            out.push_str(&how_to_agree(plan, reader));
        }
        // All projects are named, even if a long answer is truncated.
        out.extend(projects.iter().map(of_project));
        out.extend(projects.iter().map(|going| sessions_of(going, projects.len() > 1)));
        out
    }
}

fn how_to_agree(plan: &ForgetPlan, reader: Reader) -> String {
    let token = plan.token();
    match reader {
        Reader::Person => {
            format!(
                "Nothing was changed. Add --yes to blank it, or --confirm {token} for exactly this list; it cannot be undone.\n"
            )
        }
        Reader::Agent => format!(
            "Nothing was changed. Show this to the person; if they agree, call again with the same conditions and \
             confirm=\"{token}\". It cannot be undone.\n"
        ),
    }
}

/// An agent works in one project, and may have confused the id.
fn refuse_of_another_project(context: &mut AskContext, info: &SessionInfo) -> Result<(), AppError> {
    if context.scope(&ProjectScope::default())?.even_unknown() == Some(info.project.id) {
        return Ok(());
    }
    let message = format!("session {} is of another project: {}", info.session, named(&info.project));
    let hint = "If the person means that session, call again with all_projects=true as well.";
    Err(AppError::new(ErrorKind::Usage, message).hint(hint))
}

fn nothing(selector: &Selector, known: &[ProjectInfo]) -> String {
    match selector.project.and_then(|id| known.iter().find(|info| info.id == id)) {
        Some(info) => {
            format!("Nothing to forget in the project {}. --all-projects looks in all projects.\n", named(info))
        }
        None => "Nothing to forget.\n".to_owned(),
    }
}

/// The uncertainty caused by damage to the log.
fn reservations(plan: &ForgetPlan, scrubbed: Scrubbed) -> String {
    let mut out = String::new();
    if plan.unsearched > 0 {
        let rows = terminal::count(plan.unsearched, "damaged row");
        out.push_str(&format!(
            "{rows} could not be searched for the words; --session or --project without --query selects them.\n"
        ));
    }
    if scrubbed == Scrubbed::Partly {
        out.push_str(
            "The log is damaged and could not be rewritten: unused pages may still hold the text. \
            `backstory log export FILE`, import it in a new BACKSTORY_HOME, and delete the old folder.\n",
        );
    }
    out
}

/// By name: the order of ids is meaningless.
fn by_project<'a>(plan: &'a ForgetPlan, known: &'a [ProjectInfo]) -> Vec<ForgetShare<'a>> {
    let going = plan.projects.iter().map(|(id, sessions)| {
        let info = known.iter().find(|info| Some(info.id) == *id);
        ForgetShare { id: *id, info, sessions }
    });
    let mut going: Vec<ForgetShare<'_>> = going.collect();
    going.sort_by_key(|going| (going.info.is_none(), going.info.map(|info| (&info.name, &info.paths))));
    going
}

fn of_project(going: &ForgetShare<'_>) -> String {
    let (events, count) = (going.sessions.values().sum(), going.sessions.len() as u64);
    let name = going.info.map_or_else(|| "Of no project".to_owned(), |info| format!("In {}", named(info)));
    format!("{name}: {} in {}\n", terminal::count(events, "event"), terminal::count(count, "session"))
}

fn sessions_of(going: &ForgetShare<'_>, among_others: bool) -> String {
    let name = going.info.map_or("no project", |info| &info.name);
    let mut out = if among_others { format!("Sessions of {name}:\n") } else { String::new() };
    for (session, events) in going.sessions.iter().take(MOST_NAMED) {
        out.push_str(&format!("  {session}  {}\n", terminal::count(*events, "event")));
    }
    if let more @ 1.. = going.sessions.len().saturating_sub(MOST_NAMED) {
        out.push_str(&format!("  … and {}\n", terminal::count(more as u64, "more session")));
    }
    out
}

/// Two projects may have the same name.
fn named(info: &ProjectInfo) -> String {
    let path = info.paths.first().map(|path| format!(" ({path})")).unwrap_or_default();
    format!("{}{path}", info.name)
}
