//! Which files of a working tree are read?

use std::path::Path;
use std::time::SystemTime;

use backstory_code::Language;

use crate::role::is_code;

/// A file as the folder lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// From the root, with `/`.
    pub path: String,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub changed: i64,
}

/// Texts that people write beside code.
const TEXTS: [&str; 4] = ["rst", "txt", "adoc", "mdx"];

/// What git would not ignore and can be read, in the order of the paths; and files whose names are no text.
pub fn walk(root: &Path) -> (Vec<Listed>, Vec<String>) {
    let (found, files) = std::sync::mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let walker = ignore::WalkBuilder::new(root).require_git(false).threads(threads).build_parallel();
    walker.run(|| {
        let found = found.clone();
        Box::new(move |entry| {
            if let Some(listed) = entry.ok().and_then(|entry| listed(root, &entry)) {
                // The receiver outlives the walk.
                let _ = found.send(listed);
            }
            ignore::WalkState::Continue
        })
    });
    drop(found);
    let mut listed = Vec::new();
    let mut unnamed = Vec::new();
    for (file, is_text) in files {
        if is_text { listed.push(file) } else { unnamed.push(file.path) }
    }
    listed.sort_by(|a: &Listed, b: &Listed| a.path.cmp(&b.path));
    unnamed.sort();
    (listed, unnamed)
}

/// The file, and whether its name is text.
fn listed(root: &Path, entry: &ignore::DirEntry) -> Option<(Listed, bool)> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let inside = entry.path().strip_prefix(root).ok()?;
    let is_text = inside.to_str().is_some();
    let path = inside.to_string_lossy().replace('\\', "/");
    if !is_read(&path) {
        return None;
    }
    let meta = entry.metadata().ok()?;
    Some((Listed { path, size: meta.len(), changed: meta.modified().map_or(0, nanoseconds) }, is_text))
}

pub fn is_read(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    Language::of_path(path).is_some() || is_code(path) || TEXTS.contains(&extension) || path.ends_with("go.mod")
}

pub fn nanoseconds(time: SystemTime) -> i64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}
