//! Real-shaped data of any size: copies of real sessions.
//!
//! Each copy has other ids, later times and other rare words, so that n copies give n times the sessions, events and
//! chunks, with a vocabulary that grows as in real text. Everything keeps its length, so that texts are split into the
//! same chunks.

mod copy;
mod disguise;
mod scan;
mod vocabulary;

pub use vocabulary::{Vocabulary, WordCounts, words};

use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use cpu_time::ProcessTime;
use flate2::read::MultiGzDecoder;

use crate::phase;
use copy::Copy;
use scan::{Visitor, scan};
use vocabulary::is_word_byte;

pub fn run(data: &Path, out: &Path, copies: u32) -> Result<(), Box<dyn Error>> {
    let shaped = Shaped::survey(data)?;
    println!("{} files, {} rare words", shaped.files.len(), shaped.vocabulary.len());
    let cpu = ProcessTime::try_now()?;
    let bytes = shaped.write(1..=copies, 1.0, out)?;
    let (megabytes, seconds) = (bytes as f64 / 1e6, cpu.try_elapsed()?.as_secs_f64());
    println!("{copies} copies, {megabytes:.1} MB in {seconds:.1} s of CPU time ({:.0} MB/s)", megabytes / seconds);
    Ok(())
}

/// The real sessions, and the data needed to write a copy.
pub struct Shaped {
    sessions: PathBuf,
    files: Vec<PathBuf>,
    vocabulary: Vocabulary,
    session_ids: HashSet<Vec<u8>>,
}

impl Shaped {
    pub fn survey(data: &Path) -> Result<Self, Box<dyn Error>> {
        let sessions = data.join("sessions");
        let files = session_files(&sessions);
        if files.is_empty() {
            return Err(format!("{}: no session files", sessions.display()).into());
        }
        let mut survey = Survey::default();
        for (number, file) in files.iter().enumerate() {
            survey.session = number as u32;
            read(file)?.split(|byte| *byte == b'\n').for_each(|line| scan(line, &mut survey));
        }
        Ok(Shaped { sessions, files, vocabulary: survey.words.finish(), session_ids: survey.session_ids })
    }

    /// Writes the copies with these numbers, or the first files of each that make up this share, and returns the number
    /// of bytes.
    pub fn write(&self, copies: RangeInclusive<u32>, share: f64, out: &Path) -> Result<u64, Box<dyn Error>> {
        let mut writers: Vec<Copy<'_>> = copies.map(|number| Copy::new(number, &self.vocabulary)).collect();
        let mut bytes = 0;
        // File by file, so that each is unpacked once and only one is in memory.
        for file in self.first_files(share) {
            let content = read(file)?;
            let place = file.strip_prefix(&self.sessions)?.with_extension("");
            for writer in &mut writers {
                let place = writer.path(&place, |name| self.session_ids.contains(name));
                let target = out.join(format!("copy-{:04}", writer.number())).join(place);
                if let Some(folder) = target.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(target, writer.rewrite(&content))?;
                bytes += content.len() as u64;
            }
        }
        Ok(bytes)
    }

    fn first_files(&self, share: f64) -> impl Iterator<Item = &PathBuf> {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let enough = share * self.files.iter().map(size).sum::<u64>() as f64;
        let mut taken = 0;
        self.files.iter().take_while(move |file| {
            let wanted = (taken as f64) < enough;
            taken += size(file);
            wanted
        })
    }
}

/// Only packed files: the data has no others.
fn session_files(folder: &Path) -> Vec<PathBuf> {
    phase::files(folder).into_iter().filter(|path| path.to_string_lossy().ends_with(".jsonl.gz")).collect()
}

fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut content = Vec::new();
    MultiGzDecoder::new(File::open(path)?).read_to_end(&mut content)?;
    Ok(content)
}

/// Collects that data, file by file.
#[derive(Default)]
struct Survey {
    session: u32,
    words: WordCounts,
    session_ids: HashSet<Vec<u8>>,
}

impl Visitor for Survey {
    fn other(&mut self, _: &[u8]) {}

    fn word(&mut self, word: &[u8]) {
        self.words.note(word, self.session);
    }

    fn fixed(&mut self, bytes: &[u8]) {
        bytes.split(|byte| !is_word_byte(*byte)).for_each(|word| self.words.fix(word));
    }

    fn id(&mut self, _: &[u8]) {}

    fn session_id(&mut self, id: &[u8]) {
        if !self.session_ids.contains(id) {
            self.session_ids.insert(id.to_vec());
        }
    }

    fn time(&mut self, _: &[u8]) {}

    fn owner(&mut self, _: &[u8]) {}
}
