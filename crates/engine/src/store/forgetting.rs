//! `forgetting.json`: what remains to be done for an unfinished forget?
//!
//! It is written before anything is blanked and removed at the end, so that the next process can
//! finish after a crash. It names rows by position and id, and never quotes them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::model::{ArtifactId, Digest, EventId, Timestamp, digest_of};

use super::sqlite::StoreError;
use backstory_files as files;

const NAME: &str = "forgetting.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UnfinishedForget {
    begun: i64,
    /// The position of the row, and its id as a check that it is still that row.
    events: Vec<(u64, EventId)>,
    artifacts: Vec<ArtifactId>,
    /// Digests of the paths of files that must be read again from their start.
    cursors: Vec<Digest>,
    /// There were clusters; they must be computed again.
    #[serde(default)]
    pub clustered: bool,
    /// The file exists and cannot be read.
    #[serde(skip)]
    is_unreadable: bool,
}

impl UnfinishedForget {
    pub fn new(begun: Timestamp, events: &[(u64, EventId)], artifacts: &[ArtifactId], cursors: &[String]) -> Self {
        let cursors = cursors.iter().map(|path| path_key(path)).collect();
        let (events, artifacts) = (events.to_vec(), artifacts.to_vec());
        UnfinishedForget { begun: begun.0, events, artifacts, cursors, clustered: false, is_unreadable: false }
    }

    /// The unfinished forget of this home, if any. An unreadable one names no rows and is
    /// marked.
    pub fn read(home: &Path) -> Result<Option<Self>, StoreError> {
        let file = path_in(home);
        match fs::read(&file) {
            Ok(bytes) => {
                let unreadable = |_| UnfinishedForget { is_unreadable: true, ..UnfinishedForget::default() };
                Ok(Some(serde_json::from_slice(&bytes).unwrap_or_else(unreadable)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Io { file, source }),
        }
    }

    pub fn is_in(home: &Path) -> bool {
        path_in(home).exists()
    }

    /// Replaces the file atomically and syncs it to the disk.
    pub fn write(&self, home: &Path) -> Result<(), StoreError> {
        let (file, beside) = (path_in(home), home.join(format!(".{NAME}")));
        let write = || -> io::Result<()> {
            remove_if_there(&beside)?;
            let mut new = files::for_writing().open(&beside)?;
            new.write_all(&serde_json::to_vec(self)?)?;
            new.sync_all()?;
            fs::rename(&beside, &file)?;
            sync_folder(home)
        };
        write().map_err(|source| StoreError::Io { file: file.clone(), source })
    }

    pub fn remove(home: &Path) -> Result<(), StoreError> {
        let file = path_in(home);
        remove_if_there(&file).and_then(|()| sync_folder(home)).map_err(|source| StoreError::Io { file, source })
    }

    /// Is the list of what to forget lost?
    pub fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }

    pub fn begun(&self) -> Timestamp {
        Timestamp(self.begun)
    }

    pub fn events(&self) -> usize {
        self.events.len()
    }

    pub fn artifacts(&self) -> usize {
        self.artifacts.len()
    }

    pub(super) fn rows(&self) -> &[(u64, EventId)] {
        &self.events
    }

    pub(super) fn files(&self) -> &[ArtifactId] {
        &self.artifacts
    }

    pub(super) fn reads_again(&self, path: &str) -> bool {
        !self.cursors.is_empty() && self.cursors.contains(&path_key(path))
    }
}

fn path_key(path: &str) -> Digest {
    digest_of("cursor", &[path.as_bytes()])
}

fn path_in(home: &Path) -> PathBuf {
    home.join(NAME)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// A new file name is durable only after its folder is synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}
