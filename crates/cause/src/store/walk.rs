//! Which files of a working tree are read?

use std::path::Path;
use std::sync::mpsc;
use std::time::SystemTime;

use backstory_code::Language;
use serde::{Deserialize, Serialize};

use super::rules::IgnoreRules;
use crate::role::is_code;

/// A file as listed by its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Relative to the root, with `/`.
    pub path: String,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub changed: i64,
}

/// The result of a walk, in the order of the paths.
#[derive(Default)]
pub struct Walked {
    /// Readable files that git would not ignore.
    pub files: Vec<Listed>,
    /// Files whose names are not UTF-8.
    pub unnamed: Vec<String>,
    /// The folders that were opened, with their modification times; the root's path is empty.
    pub folders: Vec<Folder>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Folder {
    pub path: std::path::PathBuf,
    pub changed: i64,
}

/// Extensions of texts that people write beside code.
const TEXTS: [&str; 4] = ["rst", "txt", "adoc", "mdx"];

enum WalkedEntry {
    File(Listed),
    Unnamed(String),
    Folder(Folder),
}

pub fn walk(root: &Path) -> Walked {
    let (found, all) = mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let rules = IgnoreRules::of(root);
    let walker = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .filter_entry(move |entry| rules.admit(entry))
        .threads(threads)
        .build_parallel();
    walker.run(|| {
        let found = found.clone();
        Box::new(move |entry| {
            if let Some(met) = entry.ok().and_then(|entry| met(root, &entry)) {
                // The receiver outlives the walk.
                let _ = found.send(met);
            }
            ignore::WalkState::Continue
        })
    });
    drop(found);
    let mut walked = Walked::default();
    for met in all {
        match met {
            WalkedEntry::File(file) => walked.files.push(file),
            WalkedEntry::Unnamed(path) => walked.unnamed.push(path),
            WalkedEntry::Folder(folder) => walked.folders.push(folder),
        }
    }
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    walked.unnamed.sort();
    walked.folders.sort();
    walked
}

fn met(root: &Path, entry: &ignore::DirEntry) -> Option<WalkedEntry> {
    let kind = entry.file_type()?;
    let inside = entry.path().strip_prefix(root).ok()?;
    if kind.is_dir() {
        return Some(WalkedEntry::Folder(Folder {
            path: inside.to_owned(),
            changed: changed(&entry.metadata().ok()?),
        }));
    }
    let path = inside.to_string_lossy().replace('\\', "/");
    if !kind.is_file() || !is_read(&path) {
        return None;
    }
    if inside.to_str().is_none() {
        return Some(WalkedEntry::Unnamed(path));
    }
    let meta = entry.metadata().ok()?;
    Some(WalkedEntry::File(Listed { path, size: meta.len(), changed: changed(&meta) }))
}

pub fn is_read(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    Language::of_path(path).is_some() || is_code(path) || TEXTS.contains(&extension) || path.ends_with("go.mod")
}

/// The last modification, in nanoseconds.
pub fn changed(meta: &std::fs::Metadata) -> i64 {
    meta.modified().map_or(0, nanoseconds)
}

pub fn nanoseconds(time: SystemTime) -> i64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}
