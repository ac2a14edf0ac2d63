//! Finds weights on some repositories, to be tested on another.

use backstory_cause::locate::to_unit_maximum;

use super::case::BugCase;
use super::metrics::{DEPTH, Quality, best};

/// Pulls the weights towards their start; strong, because there are few repositories.
const PULL: f64 = 0.03;
const STEP: f64 = 2.0;
const STEPS: usize = 150;
/// The factor of scores in the softmax.
const SHARPNESS: f32 = 6.0;
/// The strongest rivals of the wanted items; the others are unlikely under any weights.
const RIVALS: usize = 60;
/// The start of learning: the first signal has weight 1, every other one this.
const OTHERS_START: f32 = 0.3;

/// Selects the functions of the fix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// All; one that is not in the index counts as not found.
    All,
    /// Only those that are in the index.
    Matched,
}

/// The score of every kept file.
pub fn file_scores(case: &BugCase, weights: &[f32]) -> Vec<f32> {
    weighted(&case.signals, weights, case.files)
}

pub fn files(case: &BugCase, weights: &[f32]) -> Quality {
    let ranking = best(&file_scores(case, weights), DEPTH);
    // A gold file that is not a candidate is never found.
    Quality::of(ranking, case.gold_count, |at, gold| case.gold.get(gold) == Some(at))
}

/// The last weight is that of the file's score.
pub fn functions(case: &BugCase, file_weights: &[f32], weights: &[f32], counted: Counted) -> Quality {
    let scores = weighted(&function_columns(case, file_weights), weights, case.functions.len());
    let gold = case.function_gold.iter().filter(|matching| counted == Counted::All || !matching.is_empty());
    let gold: Vec<&Vec<usize>> = gold.collect();
    Quality::of(best(&scores, DEPTH), gold.len(), |at, of| gold[of].contains(at))
}

fn weighted(signals: &[Vec<f32>], weights: &[f32], count: usize) -> Vec<f32> {
    let mut total = vec![0.0; count];
    for (scores, weight) in signals.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        total.iter_mut().zip(scores).for_each(|(total, score)| *total += weight * score);
    }
    total
}

/// The signals of the functions and, last, the score of their files.
fn function_columns(case: &BugCase, file_weights: &[f32]) -> Vec<Vec<f32>> {
    let mut of_files = file_scores(case, file_weights);
    to_unit_maximum(&mut of_files);
    let mut columns = case.function_signals.clone();
    columns.push(case.functions.iter().map(|file| of_files[*file]).collect());
    columns
}

/// The start of learning; `without` is excluded, also later.
pub fn start(signals: usize, without: Option<usize>) -> Vec<f32> {
    let mut start = vec![OTHERS_START; signals];
    start[0] = 1.0;
    if let Some(without) = without {
        start[without] = 0.0;
    }
    start
}

/// One training case: the signals of the strongest candidates, and the indexes of the wanted ones.
pub struct Lesson<'a> {
    pub case: &'a BugCase,
    signals: Vec<Vec<f32>>,
    wanted: Vec<usize>,
}

impl<'a> Lesson<'a> {
    pub fn of_files(case: &'a BugCase) -> Self {
        Self::new(case, &case.signals, &case.gold)
    }

    pub fn of_functions(case: &'a BugCase, file_weights: &[f32]) -> Self {
        Self::new(case, &function_columns(case, file_weights), &case.function_gold.concat())
    }

    fn new(case: &'a BugCase, signals: &[Vec<f32>], wanted: &[usize]) -> Self {
        let count = signals.first().map_or(0, Vec::len);
        let flat: Vec<f32> = (0..count).map(|at| signals.iter().map(|scores| scores[at]).sum()).collect();
        let mut kept = best(&flat, RIVALS);
        for at in wanted {
            if !kept.contains(at) {
                kept.push(*at);
            }
        }
        Self {
            case,
            wanted: wanted.iter().filter_map(|at| kept.iter().position(|kept| kept == at)).collect(),
            signals: signals.iter().map(|scores| kept.iter().map(|&at| scores[at]).collect()).collect(),
        }
    }
}

/// Learns weights that make the wanted items likely (softmax over the candidates of a case), none below zero, the first
/// one 1. A weight that starts at zero stays zero.
pub fn learn(lessons: &[&Lesson<'_>], start: &[f32]) -> Vec<f32> {
    let shares = shares(lessons);
    let prior: Vec<f64> = start.iter().map(|weight| f64::from(weight * SHARPNESS)).collect();
    let mut weights = prior.clone();
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().zip(&prior).map(|(now, then)| PULL * (now - then)).collect();
        for (lesson, share) in lessons.iter().zip(&shares) {
            add_slope(lesson, &weights, *share, &mut slope);
        }
        for ((weight, slope), start) in weights.iter_mut().zip(&slope).zip(start) {
            *weight = if *start == 0.0 { 0.0 } else { (*weight - STEP * slope).max(0.0) };
        }
    }
    let first = weights[0].max(1e-6);
    weights.iter().map(|weight| (weight / first) as f32).collect()
}

/// The share of each case; a repository and set counts by the root of its number of questions.
fn shares(lessons: &[&Lesson<'_>]) -> Vec<f64> {
    let group = |lesson: &Lesson<'_>| (lesson.case.repo.clone(), lesson.case.set);
    let size = |of: &Lesson<'_>| lessons.iter().filter(|lesson| group(lesson) == group(of)).count() as f64;
    let raw: Vec<f64> = lessons.iter().map(|lesson| 1.0 / size(lesson).sqrt()).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|share| share / total).collect()
}

/// Adds the gradient of the negative mean log likelihood of the wanted items.
fn add_slope(lesson: &Lesson<'_>, weights: &[f64], share: f64, slope: &mut [f64]) {
    let Lesson { signals, wanted, .. } = lesson;
    let count = signals.first().map_or(0, Vec::len);
    if wanted.is_empty() || count == 0 {
        return;
    }
    let mut scores = vec![0.0f64; count];
    for (signal, weight) in signals.iter().zip(weights) {
        scores.iter_mut().zip(signal).for_each(|(score, value)| *score += weight * f64::from(*value));
    }
    let largest = scores.iter().copied().fold(f64::MIN, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let total: f64 = scores.iter().sum();
    let each = 1.0 / wanted.len() as f64;
    for (signal, slope) in signals.iter().zip(slope) {
        let expected: f64 = signal.iter().zip(&scores).map(|(value, score)| f64::from(*value) * score).sum();
        let seen: f64 = wanted.iter().map(|&at| each * f64::from(signal[at])).sum();
        *slope += share * (expected / total - seen);
    }
}

/// Weights for every repository, found without it.
pub struct Folds {
    pub weights: Vec<(String, Vec<f32>)>,
}

impl Folds {
    /// `lessons` returns those for a repository: earlier training may differ between folds.
    pub fn learn<'a>(repositories: &[String], start: &[f32], lessons: impl Fn(&str) -> Vec<&'a Lesson<'a>>) -> Self {
        let of_others = |name: &String| {
            let others: Vec<&Lesson<'_>> =
                lessons(name).into_iter().filter(|lesson| lesson.case.repo != *name).collect();
            (name.clone(), learn(&others, start))
        };
        Self { weights: repositories.iter().map(of_others).collect() }
    }

    pub fn of(&self, repository: &str) -> &[f32] {
        self.weights.iter().find(|fold| fold.0 == repository).map_or(&[], |fold| &fold.1)
    }
}
