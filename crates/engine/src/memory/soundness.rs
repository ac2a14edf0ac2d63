//! Are the views whole? Every stage has all of every episode, and the files of the
//! index are what was written.

use crate::derive::{self, STAGES, Stage};
use crate::model::Timestamp;
use crate::store::{DeriveLock, Gap};

use super::{Memory, MemoryError, lock_path};

/// How often whoever asks a question has all of the views checked.
const CHECK_INTERVAL_MS: i64 = 24 * 60 * 60 * 1000;

/// What is wrong with the views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    pub gaps: Vec<Gap>,
    /// Files of the index, each with what is wrong with it.
    pub files: Vec<String>,
}

impl Flaws {
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty() && self.files.is_empty()
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
            Some(format!("{}: not all rows of {runs} are there", stage.name))
        };
        STAGES.iter().filter_map(of_stage).chain(self.files.iter().map(|file| format!("index: {file}"))).collect()
    }

    /// From here on the stages have to be folded again.
    fn first_stage(&self) -> Option<Stage> {
        let has_gap = |stage: &Stage| self.gaps.iter().any(|gap| gap.stage == stage.name);
        let index = STAGES.last().copied().filter(|_| !self.files.is_empty());
        STAGES.into_iter().find(has_gap).or(index)
    }
}

impl Memory {
    /// Looks at all of the views: counts rows, and reads the files of the index.
    pub fn flaws(&self) -> Result<Flaws, MemoryError> {
        let snapshot = self.views.snapshot()?;
        let view = snapshot.read();
        let files = view.damaged_files()?.into_iter().map(|damage| damage.to_string()).collect();
        Ok(Flaws { gaps: view.gaps()?, files })
    }

    /// Looks at all of the views if nobody has for a day, and folds again what is not
    /// whole. Another process that derives, or a home that cannot be written, puts it off.
    pub fn check_daily(&mut self, now: Timestamp) -> Result<Flaws, MemoryError> {
        let is_due = self.views.read().checked_at()?.is_none_or(|at| (now.0 - at.0).abs() >= CHECK_INTERVAL_MS);
        if !is_due {
            return Ok(Flaws::default());
        }
        let Some(lock) = self.derive_lock()? else { return Ok(Flaws::default()) };
        let flaws = self.check_and_mend(now)?;
        drop(lock);
        Ok(flaws)
    }

    /// Looks at all of the views, folds again what is not whole, and returns what was
    /// not. Waits for whoever derives.
    pub fn mend(&mut self, now: Timestamp) -> Result<Flaws, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        self.check_and_mend(now)
    }

    /// Under the derive lock.
    fn check_and_mend(&mut self, now: Timestamp) -> Result<Flaws, MemoryError> {
        let flaws = self.flaws()?;
        if let Some(stage) = flaws.first_stage() {
            let clustered = self.has_clusters();
            derive::reset(&mut self.views, stage)?;
            derive::refresh(&mut self.log, &mut self.views, self.vectors, &mut |_| {})?;
            self.restore_clusters(clustered)?;
        }
        let mut tx = self.views.begin()?;
        tx.set_checked_at(now)?;
        tx.commit()?;
        Ok(flaws)
    }
}
