//! The signals of every relevant candidate: enough to try other weights.

use backstory_cause::locate::{
    Codebase, FILE_SIGNALS, FUNCTION_SIGNALS, FaultQuestion, Weights, file_signals, function_signals, to_unit_maximum,
};
use backstory_cause::tree::FileNum;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::EvalResult;
use super::gold::{self, Gold};
use super::metrics::{DEPTH, Quality, best};
use super::plain;
use super::rows::{ReportRow, Set};
use super::shown::{self, ShownDocuments};
use super::snapshot::{CommitSnapshot, SnapshotWorker};

/// Candidates kept per signal: one below these in every signal is not among the first ten.
const KEPT: usize = 60;

/// A row with the signals of its candidates, each divided by its maximum.
#[derive(Serialize, Deserialize)]
pub struct BugCase {
    pub id: String,
    pub repo: String,
    pub set: Set,
    /// The text contains no gold file's stem.
    pub no_stem: bool,
    pub gold_count: usize,
    /// The number of all candidates; the signals below are those of the kept ones.
    pub files: usize,
    pub signals: Vec<Vec<f32>>,
    /// The gold files among them, without those that are not sources.
    pub gold: Vec<usize>,
    pub baselines: Vec<Quality>,
    /// The file of each kept function.
    pub functions: Vec<usize>,
    pub function_signals: Vec<Vec<f32>>,
    /// Per gold function, the matching candidates.
    pub function_gold: Vec<Vec<usize>>,
    /// Each function signal alone.
    pub function_baselines: Vec<Quality>,
    pub unmatched: Vec<String>,
    pub shown: ShownDocuments,
}

impl BugCase {
    /// Gold functions that are in the index.
    pub fn matched(&self) -> usize {
        self.function_gold.iter().filter(|matching| !matching.is_empty()).count()
    }
}

pub fn case(row: &ReportRow, snapshot: &CommitSnapshot, worker: &mut SnapshotWorker<'_>) -> EvalResult<BugCase> {
    let place = Codebase::new(&snapshot.tree, &snapshot.past);
    let question = FaultQuestion::new(&row.query, &mut worker.reader);
    let signals = scaled(file_signals(&place, &question));
    let of_functions = scaled(function_signals(&place, &question));
    debug_assert_eq!((signals.len(), of_functions.len()), (FILE_SIGNALS.len(), FUNCTION_SIGNALS.len()));
    let path = |at: usize| snapshot.tree.path(at as FileNum);
    let sources = snapshot.tree.sources();
    let gold: Vec<usize> = (0..sources).filter(|&at| row.gold_files.iter().any(|gold| gold == path(at))).collect();
    let gold_functions = gold::find(row, &snapshot.tree, |path| worker.lines_of(snapshot, path));

    let kept = kept(&signals, &gold);
    let new_place: FxHashMap<usize, usize> = kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    let functions = Functions::new(snapshot, &of_functions, &signals, &gold_functions, &new_place);
    Ok(BugCase {
        id: row.id.clone(),
        repo: row.repo.clone(),
        set: row.set,
        no_stem: row.names_no_stem(),
        gold_count: row.gold_files.len(),
        files: kept.len(),
        signals: of_kept(&signals, &kept),
        gold: gold.iter().map(|at| new_place[at]).collect(),
        baselines: plain::baselines(row, snapshot, &question),
        functions: functions.files,
        function_signals: functions.signals,
        function_gold: functions.gold,
        function_baselines: functions.baselines,
        shown: shown::shown(row, &place, &gold_functions, &mut worker.reader)?,
        unmatched: gold_functions.unmatched,
    })
}

fn scaled(mut signals: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    signals.iter_mut().for_each(|scores| to_unit_maximum(scores));
    signals
}

/// The best of every signal, and the gold.
fn kept(signals: &[Vec<f32>], gold: &[usize]) -> Vec<usize> {
    let mut kept: Vec<usize> = gold.to_vec();
    for scores in signals {
        kept.extend(best(scores, KEPT).into_iter().filter(|&at| scores[at] > 0.0));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn of_kept(signals: &[Vec<f32>], kept: &[usize]) -> Vec<Vec<f32>> {
    signals.iter().map(|scores| kept.iter().map(|&at| scores[at]).collect()).collect()
}

/// The function part of a case.
struct Functions {
    files: Vec<usize>,
    signals: Vec<Vec<f32>>,
    gold: Vec<Vec<usize>>,
    baselines: Vec<Quality>,
}

impl Functions {
    /// `new_place`: the new indexes of the kept files.
    fn new(
        snapshot: &CommitSnapshot,
        signals: &[Vec<f32>],
        file_signals: &[Vec<f32>],
        gold: &Gold,
        new_place: &FxHashMap<usize, usize>,
    ) -> Self {
        let tree = &snapshot.tree;
        let baselines = signals.iter().map(|scores| {
            Quality::of(best(scores, DEPTH), gold.functions.len(), |at, of| gold.functions[of].contains(at))
        });
        let weights = Weights::default();
        let fused =
            |at: usize| file_signals.iter().zip(&weights.files).map(move |(scores, weight)| scores[at] * weight);
        let of_files: Vec<f32> = (0..tree.sources()).map(|at| fused(at).sum()).collect();
        let mut kept = kept(signals, &gold.functions.concat());
        kept.extend(best(&of_files, DEPTH).into_iter().flat_map(|file| tree.functions_of(file as FileNum)));
        let file_of = |at: &usize| tree.function(*at).and_then(|entity| new_place.get(&(entity.file as usize)));
        kept.retain(|at| file_of(at).is_some());
        kept.sort_unstable();
        kept.dedup();
        let now = |old: &usize| kept.binary_search(old).ok();
        Self {
            baselines: baselines.collect(),
            gold: gold.functions.iter().map(|matching| matching.iter().filter_map(now).collect()).collect(),
            files: kept.iter().filter_map(file_of).copied().collect(),
            signals: of_kept(signals, &kept),
        }
    }
}
