//! Writes a file's reading to the log in one batch, with the cursor.

use std::io::{self, Seek, SeekFrom};

use crate::log::{Batch, Bookkeeping, EpisodeSlot, Log, LogError};
use crate::model::{EpisodeKey, SourceKind, digest_of};
use crate::store::Cursor;

use super::super::cursor::{self, FileStamp};
use super::super::format::Format;
use super::super::project::{Projects, SessionPlace};
use super::super::reading::{Reading, ReadingSlot};
use super::open::{Checkpoint, Medium};
use super::origin::host_folder;
use super::{IngestReport, ReadError};

/// How much of the file counts as read after an append.
pub enum ReadProgress {
    /// Up to here; more follows.
    Part(Checkpoint),
    /// All of it, so far.
    End(Checkpoint),
    /// None: the file is examined again next time.
    Nothing,
}

/// Appends the readings of one file to the log.
pub struct FileAppender<'a> {
    pub log: &'a mut Log,
    pub projects: &'a mut Projects,
    pub report: &'a mut IngestReport,
    pub cursors: CursorMaker<'a>,
    /// The working folder for records that name none.
    pub folder: String,
    /// The first append of a reading from the start: earlier problems of the file are void.
    pub is_from_start: bool,
}

impl<'a> FileAppender<'a> {
    pub fn in_folder(self, folder: String) -> Self {
        FileAppender { folder, ..self }
    }

    pub fn name(&self) -> &'a str {
        self.cursors.name
    }

    pub fn append(&mut self, mut reading: Reading, progress: ReadProgress) -> Result<(), ReadError> {
        let mut batch = Batch::default();
        batch.artifacts = std::mem::take(&mut reading.artifacts);
        let slots = self.add_episodes(&reading, &mut batch);
        for (slot, event) in reading.events {
            batch.push(slots[slot.0], event);
        }
        let keys: Vec<EpisodeKey> = reading.episodes.into_iter().map(|(key, _)| key).collect();
        self.report.episodes.extend(keys.iter().map(EpisodeKey::id));
        let copied = self.copied_sessions(keys)?;
        let bookkeeping = Bookkeeping {
            cursor: self.cursors.after(progress)?,
            clear_problems_of: std::mem::take(&mut self.is_from_start).then(|| self.name().to_owned()),
            problems: reading.problems,
        };
        self.report.appended.add(self.log.append(batch, &bookkeeping)?);
        self.report.problems.extend(bookkeeping.problems);
        for (key, count) in reading.tally {
            *self.report.tally.entry(key).or_default() += count;
        }
        self.note_replaced(copied)
    }

    /// Adds each episode of the reading with its project; returns their slots in the batch.
    fn add_episodes(&mut self, reading: &Reading, batch: &mut Batch) -> Vec<EpisodeSlot> {
        let mut slots = Vec::with_capacity(reading.episodes.len());
        let origin = host_folder(self.name());
        for (at, (key, folder)) in reading.episodes.iter().enumerate() {
            let folder = folder.as_ref().unwrap_or(&self.folder).clone();
            let recorded = reading.recorded.get(&ReadingSlot(at)).cloned().unwrap_or_default();
            let project = self.projects.of_session(&SessionPlace { folder, recorded, origin: origin.clone() });
            slots.push(batch.episode(key, project.id));
            if !batch.projects.contains(&project) {
                batch.projects.push(project);
            }
        }
        batch.sightings = self.projects.take_sightings();
        slots
    }

    /// Sessions that the log has only as imported copies.
    fn copied_sessions(&mut self, keys: Vec<EpisodeKey>) -> Result<Vec<EpisodeKey>, ReadError> {
        let mut copied = Vec::new();
        for key in keys.into_iter().filter(|key| key.source == SourceKind::ClaudeCode) {
            let store = self.log.store();
            if store.episode_num(key.id()).map_err(LogError::from)?.is_none()
                && !store.episodes_of_session(SourceKind::Causantic, &key.session).map_err(LogError::from)?.is_empty()
            {
                copied.push(key);
            }
        }
        Ok(copied)
    }

    /// Notes the copies that are replaced because the log now has the sessions themselves.
    fn note_replaced(&mut self, copied: Vec<EpisodeKey>) -> Result<(), ReadError> {
        for key in copied {
            if self.log.store().episode_num(key.id()).map_err(LogError::from)?.is_some() {
                self.report.replaced.insert(key.session);
            }
        }
        Ok(())
    }
}

/// What a file's cursor is made from.
pub struct CursorMaker<'a> {
    name: &'a str,
    format: Format,
    medium: Medium,
}

impl<'a> CursorMaker<'a> {
    pub fn new(name: &'a str, format: Format, medium: Medium) -> Self {
        CursorMaker { name, format, medium }
    }

    /// Can the next reading continue where this one stopped?
    pub fn is_resumable(&self) -> bool {
        matches!(self.medium, Medium::Plain(..)) && self.format.can_resume()
    }

    #[cfg(feature = "causantic")]
    pub fn is_plain(&self) -> bool {
        matches!(self.medium, Medium::Plain(..))
    }

    pub fn stamp(&self) -> Option<FileStamp> {
        self.medium.stamp()
    }

    fn after(&mut self, progress: ReadProgress) -> io::Result<Option<Cursor>> {
        let Some(stamp) = self.stamp() else { return Ok(None) };
        match progress {
            ReadProgress::Nothing => Ok(None),
            ReadProgress::End(checkpoint) => self.cursor(checkpoint, stamp).map(Some),
            // The cursor counts only the bytes that were read: with the size of the whole file it
            // would look finished if this process ended here.
            ReadProgress::Part(checkpoint) if self.is_resumable() => {
                let stamp = FileStamp { size: checkpoint.offset, ..stamp };
                self.cursor(checkpoint, stamp).map(Some)
            }
            ReadProgress::Part(_) => Ok(None),
        }
    }

    fn cursor(&mut self, checkpoint: Checkpoint, stamp: FileStamp) -> io::Result<Cursor> {
        let at = if self.is_resumable() { checkpoint } else { Checkpoint::default() };
        let check = match &mut self.medium {
            Medium::Plain(file, _) => {
                // The reader shares the file's position: leave it as it was.
                let here = file.stream_position()?;
                let check = cursor::prefix_check(file, at.offset)?;
                file.seek(SeekFrom::Start(here))?;
                check
            }
            Medium::Whole(_) | Medium::Stream => digest_of("prefix", &[]),
        };
        Ok(Cursor {
            path: self.name.to_owned(),
            format: self.format.name().to_owned(),
            size: stamp.size,
            mtime_ns: stamp.mtime_ns,
            offset: at.offset,
            line: at.line,
            check,
            state: at.state,
        })
    }
}
