//! Do the stated probabilities hold?
//!
//! A retrieval states how likely the cause is among its first five documents. The outcome is a person's judgement, or
//! else the next edits: if a session of the same project soon edits one of those files, the retrieval counts as
//! correct.

use std::collections::BTreeSet;

use crate::log::Log;
use crate::model::{ProjectId, STATED_OF, SourceKind, Timestamp};
use crate::store::{EpisodeNum, ViewReader, ViewStore};

use super::RetrieveError;
use super::retrievals::{RetrievalInfo, Retrievals, retrievals};
use super::why::is_same_file;

/// An edit later than this has nothing to do with the question.
const WITHIN: i64 = 6 * 3_600_000;
const BUCKETS: usize = 5;
/// The width of a 95 % interval in standard errors.
const Z: f64 = 1.96;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    pub retrievals: usize,
    /// Those judged by a person, and those whose outcome was derived from the next edits.
    pub by_hand: usize,
    pub by_edits: usize,
    /// Buckets of stated probability, lowest first, without empty ones.
    pub buckets: Vec<Bucket>,
    /// Over all with an outcome; None if there are none.
    pub overall: Option<Overall>,
}

impl Calibration {
    pub fn without_outcome(&self) -> usize {
        self.retrievals - self.by_hand - self.by_edits
    }
}

/// Retrievals with similar stated probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The lower and upper bound of the probability.
    pub from: f64,
    pub to: f64,
    pub count: usize,
    /// The mean stated probability.
    pub stated: f64,
    /// The share that came true, with its 95 % interval (Wilson).
    pub observed: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overall {
    pub stated: f64,
    pub observed: f64,
    /// The mean squared distance between the stated probability and the outcome.
    pub brier: f64,
    /// The mean distance between stated and observed over the buckets, weighted by size.
    pub expected_error: f64,
}

pub fn calibration(log: &mut Log, views: &ViewStore) -> Result<Calibration, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let asked = retrievals(log, &Retrievals::default())?;
    let mut told = Calibration::default();
    let mut pairs = Vec::new();
    for info in &asked {
        let Some(stated) = info.retrieval.stated.map(|stated| f64::from(stated).clamp(0.0, 1.0)) else { continue };
        told.retrievals += 1;
        if let Some(outcome) = &info.outcome {
            told.by_hand += 1;
            pairs.push((stated, outcome.is_among_first()));
        } else if let Some(came_true) = edited_next(log, &view, info)? {
            told.by_edits += 1;
            pairs.push((stated, came_true));
        }
    }
    (told.buckets, told.overall) = measured(&pairs);
    Ok(told)
}

/// Does the next session edit one of the first five files? None if nothing was edited soon, or no file was named.
fn edited_next(log: &mut Log, view: &ViewReader<'_>, info: &RetrievalInfo) -> Result<Option<bool>, RetrieveError> {
    let (Some(project), Some(asked)) = (info.retrieval.project, info.time) else { return Ok(None) };
    let first = info.retrieval.documents.iter().take(STATED_OF);
    let named: BTreeSet<&str> = first.filter_map(|document| document.path.as_deref()).collect();
    if named.is_empty() {
        return Ok(None);
    }
    let edits = edits_after(log, view, project, asked)?;
    // Prefer the session that asked; otherwise the one that edits first.
    let own = edits.iter().find(|edit| Some(&edit.session.1) == info.retrieval.session.as_ref());
    let Some(next) = own.or(edits.first()) else { return Ok(None) };
    let of_next = edits.iter().filter(|edit| edit.session == next.session);
    Ok(Some(of_next.into_iter().any(|edit| named.iter().any(|path| is_same_file(&edit.path, path)))))
}

/// An edit with its time and the session that made it.
struct TimedEdit {
    time: Timestamp,
    session: (SourceKind, String),
    path: String,
}

/// The edits of the project's sessions soon after a time, in order of time.
fn edits_after(
    log: &mut Log,
    view: &ViewReader<'_>,
    project: ProjectId,
    asked: Timestamp,
) -> Result<Vec<TimedEdit>, RetrieveError> {
    let until = Timestamp(asked.0 + WITHIN);
    let mut edits = Vec::new();
    for (num, run) in view.runs()? {
        let was_on = run.started.is_some_and(|at| at <= until) && run.ended.is_some_and(|at| at > asked);
        if !was_on {
            continue;
        }
        let Some(episode) = log.store().episode(num)?.filter(|episode| episode.project == project) else { continue };
        let session = (episode.key.source, episode.key.session);
        for (time, path) in timed_edits(log, view, num)? {
            if asked < time && time <= until {
                edits.push(TimedEdit { time, session: session.clone(), path });
            }
        }
    }
    edits.sort_by_key(|edit| edit.time);
    Ok(edits)
}

fn timed_edits(
    log: &mut Log,
    view: &ViewReader<'_>,
    episode: EpisodeNum,
) -> Result<Vec<(Timestamp, String)>, RetrieveError> {
    let mut edits = Vec::new();
    for row in view.edits_in(episode)? {
        edits.extend(log.store().time_of(episode, row.seq)?.map(|time| (time, row.path)));
    }
    Ok(edits)
}

fn measured(pairs: &[(f64, bool)]) -> (Vec<Bucket>, Option<Overall>) {
    let mut buckets = Vec::new();
    let bucket_of = |stated: f64| ((stated * BUCKETS as f64) as usize).min(BUCKETS - 1);
    for number in 0..BUCKETS {
        let here: Vec<&(f64, bool)> = pairs.iter().filter(|(stated, _)| bucket_of(*stated) == number).collect();
        if here.is_empty() {
            continue;
        }
        let (count, came_true) = (here.len(), here.iter().filter(|(_, came_true)| *came_true).count());
        let (low, high) = wilson(came_true, count);
        buckets.push(Bucket {
            from: number as f64 / BUCKETS as f64,
            to: (number + 1) as f64 / BUCKETS as f64,
            count,
            stated: here.iter().map(|(stated, _)| stated).sum::<f64>() / count as f64,
            observed: came_true as f64 / count as f64,
            low,
            high,
        });
    }
    let all = pairs.len() as f64;
    let truth = |came_true: bool| if came_true { 1.0 } else { 0.0 };
    let mean = |value: &dyn Fn(&(f64, bool)) -> f64| pairs.iter().map(value).sum::<f64>() / all;
    let overall = (!pairs.is_empty()).then(|| Overall {
        stated: mean(&|(stated, _)| *stated),
        observed: mean(&|(_, came_true)| truth(*came_true)),
        brier: mean(&|(stated, came_true)| (stated - truth(*came_true)).powi(2)),
        expected_error: buckets.iter().map(|it| it.count as f64 / all * (it.stated - it.observed).abs()).sum(),
    });
    (buckets, overall)
}

/// The 95 % interval of a share, valid for few cases too.
fn wilson(came_true: usize, count: usize) -> (f64, f64) {
    let (share, count) = (came_true as f64 / count as f64, count as f64);
    let scale = 1.0 + Z * Z / count;
    let middle = (share + Z * Z / (2.0 * count)) / scale;
    let half = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt() / scale;
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_is_held_against_observed() {
        let pairs = [(0.9, true), (0.9, true), (0.9, true), (0.9, false), (0.3, false), (0.3, false), (1.0, true)];
        let (buckets, overall) = measured(&pairs);
        let told: Vec<(f64, usize)> = buckets.iter().map(|bucket| (bucket.from, bucket.count)).collect();
        assert_eq!(told, [(0.2, 2), (0.8, 5)], "what is stated as certain is in the last one");
        assert_eq!(buckets[0].observed, 0.0);
        assert!((buckets[1].stated - 0.92).abs() < 1e-9 && (buckets[1].observed - 0.8).abs() < 1e-9);
        let overall = overall.unwrap_or(Overall { stated: 0.0, observed: 0.0, brier: 0.0, expected_error: 0.0 });
        assert!((overall.brier - (3.0 * 0.01 + 0.81 + 2.0 * 0.09) / 7.0).abs() < 1e-9, "{overall:?}");
        assert!((overall.expected_error - (2.0 * 0.3 + 5.0 * 0.12) / 7.0).abs() < 1e-9, "{overall:?}");
        assert_eq!(measured(&[]), (Vec::new(), None));
    }

    #[test]
    fn few_cases_give_a_wide_interval() {
        let (low, high) = wilson(8, 10);
        assert!((low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001, "{low} {high}");
        let (low, high) = wilson(0, 1);
        assert!(low == 0.0 && high > 0.75, "{low} {high}");
    }
}
