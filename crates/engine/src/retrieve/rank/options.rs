//! Options of the ranking, and the filter of passages.

use jiff::tz::TimeZone;

use crate::model::{ProjectId, Timestamp};
use crate::store::EpisodeNum;
use crate::store::index::{Doc, PassageKind, project_tag};

/// The time of the question, and the time zone of its days.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    pub time: Timestamp,
    pub zone: TimeZone,
}

impl From<Timestamp> for Now {
    fn from(time: Timestamp) -> Self {
        Now { time, zone: TimeZone::UTC }
    }
}

/// The rules of ranking and walking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankingMode {
    /// The rules that the measurements preferred.
    #[default]
    Measured,
    /// The exact rules of the original design.
    Seed,
}

/// The purpose of a ranked list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankFor {
    Search,
    /// Chains start from its best entries.
    Chains,
}

/// The inputs of a ranking.
#[derive(Clone, Copy, Debug)]
pub struct RankQuestion<'q> {
    pub text: &'q str,
    pub filter: &'q Filter,
    pub ranking: &'q Ranking,
    pub now: Option<&'q Now>,
    pub purpose: RankFor,
}

/// The parameters of a ranking. The defaults are what the measurements preferred; `docs/measurements.md` has the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub mode: RankingMode,
    /// BM25: the saturation of repeated terms, and the influence of length.
    pub k1: f32,
    pub b: f32,
    /// Weights of content, place, tail and output.
    pub fields: [f32; 4],
    /// Weight of thinking; searched on request only.
    pub thinking: f32,
    /// Weights of the words and of the vectors.
    pub words: f32,
    pub vectors: f32,
    /// Between people: the share of a question's score that the reply gets.
    pub reply: f32,
    /// The share of any other passage's score that the next passage gets.
    pub after: f32,
    /// The share that the previous passage gets.
    pub before: f32,
    /// The share of an answer's score that the prompt it answers gets.
    pub answered: f32,
    /// Weight of the session's best passages.
    pub session: f32,
    /// Weight of the turn's best passages.
    pub turn: f32,
    /// The factor for a turn or session that wrote something matching.
    pub written: f32,
    /// The weight of an agent's words relative to a person's.
    pub assistant: f32,
    /// The bonus for containing the question, or its longest line, verbatim.
    pub verbatim: f32,
    /// The bonus for being from a day that the question names.
    pub date: f32,
    /// Candidates from each list.
    pub candidates: usize,
}

/// A text of more words is a report: it has words by chance, and many that no answer repeats.
pub const REPORT_WORDS: usize = 25;

impl Ranking {
    /// The rules of the original design.
    pub fn seed() -> Self {
        Ranking { mode: RankingMode::Seed, ..Ranking::default() }
    }
}

impl Default for Ranking {
    fn default() -> Self {
        Ranking {
            mode: RankingMode::default(),
            k1: 0.9,
            b: 0.4,
            fields: [1.0, 0.6, 0.05, 0.1],
            thinking: 0.0,
            words: 1.0,
            vectors: 0.5,
            reply: 0.7,
            after: 0.2,
            before: 0.15,
            answered: 0.4,
            session: 0.7,
            turn: 0.6,
            written: 0.15,
            assistant: 0.9,
            verbatim: 1.0,
            date: 0.5,
            candidates: 300,
        }
    }
}

/// Selects the passages that may answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Kinds of passages; empty: all.
    pub kinds: Vec<PassageKind>,
    /// Episodes of an agent or of one session; None: all.
    pub episodes: Option<EpisodeSet>,
    /// Part of a path that the chunk must have touched.
    pub files: Vec<String>,
}

/// Numbers of episodes, sorted, because each passage is looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpisodeSet(Vec<u32>);

impl FromIterator<u32> for EpisodeSet {
    fn from_iter<I: IntoIterator<Item = u32>>(episodes: I) -> Self {
        let mut episodes = Vec::from_iter(episodes);
        episodes.sort_unstable();
        EpisodeSet(episodes)
    }
}

impl EpisodeSet {
    fn contains(&self, episode: EpisodeNum) -> bool {
        self.0.binary_search(&(episode.0 as u32)).is_ok()
    }
}

impl Filter {
    pub(super) fn is_open(&self) -> bool {
        self.project.is_none()
            && self.from.is_none()
            && self.to.is_none()
            && self.kinds.is_empty()
            && self.episodes.is_none()
    }

    /// Files are checked later: they are not in the record.
    pub fn lets(&self, doc: &Doc) -> bool {
        self.project.is_none_or(|project| project_tag(project) == doc.project)
            && self.from.is_none_or(|from| doc.time.is_some_and(|time| time >= from))
            && self.to.is_none_or(|to| doc.time.is_some_and(|time| time < to))
            && (self.kinds.is_empty() || self.kinds.contains(&doc.kind))
            && self.episodes.as_ref().is_none_or(|episodes| episodes.contains(doc.episode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_found_in_whatever_order_they_came() {
        let set = EpisodeSet::from_iter([7, 2, 9, 2, 4]);
        let found: Vec<i64> = (0..11).filter(|num| set.contains(EpisodeNum(*num))).collect();
        assert_eq!(found, [2, 4, 7, 9]);
    }
}
