//! How many links are there, at which distances and with which scores?

use std::collections::HashMap;

use crate::talk::{CausalLink, ConsequenceType, IntentType, Strength};

use super::lines::TalkLine;
use super::ordinals::Ordinals;
use super::run::Linked;

/// Scores are counted in tenths; higher ones are counted in the last bin.
pub const SCORE_BINS: usize = 17;

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Metrics {
    pub lines: usize,
    pub excluded_lines: usize,
    pub all: Rate,
    pub by_strength: Vec<(&'static str, Rate)>,
    pub by_type: Vec<(&'static str, Rate)>,
    pub by_consequence: Vec<(&'static str, usize)>,
    /// The number of links at each distance (in answering lines, in all lines), from 1 on.
    pub distances: Vec<usize>,
    pub line_gaps: Vec<usize>,
    /// The number of links with a score in each tenth.
    pub scores: Vec<usize>,
    /// The number of consequences claimed by one intent, by two, and so on.
    pub fan_out: Vec<usize>,
    /// Links that equal the next eligible line by somebody who answers.
    pub nearest: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Rate {
    pub intents: usize,
    pub claimed: usize,
}

impl Rate {
    fn add(&mut self, link: &CausalLink) {
        self.intents += 1;
        self.claimed += usize::from(link.claimed());
    }

    /// The share of intents that claimed; None without intents.
    pub fn share(self) -> Option<f64> {
        (self.intents > 0).then(|| self.claimed as f64 / self.intents as f64)
    }
}

impl Metrics {
    /// `lines` are those that `linked` was made from.
    pub fn of(lines: &[TalkLine<'_>], linked: &Linked) -> Self {
        let mut metrics = Metrics::of_links(&linked.links);
        metrics.lines = lines.len();
        metrics.excluded_lines = linked.mask.excluded_lines() as usize;
        metrics.nearest = nearest(lines, linked);
        metrics
    }

    /// The metrics that need no transcript.
    pub fn of_links(links: &[CausalLink]) -> Self {
        let mut metrics = Metrics { scores: vec![0; SCORE_BINS], ..Metrics::default() };
        let mut strengths = [Rate::default(); 2];
        let mut types = [Rate::default(); 4];
        let mut kinds = [0; ConsequenceType::ALL.len()];
        let mut claimants: HashMap<(&str, u32), usize> = HashMap::new();
        for link in links {
            metrics.all.add(link);
            strengths[usize::from(link.intent_strength == Strength::Weak)].add(link);
            types[place(&IntentType::ALL, &link.intent_type)].add(link);
            kinds[place(&ConsequenceType::ALL, &link.consequence_type)] += 1;
            let Some(found) = &link.consequence else { continue };
            count(&mut metrics.distances, found.distance as usize);
            count(&mut metrics.line_gaps, found.line_gap as usize);
            metrics.scores[((found.score * 10.0) as usize).min(SCORE_BINS - 1)] += 1;
            *claimants.entry((&link.session, found.anchor)).or_default() += 1;
        }
        claimants.values().for_each(|claims| count(&mut metrics.fan_out, *claims));
        metrics.by_strength = vec![("strong", strengths[0]), ("weak", strengths[1])];
        metrics.by_type = IntentType::ALL.iter().zip(types).map(|(kind, rate)| (kind.name(), rate)).collect();
        metrics.by_consequence =
            ConsequenceType::ALL.iter().zip(kinds).map(|(kind, count)| (kind.name(), count)).collect();
        metrics
    }

    /// The share of links that equal the nearest line. Near 1, a kernel adds nothing.
    pub fn nearest_share(&self) -> Option<f64> {
        (self.all.claimed > 0).then(|| self.nearest as f64 / self.all.claimed as f64)
    }
}

fn place<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter().position(|other| other == one).unwrap_or(0)
}

/// Counts `value`, which is 1 or more.
fn count(histogram: &mut Vec<usize>, value: usize) {
    let at = value.saturating_sub(1);
    if histogram.len() <= at {
        histogram.resize(at + 1, 0);
    }
    histogram[at] += 1;
}

fn nearest(lines: &[TalkLine<'_>], linked: &Linked) -> usize {
    let parts = linked.participants.parts();
    let named = linked.participants.name(lines);
    let ordinals = Ordinals::new(&named, &parts);
    let place = |anchor: u32| lines.binary_search_by_key(&anchor, |line| line.index).ok();
    let is_nearest = |link: &&CausalLink| {
        let Some(found) = &link.consequence else { return false };
        let Some(from) = place(link.intent_anchor) else { return false };
        let next = ordinals.after(from).map(|(_, at)| at).find(|at| linked.mask.is_eligible(*at));
        next.is_some() && next == place(found.anchor)
    };
    linked.links.iter().filter(is_nearest).count()
}
