//! Describes the damaged parts of the memory.

use backstory_engine::Memory;
use backstory_engine::log::Log;
use backstory_engine::store::index::Matrix;
use backstory_engine::store::{StoreError, UnreadableRow};

use crate::error::{AppError, ErrorKind};
use crate::{environment, home};

/// The unusable files of the index, with reasons. Missing vectors are not damage.
pub fn of_index(memory: &Memory, model: &str) -> Result<Vec<String>, AppError> {
    let look = || {
        let snapshot = memory.views().snapshot()?;
        let view = snapshot.read();
        let index = match view.index(model) {
            Err(StoreError::Index(damage)) => return Ok(vec![damage]),
            opened => opened?,
        };
        let signs = index.vectors.as_ref().ok().and_then(Matrix::damaged_signs).cloned();
        let vectors = if view.vectors_of(model)?.is_some() { index.vectors.err() } else { None };
        let used = index.words.err().into_iter().chain(vectors).chain(signs);
        let mut damaged: Vec<String> = used.map(|damage| damage.to_string()).collect();
        for damage in view.touched_and_damaged()?.iter().map(ToString::to_string) {
            if !damaged.contains(&damage) {
                damaged.push(damage);
            }
        }
        Ok(damaged)
    };
    let found: Result<Vec<String>, AppError> = look();
    // Another process that recreated the index meanwhile has removed its old files.
    if found.as_ref().is_ok_and(|found| !found.is_empty()) { look() } else { found }
}

/// Has unreadable rows of the views repaired. The command can then be repeated.
pub fn repaired(error: AppError) -> AppError {
    if error.kind != ErrorKind::Corrupt {
        return error;
    }
    let repaired = || {
        let mut memory = home::open_silently().ok()?;
        memory.flaws().ok()?.views?;
        memory.repair(environment::now()).ok()?.views
    };
    match repaired() {
        Some(damage) => {
            let message = format!("the views were damaged, and are repaired now ({damage})");
            AppError::new(ErrorKind::Corrupt, message).hint("Ask again.")
        }
        None => error,
    }
}

/// An unreadable row in one line.
pub fn row_text(log: &mut Log, row: &UnreadableRow) -> String {
    let session = session_of(log, row).map(|session| format!(" (session {session})")).unwrap_or_default();
    format!("row {}{session}: {}", row.pos, row.reason)
}

/// The session of an unreadable row, if the row still names it.
pub fn session_of(log: &mut Log, row: &UnreadableRow) -> Option<String> {
    let store = log.store();
    let num = store.episode_num(row.episode?).ok()??;
    Some(store.episode(num).ok()??.key.session)
}
