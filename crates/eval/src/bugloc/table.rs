//! Tables by repository.

use super::case::BugCase;
use super::metrics::{Measure, Quality};

/// A way of ranking, by its name.
pub struct Line<'a> {
    pub name: String,
    pub measure: Box<dyn Fn(&BugCase) -> Quality + 'a>,
}

pub fn line<'a>(name: impl Into<String>, measure: impl Fn(&BugCase) -> Quality + 'a) -> Line<'a> {
    Line { name: name.into(), measure: Box::new(measure) }
}

/// The scores of a ranking, by repository.
pub struct RankingScores {
    pub repositories: Vec<(String, usize, Quality)>,
    /// The mean over repositories.
    pub mean: Quality,
    /// The mean over all rows.
    pub rows: Quality,
}

impl RankingScores {
    pub fn of(cases: &[&BugCase], measure: impl Fn(&BugCase) -> Quality) -> Self {
        let mut repositories = Vec::new();
        let mut rows = Vec::new();
        for name in repositories_of(cases.iter().copied()) {
            let qualities: Vec<Quality> =
                cases.iter().filter(|case| case.repo == name).map(|case| measure(case)).collect();
            repositories.push((name, qualities.len(), Quality::mean(&qualities)));
            rows.extend(qualities);
        }
        Self {
            mean: Quality::mean(repositories.iter().map(|(_, _, quality)| quality)),
            rows: Quality::mean(&rows),
            repositories,
        }
    }
}

pub fn repositories_of<'a>(cases: impl Iterator<Item = &'a BugCase>) -> Vec<String> {
    let mut names: Vec<String> = cases.map(|case| case.repo.clone()).collect();
    names.sort();
    names.dedup();
    names
}

pub fn short(repository: &str) -> &str {
    repository.rsplit('/').next().unwrap_or(repository)
}

/// One block per measure: a line per ranking, a column per repository. Returns the scores of the lines.
pub fn print(cases: &[&BugCase], measures: &[Measure], lines: &[Line<'_>]) -> Vec<RankingScores> {
    let scores: Vec<RankingScores> = lines.iter().map(|line| RankingScores::of(cases, &line.measure)).collect();
    let Some(first) = scores.first() else { return scores };
    for (name, of) in measures {
        let columns: String = first
            .repositories
            .iter()
            .map(|(name, rows, _)| format!("{:>16}", format!("{} ({rows})", short(name))))
            .collect();
        println!("{name:<34}{columns}{:>9}{:>9}", "mean", "all rows");
        for (line, scores) in lines.iter().zip(&scores) {
            let columns: String =
                scores.repositories.iter().map(|(_, _, quality)| format!("{:>16.3}", of(quality))).collect();
            println!("  {:<32}{columns}{:>9.3}{:>9.3}", line.name, of(&scores.mean), of(&scores.rows));
        }
    }
    scores
}
