//! Reads a file only if it is regular, small enough, and inside its tree.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// An open file that was checked after opening.
#[derive(Debug)]
pub struct Bounded {
    pub file: File,
    pub metadata: Metadata,
}

/// Opens a regular file of at most `limit` bytes. Links are followed: the user, or one of the user's programs, chose
/// this path.
pub fn open(path: &Path, limit: u64) -> io::Result<Bounded> {
    open_checked(path, limit, Links::Follow)
}

/// The same for a path that a repository names. A link must lead to another file of the tree.
pub fn open_within(root: &Path, path: &Path, limit: u64) -> io::Result<Bounded> {
    open_checked(&inside(root, path)?, limit, Links::Refuse)
}

/// A file that is not itself a link.
pub fn read_unlinked(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    open_checked(path, limit, Links::Refuse)?.bytes(limit)
}

pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    open(path, limit)?.bytes(limit)
}

pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read(path, limit)?)
}

/// `path` is relative to the root, or absolute and inside it.
pub fn read_within(root: &Path, path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    open_within(root, path.as_ref(), limit)?.bytes(limit)
}

pub fn text_within(root: &Path, path: impl AsRef<Path>, limit: u64) -> io::Result<String> {
    text(read_within(root, path, limit)?)
}

impl Bounded {
    /// The whole content. The file may have grown since it was opened.
    fn bytes(self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.metadata.len().min(limit) as usize);
        self.file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(too_large(limit));
        }
        Ok(bytes)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Follow,
    Refuse,
}

fn open_checked(path: &Path, limit: u64, links: Links) -> io::Result<Bounded> {
    // Opening some devices has side effects, so the path is checked first and the open file again.
    check(&std::fs::metadata(path)?, limit)?;
    let file = options(links).open(path)?;
    let metadata = file.metadata()?;
    check(&metadata, limit)?;
    Ok(Bounded { file, metadata })
}

fn check(metadata: &Metadata, limit: u64) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "a folder, not a file"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    if metadata.len() > limit { Err(too_large(limit)) } else { Ok(()) }
}

pub(super) fn too_large(limit: u64) -> io::Error {
    let limit = match limit {
        0..1_048_576 => format!("{} KB", limit >> 10),
        1_048_576..1_073_741_824 => format!("{} MB", limit >> 20),
        _ => format!("{} GB", limit >> 30),
    };
    io::Error::new(ErrorKind::InvalidData, format!("larger than {limit}"))
}

/// The real path, if it is inside the root.
fn inside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let real = root.join(path).canonicalize()?;
    if real.starts_with(&root) {
        return Ok(real);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "outside the folder that names it"))
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "not UTF-8"))
}

/// So that a pipe that replaced the file in between does not block.
#[cfg(unix)]
fn options(links: Links) -> OpenOptions {
    use rustix::fs::OFlags;
    let link = if links == Links::Refuse { OFlags::NOFOLLOW } else { OFlags::empty() };
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | link;
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options.read(true), flags.bits() as i32);
    options
}

#[cfg(not(unix))]
fn options(_: Links) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_small_regular_files_are_read() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "words")?;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)?;
        File::create(at("sparse"))?.set_len(10 << 30)?;
        std::fs::create_dir(at("folder"))?;
        symlink("/dev/zero", at("endless"))?;
        assert_eq!(read_text(&at("plain"), 5)?, "words");
        let told = |name: &str| read(&at(name), 4).map_err(|error| error.to_string());
        assert_eq!(told("plain"), Err("larger than 0 KB".to_owned()));
        assert_eq!(told("sparse"), Err("larger than 0 KB".to_owned()));
        assert_eq!(told("pipe"), Err("not a regular file".to_owned()));
        assert_eq!(told("endless"), Err("not a regular file".to_owned()));
        assert_eq!(told("folder"), Err("a folder, not a file".to_owned()));
        Ok(())
    }

    #[test]
    fn a_link_must_stay_in_its_tree() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (tree, outside) = (folder.path().join("tree"), folder.path().join("outside"));
        std::fs::create_dir_all(tree.join("inner"))?;
        std::fs::write(&outside, "secret")?;
        std::fs::write(tree.join("inner/file"), "words")?;
        symlink(&outside, tree.join("leaves"))?;
        symlink("inner/file", tree.join("stays"))?;
        symlink("..", tree.join("up"))?;
        assert_eq!(text_within(&tree, "stays", 10)?, "words");
        for name in ["leaves", "../outside", "up/outside", "inner/../../outside"] {
            assert!(text_within(&tree, name, 10).is_err(), "{name}");
        }
        assert!(text_within(&tree, &outside, 10).is_err());
        Ok(())
    }
}
