//! How many lines of a case did later work take out again?
//!
//! By the edits of its files: a line that a later edit of another case takes out and does not
//! put in again has changed since. A few lines say little, unless they are all.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::log::Log;
use crate::model::{CaseId, ProjectId};
use crate::store::{CaseRow, ViewReader};

use super::super::RetrieveError;
use super::super::why::{FileEdit, PathMatch, latest_edits_of};

/// Files of a case that are read, and the last edits of each.
const MOST_FILES: usize = 3;
const MOST_EDITS: usize = 200;
/// The least number of lines that were taken out, and their least share: a quarter.
const LEAST_LINES: usize = 3;
const LEAST_SHARE: usize = 4;

/// Later work took lines out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ChangedSince {
    pub lines: usize,
    /// The lines of the case that say enough to be looked for.
    pub of: usize,
    /// The case that took out most of them.
    pub by: Option<CaseId>,
}

pub fn changed_since(
    log: &mut Log,
    view: &ViewReader<'_>,
    row: &CaseRow,
    project: ProjectId,
) -> Result<Option<ChangedSince>, RetrieveError> {
    let turns = row.case.first_turn..=row.case.last_turn;
    let mut edits_of: BTreeMap<String, usize> = BTreeMap::new();
    for edit in view.edits_in(row.episode)?.into_iter().filter(|edit| turns.contains(&edit.turn)) {
        *edits_of.entry(edit.path).or_default() += 1;
    }
    let mut files: Vec<(String, usize)> = edits_of.into_iter().collect();
    files.sort_by_key(|(_, edits)| Reverse(*edits));
    let mut changed = ChangedSince::default();
    let mut by: BTreeMap<CaseId, usize> = BTreeMap::new();
    for (path, _) in files.into_iter().take(MOST_FILES) {
        let edits = latest_edits_of(log, view, &[path], Some(project), PathMatch::Whole, MOST_EDITS)?;
        let is_own = |edit: &FileEdit| edit.row.episode == row.episode && turns.contains(&edit.row.turn);
        count(view, &edits, is_own, &mut changed, &mut by)?;
    }
    changed.by = by.into_iter().max_by_key(|(_, lines)| *lines).map(|(case, _)| case);
    let is_much = changed.lines >= LEAST_LINES && LEAST_SHARE * changed.lines >= changed.of
        || changed.lines > 0 && changed.lines == changed.of;
    Ok(Some(changed).filter(|_| is_much))
}

fn count(
    view: &ViewReader<'_>,
    edits: &[FileEdit],
    is_own: impl Fn(&FileEdit) -> bool,
    changed: &mut ChangedSince,
    by: &mut BTreeMap<CaseId, usize>,
) -> Result<(), RetrieveError> {
    let mut lines: HashSet<&str> = HashSet::new();
    let mut written = None;
    for edit in edits.iter().filter(|edit| edit.went_through() && is_own(edit)) {
        lines.retain(|line| edit.took_out(line).is_none());
        lines.extend(edit.added.distinctive());
        written = edit.time().max(written);
    }
    changed.of += lines.len();
    for edit in edits.iter().filter(|edit| edit.went_through() && !is_own(edit) && edit.time() > written) {
        let before = lines.len();
        lines.retain(|line| edit.took_out(line).is_none());
        let taken_out = before - lines.len();
        if taken_out > 0
            && let Some(row) = view.case_of_turn(edit.row.episode, edit.row.turn)?
        {
            *by.entry(row.case.id).or_default() += taken_out;
        }
        changed.lines += taken_out;
    }
    Ok(())
}
