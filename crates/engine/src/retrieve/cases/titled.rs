//! Which sessions have a title that answers a question, where no turn does?
//!
//! A title says in its own words what a session was about.

use std::cmp::Reverse;

use backstory_language::text::Tokenizer;

use crate::log::Log;
use crate::store::{CaseRow, ViewReader};

use super::super::RetrieveError;
use super::super::rank::Filter;
use super::super::sessions::{SessionQuery, sessions_in};
use super::answer::CaseHits;
use super::turn_index::CoveredShare;

/// The least share of the question that a title has, and the least number of its words.
const LEAST_COVERED: f32 = 0.6;
const LEAST_WORDS: usize = 2;
/// Sessions whose cases are told.
const MOST_SESSIONS: usize = 2;

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
