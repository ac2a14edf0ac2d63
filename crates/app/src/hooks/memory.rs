//! The memory, for those who must not wait.

use std::path::Path;
use std::time::Duration;

use backstory_engine::Memory;
use backstory_engine::log::Log;
use backstory_engine::model::{CardId, Channel, Door, Project};

use super::Asked;
use crate::cli::cards::{self, Showing};
use crate::error::{AppError, ErrorKind};
use crate::{home, roots};

/// Who holds the memory longer than this is not waited for.
pub const PATIENCE: Duration = Duration::from_millis(1_500);

/// The memory as it is; none where nothing was ever read.
pub fn open(asked: &Asked) -> Result<Option<Memory>, AppError> {
    if !is_there(&asked.home)? {
        return Ok(None);
    }
    let log = open_log(asked)?;
    open_with(asked, log).map(Some)
}

pub fn open_log(asked: &Asked) -> Result<Log, AppError> {
    Ok(Log::open_within(&asked.home.join("log.sqlite"), PATIENCE)?)
}

pub fn open_with(asked: &Asked, log: Log) -> Result<Memory, AppError> {
    let mut memory = Memory::open_as_found(&asked.home, log, PATIENCE)?;
    memory.set_vectors(asked.vectors);
    Ok(memory)
}

fn is_there(home: &Path) -> Result<bool, AppError> {
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", home.display()));
    match home.join("log.sqlite").try_exists() {
        Ok(there) => Ok(there),
        Err(error) => Err(failed(error)),
    }
}

/// The project of the folder that the host works in. It need not exist.
pub fn project(memory: &mut Memory, asked: &Asked) -> Result<Project, AppError> {
    let folder = match asked.input.folder() {
        Some(folder) => folder,
        None => home::current_folder()?,
    };
    let known_roots = roots::known();
    let project = memory.projects()?.with_roots(known_roots.clone()).of_folder(&folder.to_string_lossy());
    roots::note(&project, &known_roots);
    Ok(project)
}

/// Notes in the log which cards the session was shown.
pub fn shown(
    memory: &mut Memory,
    channel: Channel,
    shown: Vec<CardId>,
    session: Option<String>,
) -> Result<(), AppError> {
    cards::shown(memory, Some(Door::Hook), Showing { channel, cards: shown, session }, String::new())?;
    memory.keep_log_from_growing();
    Ok(())
}
