use std::path::Path;

use crate::config::{Answers, Config, EXAMPLE, Embedding, FILE, Labels, Service};
use crate::error::AppError;
use crate::{home, screen, wire};

/// Show what can be configured, and what is in force
///
/// The file is config.toml in the memory's folder; without it everything has its
/// default. It chooses what makes the vectors, who names clusters and who weighs
/// the answers to `why`. By default nothing leaves this machine.
#[derive(clap::Args)]
pub struct ConfigCommand {
    /// Everything as JSON
    #[arg(long)]
    json: bool,
}

impl ConfigCommand {
    pub fn run(self) -> Result<(), AppError> {
        let path = home::memory_home()?.join(FILE);
        let config = match home::config() {
            Ok(config) => config,
            // Whoever mends the file wants to see what may stand there.
            Err(error) if !self.json => {
                screen::print(&example())?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        if self.json {
            return wire::print("config", wire::config(&config, &path, EXAMPLE));
        }
        screen::print(&format!("{}{}\n{}", place(&path), in_force(&config), example()))
    }
}

fn place(path: &Path) -> String {
    let state = if path.exists() { "" } else { " (not there: all defaults)" };
    format!("{} {}{state}\n", screen::paint(screen::BOLD, "File"), path.display())
}

fn in_force(config: &Config) -> String {
    let vectors = match &config.embedding {
        Embedding::Static => "the table that ships".to_owned(),
        Embedding::Folder(path) => format!("the sentence model in {}", home::model_folder(path).display()),
        Embedding::Endpoint { service, dim } => {
            let dim = dim.map(|dim| format!(", {dim} dimensions")).unwrap_or_default();
            format!("{}{dim}: texts and questions are sent there", describe(service))
        }
    };
    let labels = match &config.labels {
        Labels::Words => "the words that set a cluster apart".to_owned(),
        Labels::Llm(service) => format!("{}: words and excerpts are sent there", describe(service)),
    };
    let answers = match &config.answers {
        Answers::Facts => "facts of the code, its history and the memory".to_owned(),
        Answers::Llm(service) => format!("{}: questions and excerpts of code are sent there", describe(service)),
    };
    let heading = screen::paint(screen::BOLD, "In force");
    let rows = [("vectors by", vectors), ("cluster names by", labels), ("causes by", answers)];
    let rows: String = rows.iter().map(|(what, by)| format!("  {what:<16} {by}\n")).collect();
    format!("{heading}\n{rows}")
}

fn describe(service: &Service) -> String {
    let key = match &service.api_key_env {
        Some(name) if home::variable(name).is_some() => format!(", key from {name}"),
        Some(name) => format!(", key from {name} ({})", screen::paint(screen::WARN, "not set")),
        None => String::new(),
    };
    format!("{} at {}{key}", service.name, service.url)
}

fn example() -> String {
    let lines: String = EXAMPLE.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect();
    format!("{}\n{lines}", screen::paint(screen::BOLD, "What may stand in the file"))
}
