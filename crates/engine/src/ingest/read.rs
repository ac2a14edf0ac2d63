//! How does a file get into the log?
//!
//! [`open`] finds out what is new in it, [`origin`] which session it stands for, [`lines`], [`whole`]
//! and [`imported`] feed it to its source, and [`append`] writes what came out, with the cursor.

mod append;
mod head;
#[cfg(feature = "causantic")]
mod imported;
#[cfg(not(feature = "causantic"))]
#[path = "read/without_import.rs"]
mod imported;
mod lines;
mod open;
mod origin;
mod whole;

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::log::{Appended, Batch, Bookkeeping, Log, LogError};
use crate::model::{EpisodeId, Problem, ProblemKind};
use crate::store::Cursor;

use super::claude::ClaudeSource;
use super::codex::CodexSource;
use super::find::{FileTask, TaskKind};
use super::format::Format;
use super::project::Projects;
use super::reading::{FileOrigin, Reading, Source, Tally};
use super::transcript::{TranscriptLayout, TranscriptSource};
use append::{CursorMaker, FileAppender, ReadProgress};
use lines::LineReader;
use open::{Checkpoint, Opened};
use origin::SessionOrigin;

/// Text per transaction: bounds memory and the time others wait.
const FLUSH_BYTES: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Log(#[from] LogError),
}

/// The result of reading one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    Unchanged,
    Read,
    /// Holds nothing that Backstory can read.
    NotASession,
}

/// The result of an ingest.
#[derive(Debug, Default)]
pub struct IngestReport {
    pub files: u64,
    pub unchanged: u64,
    /// Files that hold no session or transcript.
    pub not_sessions: u64,
    /// Files whose last line is still being written.
    pub unfinished: u64,
    /// Files whose rest is left for the next time because the time ran out.
    pub cut_short: u64,
    pub bytes: u64,
    pub episodes: HashSet<EpisodeId>,
    pub appended: Appended,
    pub problems: Vec<Problem>,
    pub tally: Tally,
    /// Sessions left out of an import: the log has them from their own files.
    pub left_out: BTreeSet<String>,
    /// Imported sessions whose own files have now been read and replace the copies.
    pub replaced: BTreeSet<String>,
}

/// How files are read.
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// For encrypted archives.
    pub password: Option<&'a str>,
    /// Is there time left? If not, the rest of a file is read next time.
    pub go_on: &'a dyn Fn() -> bool,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        ReadOptions { password: None, go_on: &|| true }
    }
}

/// A database or an archive of Causantic.
#[cfg_attr(not(feature = "causantic"), expect(dead_code, reason = "the import reads these"))]
struct ImportedFile<'a> {
    path: &'a Path,
    head: &'a [u8],
    bytes: Box<dyn BufRead + 'a>,
    /// The user named this very file.
    named: bool,
}

/// Reads files into a log, one after the other; the report covers all of them.
pub struct Ingester<'a> {
    pub log: &'a mut Log,
    pub projects: &'a mut Projects,
    pub options: ReadOptions<'a>,
    pub report: &'a mut IngestReport,
}

impl Ingester<'_> {
    /// Reads what is new in one file. Everything wrong with the file itself goes to the report; only
    /// a failing log is an error.
    pub fn file(&mut self, task: &FileTask, cursor: Option<&Cursor>) -> Result<ReadOutcome, IngestError> {
        let name = task.name();
        self.report.files += 1;
        let outcome = match open::open(task, cursor) {
            Ok(None) => {
                self.report.unchanged += 1;
                return Ok(ReadOutcome::Unchanged);
            }
            Ok(Some(opened)) => self.read(task, &name, opened),
            Err(error) => Err(ReadError::Io(error)),
        };
        match outcome {
            Ok(outcome) => Ok(outcome),
            Err(ReadError::Log(error)) => Err(error.into()),
            Err(ReadError::Io(error)) => {
                let problem = unreadable(name, &error);
                let problems = vec![problem.clone()];
                self.log.append(Batch::default(), &Bookkeeping { problems, ..Bookkeeping::default() })?;
                self.report.problems.push(problem);
                Ok(ReadOutcome::Read)
            }
        }
    }

    /// Reads a stream, which has no path and cannot be read again. Its sessions are treated as
    /// files in `folder`.
    pub fn stream(
        &mut self,
        name: &str,
        folder: &Path,
        format: Option<Format>,
        input: &mut dyn Read,
    ) -> Result<ReadOutcome, IngestError> {
        self.report.files += 1;
        let task = FileTask { path: folder.join(name), kind: TaskKind::Session, format, named: true };
        let opened = Opened::stream(input).map_err(ReadError::Io);
        match opened.and_then(|opened| self.read(&task, name, opened)) {
            Ok(outcome) => Ok(outcome),
            Err(ReadError::Log(error)) => Err(error.into()),
            Err(ReadError::Io(error)) => {
                self.report.problems.push(unreadable(name.to_owned(), &error));
                Ok(ReadOutcome::Read)
            }
        }
    }

    fn read(&mut self, task: &FileTask, name: &str, opened: Opened<'_>) -> Result<ReadOutcome, ReadError> {
        if opened.is_empty() {
            let cursors = CursorMaker::new(name, Format::Transcript, opened.medium);
            self.appender(cursors, &opened.start)
                .append(problem(name, "an empty file"), ReadProgress::End(Checkpoint::default()))?;
            return Ok(ReadOutcome::Read);
        }
        if task.kind == TaskKind::SpilledOutput {
            let cursors = CursorMaker::new(name, Format::Transcript, opened.medium);
            whole::read_spill(opened.bytes, &mut self.appender(cursors, &opened.start))?;
            return Ok(ReadOutcome::Read);
        }
        match opened.known_format.or_else(|| choose(task, opened.detect())) {
            Some(format) => self.read_as(format, task, name, opened),
            None => self.not_a_session(task, name, opened),
        }
    }

    fn read_as(
        &mut self,
        format: Format,
        task: &FileTask,
        name: &str,
        opened: Opened<'_>,
    ) -> Result<ReadOutcome, ReadError> {
        let options = self.options;
        let SessionOrigin { origin, folder } = SessionOrigin::of(task, name, format, &opened);
        let mut reading = Reading::default();
        let Opened { bytes, head, start, medium, .. } = opened.into_utf8(name, &mut reading)?;
        let mut appender = self.appender(CursorMaker::new(name, format, medium), &start).in_folder(folder);
        match format {
            Format::Causantic => {
                let file = ImportedFile { path: &task.path, head: &head, bytes, named: task.named };
                return imported::read(file, options.password, reading, &mut appender);
            }
            Format::TranscriptDocument => {
                whole::read_document(bytes, source(format, &origin), reading, &mut appender)?;
            }
            Format::ClaudeCode | Format::Codex | Format::Transcript => {
                let lines = LineReader::new(bytes, source(format, &origin), start, reading);
                lines.read(options.go_on, task.named_format(), &mut appender)?;
            }
        }
        Ok(ReadOutcome::Read)
    }

    fn not_a_session(&mut self, task: &FileTask, name: &str, opened: Opened<'_>) -> Result<ReadOutcome, ReadError> {
        self.report.not_sessions += 1;
        let reading = if task.named || has_session_name(name) {
            problem(name, "neither a session nor a transcript that Backstory knows (--format says which it is)")
        } else {
            Reading::default()
        };
        // No cursor, so that another version, or --format, can recognise it.
        let cursors = CursorMaker::new(name, Format::Transcript, opened.medium);
        self.appender(cursors, &opened.start).append(reading, ReadProgress::Nothing)?;
        Ok(ReadOutcome::NotASession)
    }

    fn appender<'b>(&'b mut self, cursors: CursorMaker<'b>, start: &Checkpoint) -> FileAppender<'b> {
        let is_from_start = start.offset == 0;
        FileAppender {
            log: self.log,
            projects: self.projects,
            report: self.report,
            cursors,
            folder: String::new(),
            is_from_start,
        }
    }
}

enum ReadError {
    Io(io::Error),
    Log(LogError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error)
    }
}

impl From<LogError> for ReadError {
    fn from(error: LogError) -> Self {
        ReadError::Log(error)
    }
}

/// The format suggested by the place, unless the file's content says otherwise.
fn choose(task: &FileTask, detected: Option<Format>) -> Option<Format> {
    if let Some(named) = task.named_format() {
        return Some(named);
    }
    match (task.format, detected) {
        (
            Some(Format::ClaudeCode | Format::Codex),
            Some(detected @ (Format::ClaudeCode | Format::Codex | Format::Causantic)),
        ) => Some(detected),
        (Some(of_place), _) => Some(of_place),
        (None, detected) => detected,
    }
}

fn source(format: Format, origin: &FileOrigin) -> Box<dyn Source> {
    match format {
        Format::ClaudeCode => Box::new(ClaudeSource::new(origin)),
        Format::Codex => Box::new(CodexSource::new(origin)),
        Format::TranscriptDocument => Box::new(TranscriptSource::new(origin, TranscriptLayout::Document)),
        Format::Transcript | Format::Causantic => Box::new(TranscriptSource::new(origin, TranscriptLayout::Lines)),
    }
}

/// A reading that only reports why nothing was read.
fn problem(name: &str, reason: &str) -> Reading {
    let mut reading = Reading::default();
    reading.problem(name, None, ProblemKind::Skipped, reason);
    reading
}

fn unreadable(file: String, error: &io::Error) -> Problem {
    Problem { file, line: None, kind: ProblemKind::Skipped, reason: format!("cannot be read: {}", describe_io(error)) }
}

/// Files of this name hold sessions or nothing.
fn has_session_name(name: &str) -> bool {
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

fn describe_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ if error.get_ref().is_some() => error.to_string(),
        kind => kind.to_string(),
    }
}
