//! What does the title of a session add?
//!
//! A title says in its own words what a session was about. It answers a question where no turn
//! does, and names a case whose request says too little.

use std::cmp::Reverse;
use std::collections::HashMap;

use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::store::{CaseRow, EpisodeNum, StoreError, ViewReader};

use super::super::RetrieveError;
use super::super::rank::Filter;
use super::super::sessions::{SessionQuery, sessions_in, titles};
use super::answer::CaseHits;
use super::turn_index::CoveredShare;
use super::work_done::HANDS_OVER_PLAN;

/// The least share of the question that a title has, and the least number of its words.
const LEAST_COVERED: f32 = 0.6;
const LEAST_WORDS: usize = 2;
/// Sessions whose cases are told.
const MOST_SESSIONS: usize = 2;

/// A request of fewer words needs the title of its session, and so does one that only hands over a
/// plan.
const SHORT_REQUEST: usize = 4;
const HANDS_OVER: [&str; 2] = [HANDS_OVER_PLAN, "<command"];

/// Titles by session, read when one is needed.
#[derive(Default)]
pub(super) struct SessionTitles {
    titles: Option<HashMap<EpisodeNum, String>>,
}

impl SessionTitles {
    /// None where the request speaks for itself, or is not the session's first.
    pub fn of(&mut self, view: &ViewReader<'_>, row: &CaseRow, asked: &str) -> Result<Option<String>, StoreError> {
        let asked = asked.to_lowercase();
        let is_short = asked.split_whitespace().nth(SHORT_REQUEST - 1).is_none();
        let is_handed_over = HANDS_OVER.iter().any(|beginning| asked.starts_with(beginning));
        if !is_short && !is_handed_over || view.cases_of(row.episode)?.first().is_none_or(|first| first != row) {
            return Ok(None);
        }
        if self.titles.is_none() {
            self.titles = Some(titles(view)?);
        }
        Ok(self.titles.as_ref().and_then(|titles| titles.get(&row.episode)).cloned())
    }
}

/// The cases in which sessions with such a title began and ended, the best title first.
pub fn titled_cases(
    log: &mut Log,
    view: &ViewReader<'_>,
    filter: &Filter,
    found: &CaseHits,
) -> Result<Vec<CaseRow>, RetrieveError> {
    if filter.episodes.is_some() {
        return Ok(Vec::new());
    }
    let share = CoveredShare::of(&found.index, &found.hits.terms);
    let mut tokenizer = Tokenizer::new();
    let mut titled = Vec::new();
    let within = SessionQuery { project: filter.project, from: filter.from, to: filter.to };
    for session in sessions_in(log, view, &within)? {
        let words = session.title.as_deref().map(|title| tokenizer.strings(title)).unwrap_or_default();
        let asked: Vec<_> = found.hits.terms.iter().filter(|term| words.contains(&term.term)).collect();
        let covered: f32 = asked.iter().map(|term| share.of_term(term)).sum();
        if covered >= LEAST_COVERED && asked.len() >= LEAST_WORDS {
            titled.push((covered, session.started, session.episodes));
        }
    }
    titled.sort_by(|a, b| b.0.total_cmp(&a.0).then(Reverse(a.1).cmp(&Reverse(b.1))));
    let mut cases: Vec<CaseRow> = Vec::new();
    for (_, _, episodes) in titled.into_iter().take(MOST_SESSIONS) {
        let mut rows = Vec::new();
        for episode in episodes {
            rows.extend(view.cases_of(episode)?);
        }
        let last = (rows.len() > 1).then(|| rows.pop()).flatten();
        cases.extend(rows.into_iter().take(1).chain(last));
    }
    Ok(cases)
}
