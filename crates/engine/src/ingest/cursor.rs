//! How far has a file been read, and is it still the same file?

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::time::UNIX_EPOCH;

use crate::model::{Digest, digest_of};
use crate::store::Cursor;

const SAMPLE: u64 = 4096;
/// The number of samples between the first and the last.
const SAMPLES_BETWEEN: u64 = 30;
const SMALL_SAMPLE: u64 = 256;

/// What to read of a file, by its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Nothing has changed since it was read.
    Unchanged,
    /// It has grown: continue here.
    From { offset: u64, line: u64 },
    /// New, rewritten or truncated: read all of it. The log skips events that it has already, and
    /// keeps those that the file has lost.
    Start,
}

/// Size and modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub size: u64,
    pub mtime_ns: i64,
}

impl FileStamp {
    pub fn of(metadata: &Metadata) -> Self {
        let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        FileStamp { size: metadata.len(), mtime_ns: since.map_or(0, |since| since.as_nanos() as i64) }
    }

    /// Adds another file of the same database.
    pub fn add(&mut self, other: FileStamp) {
        self.size += other.size;
        self.mtime_ns = self.mtime_ns.max(other.mtime_ns);
    }
}

pub fn unchanged(cursor: &Cursor, stamp: FileStamp) -> bool {
    cursor.size == stamp.size && cursor.mtime_ns == stamp.mtime_ns
}

/// Where to go on in a file whose bytes can be looked at.
pub fn resume(cursor: Option<&Cursor>, stamp: FileStamp, file: &mut File) -> io::Result<Resume> {
    let Some(cursor) = cursor else {
        return Ok(Resume::Start);
    };
    if unchanged(cursor, stamp) {
        return Ok(Resume::Unchanged);
    }
    // Written without growth: it is another file.
    let rewritten = stamp.size <= cursor.size;
    if rewritten || stamp.size < cursor.offset || prefix_check(file, cursor.offset)? != cursor.check {
        return Ok(Resume::Start);
    }
    Ok(Resume::From { offset: cursor.offset, line: cursor.line })
}

/// A hash of the first bytes, of those just before `offset`, and of some between. An insertion or
/// removal before them shifts the last ones.
pub fn prefix_check(file: &mut File, offset: u64) -> io::Result<Digest> {
    let mut samples = vec![sample(file, 0, SAMPLE.min(offset))?];
    if offset > 4 * SAMPLE {
        for n in 1..=SAMPLES_BETWEEN {
            samples.push(sample(file, offset / (SAMPLES_BETWEEN + 1) * n, SMALL_SAMPLE)?);
        }
    }
    samples.push(sample(file, offset.saturating_sub(SAMPLE), SAMPLE.min(offset))?);
    let offset = offset.to_le_bytes();
    let parts: Vec<&[u8]> = std::iter::once(&offset[..]).chain(samples.iter().map(Vec::as_slice)).collect();
    Ok(digest_of("prefix", &parts))
}

fn sample(file: &mut File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
