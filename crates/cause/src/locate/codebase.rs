//! A tree and its history, side by side.

use crate::past::PastIndex;
use crate::tree::{FileNum, TreeIndex};

pub struct Codebase<'a> {
    pub tree: &'a TreeIndex,
    pub past: &'a PastIndex,
    /// The current file for each path of the history.
    pub(super) file_of_path: Vec<Option<FileNum>>,
}

impl<'a> Codebase<'a> {
    pub fn new(tree: &'a TreeIndex, past: &'a PastIndex) -> Self {
        let file_of_path = past.paths().map(|path| tree.paths().exact(path)).collect();
        Self { tree, past, file_of_path }
    }

    /// The files of a commit that still exist.
    pub fn files_of_commit(&self, commit: u32) -> impl Iterator<Item = FileNum> {
        self.past.files_of(commit).iter().filter_map(|path| self.file_of_path.get(*path as usize).copied().flatten())
    }
}

/// The dot product of two vectors of bytes, as a cosine.
pub fn cosine(a: &[i8], b: &[i8]) -> f32 {
    let sum: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sum as f32 / (127.0 * 127.0)
}
