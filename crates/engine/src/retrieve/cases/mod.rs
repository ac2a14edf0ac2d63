//! Which pieces of work answer a question, and what did they come to?
//!
//! - [`turns`]: how much of the question does each turn have?
//! - [`rank`]: which turns, and so which cases, answer it best?
//! - [`standing`]: what came later about the same subject?
//! - [`lines`]: which statements of a case are told?

mod lines;
mod rank;
mod standing;
mod turns;

use std::collections::HashSet;

use backstory_language::embed::Embedder;

use crate::log::Log;
use crate::model::{CaseId, EvidenceRef, Role, SourceKind, Timestamp};
use crate::store::{CaseRow, EpisodeNum, Index, StoreError, ViewReader, ViewStore};

use super::RetrieveError;
use super::cards::{CardHit, matching_cards};
use super::projects::{ProjectName, project_names};
use super::rank::RankFor;
use super::render::{ChunkRenderer, Excerpt};
use super::search::{Hit, Hits, Search};
use lines::Teller;
use rank::RankedCase;
use turns::TurnIndex;

/// Lines of an answer unless it is said otherwise.
pub const CASE_LINES: usize = 24;
/// Tokens of an answer unless it is said otherwise.
pub const CASE_BUDGET: u64 = 800;

/// A case as an answer tells it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ToldCase {
    pub id: CaseId,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectName,
    pub time: Option<Timestamp>,
    /// The first and last turn.
    pub turns: (u32, u32),
    pub asked: String,
    pub findings: Vec<ToldFinding>,
    /// Files that it wrote, most edits first.
    pub files: Vec<String>,
    /// What came later about the same subject.
    pub superseded_by: Option<CaseId>,
    /// What matched word for word, where no statement above has it.
    pub matched: Option<String>,
    pub score: f32,
}

/// A statement, word for word but for its line breaks.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ToldFinding {
    pub role: Role,
    pub turn: u32,
    /// On a branch that was left by a rewind.
    pub abandoned: bool,
    /// Said by a person.
    pub person: bool,
    pub text: String,
    pub evidence: EvidenceRef,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseAnswer {
    /// Cards that have to do with the question.
    pub cards: Vec<CardHit>,
    pub cases: Vec<ToldCase>,
    pub notices: Vec<String>,
    /// The share of the question that the best session has.
    pub covered: f32,
    /// The best passage is of no case: of a transcript of people, or of a sub-agent.
    pub outside: bool,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub lines: usize,
    pub tokens: u64,
}

/// Below this share of the question's words nothing is an answer. A long report has
/// many words that no answer repeats.
const LEAST_COVERED: f32 = 0.38;
const LEAST_COVERED_OF_REPORT: f32 = 0.25;
const REPORT_WORDS: usize = 25;
/// A passage with this share answers by itself, whatever the rest of its session says.
const COVERED_BY_PASSAGE: f32 = 0.6;
/// Cases that are looked at.
const MOST_CASES: usize = 12;
/// The first cases bring along what came later about the same subject.
const WITH_SUCCESSOR: usize = 3;
/// Tokens of what matched word for word.
const MATCHED_TOKENS: u32 = 60;

pub fn search_cases(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Search,
    extent: Extent,
) -> Result<CaseAnswer, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let index = view.index(embedder.model())?;
    let hits = Hits::find(&view, &index, embedder, question, RankFor::Search)?;
    let turns = TurnIndex::read(&view, &index, &question.resolved_filter(&view)?)?;
    let ranked = rank::rank(&turns, &index, &hits);
    let mut answer = CaseAnswer { notices: hits.notices.clone(), covered: ranked.covered, ..CaseAnswer::default() };
    answer.outside = hits.chunks.first().is_some_and(|hit| hit.strong && !turns.has(index.docs.turn(hit.score.doc)));
    if question.wants_cards() {
        answer.cards = matching_cards(&view, question.filter.project, &question.text)?;
    }
    if !is_answered(&hits, ranked.covered) {
        return Ok(answer);
    }
    let found = with_successors(log, &view, &index, &turns, cases_of(&view, ranked.cases)?)?;
    let projects = project_names(log)?;
    let mut teller = Teller::new(&question.text, &hits.terms, extent);
    let mut renderer = ChunkRenderer::new(log, view, &hits.terms)?;
    for found in found {
        let Some(mut told) = teller.tell(log, &view, &projects, &found)? else { break };
        if let Some(hit) = exact_hit(&index, &hits, &found) {
            told.matched = matched(log, &view, &mut renderer, hit)?.filter(|text| teller.takes(text));
        }
        answer.cases.push(told);
    }
    Ok(answer)
}

/// Is there an answer at all? Judged once, by the best session or one exact passage.
fn is_answered(hits: &Hits, covered: f32) -> bool {
    let least = if hits.terms.len() > REPORT_WORDS { LEAST_COVERED_OF_REPORT } else { LEAST_COVERED };
    covered >= least || hits.chunks.iter().take(5).any(is_exact)
}

fn is_exact(hit: &Hit) -> bool {
    hit.strong && (hit.score.verbatim > 0.0 || hit.score.covered >= COVERED_BY_PASSAGE)
}

/// The best passage of a case that has nearly all of the question.
fn exact_hit<'a>(index: &Index, hits: &'a Hits, found: &FoundCase) -> Option<&'a Hit> {
    let case = &found.row.case;
    let is_here = |hit: &&Hit| {
        let (episode, turn) = index.docs.turn(hit.score.doc);
        EpisodeNum(episode.into()) == found.row.episode && (case.first_turn..=case.last_turn).contains(&turn)
    };
    hits.chunks.iter().filter(|hit| is_exact(hit)).find(is_here)
}

fn matched(
    log: &mut Log,
    view: &ViewReader<'_>,
    renderer: &mut ChunkRenderer<'_>,
    hit: &Hit,
) -> Result<Option<String>, RetrieveError> {
    let Some(row) = view.chunk_row(hit.chunk)? else { return Ok(None) };
    let excerpt = Excerpt { matched: Some(hit.parts), tokens: MATCHED_TOKENS, thinking: false };
    let shown = renderer.render(log, &row, excerpt)?;
    Ok(shown.map(|shown| shown.text.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// A case with the turns of it that matched, best first.
pub struct FoundCase {
    pub row: CaseRow,
    pub hits: Vec<u32>,
    pub score: f32,
    pub superseded_by: Option<CaseId>,
}

/// Cases in the order of their best turns.
fn cases_of(view: &ViewReader<'_>, ranked: Vec<RankedCase>) -> Result<Vec<FoundCase>, StoreError> {
    let mut out: Vec<FoundCase> = Vec::new();
    for ranked in ranked {
        if out.len() >= MOST_CASES {
            break;
        }
        let Some(row) = view.case_of_turn(EpisodeNum(ranked.episode.into()), ranked.turns[0])? else { continue };
        out.push(FoundCase { row, hits: ranked.turns, score: ranked.score, superseded_by: None });
    }
    Ok(out)
}

/// What came later about the same subject stands before what it changes.
fn with_successors(
    log: &mut Log,
    view: &ViewReader<'_>,
    index: &Index,
    turns: &TurnIndex,
    found: Vec<FoundCase>,
) -> Result<Vec<FoundCase>, StoreError> {
    let mut out: Vec<FoundCase> = Vec::new();
    let mut told: HashSet<CaseId> = HashSet::new();
    for (at, mut case) in found.into_iter().enumerate() {
        if told.contains(&case.row.case.id) {
            continue;
        }
        if at < WITH_SUCCESSOR
            && let Some(later) = standing::successor(log, view, index, turns, &case.row)?
        {
            case.superseded_by = Some(later.case.id);
            if told.insert(later.case.id) {
                let hits = (later.case.first_turn..=later.case.last_turn).collect();
                out.push(FoundCase { row: later, hits, score: case.score, superseded_by: None });
            }
        }
        told.insert(case.row.case.id);
        out.push(case);
    }
    Ok(out)
}
