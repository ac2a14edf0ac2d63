//! What is stored about each passage? Two records of fixed size: a small one with the data that is
//! read for every passage with a word of the query, and one with the rest. Small ones are
//! contiguous, so that more of them fit into the processor's cache.

use crate::model::{ChunkId, Digest, ProjectId, Timestamp};

use super::super::log_store::EpisodeNum;
use super::IndexDamage;
use super::files::Bytes;

/// A passage's number; numbers are given in order and never twice.
pub type DocNum = u32;

pub const RECORD: usize = 48;
pub const HEAD: usize = 20;
const NO_TIME: i64 = i64::MIN;
const NO_DOC: u32 = u32::MAX;
/// Bits of the flags in a head.
const ASKS: u8 = 1;
const WRITES: u8 = 2;

/// The field in which a word occurs. Thinking is indexed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Statements, and code that was written.
    Content = 0,
    /// Paths, commands, names of tools and agents.
    Place = 1,
    /// The rest of a long text, after its beginning.
    Tail = 2,
    /// Tool output.
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
    /// A tool call with its result.
    Call = 2,
    /// A notice of the host.
    Note = 3,
}

impl PassageKind {
    pub const ALL: [PassageKind; 4] = [PassageKind::User, PassageKind::Assistant, PassageKind::Call, PassageKind::Note];

    pub fn is_prose(self) -> bool {
        matches!(self, PassageKind::User | PassageKind::Assistant)
    }
}

/// The beginning of a hash: enough to distinguish projects or sessions.
pub fn tag(digest: &Digest) -> u64 {
    digest.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

pub fn project_tag(project: ProjectId) -> u64 {
    tag(&project.0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doc {
    pub chunk: ChunkId,
    /// See [`project_tag`].
    pub project: u64,
    /// [`tag`] of a hash over program and session, sub-agents included.
    pub session: u64,
    pub time: Option<Timestamp>,
    pub episode: EpisodeNum,
    pub turn: u32,
    /// The passage before it in its run.
    pub previous: Option<DocNum>,
    /// Its parts in the chunk: first, and one after the last.
    pub parts: (u16, u16),
    /// Terms per field.
    pub lengths: [u16; FIELDS],
    pub kind: PassageKind,
    pub asks: bool,
    /// A call that writes to a file.
    pub writes: bool,
}

impl Doc {
    pub fn encode(&self, heads: &mut Vec<u8>, records: &mut Vec<u8>) {
        for length in self.lengths {
            heads.extend_from_slice(&length.to_le_bytes());
        }
        heads.push(self.kind as u8);
        heads.push((ASKS * u8::from(self.asks)) | (WRITES * u8::from(self.writes)));
        heads.extend_from_slice(&(self.episode.0 as u32).to_le_bytes());
        heads.extend_from_slice(&self.turn.to_le_bytes());

        records.extend_from_slice(self.chunk.as_bytes());
        records.extend_from_slice(&self.project.to_le_bytes());
        records.extend_from_slice(&self.session.to_le_bytes());
        records.extend_from_slice(&self.time.map_or(NO_TIME, |time| time.0).to_le_bytes());
        records.extend_from_slice(&self.previous.unwrap_or(NO_DOC).to_le_bytes());
        records.extend_from_slice(&self.parts.0.to_le_bytes());
        records.extend_from_slice(&self.parts.1.to_le_bytes());
    }
}

/// The records, up to the last valid one.
#[derive(Clone)]
pub struct Docs {
    heads: Bytes,
    records: Bytes,
    count: DocNum,
}

impl Docs {
    pub fn empty() -> Self {
        let nothing = || Bytes::Owned(Default::default());
        Docs { heads: nothing(), records: nothing(), count: 0 }
    }

    pub fn new(name: &str, heads: Bytes, records: Bytes, count: DocNum) -> Result<Self, IndexDamage> {
        if heads.len() < count as usize * HEAD || records.len() < count as usize * RECORD {
            return Err(IndexDamage { file: name.to_owned(), reason: "shorter than it was" });
        }
        Ok(Docs { heads, records, count })
    }

    pub fn count(&self) -> DocNum {
        self.count
    }

    pub fn get(&self, doc: DocNum) -> Option<Doc> {
        let head = self.head(doc)?;
        let record = self.records.get(doc as usize * RECORD..)?.get(..RECORD)?;
        let time = u64_at(record, 32) as i64;
        let previous = u32_at(record, 40);
        Some(Doc {
            chunk: ChunkId(Digest::from_slice(&record[..16])?),
            project: u64_at(record, 16),
            session: u64_at(record, 24),
            time: (time != NO_TIME).then_some(Timestamp(time)),
            episode: EpisodeNum(u32_at(head, 12).into()),
            turn: u32_at(head, 16),
            previous: (previous != NO_DOC).then_some(previous),
            parts: (u16_at(record, 44), u16_at(record, 46)),
            lengths: std::array::from_fn(|field| u16_at(head, 2 * field)),
            kind: *PassageKind::ALL.get(usize::from(head[10])).unwrap_or(&PassageKind::Note),
            asks: head[11] & ASKS != 0,
            writes: head[11] & WRITES != 0,
        })
    }

    /// Terms per field.
    pub fn lengths(&self, doc: DocNum) -> [u16; FIELDS] {
        let lengths = |head: &[u8; HEAD]| std::array::from_fn(|field| u16_at(head, 2 * field));
        self.head(doc).map_or([0; FIELDS], lengths)
    }

    /// Episode and turn.
    pub fn turn(&self, doc: DocNum) -> (u32, u32) {
        self.head(doc).map_or((0, 0), |head| (u32_at(head, 12), u32_at(head, 16)))
    }

    pub fn session(&self, doc: DocNum) -> u64 {
        let known = (doc < self.count).then(|| self.records.get(doc as usize * RECORD..)?.get(..RECORD)).flatten();
        known.map_or(0, |record| u64_at(record, 24))
    }

    pub fn is_call(&self, doc: DocNum) -> bool {
        self.head(doc).is_some_and(|head| head[10] == PassageKind::Call as u8)
    }

    pub fn writes(&self, doc: DocNum) -> bool {
        self.head(doc).is_some_and(|head| head[11] & WRITES != 0)
    }

    pub fn is_prose(&self, doc: DocNum) -> bool {
        self.head(doc).is_some_and(|head| head[10] <= PassageKind::Assistant as u8)
    }

    fn head(&self, doc: DocNum) -> Option<&[u8; HEAD]> {
        if doc >= self.count {
            return None;
        }
        self.heads.get(doc as usize * HEAD..)?.first_chunk()
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
