//! A file of plain rows that is mapped into memory and used without parsing.
//!
//! A process that answers one question should not spend its time loading an index. A section is a slice of rows. Rows
//! hold numbers only; texts are ranges of one section of bytes. The byte order is native; a file with another byte
//! order is rebuilt.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use backstory_files as files;
use bytemuck::{Pod, Zeroable};
use rustc_hash::FxHashMap;

const MAGIC: u64 = 0x31_54_41_4c_46_53_42_01;
const WORD: usize = 8;
/// Magic, version, number of sections.
const HEADER_WORDS: usize = 3;
/// Name, start, length in bytes.
const ENTRY_WORDS: usize = 3;
/// A file with more sections is not valid.
const MOST_SECTIONS: usize = 1_000;

/// A text of the file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct FlatText {
    start: u32,
    len: u32,
}

/// Builds the sections of a file.
#[derive(Default)]
pub struct FlatBuilder {
    sections: Vec<(u64, Vec<u8>)>,
    texts: Vec<u8>,
}

impl FlatBuilder {
    /// Adds a section; the name has at most eight bytes.
    pub fn rows<T: Pod>(&mut self, name: &str, rows: &[T]) {
        self.sections.push((key(name), bytemuck::cast_slice(rows).to_vec()));
    }

    pub fn text(&mut self, text: &str) -> FlatText {
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(text.as_bytes());
        FlatText { start, len: text.len() as u32 }
    }

    pub fn finish(mut self, version: u32) -> Flat {
        let texts = std::mem::take(&mut self.texts);
        self.sections.push((key("texts"), texts));
        let mut words = vec![MAGIC, u64::from(version), self.sections.len() as u64];
        let mut at = (HEADER_WORDS + ENTRY_WORDS * self.sections.len()) * WORD;
        for (name, bytes) in &self.sections {
            words.extend([*name, at as u64, bytes.len() as u64]);
            at += bytes.len().next_multiple_of(WORD);
        }
        for (_, bytes) in &self.sections {
            let start = words.len();
            words.resize(start + bytes.len().div_ceil(WORD), 0);
            bytemuck::cast_slice_mut::<u64, u8>(&mut words[start..])[..bytes.len()].copy_from_slice(bytes);
        }
        Flat::new(Bytes::Held(words))
    }
}

enum Bytes {
    Held(Vec<u64>),
    Mapped(memmap2::Mmap),
}

/// Sections of rows, in memory or mapped.
pub struct Flat {
    bytes: Bytes,
    /// The byte range of each section, by its key.
    sections: FxHashMap<u64, Range<usize>>,
    /// The range of the texts, cached because it is read most often.
    texts: Range<usize>,
}

impl Flat {
    fn new(bytes: Bytes) -> Self {
        let mut flat = Flat { bytes, sections: FxHashMap::default(), texts: 0..0 };
        let count = flat.word(2).map_or(0, |count| count as usize).min(MOST_SECTIONS);
        flat.sections = (0..count).filter_map(|number| flat.entry(number)).collect();
        flat.texts = flat.sections.get(&key("texts")).cloned().unwrap_or_default();
        flat
    }

    /// None if the file is missing, incomplete or of another version.
    pub fn open(path: &Path, version: u32) -> Option<Self> {
        let file = File::open(path).ok()?;
        let flat = Flat::new(Bytes::Mapped(map(&file).ok()?));
        flat.is_whole(version).then_some(flat)
    }

    /// Writes a new file and renames it over the old one, so that processes that mapped the old one can keep reading
    /// it.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let unfinished = path.with_extension("new");
        let mut file = files::create(&unfinished)?;
        file.write_all(self.all())?;
        drop(file);
        std::fs::rename(unfinished, path)
    }

    /// The rows of a section; empty if there is no such section.
    pub fn rows<T: Pod>(&self, name: &str) -> &[T] {
        let bytes = self.section(name).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }

    pub fn text(&self, text: FlatText) -> &str {
        let texts = self.all().get(self.texts.clone()).unwrap_or_default();
        let range = text.start as usize..(text.start + text.len) as usize;
        texts.get(range).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    pub fn size(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Held(words) => bytemuck::cast_slice(words),
            Bytes::Mapped(map) => map,
        }
    }

    fn word(&self, at: usize) -> Option<u64> {
        let bytes = self.all().get(at * WORD..(at + 1) * WORD)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }

    fn entry(&self, number: usize) -> Option<(u64, Range<usize>)> {
        let at = HEADER_WORDS + ENTRY_WORDS * number;
        let (name, start, len) = (self.word(at)?, self.word(at + 1)? as usize, self.word(at + 2)? as usize);
        let range = start..start.checked_add(len)?;
        self.all().get(range.clone()).map(|_| (name, range))
    }

    fn section(&self, name: &str) -> Option<&[u8]> {
        self.all().get(self.sections.get(&key(name))?.clone())
    }

    fn is_whole(&self, version: u32) -> bool {
        let right = self.word(0) == Some(MAGIC) && self.word(1) == Some(u64::from(version));
        let count = self.word(2).map_or(usize::MAX, |count| count as usize);
        right && count < MOST_SECTIONS && (0..count).all(|number| self.entry(number).is_some())
    }
}

#[expect(unsafe_code)]
fn map(file: &File) -> std::io::Result<memmap2::Mmap> {
    // SAFETY: such files are written under a temporary name and never changed in place.
    unsafe { memmap2::Mmap::map(file) }
}

fn key(name: &str) -> u64 {
    let mut bytes = [0; WORD];
    let len = name.len().min(WORD);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    u64::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Flat, FlatBuilder};

    fn example() -> (Flat, super::FlatText) {
        let mut builder = FlatBuilder::default();
        let text = builder.text("größe");
        builder.rows("numbers", &[1u32, 2, 3]);
        builder.rows("floats", &[0.5f32]);
        (builder.finish(7), text)
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.flat");
        let (flat, text) = example();
        flat.save(&path).unwrap();
        let read = Flat::open(&path, 7).unwrap();
        for flat in [flat, read] {
            assert_eq!(flat.rows::<u32>("numbers"), [1, 2, 3]);
            assert_eq!(flat.rows::<f32>("floats"), [0.5]);
            assert_eq!(flat.rows::<u32>("missing"), [0u32; 0]);
            assert_eq!(flat.text(text), "größe");
        }
    }

    #[test]
    fn other_versions_and_cut_files_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.flat");
        example().0.save(&path).unwrap();
        assert!(Flat::open(&path, 8).is_none());
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            // Bytes after the last section are only padding.
            assert!(Flat::open(&path, 7).is_none() || bytes.len() - cut < 8, "{cut}");
        }
    }
}
