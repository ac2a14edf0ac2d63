//! What do the answers of `why` draw on: which project, which code?

use std::path::Path;

use backstory_engine::model::ProjectId;

use crate::ask_context::AskContext;
use crate::code_index::{self, IndexedCode, Wanted};
use crate::error::AppError;
use crate::progress::Show;
use crate::scope::{ProjectScope, ResolvedScope};

/// Git and the code also answer about a project without sessions; only a memory is required.
pub fn project_or_hint(context: &mut AskContext, scope: &ProjectScope) -> Result<Option<ProjectId>, AppError> {
    context.memory()?;
    let resolved = context.scope(scope)?;
    if let ResolvedScope::Unknown { folder, .. } = &resolved {
        context.notice(format!("the memory has no sessions of the project in {folder}; --all-projects asks all"));
    }
    Ok(resolved.even_unknown())
}

/// The code around the folder, with a progress bar on the terminal.
pub fn index(context: &mut AskContext) -> Result<IndexedCode, AppError> {
    let folder = context.folder.clone();
    index_of(context, &folder)
}

pub fn index_of(context: &mut AskContext, folder: &Path) -> Result<IndexedCode, AppError> {
    let indexed = match context.surface {
        None => code_index::open(folder, Wanted::Answer, Show::bar()),
        Some(_) => code_index::open_with(folder, Wanted::Answer, &mut context.watch),
    }?;
    if let Some(notice) = indexed.notice() {
        context.notice(notice);
    }
    Ok(indexed)
}
