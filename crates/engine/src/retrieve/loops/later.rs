//! What did later sessions of the project resume?

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use backstory_language::commands::same_tests;
use backstory_language::embed::{Embedder, StaticTable};
use backstory_language::text::{Tokenizer, is_stop_word};

use crate::model::{Basis, ProjectId, Timestamp};
use crate::store::{Index, OutcomeRow, ViewReader};

use super::super::RetrieveError;
use super::super::rank::{Filter, RankFor, RankQuestion, Ranking, rank};
use super::{Run, tasks};

/// The share of an open loop's words that must occur again.
const TAKEN_UP: f32 = 0.6;
/// The same share weighted by rarity, within one passage.
const DONE: f32 = 0.75;

/// What the sessions of each project requested, noted and tested.
pub(super) struct Doings<'a> {
    runs: &'a [Run],
    /// Built on demand: tokenising takes time.
    said: OnceCell<HashMap<ProjectId, RequestedWords>>,
    /// The position of the last test run with each runner: session and event.
    tested: HashMap<(ProjectId, &'a str), (usize, u32)>,
    /// Shared, because sessions of a project share words.
    tokenizer: RefCell<Tokenizer>,
    /// Opened on demand.
    index: OnceCell<Index>,
}

/// Requests and tasks in the order of sessions, found by their terms.
#[derive(Default)]
struct RequestedWords {
    all: Vec<(usize, HashSet<String>)>,
    by_term: HashMap<String, Vec<usize>>,
}

impl<'a> Doings<'a> {
    /// `runs` in the order of time.
    pub fn of(runs: &'a [Run]) -> Self {
        let mut tested = HashMap::new();
        for (at, run) in runs.iter().enumerate() {
            for row in run.tests() {
                if let Some(runner) = &row.outcome.runner {
                    tested.insert((run.info.project.id, runner.as_str()), (at, row.outcome.seq));
                }
            }
        }
        Doings { runs, said: OnceCell::new(), tested, tokenizer: RefCell::default(), index: OnceCell::new() }
    }

    fn index(&self, view: &ViewReader<'_>) -> Result<&Index, RetrieveError> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let index = view.index(StaticTable::shipped().model())?;
        Ok(self.index.get_or_init(|| index))
    }

    pub fn terms(&self, text: &str) -> HashSet<String> {
        let terms = self.tokenizer.borrow_mut().strings(text);
        terms.into_iter().filter(|term| !is_stop_word(term)).collect()
    }

    fn said(&self) -> HashMap<ProjectId, RequestedWords> {
        let mut all: HashMap<ProjectId, RequestedWords> = HashMap::new();
        for (at, run) in self.runs.iter().enumerate() {
            let said = all.entry(run.info.project.id).or_default();
            let asked = run.links.iter().map(|row| row.link.intent_text.as_str());
            asked.chain(tasks::all_texts(&run.notes)).for_each(|text| said.add(at, self.terms(text)));
        }
        all
    }
}

impl RequestedWords {
    fn add(&mut self, at: usize, terms: HashSet<String>) {
        for term in &terms {
            match self.by_term.get_mut(term) {
                Some(places) => places.push(self.all.len()),
                None => drop(self.by_term.insert(term.clone(), vec![self.all.len()])),
            }
        }
        self.all.push((at, terms));
    }

    /// Does one item of a later session contain enough of these words?
    fn covered_after(&self, at: usize, wanted: &HashSet<String>) -> bool {
        let later = self.all.partition_point(|(run, _)| *run <= at);
        let with = |term: &String| {
            let all = self.by_term.get(term.as_str()).map_or(&[][..], Vec::as_slice);
            &all[all.partition_point(|place| *place < later)..]
        };
        let mut places: Vec<&[usize]> = wanted.iter().map(with).collect();
        places.sort_by_key(|places| places.len());
        // An item with enough of the words misses few of them, so it contains one of the rarest.
        let may_miss = wanted.len() - enough_of(wanted);
        places.iter().take(may_miss + 1).copied().flatten().any(|place| covers(&self.all[*place].1, wanted))
    }
}

/// Sessions of the same project that began after a given one.
pub(super) struct Later<'a> {
    pub doings: &'a Doings<'a>,
    /// The position of the given session.
    pub at: usize,
    pub project: ProjectId,
    pub view: &'a ViewReader<'a>,
}

impl Later<'_> {
    /// Is a later passage of the project, by anybody, about exactly this?
    pub fn speak_of(&self, text: &str, after: Option<Timestamp>) -> Result<bool, RetrieveError> {
        let Some(after) = after else { return Ok(false) };
        let filter = Filter { project: Some(self.project), from: Some(Timestamp(after.0 + 1)), ..Filter::default() };
        let ranking = Ranking { vectors: 0.0, ..Ranking::default() };
        let index = self.doings.index(self.view)?;
        let question = RankQuestion { text, filter: &filter, ranking: &ranking, now: None, purpose: RankFor::Search };
        let found = rank(self.view, index, &mut StaticTable::shipped(), &question)?;
        Ok(found.passages.iter().any(|passage| passage.covered >= DONE))
    }

    /// Was it requested or written down as a task again?
    pub fn take_up(&self, text: &str) -> bool {
        self.take_up_terms(&self.doings.terms(text))
    }

    pub fn take_up_terms(&self, wanted: &HashSet<String>) -> bool {
        if !self.doings.runs[self.at + 1..].iter().any(|run| run.info.project.id == self.project) {
            return false;
        }
        let said = self.doings.said.get_or_init(|| self.doings.said());
        said.get(&self.project).is_some_and(|said| said.covered_after(self.at, wanted))
    }

    /// Did the tests of this row run again, in its session or a later one? Runs under another name count: their result
    /// is reported for that run.
    pub fn tests_again(&self, row: &OutcomeRow) -> bool {
        let runner = row.outcome.runner.as_deref().unwrap_or_default();
        let mut of_project = self.doings.tested.iter().filter(|((project, _), _)| *project == self.project);
        of_project.any(|((_, later), last)| *last > (self.at, row.outcome.seq) && same_tests(runner, later))
    }
}

impl Run {
    /// Test runs, except those abandoned by a rewind.
    pub(super) fn tests(&self) -> impl Iterator<Item = &OutcomeRow> {
        self.outcomes.iter().filter(|row| row.outcome.basis == Basis::Tests && self.is_active(row.turn))
    }
}

pub(super) fn covers(said: &HashSet<String>, wanted: &HashSet<String>) -> bool {
    !wanted.is_empty() && said.intersection(wanted).count() >= enough_of(wanted)
}

fn enough_of(wanted: &HashSet<String>) -> usize {
    (TAKEN_UP * wanted.len() as f32).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> HashSet<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_found_by_terms_is_what_looking_at_all_finds() {
        let texts = ["a b c d e", "a b", "c", "", "a c e", "b d f g", "a b c x y z"].map(words);
        let mut said = RequestedWords::default();
        // Two entries per session.
        texts.iter().enumerate().for_each(|(place, terms)| said.add(place / 2, terms.clone()));
        for wanted in &texts {
            for at in 0..4 {
                let later = texts.iter().enumerate().filter(|(place, _)| place / 2 > at);
                let expected = later.into_iter().any(|(_, said)| covers(said, wanted));
                assert_eq!(said.covered_after(at, wanted), expected, "{wanted:?} after {at}");
            }
        }
        assert!(said.covered_after(0, &words("a c q")), "two of three are enough");
    }
}
