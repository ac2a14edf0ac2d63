//! Opens the memory for a hook: it waits 1.5 s at most for each lock.

use std::path::Path;
use std::time::Duration;

use backstory_engine::log::Log;
use backstory_engine::model::{CardId, Channel, Project, Surface};
use backstory_engine::store::{DeriveLock, StoreError, ViewStore};
use backstory_engine::{Memory, MemoryError};

use crate::error::{AppError, ErrorKind};
use crate::exposure::{self, ShownCards};
use crate::{home, root_commits};

use super::call::HookCall;

/// The maximum wait for a lock of the memory.
pub const HOOK_LOCK_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The memory without a refresh; None if nothing was ever read.
pub fn open_fast(call: &HookCall) -> Result<Option<Memory>, AppError> {
    if !is_there(&call.home)? {
        return Ok(None);
    }
    let mut memory = Memory::open_fast(&call.home, open_log(call)?, HOOK_LOCK_TIMEOUT)?;
    memory.set_vectors(call.vectors());
    Ok(Some(memory))
}

pub fn open_log(call: &HookCall) -> Result<Log, AppError> {
    let mut log = Log::open_within(&call.home.join("log.sqlite"), HOOK_LOCK_TIMEOUT)?;
    log.set_user_home(home::user_home().ok());
    Ok(log)
}

/// The same at the end of a session, when there is time to replace unusable views with empty ones, unless another
/// process does so: otherwise sessions would get nothing until a person runs a command. Views of another log are left
/// unchanged: recreating those takes long.
pub fn open_or_repair(call: &HookCall, log: Log) -> Result<Memory, AppError> {
    let mut memory = match Memory::open_fast(&call.home, log, HOOK_LOCK_TIMEOUT) {
        Err(MemoryError::Store(StoreError::Corrupt { .. } | StoreError::Older { .. }))
            if is_unusable(&call.home)
                && matches!(DeriveLock::try_take(&call.home.join("derive.lock")), Ok(Some(_))) =>
        {
            let mut memory = Memory::open(&call.home)?;
            memory.log().set_user_home(home::user_home().ok());
            memory
        }
        opened => opened?,
    };
    memory.set_vectors(call.vectors());
    Ok(memory)
}

fn is_unusable(home: &Path) -> bool {
    ViewStore::open_within(&home.join("views").join("memory.sqlite"), HOOK_LOCK_TIMEOUT).is_err()
}

fn is_there(home: &Path) -> Result<bool, AppError> {
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", home.display()));
    match home.join("log.sqlite").try_exists() {
        Ok(there) => Ok(there),
        Err(error) => Err(failed(error)),
    }
}

/// The project of the host's folder, which need not exist.
pub fn project(memory: &mut Memory, call: &HookCall) -> Result<Project, AppError> {
    let folder = match call.input.folder() {
        Some(folder) => folder,
        None => home::current_folder()?,
    };
    let known_roots = root_commits::known();
    let project = memory.projects()?.with_roots(known_roots.clone()).in_folder(&folder.to_string_lossy());
    root_commits::note(&project, &known_roots);
    Ok(project)
}

/// Records in the log which cards the session was shown.
pub fn shown(
    memory: &mut Memory,
    channel: Channel,
    shown: Vec<CardId>,
    session: Option<String>,
) -> Result<(), AppError> {
    exposure::record(memory, Some(Surface::Hook), ShownCards { channel, cards: shown, session }, String::new())?;
    memory.checkpoint_log_if_long();
    Ok(())
}
