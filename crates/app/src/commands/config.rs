use std::path::Path;

use crate::config::keys::{self, Key, Section};
use crate::config::{self, AnswerScorer, Config, Embedding, Labels, Loaded, Origin, Service};
use crate::error::{AppError, ErrorKind};
use crate::{environment, home, json, terminal};

/// Show the configuration and where each value comes from
///
/// No configuration is needed. A key can be set in config.toml in the memory's folder,
/// in .backstory.toml in the root of a repository (few keys, and only to show less or
/// to check more), by the environment variable BACKSTORY_SECTION_KEY, and for one call
/// by --config SECTION.KEY=VALUE; the later wins. By default nothing leaves this
/// machine.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ConfigCommand {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    show: ShowConfig,
}

#[derive(clap::Subcommand)]
enum What {
    /// Show each value in force with its origin (the same as `config`)
    Show(ShowConfig),
    /// Print a configuration file with every key, commented out
    Example,
}

#[derive(clap::Args)]
struct ShowConfig {
    /// Only this key (search.budget), or the keys of this section (search)
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ConfigCommand {
    pub fn run(self) -> Result<(), AppError> {
        match self.what {
            Some(What::Example) => terminal::print(&config::example()),
            Some(What::Show(show)) => show.run(),
            None => self.show.run(),
        }
    }
}

impl ShowConfig {
    fn run(self) -> Result<(), AppError> {
        let subject = self.key.as_deref().map(ConfigSubject::parse).transpose()?;
        let loaded = home::config_at(home::current_folder().ok().as_deref())?;
        let chosen: Vec<_> =
            keys::all().filter(|pair| subject.as_ref().is_none_or(|subject| subject.is(pair))).collect();
        if self.json {
            return json::print("config", json::config(&loaded, &chosen));
        }
        terminal::print_text(&match subject {
            Some(ConfigSubject::Key(section, key)) => one(&loaded, section, key),
            Some(ConfigSubject::Section(section)) => values(&loaded, section),
            None => everything(&loaded),
        })
    }
}

enum ConfigSubject {
    Section(&'static Section),
    Key(&'static Section, &'static Key),
}

impl ConfigSubject {
    fn parse(name: &str) -> Result<Self, AppError> {
        if let Some(section) = keys::section(name) {
            return Ok(ConfigSubject::Section(section));
        }
        let (section, key) = config::find(name).map_err(|message| {
            AppError::new(ErrorKind::NotFound, message).hint("`backstory config` lists all keys.")
        })?;
        Ok(ConfigSubject::Key(section, key))
    }

    fn is(&self, (section, key): &(&'static Section, &'static Key)) -> bool {
        match self {
            ConfigSubject::Section(asked) => asked.name == section.name,
            ConfigSubject::Key(asked, asked_key) => asked.name == section.name && asked_key.name == key.name,
        }
    }
}

fn everything(loaded: &Loaded) -> String {
    let mut out = files(loaded);
    for section in keys::SECTIONS {
        out.push_str(&format!("\n{}", values(loaded, section)));
    }
    out.push_str(&format!("\n{}{}", in_words(&loaded.config), doubts(loaded)));
    out.push_str("\n`backstory config KEY` explains a key; `backstory config example` prints all of them.\n");
    out
}

fn files(loaded: &Loaded) -> String {
    let state = |path: &Path| if path.exists() { "" } else { " (does not exist)" };
    let file = &loaded.file;
    let mut out = format!("{}    {}{}\n", terminal::paint(terminal::BOLD, "File"), file.display(), state(file));
    if let Some(project) = &loaded.project_file {
        out.push_str(&format!("{} {}\n", terminal::paint(terminal::BOLD, "Project"), project.display()));
    }
    out
}

fn values(loaded: &Loaded, section: &'static Section) -> String {
    let mut out = format!("{} {}\n", terminal::paint(terminal::BOLD, &format!("[{}]", section.name)), section.about);
    for key in section.keys {
        let (value, origin) = loaded.values.get(section, key);
        let setting = match &value {
            Some(value) => format!("{} = {}", key.name, value.as_toml()),
            // It belongs to an option that is not chosen.
            None if key.about.starts_with("with ") => continue,
            None => key.name.to_owned(),
        };
        let origin = value.map_or("not set".to_owned(), |_| origin.to_string());
        let unused = if is_unused(&loaded.config, section, key) { ", not used" } else { "" };
        out.push_str(&format!("  {setting:<34} {}\n", terminal::paint(terminal::DIM, &format!("{origin}{unused}"))));
    }
    out
}

/// An option overridden by a stronger origin leaves its other keys unused.
fn is_unused(config: &Config, section: &Section, key: &Key) -> bool {
    let (has_service, has_path) = match section.name {
        "embedding" => {
            (matches!(config.embedding, Embedding::Endpoint { .. }), matches!(config.embedding, Embedding::Folder(_)))
        }
        "clusters" => (config.labels != Labels::Words, false),
        "why" => (config.answers != AnswerScorer::Facts, false),
        _ => return false,
    };
    match key.name {
        "url" | "name" | "dim" | "api_key_env" => !has_service,
        "path" => !has_path,
        _ => false,
    }
}

fn one(loaded: &Loaded, section: &'static Section, key: &'static Key) -> String {
    let (value, origin) = loaded.values.get(section, key);
    let row = |name: &str, told: &str| format!("  {name:<12} {told}\n");
    let mut out = match &value {
        Some(value) => format!("{} = {}\n", keys::full_name(section, key), value.as_toml()),
        None => format!("{} is not set\n", keys::full_name(section, key)),
    };
    out.push_str(&row("means", key.about));
    if let Some(value) = value.filter(|_| origin != Origin::Default) {
        let default = config::default_of(key);
        let told = default.filter(|default| *default != value).map(|default| default.as_toml());
        out.push_str(&row("set by", &origin.to_string()));
        out.push_str(&told.map(|told| row("default", &told)).unwrap_or_default());
    }
    out.push_str(&row("allowed", &key.kind.allowed()));
    out.push_str(&row("environment", &keys::variable(section, key)));
    out.push_str(&row("project file", key.project.describe()));
    out
}

fn in_words(config: &Config) -> String {
    let vectors = match &config.embedding {
        Embedding::Static => "the built-in table".to_owned(),
        Embedding::Unclear => "unknown".to_owned(),
        Embedding::Folder(path) => format!("the sentence model in {}", home::named_in_config(path).display()),
        Embedding::Endpoint { service, dim } => {
            let dim = dim.map(|dim| format!(", {dim} dimensions")).unwrap_or_default();
            format!("{}{dim}: texts and questions are sent there", describe(service))
        }
    };
    let labels = match &config.labels {
        Labels::Words => "the words that distinguish a cluster".to_owned(),
        Labels::Llm(service) => format!("{}: words and excerpts are sent there", describe(service)),
    };
    let answers = match &config.answers {
        AnswerScorer::Facts => "facts of the code, its history and the memory".to_owned(),
        AnswerScorer::Llm(service) => format!("{}: questions and excerpts of code are sent there", describe(service)),
    };
    let heading = terminal::paint(terminal::BOLD, "Models");
    let rows = [("vectors by", vectors), ("cluster names by", labels), ("causes by", answers)];
    let rows: String = rows.iter().map(|(what, by)| format!("  {what:<16} {by}\n")).collect();
    format!("{heading}\n{rows}")
}

fn describe(service: &Service) -> String {
    let key = match &service.api_key_env {
        Some(name) if environment::variable(name).is_some() => format!(", key from {name}"),
        Some(name) => format!(", key from {name} ({})", terminal::paint(terminal::WARN, "not set")),
        None => String::new(),
    };
    format!("{} at {}{key}", service.name, service.url)
}

fn doubts(loaded: &Loaded) -> String {
    let doubts = loaded.doubts();
    if doubts.is_empty() {
        return String::new();
    }
    let lines: String = doubts.iter().map(|doubt| format!("  {doubt}\n")).collect();
    format!("\n{}\n{lines}", terminal::paint(terminal::WARN, "Ignored"))
}
