//! Question -> the files and functions that can be its cause.
//!
//! 1. `question`: a question, taken apart.
//! 2. `signals`: what speaks for each file.
//! 3. `functions`: what speaks for each function.
//! 4. `rank`: the weighted sums; files and functions in order.

mod functions;
mod question;
mod rank;
mod signals;

pub use functions::{FUNCTION_SIGNALS, function_signals};
pub use question::{Frame, Question};
pub use rank::{Ranked, Ranking, Weights, rank};
pub use signals::{FILE_SIGNALS, file_signals, files_meant_by, keep_best, to_unit_maximum};

use crate::past::PastIndex;
use crate::tree::{FileNum, TreeIndex};

/// A tree and its history, side by side.
pub struct Codebase<'a> {
    pub tree: &'a TreeIndex,
    pub past: &'a PastIndex,
    /// The file of the tree that each path of the history is.
    file_of_path: Vec<Option<FileNum>>,
}

impl<'a> Codebase<'a> {
    pub fn new(tree: &'a TreeIndex, past: &'a PastIndex) -> Self {
        let file_of_path = past.paths().map(|path| tree.paths().exact(path)).collect();
        Self { tree, past, file_of_path }
    }

    /// The files of a commit that are still there.
    pub fn files_of_commit(&self, commit: u32) -> impl Iterator<Item = FileNum> {
        self.past.files_of(commit).iter().filter_map(|path| self.file_of_path.get(*path as usize).copied().flatten())
    }
}

/// The dot product of two vectors of bytes, as a cosine.
pub fn cosine(a: &[i8], b: &[i8]) -> f32 {
    let sum: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sum as f32 / (127.0 * 127.0)
}
