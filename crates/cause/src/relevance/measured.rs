//! How often were answers like this one right, on real bug reports?

use super::analysis::QuestionIntent;
use super::confidence::ConfidenceValue;
use super::options::{Mode, RetrievalOptions};
use crate::locate::CodeRanking;

/// Were all files of the fix among the first ten?
///
/// Measured on fault reports with the default list; unknown for anything else.
pub fn completeness(ranking: &CodeRanking, intent: QuestionIntent, options: &RetrievalOptions) -> ConfidenceValue {
    if ranking.files.first().is_none_or(|first| first.score <= 0.0) {
        return ConfidenceValue::absent("nothing in the code matches the question");
    }
    if intent != QuestionIntent::Why || options.max_docs() < 10 || options.mode == Mode::Precision {
        return ConfidenceValue::absent("measured for reports of faults and ten documents or more");
    }
    let MeasuredRow { n, share: value, low, high, .. } = ALL_SHOWN;
    let dataset = "real bug reports of five repositories: all files of the fix are among the first ten files";
    ConfidenceValue::Measured { value, dataset, n, low, high }
}

/// How often the first file was one of the fix, by its lead over the second.
pub fn first_is_right(ranking: &CodeRanking, intent: QuestionIntent) -> ConfidenceValue {
    let (Some(first), Some(second)) = (ranking.files.first(), ranking.files.get(1)) else {
        return ConfidenceValue::absent("too few source files to compare");
    };
    if intent != QuestionIntent::Why {
        return ConfidenceValue::absent("measured for reports of faults");
    }
    let lead = if first.score > 0.0 { 1.0 - second.score / first.score } else { 0.0 };
    let row = FIRST_RIGHT.iter().rev().find(|row| lead >= row.lead).unwrap_or(&FIRST_RIGHT[0]);
    let dataset = "real bug reports of five repositories: the first file is one of the fix";
    ConfidenceValue::Measured { value: row.share, dataset, n: row.n, low: row.low, high: row.high }
}

/// One measurement, with a 95 % interval.
struct MeasuredRow {
    /// The least lead of the best file in this row.
    lead: f32,
    n: u32,
    share: f32,
    low: f32,
    high: f32,
}

/// `backstory-eval bugloc DATA REPOSITORIES` prints the numbers for both tables.
const ALL_SHOWN: MeasuredRow = MeasuredRow { lead: 0.0, n: 754, share: 0.86, low: 0.83, high: 0.88 };
const FIRST_RIGHT: [MeasuredRow; 5] = [
    MeasuredRow { lead: 0.0, n: 152, share: 0.43, low: 0.36, high: 0.51 },
    MeasuredRow { lead: 0.1, n: 177, share: 0.65, low: 0.58, high: 0.72 },
    MeasuredRow { lead: 0.2, n: 146, share: 0.71, low: 0.63, high: 0.77 },
    MeasuredRow { lead: 0.3, n: 115, share: 0.80, low: 0.72, high: 0.86 },
    MeasuredRow { lead: 0.4, n: 164, share: 0.90, low: 0.84, high: 0.93 },
];
