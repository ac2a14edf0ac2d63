//! Which sessions did Causantic keep, and what are their chunks?

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::model::{ProblemKind, Timestamp};
use crate::store::{CausanticChunk, CausanticDb, CausanticEdge, CausanticError};

use super::super::reading::{Reading, RecordFate};
use super::archive::Archive;
use super::detect::{is_archive, is_encrypted};
use super::{encrypted, events, runs};

/// The newest schema that was checked; Causantic is no longer developed.
const NEWEST_SCHEMA: i64 = 16;
const EMPTY: RecordFate = RecordFate::Dropped("nothing in it");
const REPEATED: RecordFate = RecordFate::Dropped("repeats another chunk");

/// Where the chunks come from.
pub enum ImportSource {
    Database(Box<CausanticDb>),
    Archive(Archive),
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Database(#[from] CausanticError),
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("a database inside another file: unpack it and name the database itself")]
    Packed,
    #[error(
        "an encrypted archive: CAUSANTIC_EXPORT_PASSWORD must hold its password; or export again with `npx causantic export --output backup.json --no-encrypt`"
    )]
    NoPassword,
    #[error("the password does not fit, or the archive is damaged")]
    WrongPassword,
    #[error("larger than {} MB", encrypted::LARGEST_ENCRYPTED_ARCHIVE >> 20)]
    TooLarge,
    #[error(
        "neither a database nor an archive of Causantic; if its database is encrypted, export it with `npx causantic export --output backup.json --no-encrypt` and read that"
    )]
    Unknown,
}

/// A session with the places of its chunks.
pub struct ImportedSession {
    pub id: String,
    chunks: Vec<i64>,
}

impl ImportedSession {
    pub fn len(&self) -> u64 {
        self.chunks.len() as u64
    }
}

impl ImportSource {
    pub fn database(path: &Path, scratch: Option<&Path>) -> Result<Self, ImportError> {
        Ok(ImportSource::Database(Box::new(CausanticDb::open(path, scratch)?)))
    }

    /// An archive, plain or encrypted; `head` is what it begins with.
    pub fn archive(
        head: &[u8],
        mut input: Box<dyn BufRead + '_>,
        password: Option<&str>,
        file: &str,
        out: &mut Reading,
    ) -> Result<Self, ImportError> {
        if is_encrypted(head) {
            let plain = encrypted::open(&mut input, password)?;
            return Ok(ImportSource::Archive(Archive::read(plain, file, out)));
        }
        if !is_archive(head) {
            return Err(ImportError::Unknown);
        }
        Ok(ImportSource::Archive(Archive::read(input, file, out)))
    }

    /// The sessions, ordered by start. A newer schema or unreadable chunks become problems.
    pub fn sessions(&self, file: &str, out: &mut Reading) -> Vec<ImportedSession> {
        let mut sessions = SessionList::default();
        match self {
            ImportSource::Database(db) => {
                if let Some(newer) = db.version().filter(|version| *version > NEWEST_SCHEMA) {
                    let reason = format!("schema {newer} is newer than {NEWEST_SCHEMA}: read as far as it is known");
                    out.problem(file, None, ProblemKind::Repaired, reason);
                }
                let (keys, error) = db.keys();
                if let Some(error) = error {
                    let reason = format!("some chunks cannot be read: {error}");
                    out.problem(file, None, ProblemKind::Skipped, reason);
                }
                for key in keys {
                    sessions.add(key.row, &key.session, &key.id, &key.started);
                }
            }
            ImportSource::Archive(archive) => {
                for (place, chunk) in archive.chunks.iter().enumerate() {
                    sessions.add(place as i64, &chunk.session, &chunk.id, &chunk.started);
                }
            }
        }
        sessions.in_order()
    }

    /// Edges within sessions; without them sub-agents cannot be distinguished.
    pub fn edges(&mut self, file: &str, out: &mut Reading) -> RunEdges {
        let edges = match self {
            ImportSource::Database(db) => db.edges().unwrap_or_else(|error| {
                let reason = format!("its edges {error}: runs of sub-agents stand in the session itself");
                out.problem(file, None, ProblemKind::Repaired, reason);
                Vec::new()
            }),
            ImportSource::Archive(archive) => std::mem::take(&mut archive.edges),
        };
        RunEdges::new(edges)
    }

    /// Reads the chunks of a session and adds its events.
    pub fn read_session(&mut self, session: &ImportedSession, edges: &RunEdges, file: &str, out: &mut Reading) {
        let mut chunks = Vec::new();
        let mut seen = HashSet::new();
        for (order, place) in session.chunks.iter().enumerate() {
            match self.chunk(*place) {
                Ok(Some(chunk)) => {
                    let what = (chunk.agent.clone(), chunk.turns.clone(), chunk.started.clone());
                    if seen.insert((what, *blake3::hash(chunk.content.as_bytes()).as_bytes())) {
                        out.tally("chunk", RecordFate::Kept);
                        chunks.push(ImportedChunk::new(chunk, order));
                    } else {
                        out.tally("chunk", REPEATED);
                    }
                }
                Ok(None) => out.tally("chunk", EMPTY),
                Err(error) => {
                    let reason = format!("chunk {place} {error}");
                    out.problem(file, None, ProblemKind::Skipped, reason);
                }
            }
        }
        let runs = runs::separate(chunks, edges);
        events::add_events(&session.id, &runs, out);
    }

    fn chunk(&mut self, place: i64) -> Result<Option<CausanticChunk>, CausanticError> {
        match self {
            ImportSource::Database(db) => db.chunk(place),
            ImportSource::Archive(archive) => {
                let chunk = usize::try_from(place).ok().and_then(|place| archive.chunks.get_mut(place));
                Ok(chunk.map(std::mem::take).filter(|chunk| !chunk.content.is_empty()))
            }
        }
    }
}

/// A chunk with its fields understood.
#[derive(Debug)]
pub struct ImportedChunk {
    pub id: String,
    pub project: String,
    pub turns: Vec<i64>,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub content: String,
    pub agent: Option<String>,
    pub team: Option<String>,
    pub order: usize,
}

/// The names of the session's main agent.
const MAIN: [&str; 4] = ["", "ui", "main", "human"];

impl ImportedChunk {
    fn new(chunk: CausanticChunk, order: usize) -> Self {
        ImportedChunk {
            project: project(&chunk),
            id: chunk.id,
            turns: serde_json::from_str(&chunk.turns).unwrap_or_default(),
            started: Timestamp::parse(&chunk.started),
            ended: Timestamp::parse(&chunk.ended),
            content: chunk.content,
            agent: Some(chunk.agent).filter(|agent| !MAIN.contains(&agent.as_str())),
            team: Some(chunk.team).filter(|team| !team.is_empty()),
            order,
        }
    }
}

/// The working folder. If only a project name was kept, that name with a prefix that no folder has.
fn project(chunk: &CausanticChunk) -> String {
    match (chunk.path.trim(), chunk.slug.trim()) {
        ("", "") => "causantic:(unnamed)".to_owned(),
        ("", slug) => format!("causantic:{slug}"),
        (path, _) => path.to_owned(),
    }
}

/// Older archives do not name the session; chunk ids begin with it.
fn session_of(session: &str, chunk: &str) -> String {
    if !session.is_empty() {
        return session.to_owned();
    }
    let before = chunk.split_once("-chunk-").map(|(session, _)| session);
    let hashed = || {
        let (session, hash) = chunk.rsplit_once('-')?;
        (hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(session)
    };
    before.or_else(hashed).filter(|session| !session.is_empty()).unwrap_or("(unknown)").to_owned()
}

#[derive(Default)]
struct SessionList {
    list: Vec<(Option<Timestamp>, ImportedSession)>,
    known: HashMap<String, usize>,
}

impl SessionList {
    fn add(&mut self, place: i64, session: &str, chunk: &str, started: &str) {
        let id = session_of(session, chunk);
        let started = Timestamp::parse(started);
        let at = *self.known.entry(id.clone()).or_insert_with(|| {
            self.list.push((None, ImportedSession { id, chunks: Vec::new() }));
            self.list.len() - 1
        });
        let (first, session) = &mut self.list[at];
        *first = [*first, started].into_iter().flatten().min();
        session.chunks.push(place);
    }

    fn in_order(mut self) -> Vec<ImportedSession> {
        self.list.sort_by(|(a, one), (b, other)| (a, &one.id).cmp(&(b, &other.id)));
        self.list.into_iter().map(|(_, session)| session).collect()
    }
}

/// Which chunks the edges connect.
#[derive(Default)]
pub struct RunEdges {
    /// Maps a sub-agent's first chunk to the chunk that started it.
    pub briefs: HashMap<String, String>,
    /// Maps a chunk to the chunks that follow it in the same run.
    pub next: HashMap<String, Vec<String>>,
}

impl RunEdges {
    fn new(edges: Vec<CausanticEdge>) -> Self {
        let mut sorted = RunEdges::default();
        for edge in edges {
            match edge.kind.as_str() {
                "brief" => drop(sorted.briefs.insert(edge.target, edge.source)),
                _ => sorted.next.entry(edge.source).or_default().push(edge.target),
            }
        }
        sorted
    }
}

/// Everything up to a limit; `None` when there is more.
pub fn read_all(input: &mut dyn Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests;
