//! Loads the configuration of a folder, and reports its mistakes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::OnceLock;

use backstory_files as files;

use crate::environment;
use crate::error::{AppError, ErrorKind as AppErrorKind};

use super::layers::{Mistake, Origin, Sources, Values};
use super::{AnswerScorer, Config, Embedding, Labels, typed};

const FILE: &str = "config.toml";
const PROJECT_FILE: &str = ".backstory.toml";
const LARGEST_CONFIG: u64 = 4 << 20;
/// A larger project file is not read, because it is untrusted.
const LONGEST_PROJECT_FILE: u64 = 64 * 1024;

/// The configuration in force, with its sources.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: Config,
    pub values: Values,
    /// Set even if the file does not exist.
    pub file: PathBuf,
    /// Only if it exists.
    pub project_file: Option<PathBuf>,
    /// The person's mistakes, one line each.
    pub mistakes: Vec<String>,
    /// Their sections; None if unknown.
    pub mistaken: Vec<Option<&'static str>>,
}

impl Loaded {
    /// Is the meaning of this key certain? A valid value counts despite other mistakes; a default only if there is no
    /// mistake near it.
    pub fn is_clear(&self, section: &str, key: &str) -> bool {
        let is_near = |mistaken: &Option<&str>| mistaken.is_none_or(|wrong| wrong == section);
        self.values.given(section, key).is_some() || !self.mistaken.iter().any(is_near)
    }

    /// Ignored parts, one line each.
    pub fn doubts(&self) -> Vec<String> {
        let config = &self.config;
        let services = [
            match &config.embedding {
                Embedding::Endpoint { service, .. } => Some(service),
                _ => None,
            },
            match &config.labels {
                Labels::Llm(service) => Some(service),
                Labels::Words => None,
            },
            match &config.answers {
                AnswerScorer::Llm(service) => Some(service),
                AnswerScorer::Facts => None,
            },
        ];
        let is_key = |name: &str| services.iter().flatten().any(|service| service.api_key_env.as_deref() == Some(name));
        let unknown = self.values.unknown_variables.iter().filter(|(name, _)| !is_key(name));
        let told = unknown.map(|(name, nearest)| match nearest {
            Some(nearest) => format!("environment {name}: no such setting; did you mean {nearest}?"),
            None => format!("environment {name}: no such setting"),
        });
        self.values.notices.iter().cloned().chain(told).collect()
    }
}

/// The configuration of this folder; a mistake is an error.
pub fn load(memory_home: &Path, folder: Option<&Path>) -> Result<Loaded, AppError> {
    let loaded = load_what_counts(memory_home, folder);
    match loaded.mistakes.first() {
        Some(mistake) => Err(AppError::new(AppErrorKind::Usage, mistake)
            .hint("`backstory config example` shows every key and what it may be.")),
        None => Ok(loaded),
    }
}

/// The same for surfaces that must always start: mistakes are ignored. Opens only the two files.
pub fn load_what_counts(memory_home: &Path, folder: Option<&Path>) -> Loaded {
    let file = memory_home.join(FILE);
    let (project, notice) = match folder.map(project_file) {
        Some(path) => read_project(&path),
        None => (None, None),
    };
    let (text, unreadable) = match read(&file) {
        Ok(text) => (text, None),
        Err(mistake) => (None, Some(mistake)),
    };
    let sources =
        Sources { file: (file.clone(), text), project, environment: environment::own_variables(), flags: flags() };
    let (mut values, mut mistakes) = Values::collect(&sources);
    mistakes.splice(0..0, unreadable);
    values.notices.extend(notice);
    let config = typed::resolve(&values, &mut mistakes);
    let mistaken = mistakes.iter().map(|mistake| mistake.section).collect();
    let mistakes = mistakes.iter().map(|mistake| format!("{}: {}", mistake.place, mistake.message)).collect();
    Loaded { config, values, file, project_file: sources.project.map(|(path, _)| path), mistakes, mistaken }
}

static FLAGS: OnceLock<Vec<String>> = OnceLock::new();

/// `--config SECTION.KEY=VALUE`, for the whole process.
pub fn use_flags(flags: Vec<String>) {
    let _ = FLAGS.set(flags);
}

fn flags() -> &'static [String] {
    FLAGS.get().map_or(&[], Vec::as_slice)
}

fn read(path: &Path) -> Result<Option<String>, Mistake> {
    let wrong = |line, message| {
        let place = Origin::File { path: path.to_owned(), line };
        Err(Mistake { place, section: None, message })
    };
    match files::read(path, LARGEST_CONFIG).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Some(text)),
        Ok(Err(error)) => wrong(first_bad_line(&error), "this is not UTF-8".to_owned()),
        // The memory reports a home that is not a folder or not readable.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.kind() == ErrorKind::PermissionDenied && is_closed(path.parent()) => Ok(None),
        Err(error) => wrong(1, error.to_string()),
    }
}

fn is_closed(folder: Option<&Path>) -> bool {
    folder.is_some_and(|folder| std::fs::read_dir(folder).is_err())
}

/// The line of the first invalid byte.
pub fn first_bad_line(error: &FromUtf8Error) -> usize {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    good.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// In the root of the repository, or else in the folder itself.
fn project_file(folder: &Path) -> PathBuf {
    let root = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
    root.join(PROJECT_FILE)
}

/// A link could lead to a file of the person's or to an endless one.
fn read_project(path: &Path) -> (Option<(PathBuf, String)>, Option<String>) {
    let Ok(metadata) = std::fs::symlink_metadata(path) else { return (None, None) };
    let ignored = |why: &str| (None, Some(format!("{}: {why}; it is left out", path.display())));
    if !metadata.is_file() || metadata.len() > LONGEST_PROJECT_FILE {
        return ignored("it is no ordinary small file");
    }
    match files::read_text(path, LONGEST_PROJECT_FILE) {
        Ok(text) => (Some((path.to_owned(), text)), None),
        Err(_) => ignored("it cannot be read as text"),
    }
}
