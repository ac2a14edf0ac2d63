//! Feeds what Causantic kept to the log, session by session.

use crate::log::LogError;
use crate::model::{ProblemKind, SourceKind};
use crate::store::{CausanticError, SQLITE_MAGIC};

use super::super::causantic::{ImportError, ImportSource};
use super::super::reading::{Reading, RecordFate};
use super::append::{FileAppender, ReadProgress};
use super::open::Checkpoint;
use super::{FLUSH_BYTES, ImportedFile, ReadError, ReadOutcome};

const HAS_ORIGINAL: RecordFate = RecordFate::Dropped("the memory has the session itself");

pub(super) fn read(
    file: ImportedFile<'_>,
    password: Option<&str>,
    mut reading: Reading,
    appender: &mut FileAppender<'_>,
) -> Result<ReadOutcome, ReadError> {
    let (name, named) = (appender.name(), file.named);
    let mut input = match open(file, password, &mut reading, appender) {
        Ok(input) => input,
        Err(error) => return refuse(&error, named, reading, appender),
    };
    appender.report.bytes += appender.cursors.stamp().map_or(0, |stamp| stamp.size);
    let sessions = input.sessions(name, &mut reading);
    let edges = input.edges(name, &mut reading);
    for session in sessions {
        if has_original(&session.id, appender)? {
            *reading.tally.entry(("chunk".to_owned(), HAS_ORIGINAL)).or_default() += session.len();
            appender.report.left_out.insert(session.id);
            continue;
        }
        input.read_session(&session, &edges, name, &mut reading);
        if reading.bytes >= FLUSH_BYTES {
            // Only a complete reading gets a cursor.
            appender.append(std::mem::take(&mut reading), ReadProgress::Nothing)?;
        }
    }
    appender.append(reading, ReadProgress::End(Checkpoint::default()))?;
    Ok(ReadOutcome::Read)
}

fn open(
    file: ImportedFile<'_>,
    password: Option<&str>,
    reading: &mut Reading,
    appender: &mut FileAppender<'_>,
) -> Result<ImportSource, ImportError> {
    match (file.head.starts_with(SQLITE_MAGIC), appender.cursors.is_plain()) {
        (true, true) => ImportSource::database(file.path, appender.log.store().folder().as_deref()),
        (true, false) => Err(ImportError::Packed),
        (false, _) => ImportSource::archive(file.head, file.bytes, password, appender.name(), reading),
    }
}

/// Reports that nothing can be read for now: the file is examined again next time.
fn refuse(
    error: &ImportError,
    named: bool,
    mut reading: Reading,
    appender: &mut FileAppender<'_>,
) -> Result<ReadOutcome, ReadError> {
    let is_other = matches!(error, ImportError::Database(CausanticError::OtherProgram));
    if named || !is_other {
        reading.problem(appender.name(), None, ProblemKind::Skipped, error.to_string());
    }
    appender.report.not_sessions += u64::from(is_other);
    appender.append(reading, ReadProgress::Nothing)?;
    Ok(if is_other { ReadOutcome::NotASession } else { ReadOutcome::Read })
}

fn has_original(session: &str, appender: &mut FileAppender<'_>) -> Result<bool, ReadError> {
    let episodes = appender.log.store().episodes_of_session(SourceKind::ClaudeCode, session);
    Ok(!episodes.map_err(LogError::from)?.is_empty())
}
