//! Similarity alone, over the same snapshot: the baseline of the ranking.
//!
//! Plain BM25 (k1 1.2, b .75) over the words of text and path; cosine of the shipped static vectors
//! of question and functions; and their sum, each divided by its maximum.

use backstory_cause::locate::{FaultQuestion, cosine, to_unit_maximum};
use backstory_cause::tree::{FileNum, TreeIndex};
use backstory_language::embed::DIM;
use rustc_hash::FxHashMap;

use super::metrics::{DEPTH, Quality, best};
use super::rows::ReportRow;
use super::snapshot::{CommitSnapshot, FileContent};

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// The number of functions of a file that count, if more than the best one does.
const SEVERAL: usize = 5;

/// The baselines by the letters that the targets name, in the order of [`baselines`].
pub const BASELINES: [&str; 6] =
    ["a  BM25, all files", "b  BM25, sources", "c  vectors, best", "c' vectors, best five", "d  b + c", "d' b + c'"];

pub fn baselines(row: &ReportRow, snapshot: &CommitSnapshot, question: &FaultQuestion) -> Vec<Quality> {
    let quality = |scores: &[f32], path: &dyn Fn(usize) -> String| {
        let paths = best(scores, DEPTH).into_iter().map(path);
        Quality::of(paths, row.gold_files.len(), |path, gold| row.gold_files[gold] == *path)
    };
    let everything: Vec<&FileContent> = snapshot.files.iter().map(|file| &*file.content).collect();
    let of_all = quality(&bm25(&everything, question), &|at| snapshot.files[at].path.clone());

    let of_source = |scores: &[f32]| quality(scores, &|at| snapshot.tree.path(at as FileNum).to_owned());
    let words = bm25(&sources(snapshot), question);
    let (one, several) = (closest(&snapshot.tree, question, 1), closest(&snapshot.tree, question, SEVERAL));
    vec![
        of_all,
        of_source(&words),
        of_source(&one),
        of_source(&several),
        of_source(&sum(&words, &one)),
        of_source(&sum(&words, &several)),
    ]
}

/// The contents of the files that the ranking ranks, in its order.
fn sources(snapshot: &CommitSnapshot) -> Vec<&FileContent> {
    let by_path: FxHashMap<&str, &FileContent> =
        snapshot.files.iter().map(|file| (file.path.as_str(), &*file.content)).collect();
    let tree = &snapshot.tree;
    (0..tree.sources()).filter_map(|at| by_path.get(tree.path(at as FileNum)).copied()).collect()
}

/// One question per snapshot: scanning each document is cheaper than building an index.
fn bm25(documents: &[&FileContent], question: &FaultQuestion) -> Vec<f32> {
    let count = documents.len() as f32;
    let mean = documents.iter().map(|document| document.length).sum::<f32>() / count.max(1.0);
    let mut scores = vec![0.0; documents.len()];
    for &(term, weight) in &question.plain.terms {
        let counts: Vec<f32> = documents.iter().map(|document| document.words.count(term)).collect();
        let holding = counts.iter().filter(|count| **count > 0.0).count() as f32;
        let rarity = (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln();
        for ((score, often), document) in scores.iter_mut().zip(counts).zip(documents) {
            let norm = 1.0 - B + B * document.length / mean;
            *score += weight * rarity * often * (K1 + 1.0) / (often + K1 * norm);
        }
    }
    scores
}

/// The summed similarity of the `count` functions of each file that are most similar to the question.
fn closest(tree: &TreeIndex, question: &FaultQuestion, count: usize) -> Vec<f32> {
    let vectors = tree.vectors().chunks_exact(DIM);
    let of_functions: Vec<f32> = vectors.map(|vector| cosine(&question.vector, vector).max(0.0)).collect();
    let of_file = |file: usize| {
        let mut scores = of_functions.get(tree.functions_of(file as FileNum)).unwrap_or_default().to_vec();
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        scores.iter().take(count).sum()
    };
    (0..tree.sources()).map(of_file).collect()
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    let scaled = |scores: &[f32]| {
        let mut scores = scores.to_vec();
        to_unit_maximum(&mut scores);
        scores
    };
    scaled(a).iter().zip(scaled(b)).map(|(a, b)| a + b).collect()
}
