//! Feeds the lines of a file to its source.

use std::io::BufRead;

use backstory_files::{LineEnd, Lines};

use crate::model::ProblemKind;

use super::super::format::Format;
use super::super::lines::{LONG_LINE, LONGEST_LINE, without_bom};
use super::super::reading::{Reading, Source, SourceEnd};
use super::append::{FileAppender, ReadProgress};
use super::open::Checkpoint;
use super::{FLUSH_BYTES, ReadError, describe_io};

pub struct LineReader<'a> {
    lines: Lines<Box<dyn BufRead + 'a>>,
    line: Vec<u8>,
    source: Box<dyn Source>,
    reading: Reading,
    /// The end of the last line that the source got.
    offset: u64,
    /// The number of that line.
    number: u64,
}

/// Why the reader stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    AtEnd,
    OutOfTime,
}

impl<'a> LineReader<'a> {
    pub fn new(bytes: Box<dyn BufRead + 'a>, mut source: Box<dyn Source>, start: Checkpoint, reading: Reading) -> Self {
        if let Some(state) = &start.state {
            source.resume(state);
        }
        let lines = Lines::new(bytes, start.offset, LONGEST_LINE);
        LineReader { lines, line: Vec::new(), source, reading, offset: start.offset, number: start.line }
    }

    /// Reads to the end or until time runs out. `told` is the format that the user named.
    pub fn read(
        mut self,
        go_on: &dyn Fn() -> bool,
        told: Option<Format>,
        appender: &mut FileAppender<'_>,
    ) -> Result<(), ReadError> {
        let start = self.offset;
        let stop = self.feed(go_on, appender)?;
        appender.report.bytes += self.lines.offset - start;
        self.finish(stop, told, appender)
    }

    fn feed(&mut self, go_on: &dyn Fn() -> bool, appender: &mut FileAppender<'_>) -> Result<Stop, ReadError> {
        while self.feed_line(appender) {
            if appender.cursors.is_resumable() && !go_on() {
                return Ok(Stop::OutOfTime);
            }
            if self.reading.bytes >= FLUSH_BYTES {
                let checkpoint = self.checkpoint();
                appender.append(std::mem::take(&mut self.reading), ReadProgress::Part(checkpoint))?;
            }
        }
        Ok(Stop::AtEnd)
    }

    /// False when there is no further line, or none yet.
    fn feed_line(&mut self, appender: &mut FileAppender<'_>) -> bool {
        let (name, number) = (appender.name(), self.number + 1);
        let end = match self.lines.next(&mut self.line) {
            Ok(Some(end)) => end,
            Ok(None) => return false,
            Err(error) => {
                let reason = format!("cannot be read further: {}", describe_io(&error));
                self.reading.problem(name, Some(number), ProblemKind::Skipped, reason);
                return false;
            }
        };
        let bytes = if self.number == 0 { without_bom(&self.line) } else { &self.line[..] };
        match end {
            LineEnd::Unfinished if appender.cursors.is_resumable() => {
                // Complete JSON is safe to take now; it is recognised when it comes again with its
                // line break.
                if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() {
                    self.source.line(bytes, number, &mut self.reading);
                } else {
                    appender.report.unfinished += 1;
                }
                return false;
            }
            LineEnd::TooLong => {
                let reason = format!("a line longer than {} MB", LONGEST_LINE >> 20);
                self.reading.problem(name, Some(number), ProblemKind::Skipped, reason);
            }
            LineEnd::Complete | LineEnd::Unfinished => {
                if bytes.len() > LONG_LINE {
                    let reason = format!("an unusually long line ({} MB)", bytes.len() >> 20);
                    self.reading.problem(name, Some(number), ProblemKind::Repaired, reason);
                }
                self.source.line(bytes, number, &mut self.reading);
            }
        }
        self.line_is_done();
        true
    }

    fn line_is_done(&mut self) {
        self.number += 1;
        self.offset = self.lines.offset;
        if self.line.capacity() > LONG_LINE {
            self.line = Vec::new();
        }
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint { offset: self.offset, line: self.number, state: self.source.state() }
    }

    fn finish(mut self, stop: Stop, told: Option<Format>, appender: &mut FileAppender<'_>) -> Result<(), ReadError> {
        let mut checkpoint = self.checkpoint();
        let end = self.source.end(&mut self.reading);
        if end == SourceEnd::Undecided {
            checkpoint = Checkpoint::default();
        }
        let progress = match (stop, told) {
            (Stop::OutOfTime, _) => {
                appender.report.cut_short += 1;
                ReadProgress::Part(checkpoint)
            }
            (Stop::AtEnd, Some(format)) if self.has_nothing(end, appender) => {
                let reason = format!("nothing in it is of the format {}", format.name());
                self.reading.problem(appender.name(), None, ProblemKind::Skipped, reason);
                // Without a cursor, the right format can be tried next.
                ReadProgress::Nothing
            }
            (Stop::AtEnd, _) => ReadProgress::End(checkpoint),
        };
        appender.append(self.reading, progress)
    }

    fn has_nothing(&self, end: SourceEnd, appender: &FileAppender<'_>) -> bool {
        appender.is_from_start && self.reading.events.is_empty() && end == SourceEnd::Done
    }
}
