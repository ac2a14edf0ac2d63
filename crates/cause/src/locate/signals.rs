//! Scores each file by several signals. One function per signal; each gives a score per source file, zero if it has no
//! evidence.

use backstory_language::embed::DIM;
use rustc_hash::FxHashMap;

use crate::path_names::stem;
use crate::postings::rarity;
use crate::terms::{Bag, Term};
use crate::tree::FileNum;
use backstory_language::text::identifier_parts;

use super::question::FaultQuestion;
use super::{Codebase, cosine};

/// Term saturation for sources with the messages of their changes, for tests and for functions.
const WORDS_K1: f32 = 2.5;
pub const K1: f32 = 4.0;
/// Term saturation for short texts.
const SHORT_K1: f32 = 1.2;

/// Names of the signals, in the order of [`file_signals`].
pub const FILE_SIGNALS: [&str; 8] =
    ["words", "similar-commits", "close-commits", "stem", "path", "tests", "named-path", "title"];

/// Every signal for a question.
pub fn file_signals(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<Vec<f32>> {
    let lexical = codebase.past.by_commit().score(&question.terms, SHORT_K1);
    let close = close_commits(codebase, question);
    vec![
        words(codebase, &question.terms),
        files_of_commits(codebase, &lexical, 100, 2),
        files_of_commits(codebase, &close, 50, 4),
        stem_anchor(codebase, question),
        codebase.tree.path_words().score(&question.terms, SHORT_K1),
        through_tests(codebase, question),
        named_paths(codebase, question),
        // The title says what is wrong; a long body is mostly about how it was found.
        words(codebase, &question.title),
    ]
}

/// The words in the path, names, comments and code of a file, and in the messages of its changes.
fn words(codebase: &Codebase<'_>, asked: &Bag) -> Vec<f32> {
    let (fields, messages) = (codebase.tree.fields(), codebase.past.by_file());
    let mut scores = vec![0.0; codebase.tree.sources()];
    let mut found: Vec<(FileNum, f32)> = Vec::new();
    for &(term, weight) in &asked.terms {
        found.clear();
        found.extend(fields.list(term).iter().map(|posting| (posting.document, posting.weight)));
        found.extend(messages.list(term).iter().filter_map(|posting| {
            let file = codebase.file_of_path.get(posting.document as usize).copied().flatten()?;
            ((file as usize) < scores.len()).then_some((file, posting.weight))
        }));
        found.sort_unstable_by_key(|entry| entry.0);
        let holding = found.chunk_by(|a, b| a.0 == b.0).count();
        let gain = weight * rarity(scores.len(), holding) * (WORDS_K1 + 1.0);
        for entries in found.chunk_by(|a, b| a.0 == b.0) {
            let count: f32 = entries.iter().map(|entry| entry.1).sum();
            scores[entries[0].0 as usize] += gain * count / (WORDS_K1 + count);
        }
    }
    scores
}

/// The similarity of each past commit's subject to the title.
fn close_commits(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    codebase.past.vectors().chunks_exact(DIM).map(|vector| cosine(&question.title_vector, vector).max(0.0)).collect()
}

/// Scores the files of the `count` best past commits. A higher `power` favours the best commits more.
fn files_of_commits(codebase: &Codebase<'_>, commits: &[f32], count: usize, power: i32) -> Vec<f32> {
    let mut ranked: Vec<(usize, f32)> =
        (0u32..).zip(commits).map(|(at, score)| (at as usize, score * codebase.past.fresh(at).sqrt())).collect();
    keep_best(&mut ranked, count);
    let mut scores = vec![0.0; codebase.tree.sources()];
    for (commit, score) in ranked {
        let share = score.powi(power) / (codebase.past.files_of(commit as u32).len() as f32).sqrt();
        add_to_files(&mut scores, codebase.files_of_commit(commit as u32), share);
    }
    scores
}

fn add_to_files(scores: &mut [f32], files: impl Iterator<Item = FileNum>, share: f32) {
    for file in files {
        if let Some(score) = scores.get_mut(file as usize) {
            *score += share;
        }
    }
}

/// Is the file's own name, or all its parts, among the words of the question?
fn stem_anchor(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    let path_words = codebase.tree.path_words();
    let weight = |path: &str| {
        let stem = Term::of_identifier(stem(path));
        let named = question.plain.count(stem) > 0.0 || question.names.binary_search(&stem).is_ok();
        // A single-word stem is among the terms in stemmed form.
        let telling = identifier_parts(crate::path_names::stem(path)).iter().map(String::len).sum::<usize>() > 2;
        if named && telling { path_words.rarity(stem) } else { 0.0 }
    };
    (0..codebase.tree.sources()).map(|file| weight(codebase.tree.path(file as FileNum))).collect()
}

/// The semantic similarity of each function.
pub fn meaning_of_functions(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    codebase.tree.vectors().chunks_exact(DIM).map(|vector| cosine(&question.vector, vector).max(0.0)).collect()
}

/// The sources that changed together with the tests that match the question.
fn through_tests(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    const TESTS: usize = 20;
    let mut ranked: Vec<(usize, f32)> =
        codebase.tree.tests().score(&question.terms, K1).into_iter().enumerate().collect();
    keep_best(&mut ranked, TESTS);
    let best = ranked.first().map_or(1.0, |entry| entry.1);
    let matching: FxHashMap<FileNum, f32> = ranked
        .into_iter()
        .map(|(test, score)| ((codebase.tree.sources() + test) as FileNum, (score / best).powi(2)))
        .collect();
    let mut scores = vec![0.0; codebase.tree.sources()];
    if matching.is_empty() {
        return scores;
    }
    for commit in 0..codebase.past.commit_count() as u32 {
        let matched: f32 = codebase.files_of_commit(commit).filter_map(|file| matching.get(&file)).sum();
        if matched > 0.0 {
            let share = matched * codebase.past.fresh(commit) / codebase.past.files_of(commit).len() as f32;
            add_to_files(&mut scores, codebase.files_of_commit(commit), share);
        }
    }
    scores
}

/// Paths, file names and modules that the question names.
fn named_paths(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<f32> {
    let mut scores = vec![0.0f32; codebase.tree.sources()];
    for path in &question.paths {
        for (file, score) in files_meant_by(codebase, path) {
            scores[file as usize] = scores[file as usize].max(score);
        }
    }
    scores
}

/// The sources that a path or dotted name refers to; trailing names of entities inside a module are dropped.
pub fn files_meant_by(codebase: &Codebase<'_>, path: &str) -> Vec<(FileNum, f32)> {
    let mut rest = path;
    for _ in 0..3 {
        let found = module_files(codebase, rest);
        if !found.is_empty() {
            let ambiguity = (found.len() as f32).sqrt();
            return found.into_iter().map(|(file, agreed)| (file, agreed.min(3) as f32 / ambiguity)).collect();
        }
        let Some((before, _)) = rest.rsplit_once('/') else { break };
        rest = before;
    }
    Vec::new()
}

/// Files whose path without extension ends in `path`; a single component must be a file name with extension.
fn module_files(codebase: &Codebase<'_>, path: &str) -> Vec<(FileNum, usize)> {
    let wanted = path.split('/').count();
    let is_source = |entry: &(FileNum, usize)| (entry.0 as usize) < codebase.tree.sources();
    let paths = codebase.tree.paths();
    let exact: Vec<_> = paths.ending_like(path).into_iter().filter(is_source).collect();
    let longest = exact.iter().map(|entry| entry.1).max().unwrap_or(0);
    if longest > 0 && (longest == wanted || longest > 1 || wanted == 1) {
        return exact.into_iter().filter(|entry| entry.1 == longest).collect();
    }
    if wanted < 2 {
        return Vec::new();
    }
    paths.modules_ending_like(path).into_iter().filter(is_source).collect()
}

/// Keeps the `count` best, best first, without zero scores.
pub fn keep_best(ranked: &mut Vec<(usize, f32)>, count: usize) {
    ranked.retain(|entry| entry.1 > 0.0);
    ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.truncate(count);
}

/// Divides by the largest score.
pub fn to_unit_maximum(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 {
        scores.iter_mut().for_each(|score| *score /= largest);
    }
}
