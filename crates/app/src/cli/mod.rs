//! The command line: one file per command, its doc comment is the help.

mod answer;
mod ask;
pub mod callers;
mod cards;
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
mod hints;
pub mod index_code;
mod ingest;
pub mod init;
mod links;
mod log;
mod loops;
mod maintain;
mod man;
mod outcome;
mod pack;
pub mod progress;
mod projects;
mod query;
mod rebuild;
mod reconstruct;
mod remember;
mod scope;
mod search;
mod sessions;
pub mod status;
mod uninstall;
pub mod why;

use clap::{CommandFactory, Parser, Subcommand};

use crate::error::AppError;

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
struct Cli {
    /// Set a key of the configuration for this once (may be repeated)
    #[arg(long, global = true, value_name = "SECTION.KEY=VALUE", help_heading = "Configuration")]
    config: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Demo),
    Init(init::InitCommand),
    Uninstall(uninstall::UninstallCommand),
    Ingest(ingest::Ingest),
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
    Reconstruct(reconstruct::ReconstructCommand),
    Links(links::LinksCommand),
    Loops(loops::LoopsCommand),
    Pack(pack::PackCommand),
    Remember(remember::RememberCommand),
    Cards(cards::CardsCommand),
    Outcome(outcome::OutcomeCommand),
    Clusters(clusters::ClustersCommand),
    Projects(projects::ProjectsCommand),
    Status(status::StatusCommand),
    Doctor(doctor::DoctorCommand),
    Config(config::ConfigCommand),
    Maintain(maintain::Maintain),
    Rebuild(rebuild::Rebuild),
    Log(log::LogCommand),
    Completions(completions::CompletionsCommand),
    Man(man::ManCommand),
}

/// Everything that can be typed, for completions and manual pages.
fn command() -> clap::Command {
    Cli::command()
}

pub fn run() -> Result<(), AppError> {
    let Cli { config, command } = Cli::parse();
    crate::config::use_flags(config);
    match command {
        Command::Demo(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Uninstall(command) => command.run(),
        Command::Ingest(command) => command.run(),
        Command::Search(command) => command.run(),
        Command::Recall(command) => command.run(),
        Command::Predict(command) => command.run(),
        Command::Why(command) => command.run(),
        Command::IndexCode(command) => command.run(),
        Command::Callers(command) => command.run(),
        Command::Callees(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Fix(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Sessions(command) => command.run(),
        Command::Reconstruct(command) => command.run(),
        Command::Links(command) => command.run(),
        Command::Loops(command) => command.run(),
        Command::Pack(command) => command.run(),
        Command::Remember(command) => command.run(),
        Command::Cards(command) => command.run(),
        Command::Outcome(command) => command.run(),
        Command::Clusters(command) => command.run(),
        Command::Projects(command) => command.run(),
        Command::Status(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Config(command) => command.run(),
        Command::Maintain(command) => command.run(),
        Command::Rebuild(command) => command.run(),
        Command::Log(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
    }
}
