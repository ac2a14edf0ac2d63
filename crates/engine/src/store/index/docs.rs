//! One record of fixed size per passage: what ranking and filters ask about.

use crate::model::{ChunkId, Digest, Timestamp};

use super::super::log_store::EpisodeNum;
use super::Damage;
use super::files::Bytes;

/// A passage's number; numbers are given in order and never twice.
pub type DocNum = u32;

pub const RECORD: usize = 80;
const NO_TIME: i64 = i64::MIN;
const NO_DOC: u32 = u32::MAX;

/// What a word was found in. Thinking is indexed apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// What was said; the code that was written.
    Content = 0,
    /// Paths, commands, names of tools and agents.
    Place = 1,
    /// The rest of a long text, after its beginning.
    Tail = 2,
    /// What tools printed.
    Output = 3,
    Thinking = 4,
}

pub const FIELDS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PassageKind {
    /// A person's words.
    User = 0,
    /// An agent's words.
    Assistant = 1,
    /// A tool call with what came of it.
    Call = 2,
    /// What the host said.
    Note = 3,
}

impl PassageKind {
    pub const ALL: [PassageKind; 4] = [PassageKind::User, PassageKind::Assistant, PassageKind::Call, PassageKind::Note];

    pub fn is_prose(self) -> bool {
        matches!(self, PassageKind::User | PassageKind::Assistant)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doc {
    pub chunk: ChunkId,
    /// Beginning of the project's id: enough to tell projects apart.
    pub project: u64,
    /// Beginning of a hash over program and session, sub-agents included.
    pub session: u64,
    pub time: Option<Timestamp>,
    pub episode: EpisodeNum,
    pub turn: u32,
    /// The passage before it in its run.
    pub previous: Option<DocNum>,
    /// Its parts in the chunk, from and up to.
    pub parts: (u16, u16),
    /// Terms per field.
    pub lengths: [u16; FIELDS],
    pub kind: PassageKind,
    pub asks: bool,
    /// A call that writes to a file.
    pub writes: bool,
}

impl Doc {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(self.chunk.as_bytes());
        out.extend_from_slice(&self.project.to_le_bytes());
        out.extend_from_slice(&self.session.to_le_bytes());
        out.extend_from_slice(&self.time.map_or(NO_TIME, |time| time.0).to_le_bytes());
        out.extend_from_slice(&(self.episode.0 as u32).to_le_bytes());
        out.extend_from_slice(&self.turn.to_le_bytes());
        out.extend_from_slice(&self.previous.unwrap_or(NO_DOC).to_le_bytes());
        out.extend_from_slice(&self.parts.0.to_le_bytes());
        out.extend_from_slice(&self.parts.1.to_le_bytes());
        for length in self.lengths {
            out.extend_from_slice(&length.to_le_bytes());
        }
        out.push(self.kind as u8);
        out.push(u8::from(self.asks));
        out.push(u8::from(self.writes));
        out.resize(start + RECORD, 0);
    }
}

/// The docs file, up to where it counts.
#[derive(Clone)]
pub struct Docs {
    bytes: Bytes,
    count: DocNum,
}

impl Docs {
    pub fn empty() -> Self {
        Docs { bytes: Bytes::Owned(Default::default()), count: 0 }
    }

    pub fn new(name: &str, bytes: Bytes, count: DocNum) -> Result<Self, Damage> {
        if bytes.len() < count as usize * RECORD {
            return Err(Damage { file: name.to_owned(), reason: "shorter than it was" });
        }
        Ok(Docs { bytes, count })
    }

    pub fn count(&self) -> DocNum {
        self.count
    }

    pub fn get(&self, doc: DocNum) -> Option<Doc> {
        let record = self.record(doc)?;
        let time = u64_at(record, 32) as i64;
        let previous = u32_at(record, 48);
        Some(Doc {
            chunk: ChunkId(Digest::from_slice(&record[..16])?),
            project: u64_at(record, 16),
            session: u64_at(record, 24),
            time: (time != NO_TIME).then_some(Timestamp(time)),
            episode: EpisodeNum(u32_at(record, 40).into()),
            turn: u32_at(record, 44),
            previous: (previous != NO_DOC).then_some(previous),
            parts: (u16_at(record, 52), u16_at(record, 54)),
            lengths: std::array::from_fn(|field| u16_at(record, 56 + 2 * field)),
            kind: *PassageKind::ALL.get(usize::from(record[66])).unwrap_or(&PassageKind::Note),
            asks: record[67] != 0,
            writes: record[68] != 0,
        })
    }

    /// Terms per field. Asked for every posting, so without the rest of the record.
    pub fn lengths(&self, doc: DocNum) -> [u16; FIELDS] {
        let lengths = |record: &[u8]| std::array::from_fn(|field| u16_at(record, 56 + 2 * field));
        self.record(doc).map_or([0; FIELDS], lengths)
    }

    /// Episode and turn.
    pub fn turn(&self, doc: DocNum) -> (u32, u32) {
        self.record(doc).map_or((0, 0), |record| (u32_at(record, 40), u32_at(record, 44)))
    }

    pub fn session(&self, doc: DocNum) -> u64 {
        self.record(doc).map_or(0, |record| u64_at(record, 24))
    }

    pub fn is_call(&self, doc: DocNum) -> bool {
        self.record(doc).is_some_and(|record| record[66] == PassageKind::Call as u8)
    }

    pub fn writes(&self, doc: DocNum) -> bool {
        self.record(doc).is_some_and(|record| record[68] != 0)
    }

    pub fn is_prose(&self, doc: DocNum) -> bool {
        self.record(doc).is_some_and(|record| record[66] <= PassageKind::Assistant as u8)
    }

    fn record(&self, doc: DocNum) -> Option<&[u8]> {
        let start = doc as usize * RECORD;
        if doc >= self.count { None } else { self.bytes.get(start..start + RECORD) }
    }
}

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([record[at], record[at + 1]])
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    record[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    record[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}
