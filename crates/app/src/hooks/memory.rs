//! The memory, for those who must not wait.

use std::path::Path;
use std::time::Duration;

use backstory_engine::log::Log;
use backstory_engine::model::{CardId, Channel, Door, Project};
use backstory_engine::store::{DeriveLock, StoreError, ViewStore};
use backstory_engine::{Memory, MemoryError};

use crate::error::{AppError, ErrorKind};
use crate::shown::{Showing, shown as note_shown};
use crate::{home, roots};

use super::Asked;

/// Who holds the memory longer than this is not waited for.
pub const PATIENCE: Duration = Duration::from_millis(1_500);

/// The memory as it is; none where nothing was ever read.
pub fn open(asked: &Asked) -> Result<Option<Memory>, AppError> {
    if !is_there(&asked.home)? {
        return Ok(None);
    }
    let mut memory = Memory::open_as_found(&asked.home, open_log(asked)?, PATIENCE)?;
    memory.set_vectors(asked.vectors);
    Ok(Some(memory))
}

pub fn open_log(asked: &Asked) -> Result<Log, AppError> {
    let mut log = Log::open_within(&asked.home.join("log.sqlite"), PATIENCE)?;
    log.set_user_home(home::user_home().ok());
    Ok(log)
}

/// The same for those who have time to put empty views in the place of some that
/// do not open, unless somebody is at it: without them, sessions would be told
/// nothing until somebody types a command. Views of another log are left: making
/// those anew is one long step.
pub fn open_or_mend(asked: &Asked, log: Log) -> Result<Memory, AppError> {
    let mut memory = match Memory::open_as_found(&asked.home, log, PATIENCE) {
        Err(MemoryError::Store(StoreError::Corrupt { .. } | StoreError::Older { .. }))
            if is_unusable(&asked.home)
                && matches!(DeriveLock::try_take(&asked.home.join("derive.lock")), Ok(Some(_))) =>
        {
            let mut memory = Memory::open(&asked.home)?;
            memory.log().set_user_home(home::user_home().ok());
            memory
        }
        opened => opened?,
    };
    memory.set_vectors(asked.vectors);
    Ok(memory)
}

fn is_unusable(home: &Path) -> bool {
    ViewStore::open_within(&home.join("views").join("memory.sqlite"), PATIENCE).is_err()
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
    let project = memory.projects()?.with_roots(known_roots.clone()).in_folder(&folder.to_string_lossy());
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
    note_shown(memory, Some(Door::Hook), Showing { channel, cards: shown, session }, String::new())?;
    memory.keep_log_from_growing();
    Ok(())
}
