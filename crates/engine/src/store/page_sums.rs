//! Does every page of a database still have its written content?
//!
//! SQLite does not notice a changed byte inside a row. So a file beside the database holds
//! a checksum for each page. Pages change only in a checkpoint, and the write-ahead log
//! names them: their checksums are dropped before the checkpoint and taken again after it.
//! A process that is killed between the two leaves pages without a checksum; these count
//! as sound.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use backstory_files as files;

use super::sqlite::{StoreError, beside};

/// The page has no checksum.
const UNKNOWN: u32 = 0;
/// The page was damaged before it was rewritten, so its content is still suspect.
const DAMAGED: u32 = u32::MAX;
const SUM_BYTES: u64 = 4;
/// At least this many bytes of checksums are read, however short the database is.
const LEAST_BOUND: u64 = 1 << 20;

pub(super) struct PageSums {
    database: PathBuf,
}

impl PageSums {
    pub(super) fn of(database: &Path) -> Self {
        PageSums { database: database.to_owned() }
    }

    fn path(&self) -> PathBuf {
        path_of(&self.database)
    }

    /// Runs `checkpoint`, which returns whether everything was moved, and updates the
    /// checksums of the pages that it changes.
    pub(super) fn follow(&self, checkpoint: impl FnOnce() -> Result<bool, StoreError>) -> Result<bool, StoreError> {
        let failed = |source| StoreError::Io { file: self.path(), source };
        let pages = pages_of_log(&self.database).map_err(failed)?;
        let damaged = self.damaged_among(&pages).map_err(failed)?;
        self.drop_sums(&pages).map_err(failed)?;
        let is_moved = checkpoint()?;
        if is_moved {
            self.take_sums(&pages).map_err(failed)?;
        }
        self.mark_damaged(&damaged).map_err(failed)?;
        Ok(is_moved)
    }

    /// Pages whose content differs from what was written, by number from 1.
    pub(super) fn damaged(&self) -> io::Result<Vec<u32>> {
        self.damaged_where(|_| true)
    }

    fn damaged_among(&self, pages: &BTreeSet<u32>) -> io::Result<Vec<u32>> {
        if pages.is_empty() { Ok(Vec::new()) } else { self.damaged_where(|page| pages.contains(&page)) }
    }

    fn damaged_where(&self, is_wanted: impl Fn(u32) -> bool) -> io::Result<Vec<u32>> {
        let Some(known) = self.read_sums()? else { return Ok(Vec::new()) };
        let mut damaged = Vec::new();
        let mut database = File::open(&self.database)?;
        let mut page = vec![0; page_size(&mut database)?];
        for (number, known) in (1..).zip(known).filter(|(page, known)| *known != UNKNOWN && is_wanted(*page)) {
            let found = sum_of(&mut database, number, &mut page)?;
            // SQLite itself notices a truncated file; a vacuumed one is shorter, too.
            if ![known, UNKNOWN].contains(&found) && self.is_still_damaged(&mut database, number)? {
                damaged.push(number);
            }
        }
        Ok(damaged)
    }

    /// A checkpoint may have run at that moment.
    fn is_still_damaged(&self, database: &mut File, number: u32) -> io::Result<bool> {
        let known = || -> io::Result<u32> {
            Ok(self.read_sums()?.and_then(|sums| sums.get(number as usize - 1).copied()).unwrap_or(UNKNOWN))
        };
        let before = known()?;
        let mut page = vec![0; page_size(database)?];
        let found = sum_of(database, number, &mut page)?;
        Ok(before != UNKNOWN && found != before && known()? == before)
    }

    /// Takes the missing checksums of a database that is sound. No other process may write
    /// meanwhile.
    pub(super) fn complete(&self) -> io::Result<()> {
        let mut database = File::open(&self.database)?;
        let pages = (database.metadata()?.len() / page_size(&mut database)? as u64) as u32;
        let known = self.read_sums()?.unwrap_or_default();
        let is_unknown = |page: &u32| known.get(*page as usize - 1).is_none_or(|sum| *sum == UNKNOWN);
        self.take_sums(&(1..=pages).filter(is_unknown).collect())
    }

    pub(super) fn drop_all(&self) -> io::Result<()> {
        remove(&self.path())
    }

    fn mark_damaged(&self, pages: &[u32]) -> io::Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let mut file = self.open_to_write()?;
        pages.iter().try_for_each(|page| write_sum(&mut file, *page, DAMAGED))
    }

    /// Removes a folder or a link that is in its place.
    fn open_to_write(&self) -> io::Result<File> {
        let path = self.path();
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir(&path)?,
            Ok(metadata) if !metadata.is_file() => std::fs::remove_file(&path)?,
            _ => {}
        }
        files::for_writing().open(path)
    }

    fn drop_sums(&self, pages: &BTreeSet<u32>) -> io::Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let dropped = self
            .open_to_write()
            .and_then(|mut file| pages.iter().try_for_each(|page| write_sum(&mut file, *page, UNKNOWN)));
        // A file that cannot be changed would hold outdated checksums.
        dropped.or_else(|_| remove(&self.path()))
    }

    fn take_sums(&self, pages: &BTreeSet<u32>) -> io::Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let mut database = File::open(&self.database)?;
        let mut page = vec![0; page_size(&mut database)?];
        let mut file = self.open_to_write()?;
        for number in pages {
            let sum = sum_of(&mut database, *number, &mut page)?;
            write_sum(&mut file, *number, sum)?;
        }
        Ok(())
    }

    /// None if it is no regular file, or longer than the database has pages.
    fn read_sums(&self) -> io::Result<Option<Vec<u32>>> {
        // A page has at least 512 bytes. Checksums of vacuumed pages keep their place.
        let most = (std::fs::metadata(&self.database)?.len() / 512 * SUM_BYTES).max(LEAST_BOUND);
        let path = self.path();
        if !std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        match files::read(&path, most) {
            Ok(bytes) => Ok(Some(bytes.as_chunks().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect())),
            Err(_) => Ok(None),
        }
    }
}

pub(super) fn path_of(database: &Path) -> PathBuf {
    beside(database, "-sums")
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_sum(file: &mut File, page: u32, sum: u32) -> io::Result<()> {
    file.seek(SeekFrom::Start(u64::from(page - 1) * SUM_BYTES))?;
    file.write_all(&sum.to_le_bytes())
}

/// A page after the end of the file has none.
fn sum_of(database: &mut File, number: u32, page: &mut [u8]) -> io::Result<u32> {
    database.seek(SeekFrom::Start(u64::from(number - 1) * page.len() as u64))?;
    match database.read_exact(page) {
        Ok(()) => Ok(crc32fast::hash(page).clamp(UNKNOWN + 1, DAMAGED - 1)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(UNKNOWN),
        Err(error) => Err(error),
    }
}

/// As the header of the database says; the default if that is no valid size.
fn page_size(database: &mut File) -> io::Result<usize> {
    let mut size = [0; 2];
    database.seek(SeekFrom::Start(16))?;
    match database.read_exact(&mut size) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
        _ => {}
    }
    Ok(match u16::from_be_bytes(size) {
        1 => 65_536,
        size if size.is_power_of_two() && size >= 512 => size.into(),
        _ => 4_096,
    })
}

/// The pages in the write-ahead log. Its format: a header of 32 bytes, then frames with a
/// header of 24 bytes that begins with the page number. Frames with another salt than the
/// header's are left over from an earlier log.
fn pages_of_log(database: &Path) -> io::Result<BTreeSet<u32>> {
    let mut pages = BTreeSet::new();
    let mut log = match File::open(beside(database, "-wal")) {
        Ok(log) => log,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(pages),
        Err(error) => return Err(error),
    };
    let length = log.metadata()?.len();
    let mut head = [0; 32];
    if length < head.len() as u64 {
        return Ok(pages);
    }
    log.read_exact(&mut head)?;
    let page_size = u64::from(number_at(&head, 8));
    let frames = (length - head.len() as u64) / (24 + page_size);
    let mut frame = [0; 24];
    for at in 0..frames {
        log.seek(SeekFrom::Start(32 + at * (24 + page_size)))?;
        log.read_exact(&mut frame)?;
        if frame[8..16] != head[16..24] {
            break;
        }
        pages.extend(Some(number_at(&frame, 0)).filter(|page| *page > 0));
    }
    Ok(pages)
}

fn number_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_be_bytes)
}
