//! Replaces the Causantic import in builds without it: reports that, and reads nothing.

use std::io::BufRead;
use std::path::Path;

use crate::model::ProblemKind;

use super::super::reading::Reading;
use super::append::{FileAppender, ReadProgress};
use super::{ReadError, ReadOutcome};

/// A database or an archive of Causantic.
#[expect(dead_code, reason = "the import reads these")]
pub struct ImportedFile<'a> {
    pub path: &'a Path,
    pub head: &'a [u8],
    pub bytes: Box<dyn BufRead + 'a>,
    pub named: bool,
}

pub fn read(
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
