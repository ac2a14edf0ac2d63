//! Defines, parses and runs the commands.

use std::sync::{LazyLock, Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::terminal::{self, Color, Display, Frame, Paging};

use super::{
    agents, argv, callers, cards, check, clusters, completions, config, demo, digest, doctor, episodic, examples,
    explain, fix, help, hook, index_code, ingest, init, links, list, log, loops, maintain, man, mcp, outcome, pack,
    passages, projects, rebuild, reconstruct, remember, search, sessions, show, status, summary, uninstall, watch, why,
};

/// A causal memory for AI agents: what happened, what led to it, what came of it.
///
/// Backstory reads the sessions of Claude Code and Codex, and chat or game transcripts,
/// into a log on this machine, and answers from it with citations. Nothing leaves the
/// machine unless config.toml names a service, and nothing runs in the background.
///
/// Start with `backstory init`, or with `backstory demo` to see a sample. The memory is
/// in ~/.backstory; the environment variable BACKSTORY_HOME moves it.
#[derive(Parser)]
#[command(
    name = "backstory",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// Set a configuration key for this call (may be repeated)
    #[arg(long, global = true, value_name = "SECTION.KEY=VALUE", help_heading = "General options")]
    pub config: Vec<String>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "General options")]
    color: Color,
    /// Print long output without a pager
    #[arg(long, global = true, help_heading = "General options")]
    no_pager: bool,
    /// Print one item per line, without markers, for pipes
    #[arg(long, global = true, help_heading = "General options")]
    plain: bool,
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
    Digest(digest::DigestCommand),
    Agents(agents::AgentsCommand),
    /// List projects, sessions or agents
    #[command(hide = true)]
    List(list::ListCommand),
    Show(show::ShowCommand),
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
    Help(help::HelpCommand),
}

/// The whole grammar with its help, for people, completions, manual pages and other surfaces.
pub fn command() -> clap::Command {
    let root = Cli::command();
    let template = help::template(&root);
    examples::add(root.help_template(template), "")
}

/// How to show help and errors for this process's command line.
pub fn display_of_help() -> Display {
    argv::display(&std::env::args_os().collect::<Vec<_>>())
}

/// The command line of this process, parsed.
pub fn typed() -> Result<Cli, clap::Error> {
    let words = argv::options_first(std::env::args_os().collect());
    // Most calls need no help, and building all of it takes longer than parsing.
    Cli::try_parse_from(&words).or_else(|_| {
        let mut grammar = command();
        let mut matches = grammar.try_get_matches_from_mut(words)?;
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar))
    })
}

impl Cli {
    /// How to show the answer.
    pub fn display(&self) -> Display {
        Display {
            color: self.color,
            paging: if self.no_pager { Paging::Off } else { Paging::WhenLong },
            frame: if self.plain { Frame::Plain } else { Frame::ForAgents },
        }
    }
}

/// A command that answers one question. Surfaces show the answer.
pub trait Answers {
    /// Is JSON requested?
    fn as_json(&self) -> bool;

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError>;
}

/// Prints the answer on the terminal.
pub fn print_answer(command: impl Answers) -> Result<(), AppError> {
    print_answer_with(command, |reply| reply)
}

/// The same; `change` modifies the reply first.
fn print_answer_with(command: impl Answers, change: impl Fn(Reply) -> Reply) -> Result<(), AppError> {
    let as_json = command.as_json();
    let mut context = AskContext::here()?;
    let replied = command.reply(&mut context);
    for notice in context.take_notices() {
        terminal::warn(notice);
    }
    let reply = change(replied?);
    if as_json { reply.print_json() } else { reply.print() }
}

impl Command {
    /// Runs the command for a person on the terminal.
    pub fn run(self) -> Result<(), AppError> {
        match self {
            Command::Demo(command) => command.run(),
            Command::Init(command) => command.run(),
            Command::Uninstall(command) => command.run(),
            Command::Ingest(command) => command.run(),
            Command::Watch(command) => command.run(),
            Command::Search(command) => print_answer_with(command, passages::with_lines),
            Command::Recall(command) => print_answer_with(command, passages::with_lines),
            Command::Predict(command) => print_answer_with(command, passages::with_lines),
            Command::Why(command) => print_answer(command),
            Command::IndexCode(command) => command.run(),
            Command::Callers(command) => command.run(),
            Command::Callees(command) => command.run(),
            Command::Explain(command) => print_answer(command),
            Command::Fix(command) => print_answer(command),
            Command::Check(command) => command.run(),
            Command::Sessions(command) => print_answer(command),
            Command::Digest(command) => print_answer(command),
            Command::Agents(command) => print_answer(command),
            Command::List(command) => print_answer(command),
            Command::Show(command) => print_answer(command),
            Command::Reconstruct(command) => print_answer(command),
            Command::Links(command) => command.run(),
            Command::Loops(command) => command.run(),
            Command::Pack(command) => print_answer(command),
            Command::Summary(command) => command.run(),
            Command::Remember(command) => print_answer(command),
            Command::Cards(command) => command.run(),
            Command::Outcome(command) => print_answer(command),
            Command::Clusters(command) => print_answer(command),
            Command::Projects(command) => print_answer(command),
            Command::Status(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Mcp(_) | Command::Serve(_) | Command::Hook(_) => Err(no_command_of_a_person()),
            Command::Config(command) => command.run(),
            Command::Maintain(command) => command.run(),
            Command::Rebuild(command) => command.run(),
            Command::Log(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
            Command::Help(command) => command.run(),
        }
    }
}

/// Hosts call these; separate surfaces answer them.
fn no_command_of_a_person() -> AppError {
    AppError::new(ErrorKind::Usage, "another surface answers this")
}

/// A parsed command.
pub struct Parsed(Command);

/// Parses the words of a command, without the name of the program. Servers call this often, and building the grammar
/// takes much longer than parsing, so it is built once.
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
            Command::Show(command) => command.reply(context),
            Command::Recall(command) => command.reply(context),
            Command::Predict(command) => command.reply(context),
            Command::Why(command) => command.reply(context),
            Command::Explain(command) => command.reply(context),
            Command::Check(command) => command.reply(context),
            Command::List(command) => command.reply(context),
            Command::Clusters(command) => command.reply(context),
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
