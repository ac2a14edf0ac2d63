//! Which files and functions can be the cause, best first?

use super::Codebase;
use super::functions::{FUNCTION_SIGNALS, function_signals};
use super::question::FaultQuestion;
use super::signals::{FILE_SIGNALS, file_signals, to_unit_maximum};

/// The weight of each signal, applied after division by its maximum.
#[derive(Clone, Debug)]
pub struct Weights {
    pub files: [f32; FILE_SIGNALS.len()],
    pub functions: [f32; FUNCTION_SIGNALS.len()],
    /// The weight of the file's score in a function's score.
    pub file_of_function: f32,
}

impl Default for Weights {
    /// Fitted on five repositories and rounded. The optimum is flat: each may be off by half without a noticeable
    /// effect.
    fn default() -> Self {
        Self {
            files: [1.0, 0.1, 0.2, 0.2, 0.25, 0.2, 0.4, 0.2],
            functions: [1.0, 0.25, 0.3, 0.4, 0.7, 0.15],
            file_of_function: 0.95,
        }
    }
}

/// A file or function with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredPlace {
    /// The file's number, or the function's index among all functions.
    pub at: usize,
    pub score: f32,
}

/// The files and functions that can be the cause, best first, with the parts of their scores.
pub struct CodeRanking {
    pub files: Vec<ScoredPlace>,
    pub functions: Vec<ScoredPlace>,
    /// What each signal adds to each file.
    file_parts: Vec<Vec<f32>>,
    /// What each signal, and last its file, adds to each function.
    function_parts: Vec<Vec<f32>>,
}

impl CodeRanking {
    /// What each signal adds to a file's score.
    pub fn parts_of_file(&self, at: usize) -> impl Iterator<Item = (&'static str, f32)> {
        FILE_SIGNALS.into_iter().zip(self.file_parts.iter().map(move |part| part[at]))
    }

    /// What each signal adds to a function's score, with its file last.
    pub fn parts_of_function(&self, at: usize) -> impl Iterator<Item = (&'static str, f32)> {
        let names = FUNCTION_SIGNALS.into_iter().chain(["file"]);
        names.zip(self.function_parts.iter().map(move |part| part[at]))
    }
}

pub fn rank(codebase: &Codebase<'_>, question: &FaultQuestion, weights: &Weights) -> CodeRanking {
    let file_parts = weighted(file_signals(codebase, question), &weights.files);
    let mut of_files: Vec<f32> =
        (0..codebase.tree.sources()).map(|at| file_parts.iter().map(|part| part[at]).sum()).collect();
    let files = in_order(&of_files);
    to_unit_maximum(&mut of_files);
    let mut function_parts = weighted(function_signals(codebase, question), &weights.functions);
    let of_owner = |number: &u32| {
        let file = codebase.tree.entity(*number).map_or(0, |entity| entity.file);
        weights.file_of_function * of_files.get(file as usize).copied().unwrap_or(0.0)
    };
    function_parts.push(codebase.tree.functions().iter().map(of_owner).collect());
    let of_functions: Vec<f32> =
        (0..codebase.tree.functions().len()).map(|at| function_parts.iter().map(|part| part[at]).sum()).collect();
    CodeRanking { files, functions: in_order(&of_functions), file_parts, function_parts }
}

fn weighted(mut signals: Vec<Vec<f32>>, weights: &[f32]) -> Vec<Vec<f32>> {
    for (scores, weight) in signals.iter_mut().zip(weights) {
        to_unit_maximum(scores);
        scores.iter_mut().for_each(|score| *score *= weight);
    }
    signals
}

fn in_order(scores: &[f32]) -> Vec<ScoredPlace> {
    let mut order: Vec<ScoredPlace> =
        scores.iter().enumerate().map(|(at, score)| ScoredPlace { at, score: *score }).collect();
    order.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
    order
}
