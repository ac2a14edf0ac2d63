//! What a command asks and what it gets back, on any surface. One file per
//! command; its doc comment is the help.

mod answer;
mod ask;
pub mod callers;
pub mod cards;
mod check;
mod clusters;
mod completions;
mod config;
mod demo;
mod doctor;
mod entities;
mod episodic;
mod explain;
mod fix;
mod forget;
mod hints;
pub mod hook;
pub mod index_code;
mod ingest;
pub mod init;
mod links;
mod list;
mod log;
mod loops;
mod maintain;
mod man;
pub mod mcp;
mod outcome;
pub mod pack;
mod page;
pub mod projects;
pub mod query;
mod rebuild;
mod reconstruct;
mod remember;
mod search;
pub mod sessions;
pub mod status;
mod summary;
mod uninstall;
mod watch;
pub mod why;

use std::sync::{LazyLock, Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::terminal;

/// A causal memory for AI agents: what happened, what led to it, what came of it.
///
/// Backstory reads the sessions of Claude Code and Codex, and chat or game
/// transcripts, into a log on this machine, and answers from it with citations.
/// Nothing leaves the machine unless config.toml names a service; nothing runs
/// in the background.
///
/// Start with `backstory init`: it reads your sessions and sets up your agents.
/// `backstory ingest` only reads. The memory is kept in ~/.backstory; the
/// environment variable BACKSTORY_HOME moves it.
#[derive(Parser)]
#[command(name = "backstory", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// Set a key of the configuration for this once (may be repeated)
    #[arg(long, global = true, value_name = "SECTION.KEY=VALUE", help_heading = "Configuration")]
    pub config: Vec<String>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Demo(demo::Demo),
    Init(init::InitCommand),
    Uninstall(uninstall::UninstallCommand),
    Ingest(ingest::Ingest),
    Watch(watch::WatchCommand),
    Search(search::SearchCommand),
    Recall(episodic::RecallCommand),
    Predict(episodic::PredictCommand),
    Why(why::WhyCommand),
    IndexCode(index_code::IndexCodeCommand),
    Callers(callers::CallersCommand),
    Callees(callers::CalleesCommand),
    Explain(explain::ExplainCommand),
    Fix(fix::FixCommand),
    Check(check::CheckCommand),
    Sessions(sessions::SessionsCommand),
    List(list::ListCommand),
    Reconstruct(reconstruct::ReconstructCommand),
    Links(links::LinksCommand),
    Loops(loops::LoopsCommand),
    Pack(pack::PackCommand),
    Summary(summary::SummaryCommand),
    Remember(remember::RememberCommand),
    Cards(cards::CardsCommand),
    Outcome(outcome::OutcomeCommand),
    Clusters(clusters::ClustersCommand),
    Projects(projects::ProjectsCommand),
    Status(status::StatusCommand),
    Doctor(doctor::DoctorCommand),
    Mcp(mcp::McpCommand),
    Serve(mcp::ServeCommand),
    Hook(hook::HookCommand),
    Config(config::ConfigCommand),
    Maintain(maintain::Maintain),
    Rebuild(rebuild::Rebuild),
    Log(log::LogCommand),
    Completions(completions::CompletionsCommand),
    Man(man::ManCommand),
}

/// Everything that can be typed, for completions, manual pages and other surfaces.
pub fn command() -> clap::Command {
    Cli::command()
}

/// A command that answers one question. Surfaces show the answer.
trait Answers {
    /// Does whoever typed it want JSON?
    fn as_json(&self) -> bool;

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError>;
}

/// Answers on the terminal.
fn show(command: impl Answers) -> Result<(), AppError> {
    let as_json = command.as_json();
    let mut context = AskContext::here()?;
    let replied = command.reply(&mut context);
    for notice in context.take_notices() {
        terminal::warn(notice);
    }
    replied?.print(as_json)
}

impl Command {
    /// For a person, on the terminal.
    pub fn run(self) -> Result<(), AppError> {
        match self {
            Command::Demo(command) => command.run(),
            Command::Init(command) => command.run(),
            Command::Uninstall(command) => command.run(),
            Command::Ingest(command) => command.run(),
            Command::Watch(command) => command.run(),
            Command::Search(command) => show(command),
            Command::Recall(command) => show(command),
            Command::Predict(command) => show(command),
            Command::Why(command) => show(command),
            Command::IndexCode(command) => command.run(),
            Command::Callers(command) => command.run(),
            Command::Callees(command) => command.run(),
            Command::Explain(command) => show(command),
            Command::Fix(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Sessions(command) => show(command),
            Command::List(command) => show(command),
            Command::Reconstruct(command) => show(command),
            Command::Links(command) => command.run(),
            Command::Loops(command) => command.run(),
            Command::Pack(command) => show(command),
            Command::Summary(command) => command.run(),
            Command::Remember(command) => show(command),
            Command::Cards(command) => command.run(),
            Command::Outcome(command) => show(command),
            Command::Clusters(command) => command.run(),
            Command::Projects(command) => show(command),
            Command::Status(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Mcp(_) | Command::Serve(_) | Command::Hook(_) => Err(no_command_of_a_person()),
            Command::Config(command) => command.run(),
            Command::Maintain(command) => command.run(),
            Command::Rebuild(command) => command.run(),
            Command::Log(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}

/// Hosts call these, and surfaces of their own answer.
fn no_command_of_a_person() -> AppError {
    AppError::new(ErrorKind::Usage, "another surface answers this")
}

/// A command that was understood.
pub struct Parsed(Command);

/// Understands the words of a command, without the name of the program. Who asks
/// here asks often, and to say what can be typed takes far longer than to read it.
pub fn parse(words: &[String]) -> Result<Parsed, clap::Error> {
    static GRAMMAR: LazyLock<Mutex<clap::Command>> = LazyLock::new(|| Mutex::new(command()));
    let all = std::iter::once("backstory").chain(words.iter().map(String::as_str));
    let mut grammar = GRAMMAR.lock().unwrap_or_else(PoisonError::into_inner);
    let mut matches = grammar.try_get_matches_from_mut(all)?;
    let cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar))?;
    Ok(Parsed(cli.command))
}

impl Parsed {
    /// The answer, for surfaces that show it themselves.
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        match self.0 {
            Command::Search(command) => command.reply(context),
            Command::Recall(command) => command.reply(context),
            Command::Predict(command) => command.reply(context),
            Command::Why(command) => command.reply(context),
            Command::Explain(command) => command.reply(context),
            Command::Check(command) => command.reply(context),
            Command::List(command) => command.reply(context),
            Command::Reconstruct(command) => command.reply(context),
            Command::Loops(command) => command.reply(context),
            Command::Pack(command) => command.reply(context),
            Command::Remember(command) => command.reply(context),
            Command::Outcome(command) => command.reply(context),
            Command::Cards(command) => command.reply(context),
            Command::Log(command) => command.reply(context),
            _ => Err(AppError::new(ErrorKind::Usage, "only the command line does this")),
        }
    }
}
