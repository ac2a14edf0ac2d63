//! How are views made anew without losing those that are there?
//!
//! The new ones are made in `views/next`. When they are whole they take over in one
//! transaction, so that whoever reads sees the old ones or the new ones, and a rebuild
//! that fails or is killed leaves the old ones as they were.

use std::path::Path;

use crate::derive::{self, Refreshed, STAGES, Stage};
use crate::store::{StoreError, ViewStore, remove_database};

use super::{Memory, MemoryError, SHORT_WAL, views_path};

impl Memory {
    pub(super) fn derive_anew(
        &mut self,
        stage: Option<Stage>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Refreshed, MemoryError> {
        let place = self.home.join("views").join("next").join("memory.sqlite");
        let mut next = self.begin_next(stage, &place)?;
        let refreshed = derive::refresh(&mut self.log, &mut next, self.vectors, progress)?;
        next.checkpoint()?;
        drop(next);
        self.take_over(&place)?;
        self.remove_next()?;
        self.log.store().settle_beyond(SHORT_WAL);
        self.views.settle()?;
        Ok(refreshed)
    }

    /// Views to be made anew from a stage on; those before it are copied.
    fn begin_next(&mut self, stage: Option<Stage>, place: &Path) -> Result<ViewStore, MemoryError> {
        self.remove_next()?;
        let stage = stage.filter(|stage| *stage != STAGES[0]);
        if let Some(stage) = stage {
            match self.views.copy_rows_to(place) {
                Ok(mut next) => {
                    derive::reset(&mut next, stage)?;
                    return Ok(next);
                }
                // Nothing to build on.
                Err(StoreError::Damaged(_)) => self.remove_next()?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.views.empty_beside(place)?)
    }

    fn take_over(&mut self, place: &Path) -> Result<(), MemoryError> {
        match self.views.take_over(place) {
            Err(StoreError::Damaged(_)) => {
                let path = views_path(&self.home);
                remove_database(&path)?;
                self.views = ViewStore::open(&path)?;
                Ok(self.views.take_over(place)?)
            }
            done => Ok(done?),
        }
    }

    /// What a rebuild that was cut off has left.
    pub(super) fn remove_next(&self) -> Result<(), StoreError> {
        let folder = self.home.join("views").join("next");
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::Io { file: folder, source: error })
            }
            _ => Ok(()),
        }
    }
}
