//! What led to the case that answers a question best, how did it go, and what followed?
//!
//! The case is found as `search` finds it. The chains of chunks, walked from its first and
//! from its last chunk, lead to the cases before and after it. The best case is not always
//! the right one, so a few others that answer the question follow.

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::CaseId;
use crate::store::{CaseRow, ChunkRow, EpisodeNum, Index, StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::super::cards::CardHit;
use super::super::chains::{Direction, MAX_DEPTH, Walk, walk_chains};
use super::super::search::Search;
use super::answer::{CaseHits, Extent, ToldCase, best_turns, choose, exact_passages, mark_changed, told};
use super::select::{Draft, Selection};
use super::turn_rank::RankedTurn;

/// Lines of a story by default, with those that a surface puts around it.
pub const STORY_LINES: usize = 36;
/// Tokens of a story by default.
pub const STORY_BUDGET: u64 = 1_450;

/// Cases that led to it, and that followed.
const BEFORE: usize = 2;
const AFTER: usize = 2;
/// Other cases that answer the question.
const OTHERS: usize = 4;
/// With more space than by default, one for each so many tokens.
const TOKENS_OF_OTHER: u64 = 500;
/// What is kept for the cases before and after.
const AROUND_LINES: usize = 6;
const AROUND_TOKENS: u64 = 300;
/// Chains are walked so far.
const WALKED_TOKENS: u64 = 60_000;

/// A case in its place.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CaseStory {
    /// What led to it, the earliest first.
    pub before: Vec<ToldCase>,
    pub case: ToldCase,
    /// What followed, the earliest first.
    pub after: Vec<ToldCase>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoryAnswer {
    /// Cards that have to do with the question.
    pub cards: Vec<CardHit>,
    pub story: Option<CaseStory>,
    /// Other cases that answer the question, the best first.
    pub others: Vec<ToldCase>,
    pub notices: Vec<String>,
    /// The share of the question that the best session has.
    pub covered: f32,
    /// Only passages can answer.
    pub only_passages: bool,
}

pub fn recall_case(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Search,
    extent: Extent,
) -> Result<StoryAnswer, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let found = CaseHits::read(log, &view, embedder, question)?;
    let mut answer = StoryAnswer {
        cards: found.cards.clone(),
        notices: found.hits.notices.clone(),
        covered: found.ranked.covered,
        only_passages: found.only_passages,
        ..StoryAnswer::default()
    };
    if !found.is_answered() {
        return Ok(answer);
    }
    let Some(subject) = Subject::find(&view, &found)? else {
        answer.only_passages = true;
        return Ok(answer);
    };
    let extent = extent.without(&found.cards);
    let mut selection = Selection::new(log, &question.text, &found.hits.terms, extent);
    let places = select(&mut selection, &view, &found, &subject, extent)?;
    let matched = exact_passages(&mut selection, &view, &found.index, &found.hits)?;
    let drafts = in_time(selection.in_order());
    let mut cases = told(log, &view, drafts, matched)?;
    mark_changed(log, &view, std::slice::from_ref(&subject.row), &mut cases)?;
    (answer.story, answer.others) = places.arrange(subject.row.case.id, cases);
    answer.only_passages |= answer.story.is_none();
    Ok(answer)
}

/// The case that the story is about.
struct Subject {
    row: CaseRow,
    /// Of the best turn.
    score: f32,
    /// The turns that matched.
    hits: Vec<u32>,
}

impl Subject {
    /// The case of the best turn, among those that state anything.
    fn find(view: &ViewReader<'_>, found: &CaseHits) -> Result<Option<Self>, StoreError> {
        for RankedTurn { turn, score } in &found.ranked.turns {
            let turn = found.turns.turns[*turn as usize];
            let row = view.case_of_turn(EpisodeNum(turn.episode.into()), turn.turn)?;
            if let Some(row) = row.filter(|row| !row.case.findings.is_empty()) {
                let hits = best_turns(&found.turns, &found.ranked, turn.case);
                return Ok(Some(Subject { row, score: *score, hits }));
            }
        }
        Ok(None)
    }
}

/// Which cases stand before and after the subject.
struct Places {
    before: Vec<CaseId>,
    after: Vec<CaseId>,
}

impl Places {
    fn arrange(&self, subject: CaseId, cases: Vec<ToldCase>) -> (Option<CaseStory>, Vec<ToldCase>) {
        let (mut before, mut case, mut after, mut others) = (Vec::new(), None, Vec::new(), Vec::new());
        for told in cases {
            match told.id {
                id if id == subject => case = Some(told),
                id if self.before.contains(&id) => before.push(told),
                id if self.after.contains(&id) => after.push(told),
                _ => others.push(told),
            }
        }
        before.sort_by_key(|told| told.time);
        after.sort_by_key(|told| told.time);
        (case.map(|case| CaseStory { before, case, after }), others)
    }
}

/// What answers comes first, as in `search`; then the rest of the subject, and what stands
/// around it.
fn select(
    selection: &mut Selection<'_>,
    view: &ViewReader<'_>,
    found: &CaseHits,
    subject: &Subject,
    extent: Extent,
) -> Result<Places, RetrieveError> {
    let row = &subject.row;
    let rest = selection.reserve(extent.lines / 5 * 2, extent.tokens / 5 * 2);
    selection.limit_cases(extent.cases.min(1 + others(extent)));
    if extent.cases > 1 {
        choose(selection, view, found, &found.ranked)?;
    }
    selection.release(rest);
    // Whatever else is told, the subject is.
    selection.limit_cases(1);
    let rest = selection.reserve(AROUND_LINES, AROUND_TOKENS.min(extent.tokens / 4));
    selection.add_subject(row, &subject.hits, subject.score)?;
    selection.release(rest);
    let mut places = Places { before: Vec::new(), after: selection.superseded_by(row.case.id).into_iter().collect() };
    let (before, after) = around(view, &found.index, row)?;
    let left = |selection: &Selection<'_>| extent.cases.saturating_sub(selection.drafts.len());
    for earlier in before {
        if left(selection) > 0 {
            selection.add_request(&earlier, 0.0)?;
        }
        places.before.push(earlier.case.id);
    }
    selection.limit_cases(left(selection));
    for later in after {
        if !selection.has(later.case.id) {
            selection.add_outcome(&later, 0.0)?;
        }
        places.after.push(later.case.id);
    }
    Ok(places)
}

/// More space tells of more cases.
fn others(extent: Extent) -> usize {
    OTHERS.max((extent.tokens / TOKENS_OF_OTHER) as usize)
}

/// The cases on the chains that lead to a case, and on from it; or else its neighbours in the
/// session. The nearest first.
fn around(view: &ViewReader<'_>, index: &Index, row: &CaseRow) -> Result<(Vec<CaseRow>, Vec<CaseRow>), StoreError> {
    let mut chunks = view.chunk_rows_from(row.episode, row.case.first_turn)?;
    chunks.retain(|chunk| chunk.turn <= row.case.last_turn);
    let mut before = on_chain(view, index, chunks.first(), Direction::Backward, row)?;
    let mut after = on_chain(view, index, chunks.last(), Direction::Forward, row)?;
    if before.is_empty() || after.is_empty() {
        let cases = view.cases_of(row.episode)?;
        if before.is_empty() {
            before.extend(cases.iter().rfind(|case| case.case.last_turn < row.case.first_turn).cloned());
        }
        if after.is_empty() {
            after.extend(cases.iter().find(|case| case.case.first_turn > row.case.last_turn).cloned());
        }
    }
    before.truncate(BEFORE);
    after.truncate(AFTER);
    Ok((before, after))
}

fn on_chain(
    view: &ViewReader<'_>,
    index: &Index,
    from: Option<&ChunkRow>,
    direction: Direction,
    row: &CaseRow,
) -> Result<Vec<CaseRow>, StoreError> {
    let Some(from) = from else { return Ok(Vec::new()) };
    let walk = Walk { direction, budget: WALKED_TOKENS, max_depth: MAX_DEPTH, query: None };
    let mut cases: Vec<CaseRow> = Vec::new();
    for node in walk_chains(view, index, &[from.id], &walk)?.iter().flat_map(|chain| &chain.nodes) {
        let Some(chunk) = view.chunk_row(node.chunk)? else { continue };
        let Some(case) = view.case_of_turn(chunk.episode, chunk.turn)? else { continue };
        if case.case.id != row.case.id && cases.iter().all(|known| known.case.id != case.case.id) {
            cases.push(case);
        }
    }
    Ok(cases)
}

/// Each case is told as it went.
fn in_time(mut drafts: Vec<Draft>) -> Vec<Draft> {
    for draft in &mut drafts {
        draft.told.sort_by_key(|(order, ..)| *order);
    }
    drafts
}
