//! Records what `init` created in the files of hosts, so that `uninstall` leaves no trace.

use std::path::{Path, PathBuf};

use backstory_files as files;
use serde::{Deserialize, Serialize};

use crate::atomic_file::{self, Durability};
use crate::error::{AppError, ErrorKind};

const FILE: &str = "setup.json";
const LARGEST_SETUP_RECORD: u64 = 16 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub files: Vec<FileRecord>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    pub path: PathBuf,
    /// The file did not exist before.
    #[serde(default)]
    pub made: bool,
    /// Folders that did not exist before, innermost first.
    #[serde(default)]
    pub folders: Vec<PathBuf>,
    /// Objects and lists that were created for our entries.
    #[serde(default)]
    pub created: Vec<String>,
    /// Copies of the original file.
    #[serde(default)]
    pub backups: Vec<PathBuf>,
}

impl Record {
    /// A damaged or missing record counts as empty.
    pub fn load(home: &Path) -> Self {
        let text = files::read_text(&home.join(FILE), LARGEST_SETUP_RECORD).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub fn save(&self, home: &Path) -> Result<(), AppError> {
        let path = home.join(FILE);
        let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()));
        if self.files.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
                _ => Ok(()),
            };
        }
        make_private(home).map_err(failed)?;
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        atomic_file::replace(&path, (text + "\n").as_bytes(), None, Durability::Synced).map_err(failed)
    }

    /// Tests saving before anything is changed.
    pub fn can_be_saved(&self, home: &Path) -> Result<(), AppError> {
        let tried = make_private(home).and_then(|()| tempfile::NamedTempFile::new_in(home)).map(|_| ());
        tried.map_err(|error| {
            let message = format!("{} cannot be written: {}", home.display(), error.kind());
            AppError::new(ErrorKind::Failed, message)
                .hint("Nothing was changed. What is registered is noted there: make room, or make it writable.")
        })
    }

    pub fn of(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    pub fn entry(&mut self, path: &Path) -> &mut FileRecord {
        let place = self.files.iter().position(|file| file.path == path).unwrap_or_else(|| {
            self.files.push(FileRecord { path: path.to_owned(), ..FileRecord::default() });
            self.files.len() - 1
        });
        &mut self.files[place]
    }

    pub fn drop(&mut self, path: &Path) {
        self.files.retain(|file| file.path != path);
    }
}

/// A new home is readable by its owner only.
fn make_private(home: &Path) -> std::io::Result<()> {
    files::create_dir(home)
}
