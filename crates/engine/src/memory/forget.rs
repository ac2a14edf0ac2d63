//! How is text forgotten for good, even if a forget is interrupted?
//!
//! A marker is written first and removed last. Each step may be repeated, so the next process
//! that opens the memory, refreshes it or forgets finds the marker and finishes.

use std::fs;
use std::io;
use std::path::Path;

use crate::derive;
use crate::derive::index::embedded_texts;
use crate::log::{ForgetPlan, Forgotten, Selector, Subject, Subjects};
use crate::model::{EventId, EvidenceKind, Timestamp};
use crate::retrieve::{Loops, loops};
use crate::store::{CardFilter, DeriveLock, Memo, Scrubbed, StoreError, UnfinishedForget};

use super::{Memory, MemoryError, lock_path, memo_path};

/// The notice about a finished forget.
const FINISHED: &str = "a forget that was cut off is finished now";
const UNREADABLE: &str =
    "the list of an interrupted forget is unreadable, so it cannot be finished: run `backstory log forget` again";
const UNDER_WAY: &str = "another process is forgetting: until it is done, answers are incomplete";

/// Files beside the log and the views that may contain words of a session, a question or a path.
/// All may be deleted at any time.
const BESIDE: [&str; 5] = ["hooks.log", "hooks", "views/code", "views/roots", "views/next"];

/// The step that was just done; a test checks the files after each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetStep {
    Marked,
    ViewsEmptied,
    MemoMarked,
    Blanked,
    Scrubbed,
    RemovedBeside,
    Noted,
    Derived,
    MemoTrimmed,
    Checkpointed,
    Done,
}

impl Memory {
    /// Finds what would be removed. Changes nothing.
    pub fn plan_forget(&mut self, selector: &Selector) -> Result<ForgetPlan, MemoryError> {
        let subjects = self.subjects(selector)?;
        Ok(self.log.plan_forget(selector, subjects)?)
    }

    /// Removes what was planned, everywhere. If it is interrupted, the next process that opens
    /// the memory finishes it.
    pub fn forget(&mut self, plan: &ForgetPlan, now: Timestamp) -> Result<Forgotten, MemoryError> {
        self.forget_in_steps(plan, now, &mut |_| {})
    }

    /// The same; calls `step` after each step.
    pub fn forget_in_steps(
        &mut self,
        plan: &ForgetPlan,
        now: Timestamp,
        step: &mut dyn FnMut(ForgetStep),
    ) -> Result<Forgotten, MemoryError> {
        if self.is_read_only() {
            return Err(StoreError::ReadOnly.into());
        }
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        // Finish an earlier forget first: its marker would be overwritten.
        if let Some(earlier) = UnfinishedForget::read(&self.home)? {
            self.finish(&earlier, &mut |_| {})?;
        }
        let mut marker = plan.marker(now);
        marker.clustered = self.has_clusters();
        marker.write(&self.home)?;
        step(ForgetStep::Marked);
        self.finish(&marker, step).map_err(|error| StoreError::Unforgotten(error.to_string()).into())
    }

    /// Finishes an interrupted forget, unless another process is doing it.
    pub(super) fn finish_forgetting(&mut self) -> Result<(), MemoryError> {
        if !UnfinishedForget::is_in(&self.home) {
            return Ok(());
        }
        let Some(_lock) = self.derive_lock()? else {
            let told =
                if self.is_read_only() { unfinished("nothing can be written here") } else { UNDER_WAY.to_owned() };
            self.notice = Some(told);
            return Ok(());
        };
        self.finish_under_lock()
    }

    pub(super) fn finish_under_lock(&mut self) -> Result<(), MemoryError> {
        // Another process may have finished it.
        let Some(marker) = UnfinishedForget::read(&self.home)? else { return Ok(()) };
        match self.finish(&marker, &mut |_| {}) {
            Ok(_) if marker.is_unreadable() => {}
            Ok(_) => self.notice = Some(FINISHED.to_owned()),
            Err(error) => return Err(StoreError::Unforgotten(error.to_string()).into()),
        }
        Ok(())
    }

    /// The views are emptied first and the marker is removed last. No step depends on how far an
    /// earlier attempt came.
    fn finish(
        &mut self,
        marker: &UnfinishedForget,
        step: &mut dyn FnMut(ForgetStep),
    ) -> Result<Forgotten, MemoryError> {
        let memo_path = memo_path(&self.home);
        let memo = if memo_path.exists() { Some(Memo::open(&memo_path)?) } else { None };
        self.empty_views()?;
        self.views.scrub()?;
        self.views.remove_unused_files()?;
        step(ForgetStep::ViewsEmptied);
        // The next process that finds this mark empties the memo, so it comes after the steps
        // that may fail.
        memo.as_ref().map(Memo::begin_forgetting).transpose()?;
        step(ForgetStep::MemoMarked);
        let scrubbed = self.blank(marker, step)?;
        remove_beside(&self.home)?;
        step(ForgetStep::RemovedBeside);
        if !marker.is_unreadable() {
            self.log.note_forgotten(marker)?;
        }
        step(ForgetStep::Noted);
        derive::refresh(&mut self.log, &mut self.views, self.vectors, &mut |_| {})?;
        self.views.remove_unused_files()?;
        step(ForgetStep::Derived);
        if let Some(memo) = memo {
            memo.end_forgetting(&embedded_texts(self.views.read())?)?;
        }
        step(ForgetStep::MemoTrimmed);
        self.restore_clusters(marker.clustered)?;
        self.views.checkpoint_wal_or_fail()?;
        step(ForgetStep::Checkpointed);
        // The pages are scrubbed, but the list of what to blank is lost.
        if marker.is_unreadable() {
            self.notice = Some(UNREADABLE.to_owned());
        }
        UnfinishedForget::remove(&self.home)?;
        step(ForgetStep::Done);
        Ok(Forgotten { events: marker.events(), artifacts: marker.artifacts(), scrubbed })
    }

    fn blank(&mut self, marker: &UnfinishedForget, step: &mut dyn FnMut(ForgetStep)) -> Result<Scrubbed, MemoryError> {
        self.log.blank(marker)?;
        step(ForgetStep::Blanked);
        let scrubbed = self.log.scrub()?;
        step(ForgetStep::Scrubbed);
        Ok(scrubbed)
    }

    /// The subjects of cards and open loops, if the selector names a project or a session.
    fn subjects(&mut self, selector: &Selector) -> Result<Subjects, MemoryError> {
        let mut subjects = Subjects::default();
        if selector.project.is_none() && selector.session.is_none() {
            return Ok(subjects);
        }
        for row in self.views.read().cards(&CardFilter::default())? {
            let mut subject = Subject::default();
            subject.projects.extend(row.card.scope.project());
            let events = row.card.evidence.iter().filter(|evidence| evidence.kind != EvidenceKind::DocSpan);
            for evidence in events {
                subject.sessions.extend(self.log.session_of(EventId(evidence.id))?);
            }
            subjects.cards.insert(row.card.id, subject);
        }
        let question = Loops { closed: true, ..Loops::default() };
        for open in loops(&mut self.log, &self.views, &question)? {
            let subject = Subject { projects: [open.project.id].into(), sessions: [open.session].into() };
            subjects.loops.insert(open.id, subject);
        }
        Ok(subjects)
    }
}

fn unfinished(why: &str) -> String {
    StoreError::Unforgotten(why.to_owned()).to_string()
}

fn remove_beside(home: &Path) -> Result<(), StoreError> {
    for name in BESIDE {
        remove(&home.join(name))?;
    }
    // A running import needs its copy, and removes it.
    if let Ok(Some(_lock)) = DeriveLock::try_take(&home.join("import.lock")) {
        remove(&home.join("import"))?;
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), StoreError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(StoreError::Io { file: path.to_owned(), source }),
        Ok(()) => Ok(()),
    }
}
