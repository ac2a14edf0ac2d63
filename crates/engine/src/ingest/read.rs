//! Feeds a file's new lines to its source and appends what comes out.

mod imported;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor as Bytes, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::log::{Appended, Batch, Bookkeeping, Log, LogError};
use crate::model::{EpisodeId, EpisodeKey, Problem, ProblemKind, digest_of};
use crate::store::{Cursor, files_beside};
use backstory_files::{self as files, Limited, LineEnd, Lines};

use super::claude::{self, ClaudeSource};
use super::codex::CodexSource;
use super::cursor::{self, Resume, Stamp};
use super::find::{FileTask, TaskKind};
use super::format::Format;
use super::lines::{LONG_LINE, LONGEST_LINE, decode_utf16, without_bom};
use super::project::{Projects, SessionPlace};
use super::reading::{End, Origin, Reading, ReadingSlot, Source, Tally};
use super::transcript::TranscriptSource;

/// Text per transaction: bounds memory and the time others wait.
const FLUSH_BYTES: usize = 4 << 20;
const HEAD_BYTES: usize = 64 << 10;
/// Of a record that is longer, what tells its format may stand at its end.
const LONGEST_HEAD: usize = 4 << 20;
/// Documents that are not line by line must be held whole.
const LARGEST_DOCUMENT: u64 = 64 << 20;
const LARGEST_SPILL: u64 = 8 << 20;
/// No session is as large, packed or not; a hole in a file or a packed row of zeros is.
const LARGEST_FILE: u64 = 2 << 30;
/// A database is not read whole.
const LARGEST_DATABASE: u64 = 64 << 30;

#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error(transparent)]
    Log(#[from] LogError),
}

/// What came of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    Unchanged,
    Read,
    /// Holds nothing Backstory can read.
    NotASession,
}

/// What came of an ingest.
#[derive(Debug, Default)]
pub struct Report {
    pub files: u64,
    pub unchanged: u64,
    /// Files that hold no session or transcript.
    pub not_sessions: u64,
    /// Files whose last line is still being written.
    pub unfinished: u64,
    /// Files of which the rest is left for the next time: there was no more time.
    pub cut_short: u64,
    pub bytes: u64,
    pub episodes: HashSet<EpisodeId>,
    pub appended: Appended,
    pub problems: Vec<Problem>,
    pub tally: Tally,
    /// Sessions left out of an import: the memory has them from their own files.
    pub left_out: BTreeSet<String>,
    /// Imported sessions whose own files were read now: these are told instead.
    pub replaced: BTreeSet<String>,
}

/// How files are read.
#[derive(Clone, Copy)]
pub struct Reads<'a> {
    /// Of encrypted archives.
    pub password: Option<&'a str>,
    /// Is there time for more? What is left of a file is read the next time.
    pub go_on: &'a dyn Fn() -> bool,
}

impl Default for Reads<'_> {
    fn default() -> Self {
        Reads { password: None, go_on: &|| true }
    }
}

/// Reads what is new in one file. Everything wrong with the file itself goes
/// to the report; only a failing log is an error.
pub fn ingest_file(
    log: &mut Log,
    projects: &mut Projects,
    cursors: &HashMap<String, Cursor>,
    task: &FileTask,
    report: &mut Report,
) -> Result<FileOutcome, IngestError> {
    ingest_file_with(log, projects, cursors, task, Reads::default(), report)
}

/// The same, with a password or a deadline.
pub fn ingest_file_with(
    log: &mut Log,
    projects: &mut Projects,
    cursors: &HashMap<String, Cursor>,
    task: &FileTask,
    reads: Reads<'_>,
    report: &mut Report,
) -> Result<FileOutcome, IngestError> {
    let name = task.name();
    report.files += 1;
    let outcome = match open(task, cursors.get(&name)) {
        Ok(None) => {
            report.unchanged += 1;
            return Ok(FileOutcome::Unchanged);
        }
        Ok(Some(opened)) => read_opened(log, projects, task, &name, opened, reads, report),
        Err(error) => Err(ReadError::Io(error)),
    };
    match outcome {
        Ok(outcome) => Ok(outcome),
        Err(ReadError::Log(error)) => Err(error.into()),
        Err(ReadError::Io(error)) => {
            let reason = format!("cannot be read: {}", describe_io(&error));
            let problem = Problem { file: name, line: None, kind: ProblemKind::Skipped, reason };
            log.append(Batch::default(), &Bookkeeping { problems: vec![problem.clone()], ..Bookkeeping::default() })?;
            report.problems.push(problem);
            Ok(FileOutcome::Read)
        }
    }
}

/// Reads a stream that has no place and cannot be read again.
pub fn ingest_stream(
    log: &mut Log,
    projects: &mut Projects,
    name: &str,
    folder: &Path,
    format: Option<Format>,
    input: &mut dyn Read,
    report: &mut Report,
) -> Result<FileOutcome, IngestError> {
    report.files += 1;
    let task = FileTask { path: folder.join(name), kind: TaskKind::Session, format, named: true };
    let opened = Opened::stream(input);
    match opened.and_then(|opened| read_opened(log, projects, &task, name, opened, Reads::default(), report)) {
        Ok(outcome) => Ok(outcome),
        Err(ReadError::Log(error)) => Err(error.into()),
        Err(ReadError::Io(error)) => {
            let reason = format!("cannot be read: {}", describe_io(&error));
            report.problems.push(Problem { file: name.to_owned(), line: None, kind: ProblemKind::Skipped, reason });
            Ok(FileOutcome::Read)
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

/// A file ready to be read on.
struct Opened<'a> {
    input: Box<dyn BufRead + 'a>,
    head: Vec<u8>,
    /// For files that can be read on later.
    plain: Option<(File, Stamp)>,
    stamp: Option<Stamp>,
    offset: u64,
    line: u64,
    known_format: Option<Format>,
    state: Option<String>,
    /// Nothing will be added to it: a cut last line is a loss.
    finished: bool,
}

/// `None`: unchanged since it was read.
fn open(task: &FileTask, cursor: Option<&Cursor>) -> io::Result<Option<Opened<'static>>> {
    let mut stamp = Stamp::of(&std::fs::metadata(&task.path)?);
    if is_database(task, cursor) {
        // What was written last may lie beside it.
        for beside in files_beside(&task.path).filter_map(|path| std::fs::metadata(path).ok()) {
            stamp.add(Stamp::of(&beside));
        }
    }
    let told_otherwise =
        |cursor: &&Cursor| task.named && task.format.is_some_and(|format| format.name() != cursor.format);
    let cursor = cursor.filter(|cursor| !told_otherwise(cursor));
    if cursor.is_some_and(|cursor| cursor::unchanged(cursor, stamp)) {
        return Ok(None);
    }
    let limit = if is_database(task, cursor) { LARGEST_DATABASE } else { LARGEST_FILE };
    let mut file = files::open(&task.path, limit)?.file;
    let head = read_head(&mut file)?;
    if head.starts_with(&[0x1f, 0x8b]) {
        return open_gzip(file, stamp).map(Some);
    }
    let line_by_line = !matches!(
        cursor.and_then(|cursor| Format::parse(&cursor.format)),
        Some(Format::Transcript | Format::TranscriptDocument | Format::Causantic)
    );
    let resume = if line_by_line { cursor::resume(cursor, stamp, &mut file)? } else { Resume::Start };
    let (offset, line) = match resume {
        Resume::Unchanged => return Ok(None),
        Resume::From { offset, line } => (offset, line),
        Resume::Start => (0, 0),
    };
    let before = cursor.filter(|_| offset > 0);
    let known_format = before.and_then(|cursor| Format::parse(&cursor.format));
    let state = before.and_then(|cursor| cursor.state.clone());
    file.seek(SeekFrom::Start(offset))?;
    let input = Box::new(BufReader::with_capacity(1 << 18, file.try_clone()?));
    let plain = Some((file, stamp));
    Ok(Some(Opened { input, head, plain, stamp: Some(stamp), offset, line, known_format, state, finished: false }))
}

fn is_database(task: &FileTask, cursor: Option<&Cursor>) -> bool {
    let by_name = task.path.extension().is_some_and(|extension| extension == "db");
    by_name || cursor.is_some_and(|cursor| cursor.format == Format::Causantic.name())
}

fn open_gzip(mut file: File, stamp: Stamp) -> io::Result<Opened<'static>> {
    file.seek(SeekFrom::Start(0))?;
    let mut input = unpacked(BufReader::new(file));
    let (head, input) = peek(&mut input).map(|peeked| peeked.before(input))?;
    Ok(Opened {
        input,
        head,
        plain: None,
        stamp: Some(stamp),
        offset: 0,
        line: 0,
        known_format: None,
        state: None,
        finished: true,
    })
}

fn unpacked<R: BufRead>(packed: R) -> Limited<BufReader<MultiGzDecoder<R>>> {
    Limited::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(packed)), LARGEST_FILE)
}

impl<'a> Opened<'a> {
    fn stream(input: &'a mut dyn Read) -> Result<Opened<'a>, ReadError> {
        let mut buffered = BufReader::with_capacity(1 << 18, input);
        let (head, input) = peek(&mut buffered).map(|peeked| peeked.before(buffered))?;
        let (head, input) = if head.starts_with(&[0x1f, 0x8b]) {
            let mut unzipped = unpacked(input);
            peek(&mut unzipped).map(|peeked| peeked.before(unzipped))?
        } else {
            (head, input)
        };
        Ok(Opened {
            input,
            head,
            plain: None,
            stamp: None,
            offset: 0,
            line: 0,
            known_format: None,
            state: None,
            finished: true,
        })
    }
}

fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    take_head(file, &mut head)?;
    Ok(head)
}

/// The first bytes, and the rest of a first record that is longer.
fn take_head(input: &mut impl Read, head: &mut Vec<u8>) -> io::Result<()> {
    let mut more = HEAD_BYTES;
    loop {
        let taken = input.by_ref().take(more as u64).read_to_end(head)?;
        let is_cut = without_bom(head).starts_with(b"{") && !head.contains(&b'\n');
        if taken < more || !is_cut || head.len() >= LONGEST_HEAD {
            return Ok(());
        }
        more = head.len();
    }
}

/// The first bytes of a stream, taken out of it, and what ended them.
struct Peeked {
    head: Vec<u8>,
    error: Option<io::Error>,
}

/// Fails only when there is nothing at all.
fn peek(input: &mut impl Read) -> io::Result<Peeked> {
    let mut head = Vec::new();
    match take_head(input, &mut head) {
        Err(error) if head.is_empty() => Err(error),
        result => Ok(Peeked { head, error: result.err() }),
    }
}

impl Peeked {
    /// The head, and the stream as it was: head, then the rest or the error.
    fn before<'a>(self, rest: impl BufRead + 'a) -> (Vec<u8>, Box<dyn BufRead + 'a>) {
        let head = Bytes::new(self.head.clone());
        match self.error {
            None => (self.head, Box::new(head.chain(rest))),
            Some(error) => (self.head, Box::new(head.chain(BufReader::new(Broken(Some(error)))))),
        }
    }
}

/// A stream that has broken off.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn read_opened(
    log: &mut Log,
    projects: &mut Projects,
    task: &FileTask,
    name: &str,
    mut opened: Opened<'_>,
    reads: Reads<'_>,
    report: &mut Report,
) -> Result<FileOutcome, ReadError> {
    let start_of_file = opened.offset == 0;
    if opened.head.is_empty() && start_of_file {
        let mut file = FileReading::new(log, projects, task, name, Format::Transcript, &opened);
        file.reading.problem(name, None, ProblemKind::Skipped, "an empty file");
        file.flush(opened.offset, opened.line, report)?;
        return Ok(FileOutcome::Read);
    }
    if task.kind == TaskKind::SpilledOutput {
        return read_spill(log, projects, task, name, opened, report);
    }
    let utf16 = decode_utf16(&opened.head);
    let detect = || Format::detect(utf16.as_ref().map_or(without_bom(&opened.head), |text| text.as_bytes()));
    let format = match opened.known_format.or_else(|| choose(task, detect())) {
        Some(format) => format,
        None => {
            let mut file = FileReading::new(log, projects, task, name, Format::Transcript, &opened);
            report.not_sessions += 1;
            if task.named || has_session_name(name) {
                let reason = "neither a session nor a transcript that Backstory knows (--format says which it is)";
                file.reading.problem(name, None, ProblemKind::Skipped, reason);
            }
            // Without a cursor: another version, or --format, may know better.
            file.stamp = None;
            file.flush(0, 0, report)?;
            return Ok(FileOutcome::NotASession);
        }
    };
    let mut file = FileReading::new(log, projects, task, name, format, &opened);
    if utf16.is_some() {
        let mut bytes = Vec::new();
        opened.input.take(LARGEST_DOCUMENT).read_to_end(&mut bytes)?;
        let text = decode_utf16(&bytes).unwrap_or_default();
        file.reading.problem(name, None, ProblemKind::Repaired, "UTF-16 text, converted");
        opened.input = Box::new(Bytes::new(text.into_bytes()));
        file.resumable = false;
    }
    match format {
        Format::Causantic => return file.read_causantic(opened, task, reads.password, report),
        Format::TranscriptDocument => file.read_document(opened, report)?,
        _ => file.read_lines(opened, reads, report)?,
    }
    Ok(FileOutcome::Read)
}

/// What a place says holds unless the file itself says otherwise.
fn choose(task: &FileTask, detected: Option<Format>) -> Option<Format> {
    match (task.format, detected) {
        (Some(told), _) if task.named => Some(told),
        (
            Some(Format::ClaudeCode | Format::Codex),
            Some(found @ (Format::ClaudeCode | Format::Codex | Format::Causantic)),
        ) => Some(found),
        (Some(told), _) => Some(told),
        (None, detected) => detected,
    }
}

/// Output too large for the session file is evidence like any other document.
fn read_spill(
    log: &mut Log,
    projects: &mut Projects,
    task: &FileTask,
    name: &str,
    opened: Opened<'_>,
    report: &mut Report,
) -> Result<FileOutcome, ReadError> {
    let mut file = FileReading::new(log, projects, task, name, Format::Transcript, &opened);
    file.resumable = false;
    let mut bytes = Vec::new();
    opened.input.take(LARGEST_SPILL + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_SPILL {
        let reason = format!("larger than {} MB: only its beginning is kept", LARGEST_SPILL >> 20);
        file.reading.problem(name, None, ProblemKind::Repaired, reason);
        bytes.truncate(LARGEST_SPILL as usize);
    }
    report.bytes += bytes.len() as u64;
    file.artifacts.push((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
    file.flush(0, 0, report)?;
    Ok(FileOutcome::Read)
}

/// One file on its way into the log.
struct FileReading<'a> {
    log: &'a mut Log,
    projects: &'a mut Projects,
    name: &'a str,
    origin: Origin,
    format: Format,
    reading: Reading,
    artifacts: Vec<(String, String)>,
    /// The working folder for records that name none.
    fallback_folder: String,
    plain: Option<(File, Stamp)>,
    stamp: Option<Stamp>,
    resumable: bool,
    finished: bool,
    from_start: bool,
    /// Somebody said what the format is.
    told: bool,
    state: Option<String>,
}

impl<'a> FileReading<'a> {
    fn new(
        log: &'a mut Log,
        projects: &'a mut Projects,
        task: &FileTask,
        name: &'a str,
        format: Format,
        opened: &Opened<'_>,
    ) -> Self {
        let folder = task.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let folder = std::fs::canonicalize(&folder).unwrap_or(folder).to_string_lossy().into_owned();
        let mut origin = task.origin(name);
        let mut fallback_folder = folder;
        if matches!(format, Format::Transcript | Format::TranscriptDocument) {
            // Transcripts are named by people: only with its place is a name unique.
            let place = match opened.stamp {
                Some(_) => digest_of("place", &[fallback_folder.as_bytes()]),
                None => digest_of("stream", &[&opened.head[..opened.head.len().min(HEAD_BYTES)]]),
            };
            origin.session = format!("{}@{}", origin.session, &place.to_string()[..6]);
        }
        if format == Format::ClaudeCode {
            let said = claude::introduction(&String::from_utf8_lossy(&opened.head));
            fallback_folder = said.cwd.unwrap_or(fallback_folder);
            // The host names its files by session; a file that was renamed
            // still holds the id in its records.
            if !is_uuid(&origin.session) {
                origin.session = said.session.unwrap_or(origin.session);
            }
        }
        FileReading {
            log,
            projects,
            name,
            origin,
            format,
            reading: Reading::default(),
            artifacts: Vec::new(),
            fallback_folder,
            plain: opened.plain.as_ref().and_then(|(file, stamp)| Some((file.try_clone().ok()?, *stamp))),
            stamp: opened.stamp,
            resumable: opened.plain.is_some() && matches!(format, Format::ClaudeCode | Format::Codex),
            finished: opened.finished,
            from_start: opened.offset == 0,
            told: task.named && task.format.is_some(),
            state: None,
        }
    }

    /// Chunks of Causantic are no lines: [`Self::read_causantic`] reads them.
    fn source(&self) -> Box<dyn Source> {
        match self.format {
            Format::ClaudeCode => Box::new(ClaudeSource::new(&self.origin)),
            Format::Codex => Box::new(CodexSource::new(&self.origin)),
            Format::Transcript | Format::Causantic => Box::new(TranscriptSource::new(&self.origin, false)),
            Format::TranscriptDocument => Box::new(TranscriptSource::new(&self.origin, true)),
        }
    }

    fn read_lines(mut self, opened: Opened<'_>, reads: Reads<'_>, report: &mut Report) -> Result<(), ReadError> {
        let mut source = self.source();
        if let Some(state) = &opened.state {
            source.resume(state);
        }
        let (mut number, mut done) = (opened.line, opened.offset);
        let start = opened.offset;
        let mut is_cut_short = false;
        let mut lines = Lines::new(opened.input, opened.offset, LONGEST_LINE);
        let mut line = Vec::new();
        loop {
            let end = match lines.next(&mut line) {
                Ok(end) => end,
                Err(error) => {
                    let reason = format!("cannot be read further: {}", describe_io(&error));
                    self.reading.problem(self.name, Some(number + 1), ProblemKind::Skipped, reason);
                    break;
                }
            };
            let Some(end) = end else { break };
            let bytes = if number == 0 { without_bom(&line) } else { &line[..] };
            match end {
                LineEnd::Unfinished if !self.finished && self.resumable => {
                    // Complete JSON is safe to take now; it is recognised when
                    // it comes again with its line break.
                    if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() {
                        source.line(bytes, number + 1, &mut self.reading);
                    } else {
                        report.unfinished += 1;
                    }
                    break;
                }
                LineEnd::TooLong => {
                    let reason = format!("a line longer than {} MB", LONGEST_LINE >> 20);
                    self.reading.problem(self.name, Some(number + 1), ProblemKind::Skipped, reason);
                }
                LineEnd::Complete | LineEnd::Unfinished => {
                    if bytes.len() > LONG_LINE {
                        let reason = format!("an unusually long line ({} MB)", bytes.len() >> 20);
                        self.reading.problem(self.name, Some(number + 1), ProblemKind::Repaired, reason);
                    }
                    source.line(bytes, number + 1, &mut self.reading);
                }
            }
            number += 1;
            done = lines.offset;
            if line.capacity() > LONG_LINE {
                line = Vec::new();
            }
            if self.resumable && !(reads.go_on)() {
                is_cut_short = true;
                break;
            }
            if self.reading.bytes >= FLUSH_BYTES {
                self.state = source.state();
                self.flush_part(done, number, report)?;
            }
        }
        report.bytes += lines.offset - start;
        self.state = source.state();
        let end = source.end(&mut self.reading);
        if !is_cut_short && self.from_start && self.told && self.reading.events.is_empty() && end == End::Done {
            let reason = format!("nothing in it is of the format {}", self.format.name());
            self.reading.problem(self.name, None, ProblemKind::Skipped, reason);
            // Without a cursor, the right format can be tried next.
            self.stamp = None;
        }
        if end == End::Undecided {
            (done, number, self.state) = (0, 0, None);
        }
        if is_cut_short {
            report.cut_short += 1;
            return self.flush_part(done, number, report);
        }
        self.flush(done, number, report)
    }

    /// Appends what was read of a file that goes on. Its cursor counts only what was read: with the size of the whole
    /// file it would look finished if this process ended here.
    fn flush_part(&mut self, offset: u64, line: u64, report: &mut Report) -> Result<(), ReadError> {
        let stamp = self.stamp.take();
        // What cannot be resumed has no cursor until it is read whole.
        self.stamp = stamp.filter(|_| self.resumable).map(|stamp| Stamp { size: offset, ..stamp });
        self.flush(offset, line, report)?;
        self.stamp = stamp;
        Ok(())
    }

    fn read_document(mut self, opened: Opened<'_>, report: &mut Report) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        opened.input.take(LARGEST_DOCUMENT + 1).read_to_end(&mut bytes)?;
        report.bytes += bytes.len() as u64;
        if bytes.len() as u64 > LARGEST_DOCUMENT {
            let reason =
                format!("a document larger than {} MB; as JSON lines it could be read", LARGEST_DOCUMENT >> 20);
            self.reading.problem(self.name, None, ProblemKind::Skipped, reason);
        } else {
            let mut source = self.source();
            source.line(without_bom(&bytes), 1, &mut self.reading);
            source.end(&mut self.reading);
        }
        self.flush(0, 0, report)
    }

    /// Appends what has been read so far, together with the cursor for it.
    fn flush(&mut self, offset: u64, line: u64, report: &mut Report) -> Result<(), ReadError> {
        let reading = std::mem::take(&mut self.reading);
        let mut batch = Batch::default();
        batch.artifacts = std::mem::take(&mut self.artifacts);
        let mut slots = Vec::with_capacity(reading.episodes.len());
        let origin = host_folder(self.name);
        for (at, (key, folder)) in reading.episodes.iter().enumerate() {
            let folder = folder.as_ref().unwrap_or(&self.fallback_folder).clone();
            let recorded = reading.recorded.get(&ReadingSlot(at)).cloned().unwrap_or_default();
            let project = self.projects.of_session(&SessionPlace { folder, recorded, origin: origin.clone() });
            slots.push(batch.episode(key, project.id));
            if !batch.projects.contains(&project) {
                batch.projects.push(project);
            }
        }
        batch.sightings = self.projects.take_sightings();
        report.episodes.extend(reading.episodes.iter().map(|(key, _)| key.id()));
        let keys: Vec<EpisodeKey> = reading.episodes.into_iter().map(|(key, _)| key).collect();
        let copied = self.copied_sessions(&keys)?;
        for (slot, event) in reading.events {
            batch.push(slots[slot.0], event);
        }
        let bookkeeping = Bookkeeping {
            cursor: self.cursor(offset, line)?,
            clear_problems_of: std::mem::take(&mut self.from_start).then(|| self.name.to_owned()),
            problems: reading.problems,
        };
        report.appended.add(self.log.append(batch, &bookkeeping)?);
        report.problems.extend(bookkeeping.problems);
        for key in copied {
            if self.log.store().episode_num(key.id()).map_err(LogError::from)?.is_some() {
                report.replaced.insert(key.session);
            }
        }
        for (key, count) in reading.tally {
            *report.tally.entry(key).or_default() += count;
        }
        Ok(())
    }

    fn cursor(&mut self, offset: u64, line: u64) -> Result<Option<Cursor>, ReadError> {
        let Some(stamp) = self.stamp else { return Ok(None) };
        let (offset, line) = if self.resumable { (offset, line) } else { (0, 0) };
        let check = match &mut self.plain {
            Some((file, _)) => {
                // The reader shares the file's position: leave it as it was.
                let here = file.stream_position()?;
                let check = cursor::prefix_check(file, offset)?;
                file.seek(SeekFrom::Start(here))?;
                check
            }
            None => digest_of("prefix", &[]),
        };
        Ok(Some(Cursor {
            path: self.name.to_owned(),
            format: self.format.name().to_owned(),
            size: stamp.size,
            mtime_ns: stamp.mtime_ns,
            offset,
            line,
            check,
            state: self.state.clone().filter(|_| self.resumable),
        }))
    }
}

/// The folder in which a host keeps its sessions; without one, the folder of the file.
fn host_folder(file: &str) -> Option<String> {
    let marks = ["/.claude/", "/.codex/", "/projects/", "/sessions/"];
    let kept = marks.iter().find_map(|mark| Some(file.split_once(mark)?.0.len() + mark.len() - 1));
    let end = kept.or_else(|| file.rfind('/'))?;
    Some(file[..end].to_owned())
}

/// Files of this name hold sessions or nothing.
fn has_session_name(name: &str) -> bool {
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn describe_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ if error.get_ref().is_some() => error.to_string(),
        kind => kind.to_string(),
    }
}
