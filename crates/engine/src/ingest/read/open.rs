//! What is new in a file, and where does reading continue?

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor as Bytes, Read, Seek, SeekFrom};

use backstory_files::{self as files, Limited};
use flate2::read::MultiGzDecoder;

use crate::model::ProblemKind;
use crate::store::{Cursor, files_beside};

use super::super::cursor::{self, FileStamp, Resume};
use super::super::find::FileTask;
use super::super::format::Format;
use super::super::lines::{decode_utf16, without_bom};
use super::super::reading::Reading;
use super::head::{peek, read_head};
use super::whole::LARGEST_JSON_DOCUMENT;

/// No real session is as large, compressed or not; a sparse file or a compressed run of zeros can be.
const LARGEST_SESSION_FILE: u64 = 2 << 30;
/// Databases are not read whole.
const LARGEST_IMPORTED_DATABASE: u64 = 64 << 30;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BUFFER_BYTES: usize = 1 << 18;

/// An input that is ready to be read on.
pub struct Opened<'a> {
    /// The bytes from `start` on.
    pub bytes: Box<dyn BufRead + 'a>,
    /// The first bytes of the input, wherever `start` is.
    pub head: Vec<u8>,
    pub start: Checkpoint,
    pub medium: Medium,
    /// The format of the earlier reading, when this one continues it.
    pub known_format: Option<Format>,
}

/// How far an input was read, with the state its source needs to continue.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    pub offset: u64,
    pub line: u64,
    pub state: Option<String>,
}

/// The kind of input. It decides whether a cursor can be kept.
pub enum Medium {
    /// A file that can be read on later.
    Plain(File, FileStamp),
    /// A file that is read whole each time: packed, or in another encoding.
    Whole(FileStamp),
    /// A stream, which cannot be read again.
    Stream,
}

impl Medium {
    pub fn stamp(&self) -> Option<FileStamp> {
        match self {
            Medium::Plain(_, stamp) | Medium::Whole(stamp) => Some(*stamp),
            Medium::Stream => None,
        }
    }
}

/// `None`: unchanged since it was read.
pub fn open(task: &FileTask, cursor: Option<&Cursor>) -> io::Result<Option<Opened<'static>>> {
    let stamp = stamp(task, cursor)?;
    // A cursor of another format than the one the user names does not count.
    let cursor = cursor.filter(|cursor| task.named_format().is_none_or(|named| named.name() == cursor.format));
    if cursor.is_some_and(|cursor| cursor::unchanged(cursor, stamp)) {
        return Ok(None);
    }
    let limit = if is_database(task, cursor) { LARGEST_IMPORTED_DATABASE } else { LARGEST_SESSION_FILE };
    let mut file = files::open(&task.path, limit)?.file;
    let head = read_head(&mut file)?;
    if head.starts_with(&GZIP_MAGIC) {
        file.seek(SeekFrom::Start(0))?;
        let (head, bytes) = peek(unpacked(BufReader::new(file)))?;
        return Ok(Some(Opened::from_start(head, bytes, Medium::Whole(stamp))));
    }
    open_plain(file, head, stamp, cursor)
}

fn open_plain(
    mut file: File,
    head: Vec<u8>,
    stamp: FileStamp,
    cursor: Option<&Cursor>,
) -> io::Result<Option<Opened<'static>>> {
    let format = |cursor: &Cursor| Format::parse(&cursor.format);
    let resume = match cursor.filter(|cursor| format(cursor).is_none_or(Format::can_resume)) {
        Some(cursor) => cursor::resume(Some(cursor), stamp, &mut file)?,
        None => Resume::Start,
    };
    let (offset, line) = match resume {
        Resume::Unchanged => return Ok(None),
        Resume::From { offset, line } => (offset, line),
        Resume::Start => (0, 0),
    };
    let before = cursor.filter(|_| offset > 0);
    let start = Checkpoint { offset, line, state: before.and_then(|cursor| cursor.state.clone()) };
    let known_format = before.and_then(format);
    file.seek(SeekFrom::Start(offset))?;
    let bytes = Box::new(BufReader::with_capacity(BUFFER_BYTES, file.try_clone()?));
    Ok(Some(Opened { bytes, head, start, medium: Medium::Plain(file, stamp), known_format }))
}

/// Size and time of change. A database's latest writes may lie in the files beside it.
fn stamp(task: &FileTask, cursor: Option<&Cursor>) -> io::Result<FileStamp> {
    let mut stamp = FileStamp::of(&fs::metadata(&task.path)?);
    let beside = files_beside(&task.path).filter(|_| is_database(task, cursor));
    for metadata in beside.filter_map(|path| fs::metadata(path).ok()) {
        stamp.add(FileStamp::of(&metadata));
    }
    Ok(stamp)
}

fn is_database(task: &FileTask, cursor: Option<&Cursor>) -> bool {
    let by_name = task.path.extension().is_some_and(|extension| extension == "db");
    by_name || cursor.is_some_and(|cursor| cursor.format == Format::Causantic.name())
}

fn unpacked<R: BufRead>(packed: R) -> Limited<BufReader<MultiGzDecoder<R>>> {
    Limited::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(packed)), LARGEST_SESSION_FILE)
}

impl<'a> Opened<'a> {
    pub fn stream(input: &'a mut dyn Read) -> io::Result<Opened<'a>> {
        let (mut head, mut bytes) = peek(BufReader::with_capacity(BUFFER_BYTES, input))?;
        if head.starts_with(&GZIP_MAGIC) {
            (head, bytes) = peek(unpacked(bytes))?;
        }
        Ok(Opened::from_start(head, bytes, Medium::Stream))
    }

    fn from_start(head: Vec<u8>, bytes: Box<dyn BufRead + 'a>, medium: Medium) -> Self {
        Opened { bytes, head, start: Checkpoint::default(), medium, known_format: None }
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.start.offset == 0
    }

    pub fn detect(&self) -> Option<Format> {
        let utf16 = decode_utf16(&self.head);
        Format::detect(utf16.as_ref().map_or(without_bom(&self.head), |text| text.as_bytes()))
    }

    /// UTF-16 text is converted, and read whole for that.
    pub fn into_utf8(self, name: &str, reading: &mut Reading) -> io::Result<Self> {
        if decode_utf16(&self.head).is_none() {
            return Ok(self);
        }
        let mut bytes = Vec::new();
        self.bytes.take(LARGEST_JSON_DOCUMENT).read_to_end(&mut bytes)?;
        let text = decode_utf16(&bytes).unwrap_or_default();
        reading.problem(name, None, ProblemKind::Repaired, "UTF-16 text, converted");
        let medium = self.medium.stamp().map_or(Medium::Stream, Medium::Whole);
        Ok(Opened { bytes: Box::new(Bytes::new(text.into_bytes())), medium, ..self })
    }
}
