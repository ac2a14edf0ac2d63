//! Reads what must be held whole: documents and large tool outputs.

use std::io::{BufRead, Read};

use crate::model::ProblemKind;

use super::super::lines::without_bom;
use super::super::reading::{Reading, Source};
use super::ReadError;
use super::append::{FileAppender, ReadProgress};
use super::open::Checkpoint;

/// Documents that are not line by line are parsed in memory.
pub const LARGEST_JSON_DOCUMENT: u64 = 64 << 20;
const LARGEST_SPILLED_OUTPUT: u64 = 8 << 20;

pub fn read_document(
    bytes: Box<dyn BufRead + '_>,
    mut source: Box<dyn Source>,
    mut reading: Reading,
    appender: &mut FileAppender<'_>,
) -> Result<(), ReadError> {
    let mut text = Vec::new();
    bytes.take(LARGEST_JSON_DOCUMENT + 1).read_to_end(&mut text)?;
    appender.report.bytes += text.len() as u64;
    if text.len() as u64 > LARGEST_JSON_DOCUMENT {
        let reason =
            format!("a document larger than {} MB; as JSON lines it could be read", LARGEST_JSON_DOCUMENT >> 20);
        reading.problem(appender.name(), None, ProblemKind::Skipped, reason);
    } else {
        source.line(without_bom(&text), 1, &mut reading);
        source.end(&mut reading);
    }
    appender.append(reading, ReadProgress::End(Checkpoint::default()))
}

/// Keeps tool output that was too large for the session file as a document.
pub fn read_spill(bytes: Box<dyn BufRead + '_>, appender: &mut FileAppender<'_>) -> Result<(), ReadError> {
    let mut reading = Reading::default();
    let mut text = Vec::new();
    bytes.take(LARGEST_SPILLED_OUTPUT + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST_SPILLED_OUTPUT {
        let reason = format!("larger than {} MB: only its beginning is kept", LARGEST_SPILLED_OUTPUT >> 20);
        reading.problem(appender.name(), None, ProblemKind::Repaired, reason);
        text.truncate(LARGEST_SPILLED_OUTPUT as usize);
    }
    appender.report.bytes += text.len() as u64;
    reading.artifacts.push((appender.name().to_owned(), String::from_utf8_lossy(&text).into_owned()));
    appender.append(reading, ReadProgress::End(Checkpoint::default()))
}
