//! How passages are ranked, and which ones at all.

use jiff::tz::TimeZone;

use crate::model::{ProjectId, Timestamp};
use crate::store::EpisodeNum;
use crate::store::index::{Doc, PassageKind, project_tag};

/// When a question is asked, and in which time zone its days begin.
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

/// By which rules is ranked and walked?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankingMode {
    /// Those that the measurements preferred.
    #[default]
    Measured,
    /// Those of the original design, to the letter.
    Seed,
}

/// What a ranked list is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankFor {
    Search,
    /// Chains start from the best of it.
    Chains,
}

/// What is ranked by what.
#[derive(Clone, Copy, Debug)]
pub struct RankQuestion<'q> {
    pub text: &'q str,
    pub filter: &'q Filter,
    pub ranking: &'q Ranking,
    pub now: Option<&'q Now>,
    pub purpose: RankFor,
}

/// Every number that decides a ranking. The defaults are what the measurements
/// preferred; `docs/measurements.md` has the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub mode: RankingMode,
    /// BM25: how soon repetition stops to matter, how much length does.
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
    /// The share of any other passage's score that the next one gets.
    pub after: f32,
    /// The share that the one before gets.
    pub before: f32,
    /// The share of an answer's score that the prompt it answers gets.
    pub answered: f32,
    /// Weight of the session's best passages.
    pub session: f32,
    /// Weight of the turn's best passages.
    pub turn: f32,
    /// How much more a turn or session counts in which something fitting was written.
    pub written: f32,
    /// What an agent said counts this much of what a person said.
    pub assistant: f32,
    /// For having the question, or its longest line, word for word.
    pub verbatim: f32,
    /// For being of a day that the question names.
    pub date: f32,
    /// Candidates from each list.
    pub candidates: usize,
}

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

/// Which passages may answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Kinds of passages; all when empty.
    pub kinds: Vec<PassageKind>,
    /// Episodes; all when absent. From an agent's name, or one session.
    pub episodes: Option<EpisodeSet>,
    /// Part of a path that the chunk must have touched.
    pub files: Vec<String>,
}

/// Numbers of episodes. Each passage is asked about, so they lie in order.
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

    /// Files are asked for later: they are not in the record.
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
