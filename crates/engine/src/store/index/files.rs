//! How are the index files read and written? Mapped into memory, or kept there for tests.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use backstory_files as files;

/// The folder of the index; tests keep it in memory.
pub enum IndexFiles {
    Folder {
        folder: PathBuf,
        /// Files that are still mapped from an earlier query: mapping a large file again costs more
        /// than most queries.
        mapped: RefCell<HashMap<String, (Stamp, Arc<memmap2::Mmap>)>>,
    },
    Memory(RefCell<HashMap<String, Arc<Vec<u8>>>>),
}

/// When a file was last written, in nanoseconds; none in memory.
pub type Written = Option<i64>;

/// A file's length and when it was written.
type Stamp = (u64, Written);

/// The content of a file, shared.
#[derive(Clone)]
pub enum Bytes {
    Mapped(Arc<memmap2::Mmap>),
    Owned(Arc<Vec<u8>>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl IndexFiles {
    pub fn in_folder(folder: PathBuf) -> Self {
        IndexFiles::Folder { folder, mapped: RefCell::default() }
    }

    pub fn in_memory() -> Self {
        IndexFiles::Memory(RefCell::default())
    }

    /// Writes at `offset` and overwrites what an interrupted run left there. At 0 it creates a
    /// new file: generation numbers are reused after the views were deleted, and others may have
    /// the old file mapped.
    pub fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<Written> {
        match self {
            IndexFiles::Folder { folder, mapped } => {
                if offset == 0 {
                    mapped.borrow_mut().remove(name);
                    remove_if_there(&folder.join(name))?;
                }
                let mut file = open_for_writing(folder, name)?;
                let length = file.metadata()?.len();
                if length < offset {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                if length > offset {
                    file.set_len(offset)?;
                }
                file.seek(SeekFrom::Start(offset))?;
                file.write_all(bytes)?;
                Ok(written(&file.metadata()?))
            }
            IndexFiles::Memory(files) => {
                let mut files = files.borrow_mut();
                let file = Arc::make_mut(files.entry(name.to_owned()).or_default());
                file.truncate(offset as usize);
                file.extend_from_slice(bytes);
                Ok(None)
            }
        }
    }

    pub fn read(&self, name: &str) -> io::Result<(Bytes, Written)> {
        match self {
            IndexFiles::Folder { folder, mapped } => {
                let file = File::open(folder.join(name))?;
                let metadata = file.metadata()?;
                // An empty file cannot be mapped everywhere.
                if metadata.len() == 0 {
                    return Ok((Bytes::Owned(Arc::default()), written(&metadata)));
                }
                let stamp = (metadata.len(), written(&metadata));
                let mut mapped = mapped.borrow_mut();
                if let Some((_, map)) = mapped.get(name).filter(|(known, _)| *known == stamp) {
                    return Ok((Bytes::Mapped(map.clone()), stamp.1));
                }
                // A removed file takes space on the disk while it is mapped.
                mapped.retain(|name, _| folder.join(name).exists());
                let map = Arc::new(map(&file)?);
                mapped.insert(name.to_owned(), (stamp, map.clone()));
                Ok((Bytes::Mapped(map), stamp.1))
            }
            IndexFiles::Memory(files) => {
                let found = files.borrow().get(name).cloned();
                found.map(|bytes| (Bytes::Owned(bytes), None)).ok_or_else(|| io::ErrorKind::NotFound.into())
            }
        }
    }

    /// The path of the file, for messages.
    pub fn path(&self, name: &str) -> PathBuf {
        match self {
            IndexFiles::Folder { folder, .. } => folder.join(name),
            IndexFiles::Memory(_) => name.into(),
        }
    }

    pub fn names(&self) -> Vec<String> {
        match self {
            IndexFiles::Folder { folder, .. } => fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect(),
            IndexFiles::Memory(files) => files.borrow().keys().cloned().collect(),
        }
    }

    /// A process that has the file mapped keeps it. If that prevents the removal, a later
    /// clean-up removes it.
    pub fn remove(&self, name: &str) {
        match self {
            IndexFiles::Folder { folder, mapped } => {
                mapped.borrow_mut().remove(name);
                _ = fs::remove_file(folder.join(name));
            }
            IndexFiles::Memory(files) => _ = files.borrow_mut().remove(name),
        }
    }

    /// Moves the files of another folder here.
    pub fn adopt(&self, other: &IndexFiles) -> io::Result<()> {
        if let (IndexFiles::Folder { folder, mapped }, IndexFiles::Folder { folder: from, .. }) = (self, other) {
            files::create_dir(folder)?;
            for name in other.names() {
                mapped.borrow_mut().remove(&name);
                fs::rename(from.join(&name), folder.join(&name))?;
            }
        }
        Ok(())
    }

    /// Syncs all files to the disk. This comes before a checkpoint of the rows that declare them
    /// valid.
    pub fn sync(&self) -> io::Result<()> {
        if let IndexFiles::Folder { folder, .. } = self {
            for name in self.names() {
                match OpenOptions::new().write(true).open(folder.join(name)) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    file => file?.sync_data()?,
                }
            }
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        match self {
            IndexFiles::Folder { folder, .. } => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
            }
            IndexFiles::Memory(files) => files.borrow().values().map(|file| file.len() as u64).sum(),
        }
    }
}

fn written(metadata: &fs::Metadata) -> Written {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn open_for_writing(folder: &Path, name: &str) -> io::Result<File> {
    let open = || files::for_writing().open(folder.join(name));
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            files::create_dir(folder)?;
            open()
        }
        done => done,
    }
}

/// SAFETY: index files are only extended, truncated after their valid part, or removed as a
/// whole; the part that readers use does not change.
#[expect(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    unsafe { memmap2::Mmap::map(file) }
}
