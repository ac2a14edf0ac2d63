//! How is the log exported and imported? One record per line; an import never overwrites anything.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};

use flate2::bufread::MultiGzDecoder;

use crate::model::{Episode, EpisodeId, EventId, EventKind, Meta, Problem, ProblemKind, Project, Timestamp};
use crate::store::{EncodedEvent, EventRow, UnreadableRow, payload_bytes, payload_hash};
use backstory_files::{Limited, LineEnd, Lines};

use super::clean::{clean_episode, clean_event, clean_project};
use super::{Appended, Log, LogError};

const FORMAT: u32 = 1;
/// Rows per transaction: enough to be fast, few enough that other writers need not wait long.
const IMPORT_BATCH: usize = 5_000;
/// Bytes of lines per transaction: limits the memory.
const IMPORT_BYTES: usize = 16 << 20;
/// The longest line: a large event whose characters are mostly escaped.
const LONGEST_LINE: usize = 256 << 20;
/// A packed file does not state its size.
const LARGEST_UNPACKED_EXPORT: u64 = 64 << 30;
/// At most this many problems are listed; the rest is counted.
const MOST_PROBLEMS: u64 = 1_000;
/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Log {
        format: u32,
    },
    Project(Project),
    Episode(Episode),
    Event(Box<EventLine>),
    Artifact {
        path: String,
        text: String,
    },
    /// A placeholder for a record that could not be read. The export lacks its content.
    Unreadable(UnreadableLine),
}

/// The known facts about an unreadable record.
#[derive(serde::Serialize, serde::Deserialize)]
struct UnreadableLine {
    /// The position of an event; none for a stored file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    episode: Option<EpisodeId>,
    reason: String,
}

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub events: u64,
    /// Unreadable rows and stored files, which are only named.
    pub unreadable: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct EventLine {
    id: EventId,
    episode: EpisodeId,
    seq: u32,
    kind: EventKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// Absent when the event was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
    hash: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub appended: Appended,
    /// At most 1,000, and one that counts the rest.
    pub problems: Vec<Problem>,
}

/// The problems of an import, counted beyond [`MOST_PROBLEMS`].
#[derive(Default)]
struct Problems {
    listed: Vec<Problem>,
    count: u64,
}

impl Problems {
    fn push(&mut self, problem: Problem) {
        self.count += 1;
        // The first problem above the limit stands for the rest.
        if self.count <= MOST_PROBLEMS + 1 {
            self.listed.push(problem);
        }
    }

    fn into_list(mut self) -> Vec<Problem> {
        if self.count > MOST_PROBLEMS
            && let Some(last) = self.listed.last_mut()
        {
            let more = self.count - MOST_PROBLEMS;
            let (noun, from) = if more == 1 { ("line", "") } else { ("lines", ", from this one on") };
            last.reason = format!("{more} more {noun} that cannot be read{from}");
        }
        self.listed
    }
}

impl Log {
    /// Writes the whole log as JSON lines. Unreadable records are named in their place.
    pub fn export(&mut self, out: &mut dyn Write) -> Result<Exported, LogError> {
        let mut exported = Exported::default();
        write_line(out, &Line::Log { format: FORMAT })?;
        for row in self.store.projects()? {
            write_line(out, &Line::Project(row.project))?;
        }
        for (_, episode) in self.store.stored_episodes()? {
            write_line(out, &Line::Episode(episode))?;
        }
        for artifact in self.store.artifacts()? {
            if let Some(reason) = artifact.unreadable {
                exported.unreadable += 1;
                let id = Some(artifact.id.to_string());
                write_line(out, &Line::Unreadable(UnreadableLine { row: None, id, episode: None, reason }))?;
            } else if let Some(text) = artifact.text {
                write_line(out, &Line::Artifact { path: artifact.path, text })?;
            }
        }
        let mut failed = None;
        self.store.scan_rows(|row| {
            let line = line_of(row);
            match line {
                Line::Unreadable(_) => exported.unreadable += 1,
                _ => exported.events += 1,
            }
            failed = write_line(out, &line).err();
            failed.is_none()
        })?;
        failed.map_or(Ok(exported), Err)
    }

    /// Merges an export into this log. An unreadable line becomes a problem; existing rows do
    /// not change.
    pub fn import(&mut self, name: &str, input: &mut dyn BufRead) -> Result<Imported, LogError> {
        match input.fill_buf()?.starts_with(&GZIP) {
            // One layer only: an export is not packed twice.
            true => {
                let unpacked = BufReader::new(MultiGzDecoder::new(input));
                self.import_plain(name, &mut Limited::new(unpacked, LARGEST_UNPACKED_EXPORT))
            }
            false => self.import_plain(name, input),
        }
    }

    fn import_plain(&mut self, name: &str, input: &mut dyn BufRead) -> Result<Imported, LogError> {
        if !begins_like_an_export(input.fill_buf()?) {
            return Err(LogError::Import { line: 1, reason: "this is no export of Backstory".to_owned() });
        }
        let (mut appended, mut problems) = (Appended::default(), Problems::default());
        let mut known = Known { episodes: HashMap::new() };
        let (mut pending, mut pending_bytes) = (Vec::new(), 0);
        let mut raw = Vec::new();
        let mut lines = Lines::new(input, 0, LONGEST_LINE);
        for line in 1.. {
            let Some(end) = lines.next(&mut raw)? else { break };
            pending_bytes += raw.len();
            let skip = |reason: String| Problem {
                file: name.to_owned(),
                line: Some(line),
                kind: ProblemKind::Skipped,
                reason,
            };
            if end == LineEnd::TooLong {
                problems.push(skip(format!("a line longer than {} MB", LONGEST_LINE >> 20)));
                continue;
            }
            if raw.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(&raw) {
                // serde's message would quote the line.
                Err(error) => {
                    let reason = format!("not a line of a Backstory export (column {})", error.column());
                    problems.push(skip(reason));
                }
                Ok(Line::Log { format }) if format > FORMAT => {
                    let reason = format!("export format {format} is newer than this version knows ({FORMAT})");
                    return Err(LogError::Import { line, reason });
                }
                Ok(parsed) => match known.accept(parsed) {
                    Ok(Some(record)) => pending.push(record),
                    Ok(None) => {}
                    Err(reason) => problems.push(skip(reason)),
                },
            }
            if pending.len() >= IMPORT_BATCH || pending_bytes >= IMPORT_BYTES {
                pending_bytes = 0;
                self.write_records(&mut pending, &mut appended)?;
            }
        }
        self.write_records(&mut pending, &mut appended)?;
        Ok(Imported { appended, problems: problems.into_list() })
    }

    fn write_records(&mut self, pending: &mut Vec<Record>, appended: &mut Appended) -> Result<(), LogError> {
        let mut redacted = BTreeMap::new();
        let mut ready: Vec<Ready> = pending.drain(..).map(|record| self.prepare(record, &mut redacted)).collect();
        let mut tx = self.store.begin()?;
        for record in &mut ready {
            match record {
                Ready::Project(project) => tx.put_project(project)?,
                Ready::Event(episode, event) => {
                    let num = tx.put_episode(episode)?;
                    if tx.append(num, episode, event)? {
                        appended.new += 1;
                    } else {
                        appended.known += 1;
                    }
                }
                Ready::Artifact(id, path, packed) => {
                    tx.put_artifact(*id, path, packed)?;
                }
            }
        }
        tx.commit()?;
        appended.add(Appended { redacted, ..Appended::default() });
        Ok(())
    }

    /// An export is foreign input, so it is redacted like any other.
    fn prepare(&mut self, record: Record, redacted: &mut BTreeMap<&'static str, u64>) -> Ready {
        match record {
            Record::Project(project) => Ready::Project(clean_project(&self.redactor, &project)),
            Record::Artifact(path, text) => {
                let (id, path, packed) = self.encode_artifact(&path, &text);
                Ready::Artifact(id, path, packed)
            }
            Record::Event(event) => {
                let (episode, line) = *event;
                let time = line.time.as_deref().and_then(Timestamp::parse);
                let (packed, hash) = match (line.text, line.meta) {
                    (Some(mut text), Some(mut meta)) => {
                        let bytes = clean_event(&self.redactor, &mut text, &mut meta, redacted);
                        (Some(self.store.pack(&bytes)), payload_hash(&bytes))
                    }
                    _ => (None, line.hash),
                };
                Ready::Event(
                    clean_episode(&self.redactor, episode),
                    EncodedEvent { id: line.id, kind: line.kind, time, packed, hash },
                )
            }
        }
    }
}

fn line_of(row: Result<EventRow, UnreadableRow>) -> Line {
    let row = match row {
        Ok(row) => row,
        Err(lost) => {
            let (row, id) = (Some(lost.pos), lost.id.map(|id| id.to_string()));
            return Line::Unreadable(UnreadableLine { row, id, episode: lost.episode, reason: lost.reason });
        }
    };
    let payload = match row.payload {
        Ok(payload) => payload,
        Err(reason) => {
            let (row, id, episode) = (Some(row.pos), Some(row.encoded.id.to_string()), Some(row.episode));
            return Line::Unreadable(UnreadableLine { row, id, episode, reason });
        }
    };
    let (text, meta) = payload.map(|payload| (payload.text, payload.meta)).unzip();
    Line::Event(Box::new(EventLine {
        id: row.encoded.id,
        episode: row.episode,
        seq: row.seq,
        kind: row.encoded.kind,
        time: row.encoded.time.map(|time| time.to_string()),
        text,
        meta,
        hash: blake3::Hash::from_bytes(row.encoded.hash).to_hex().to_string(),
    }))
}

/// A line that has been checked and knows its episode.
enum Record {
    Project(Project),
    Event(Box<(Episode, CheckedEvent)>),
    Artifact(String, String),
}

enum Ready {
    Project(Project),
    Event(Episode, EncodedEvent),
    Artifact(crate::model::ArtifactId, String, Vec<u8>),
}

struct CheckedEvent {
    id: EventId,
    kind: EventKind,
    time: Option<String>,
    text: Option<String>,
    meta: Option<Meta>,
    hash: [u8; 32],
}

/// The episodes that earlier lines introduced.
struct Known {
    episodes: HashMap<EpisodeId, Episode>,
}

impl Known {
    fn accept(&mut self, line: Line) -> Result<Option<Record>, String> {
        match line {
            Line::Log { .. } => Ok(None),
            Line::Project(project) => Ok(Some(Record::Project(project))),
            Line::Artifact { path, text } => Ok(Some(Record::Artifact(path, text))),
            // Not added as an empty event: reading its session again can restore it.
            Line::Unreadable(lost) => {
                let what = lost.row.map_or_else(|| "a stored file".to_owned(), |row| format!("row {row}"));
                Err(format!("{what} could not be read where this was exported: {}", lost.reason))
            }
            Line::Episode(episode) => {
                self.episodes.insert(episode.id(), episode);
                Ok(None)
            }
            Line::Event(event) => {
                let episode = self
                    .episodes
                    .get(&event.episode)
                    .ok_or_else(|| "its episode is not introduced by a line before it".to_owned())?;
                Ok(Some(Record::Event(Box::new((episode.clone(), check_event(*event)?)))))
            }
        }
    }
}

fn check_event(event: EventLine) -> Result<CheckedEvent, String> {
    let hash = blake3::Hash::from_hex(&event.hash).map_err(|_| "its hash is not a hash".to_owned())?;
    if let (Some(text), Some(meta)) = (&event.text, &event.meta)
        && payload_hash(&payload_bytes(meta, text)) != *hash.as_bytes()
    {
        return Err("its text does not match its hash".to_owned());
    }
    Ok(CheckedEvent {
        id: event.id,
        kind: event.kind,
        time: event.time,
        text: event.text,
        meta: event.meta,
        hash: *hash.as_bytes(),
    })
}

/// Rejects inputs that may be endless without a line break: a device, a sparse file, a file that is
/// packed twice. Damaged lines are still read.
fn begins_like_an_export(start: &[u8]) -> bool {
    !start.starts_with(&[0]) && !start.starts_with(&GZIP)
}

fn write_line(out: &mut dyn Write, line: &Line) -> Result<(), LogError> {
    serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
