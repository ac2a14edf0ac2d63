//! Are the views complete and undamaged? Checks that every stage has processed every episode, and
//! that the index files are unchanged.

use crate::derive::{STAGES, Stage};
use crate::model::Timestamp;
use crate::store::{DeriveLock, Gap, StoreError};

use super::{Memory, MemoryError, lock_path};

/// The interval of full checks of the views, which queries start.
const CHECK_INTERVAL_MS: i64 = 24 * 60 * 60 * 1000;

/// Damage found in the views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// Damage of the views' file, found by its checksums or by SQLite.
    pub views: Option<String>,
    pub gaps: Vec<Gap>,
    /// Damaged index files, each with the damage.
    pub files: Vec<String>,
}

impl Flaws {
    fn of_views(damage: String) -> Self {
        Flaws { views: Some(damage), ..Flaws::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.views.is_none() && self.gaps.is_empty() && self.files.is_empty()
    }

    /// One line for each stage with gaps and for each damaged file.
    pub fn lines(&self) -> Vec<String> {
        let of_stage = |stage: &Stage| {
            let gaps: Vec<&Gap> = self.gaps.iter().filter(|gap| gap.stage == stage.name).collect();
            let mut episodes: Vec<_> = gaps.iter().map(|gap| gap.episode).collect();
            episodes.dedup();
            let runs = match episodes.len() {
                0 => return None,
                1 => "1 run".to_owned(),
                several => format!("{several} runs"),
            };
            Some(format!("{}: rows are missing for {runs}", stage.name))
        };
        let views = self.views.iter().map(|damage| format!("views: {damage}"));
        let files = self.files.iter().map(|file| format!("index: {file}"));
        views.chain(STAGES.iter().filter_map(of_stage)).chain(files).collect()
    }

    /// The first stage that must be folded again; none means all.
    fn first_stage(&self) -> Option<Stage> {
        let has_gap = |stage: &Stage| self.gaps.iter().any(|gap| gap.stage == stage.name);
        let index = STAGES.last().copied().filter(|_| !self.files.is_empty());
        STAGES.into_iter().find(has_gap).or(index).filter(|_| self.views.is_none())
    }
}

impl Memory {
    /// Checks all views: counts rows and reads the index files.
    pub fn flaws(&self) -> Result<Flaws, MemoryError> {
        let snapshot = self.views.snapshot()?;
        let view = snapshot.read();
        let files = view.damaged_files()?.into_iter().map(|damage| damage.to_string()).collect();
        let views = match self.views.damaged_pages()?.as_slice() {
            [] => None,
            [page, ..] => Some(format!("page {page} of views/memory.sqlite is not what was written")),
        };
        Ok(Flaws { views, gaps: view.gaps()?, files })
    }

    /// Checks all views if the last check is a day old, and folds again what is damaged. It is
    /// postponed while another process derives, or if the home is read-only.
    pub fn check_daily(&mut self, now: Timestamp) -> Result<Flaws, MemoryError> {
        let is_due = match self.views.read().checked_at() {
            Err(StoreError::Damaged(_)) => true,
            at => at?.is_none_or(|at| (now.0 - at.0).abs() >= CHECK_INTERVAL_MS),
        };
        if !is_due {
            return Ok(Flaws::default());
        }
        let Some(lock) = self.derive_lock()? else { return Ok(Flaws::default()) };
        let flaws = self.found_flaws()?;
        self.mend_flaws(&flaws, now)?;
        drop(lock);
        Ok(flaws)
    }

    /// Checks all views and every page of their file, folds again what is damaged, and returns
    /// it. Waits for the derive lock.
    pub fn repair(&mut self, now: Timestamp) -> Result<Flaws, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let flaws = match self.views.integrity() {
            Err(StoreError::Damaged(damage)) => Flaws::of_views(damage.to_string()),
            fault => match fault? {
                Some(fault) => Flaws::of_views(fault),
                None => self.found_flaws()?,
            },
        };
        self.mend_flaws(&flaws, now)?;
        Ok(flaws)
    }

    /// Views too damaged to be counted are a flaw, not an error.
    fn found_flaws(&self) -> Result<Flaws, MemoryError> {
        match self.flaws() {
            Err(MemoryError::Store(StoreError::Damaged(damage))) => Ok(Flaws::of_views(damage.to_string())),
            flaws => flaws,
        }
    }

    /// Under the derive lock.
    fn mend_flaws(&mut self, flaws: &Flaws, now: Timestamp) -> Result<(), MemoryError> {
        if !flaws.is_empty() {
            let clustered = self.has_clusters();
            self.rebuild_views(flaws.first_stage(), &mut |_| {})?;
            self.restore_clusters(clustered)?;
        }
        if flaws.views.is_some() {
            // The damaged page may be unused now.
            self.views.drop_page_sums()?;
        }
        self.views.complete_page_sums()?;
        let mut tx = self.views.begin()?;
        tx.set_checked_at(now)?;
        Ok(tx.commit()?)
    }
}
