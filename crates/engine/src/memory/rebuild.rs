//! How are views rebuilt without losing the old ones?
//!
//! The new ones are built in `views/next`. When complete, they replace the old ones in one
//! transaction: readers see the old or the new ones, and a rebuild that fails or is killed
//! leaves the old ones unchanged.

use std::path::Path;

use crate::derive::{self, Refreshed, STAGES, Stage};
use crate::store::{StoreError, ViewStore, remove_database};

use super::{Memory, MemoryError, WAL_LIMIT, views_path};

impl Memory {
    pub(super) fn rebuild_views(
        &mut self,
        stage: Option<Stage>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Refreshed, MemoryError> {
        let place = self.home.join("views").join("next").join("memory.sqlite");
        let mut next = self.begin_next(stage, &place)?;
        let refreshed = derive::refresh(&mut self.log, &mut next, self.vectors, progress)?;
        next.checkpoint_wal_or_fail()?;
        drop(next);
        self.take_over(&place)?;
        self.remove_next()?;
        self.log.store().checkpoint_wal_if_over(WAL_LIMIT);
        self.views.checkpoint_wal()?;
        Ok(refreshed)
    }

    /// New views to fill from a stage on; rows of the stages before it are copied.
    fn begin_next(&mut self, stage: Option<Stage>, place: &Path) -> Result<ViewStore, MemoryError> {
        self.remove_next()?;
        let stage = stage.filter(|stage| *stage != STAGES[0]);
        if let Some(stage) = stage {
            match self.views.copy_rows_to(place) {
                Ok(mut next) => {
                    derive::reset(&mut next, stage)?;
                    return Ok(next);
                }
                // Nothing can be copied.
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

    /// Removes what an interrupted rebuild left.
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
