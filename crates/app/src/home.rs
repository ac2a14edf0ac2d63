//! Locates folders on this machine, and opens the memory.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use backstory_engine::derive::Vectors;
use backstory_engine::ingest::{InputPlace, project_tree};
use backstory_engine::store::StoreError;
use backstory_engine::{Flaws, Memory, MemoryError};

use crate::config::{self, Config, Embedding, Loaded};
use crate::error::{AppError, ErrorKind};
use crate::{disk_space, environment, terminal};

/// `BACKSTORY_HOME`, else `~/.backstory`.
pub fn memory_home() -> Result<PathBuf, AppError> {
    environment::memory_home().ok_or_else(no_home)
}

/// The memory for a question; an error if there is none.
pub fn open_existing() -> Result<Memory, AppError> {
    // A mistake in the configuration is reported first.
    config()?;
    if has_memory()? { open_or_create() } else { Err(no_memory()?) }
}

/// Is there a memory, or something in its place that opening it will report?
pub fn has_memory() -> Result<bool, AppError> {
    Ok(memory_home()?.join("log.sqlite").try_exists().unwrap_or(true))
}

pub fn no_memory() -> Result<AppError, AppError> {
    let message = format!("no memory yet at {}", short(&memory_home()?));
    Ok(AppError::new(ErrorKind::NoMemory, message).hint(SET_UP))
}

pub const SET_UP: &str = "`backstory init` sets it up; `backstory ingest` only reads sessions.";

/// The memory, created if missing, with refreshed views: they may have been deleted, or another process may have
/// appended.
pub fn open_or_create() -> Result<Memory, AppError> {
    let mut memory = open_without_refresh()?;
    match memory.refresh(&mut |_| {}) {
        // The existing data can still be used.
        Err(_) if disk_space::shortage().is_some() => terminal::warn(cannot_be_written()),
        // The log cannot be read that far. Views derived earlier can still be used.
        Err(MemoryError::Store(error @ StoreError::Damaged(_))) => terminal::warn(format!(
            "{error}; answers come from what was derived before: `backstory doctor` says what to do"
        )),
        refreshed => drop(refreshed?),
    }
    if let Some(repaired) = check_daily(&mut memory)? {
        terminal::warn(repaired);
    }
    Ok(memory)
}

/// Checks all views once a day; returns a line about repairs.
pub fn check_daily(memory: &mut Memory) -> Result<Option<String>, AppError> {
    match memory.check_daily(environment::now()) {
        Err(_) if disk_space::shortage().is_some() => Ok(None),
        flaws => Ok(repaired(&flaws?)),
    }
}

/// A line about the repaired views.
pub fn repaired(flaws: &Flaws) -> Option<String> {
    let what = || format!("the views were damaged and have been repaired from the log ({})", flaws.lines().join("; "));
    (!flaws.is_empty()).then(what)
}

/// Opens without a refresh, and prints the memory's notices.
pub fn open_without_refresh() -> Result<Memory, AppError> {
    let opened = open_silently()?;
    for notice in memory_notices(&opened) {
        terminal::warn(notice);
    }
    Ok(opened)
}

/// Notices about this memory, one line each.
pub fn memory_notices(memory: &Memory) -> Vec<String> {
    memory.notice().map(str::to_owned).into_iter().chain(memory.is_read_only().then(cannot_be_written)).collect()
}

pub fn open_silently() -> Result<Memory, AppError> {
    let home = memory_home()?;
    let config = config()?;
    let mut opened = Memory::open(&home).map_err(|error| {
        let error = AppError::from(error);
        match error.hint {
            Some(_) => error,
            None => error.hint(format!("The memory is kept in {} (BACKSTORY_HOME moves it).", home.display())),
        }
    })?;
    opened.log().set_user_home(user_home().ok());
    if config.embedding != Embedding::Static {
        opened.set_vectors(Vectors::Later);
    }
    Ok(opened)
}

/// The notice for users of a read-only memory.
pub fn cannot_be_written() -> String {
    let home = memory_home().map(|home| short(&home)).unwrap_or_default();
    let why = disk_space::shortage().map(|lack| format!(" ({})", lack.why())).unwrap_or_default();
    format!("{home} cannot be written{why}: nothing new is read, and nothing is noted")
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// The configuration of the current folder. Read once, with notices about ignored parts of the project's file.
pub fn config() -> Result<&'static Config, AppError> {
    if let Some(config) = CONFIG.get() {
        return Ok(config);
    }
    Ok(use_config(config_at(current_folder().ok().as_deref())?))
}

/// The same for surfaces that must always start: returns the mistakes and ignores them. Afterwards [`config`] succeeds
/// too.
pub fn config_that_counts() -> Result<(&'static Config, Vec<String>), AppError> {
    let mut loaded = config::load_what_counts(&memory_home()?, current_folder().ok().as_deref());
    let mistakes = std::mem::take(&mut loaded.mistakes);
    Ok((use_config(loaded), mistakes))
}

fn use_config(loaded: Loaded) -> &'static Config {
    for notice in &loaded.values.notices {
        terminal::warn(notice);
    }
    CONFIG.get_or_init(|| loaded.config)
}

/// The configuration of a folder; prints nothing.
pub fn config_at(folder: Option<&Path>) -> Result<Loaded, AppError> {
    config::load(&memory_home()?, folder)
}

/// The location of a path in `config.toml`: `~/` is the user's home, and other relative paths start at the file's
/// folder.
pub fn named_in_config(typed: &Path) -> PathBuf {
    let base = match typed.strip_prefix("~") {
        Ok(inside) => user_home().map(|home| home.join(inside)),
        Err(_) => memory_home().map(|home| home.join(typed)),
    };
    base.unwrap_or_else(|_| typed.to_owned())
}

/// The agents' session folders and the paths in `ingest.paths`, even if they do not exist.
pub fn places() -> Result<Vec<InputPlace>, AppError> {
    let named = config()?.ingest.paths.iter().map(|path| InputPlace::Given(named_in_config(path)));
    Ok(agent_places()?.into_iter().chain(named).collect())
}

/// The agents' session folders, even if they do not exist.
pub fn agent_places() -> Result<Vec<InputPlace>, AppError> {
    let folders = host_folders()?;
    let (claude, codex) = (folders.claude.join("projects"), folders.codex.join("sessions"));
    Ok(vec![InputPlace::ClaudeProjects(claude), InputPlace::CodexSessions(codex)])
}

/// The folders of the hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    pub claude: PathBuf,
    /// Claude Code's main file is beside its folder, unless that was moved.
    pub claude_main: PathBuf,
    pub codex: PathBuf,
}

/// The folders of the agents, even if they do not exist.
pub fn host_folders() -> Result<Folders, AppError> {
    let home = user_home()?;
    let moved = environment::folder_from_env("CLAUDE_CONFIG_DIR");
    let claude_main = moved.as_ref().unwrap_or(&home).join(".claude.json");
    Ok(Folders {
        claude: moved.unwrap_or_else(|| home.join(".claude")),
        claude_main,
        codex: environment::folder_from_env("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
    })
}

/// Is there a person to ask?
pub fn may_ask() -> bool {
    let automatic = environment::variable("CI").is_some_and(|value| value != "false" && value != "0");
    !automatic && std::io::stdin().is_terminal() && terminal::is_read_by_a_person()
}

/// A path as people write it.
pub fn short(path: &Path) -> String {
    let inside = user_home().ok().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    match inside {
        Some(inside) if !inside.as_os_str().is_empty() => format!("~/{}", inside.display()),
        _ => path.display().to_string(),
    }
}

/// Causantic's default location of its memory.
pub fn causantic_database() -> Option<PathBuf> {
    user_home().ok().map(|home| home.join(".causantic").join("memory.db")).filter(|path| path.is_file())
}

pub fn folder_of(place: &InputPlace) -> &Path {
    match place {
        InputPlace::ClaudeProjects(path) | InputPlace::CodexSessions(path) | InputPlace::Given(path) => path,
    }
}

pub fn current_folder() -> Result<PathBuf, AppError> {
    Ok(std::env::current_dir()?)
}

/// A path relative to the root of the current project, if it is inside.
pub fn relative(path: &str) -> &str {
    static ROOT: OnceLock<Option<String>> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let folder = current_folder().ok()?;
        let root = project_tree(&folder, user_home().ok().as_deref()).unwrap_or(folder);
        Some(format!("{}/", root.to_string_lossy().trim_end_matches('/'))).filter(|root| root != "/")
    });
    root.as_deref().and_then(|root| path.strip_prefix(root)).filter(|inside| !inside.is_empty()).unwrap_or(path)
}

/// Is this the user's home folder?
pub fn is_user_home(folder: &Path) -> bool {
    user_home().and_then(|home| Ok(home.canonicalize()?)).is_ok_and(|home| home == folder)
}

pub fn user_home() -> Result<PathBuf, AppError> {
    environment::user_home().ok_or_else(no_home)
}

fn no_home() -> AppError {
    AppError::new(ErrorKind::Failed, "there is no home folder").hint("Set BACKSTORY_HOME to a folder of your own.")
}
