//! Replaces the Causantic import in builds without it: reports that, and reads nothing.

use crate::model::ProblemKind;

use super::super::reading::Reading;
use super::append::{FileAppender, ReadProgress};
use super::{ImportedFile, ReadError, ReadOutcome};

pub(super) fn read(
    _: ImportedFile<'_>,
    _: Option<&str>,
    mut reading: Reading,
    appender: &mut FileAppender<'_>,
) -> Result<ReadOutcome, ReadError> {
    let reason = "a memory of Causantic: this build cannot import it (it lacks the feature `causantic`)";
    reading.problem(appender.name(), None, ProblemKind::Skipped, reason);
    // No cursor, so that a build with the import reads it.
    appender.append(reading, ReadProgress::Nothing)?;
    Ok(ReadOutcome::Read)
}
