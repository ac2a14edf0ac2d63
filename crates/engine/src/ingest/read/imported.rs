//! Feeds what another memory kept to the log, session by session.

use crate::model::{ProblemKind, SourceKind};
use crate::store::{CausanticError, SQLITE_MAGIC};

use super::super::causantic::{Input, InputError};
use super::super::reading::Fate;
use super::*;

const HAS_ORIGINAL: Fate = Fate::Dropped("the memory has the session itself");

impl FileReading<'_> {
    pub(super) fn read_causantic(
        mut self,
        opened: Opened<'_>,
        task: &FileTask,
        password: Option<&str>,
        report: &mut Report,
    ) -> Result<FileOutcome, ReadError> {
        let input = match (opened.head.starts_with(SQLITE_MAGIC), &opened.plain) {
            (true, Some(_)) => Input::database(&task.path, self.log.store().folder().as_deref()),
            (true, None) => Err(InputError::Packed),
            (false, _) => Input::archive(&opened.head, opened.input, password, self.name, &mut self.reading),
        };
        let mut input = match input {
            Ok(input) => input,
            Err(error) => return self.refuse(&error, task.named, report),
        };
        report.bytes += self.stamp.map_or(0, |stamp| stamp.size);
        let sessions = input.sessions(self.name, &mut self.reading);
        let edges = input.edges(self.name, &mut self.reading);
        for session in sessions {
            if self.has_original(&session.id)? {
                let tally = self.reading.tally.entry(("chunk".to_owned(), HAS_ORIGINAL)).or_default();
                *tally += session.len();
                report.left_out.insert(session.id);
                continue;
            }
            input.tell(&session, &edges, self.name, &mut self.reading);
            if self.reading.bytes >= FLUSH_BYTES {
                // Only what was read whole counts as read.
                let stamp = self.stamp.take();
                self.flush(0, 0, report)?;
                self.stamp = stamp;
            }
        }
        self.flush(0, 0, report)?;
        Ok(FileOutcome::Read)
    }

    /// Nothing of it can be read, for now: it is looked at again next time.
    fn refuse(mut self, error: &InputError, named: bool, report: &mut Report) -> Result<FileOutcome, ReadError> {
        self.stamp = None;
        let is_other = matches!(error, InputError::Database(CausanticError::OtherProgram));
        if named || !is_other {
            self.reading.problem(self.name, None, ProblemKind::Skipped, error.to_string());
        }
        report.not_sessions += u64::from(is_other);
        self.flush(0, 0, report)?;
        Ok(if is_other { FileOutcome::NotASession } else { FileOutcome::Read })
    }

    fn has_original(&mut self, session: &str) -> Result<bool, ReadError> {
        let episodes = self.log.store().episodes_of_session(SourceKind::ClaudeCode, session);
        Ok(!episodes.map_err(LogError::from)?.is_empty())
    }

    /// Sessions of which the log has an imported copy, and which it does not
    /// have themselves yet.
    pub(super) fn copied_sessions(&mut self, keys: &[EpisodeKey]) -> Result<Vec<EpisodeKey>, ReadError> {
        let mut copied = Vec::new();
        for key in keys.iter().filter(|key| key.source == SourceKind::ClaudeCode) {
            let store = self.log.store();
            if store.episode_num(key.id()).map_err(LogError::from)?.is_none()
                && !store.episodes_of_session(SourceKind::Causantic, &key.session).map_err(LogError::from)?.is_empty()
            {
                copied.push(key.clone());
            }
        }
        Ok(copied)
    }
}
