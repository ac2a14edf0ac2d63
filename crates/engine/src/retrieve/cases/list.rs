//! Which cases does a session or a span of time have, and what came of each?
//!
//! No question is asked here: of each case the statements are told that conclude it best.
//! Its state is how it ended itself. That later work seems to be about the same is told
//! beside it, because words alone do not prove it.

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{CaseId, Event, EventId, EvidenceKind, Finding, ProjectId, Timestamp};
use crate::store::{CaseRow, EpisodeNum, StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::super::rank::Filter;
use super::super::sessions::{SessionInfo, SessionQuery, sessions_in};
use super::answer::{ToldCase, mark_changed, told};
use super::headline::headline_weight;
use super::select::{Draft, LONGEST_REQUEST, LONGEST_STATEMENT, SHORTEST_STATEMENT, Texts, folded, told_text};
use super::standing;
use super::turn_index::{StartingTurns, TurnIndex};

/// Bytes of the request where a case is told alone.
const WHOLE_REQUEST: usize = 1_000;
/// Bytes by which a statement is recognised when it is said again.
const SAME_START: usize = 40;
/// Candidates that are named where several fit.
const NAMED: usize = 5;

/// Which cases are listed, and how much of each is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseList {
    pub project: Option<ProjectId>,
    /// The case was worked on from then on,
    pub from: Option<Timestamp>,
    /// and was asked before.
    pub to: Option<Timestamp>,
    /// The person spoke on this git branch.
    pub branch: Option<String>,
    /// Statements of each case at most.
    pub findings: usize,
}

/// The cases of a span of time, newest first.
pub fn list_cases(log: &mut Log, views: &ViewStore, question: &CaseList) -> Result<Vec<ToldCase>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let known = SessionQuery { project: question.project, from: question.from, to: question.to };
    let mut rows = Vec::new();
    for session in sessions_in(log, &view, &known)? {
        for row in rows_of(&view, &session)? {
            if question.has(log, &view, &row)? {
                rows.push(row);
            }
        }
    }
    let mut cases = tell(log, &view, rows, Amount { findings: question.findings, ..Amount::LINE })?;
    cases.sort_by(|a, b| (b.time, &b.session, b.turns).cmp(&(a.time, &a.session, a.turns)));
    Ok(cases)
}

/// The cases of a session, in order.
pub fn session_cases(
    log: &mut Log,
    views: &ViewStore,
    session: &SessionInfo,
    findings: usize,
) -> Result<Vec<ToldCase>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    tell(log, &view, rows_of(&view, session)?, Amount { findings, ..Amount::LINE })
}

/// A case, and the later one that seems to be about the same.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseAndLater {
    pub case: ToldCase,
    pub later: Option<ToldCase>,
}

/// One case with its request at length.
pub fn one_case(
    log: &mut Log,
    views: &ViewStore,
    id: CaseId,
    findings: usize,
) -> Result<Option<CaseAndLater>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let Some(row) = view.case(id)? else { return Ok(None) };
    let Some(episode) = log.store().episode(row.episode)? else { return Ok(None) };
    let later = later(log, &view, episode.project, &row)?;
    let later = tell(log, &view, later.into_iter().collect(), Amount::LINE)?.pop();
    let mut case = tell(log, &view, vec![row.clone()], Amount { findings, request: WHOLE_REQUEST })?;
    mark_changed(log, &view, &[row], &mut case)?;
    Ok(case.pop().map(|case| CaseAndLater { case, later }))
}

/// The one case whose id begins like this.
pub fn find_case(views: &ViewStore, asked: &str) -> Result<CaseId, RetrieveError> {
    let found = views.read().case_ids_with_prefix(&asked.to_ascii_lowercase(), NAMED)?;
    match found.as_slice() {
        [id] => Ok(*id),
        [] => Err(RetrieveError::NotFound { what: "case", asked: asked.to_owned() }),
        several => {
            let candidates = several.iter().map(ToString::to_string).collect();
            Err(RetrieveError::Ambiguous { what: "case", asked: asked.to_owned(), candidates })
        }
    }
}

/// The case that made a commit, by the first digits of its hash.
pub fn case_of_commit(views: &ViewStore, hash: &str) -> Result<Option<CaseId>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let place = view.case_of_commit(hash)?;
    let row = place.map(|(episode, turn)| view.case_of_turn(episode, turn)).transpose()?.flatten();
    Ok(row.map(|row| row.case.id))
}

/// The case to which an event belongs; what a sub-agent did belongs to the case that started it.
pub fn case_of_event(log: &mut Log, views: &ViewStore, event: &Event) -> Result<Option<ToldCase>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let Some(episode) = log.store().episode_num(event.episode)? else { return Ok(None) };
    let turn = view.turns(episode)?.into_iter().rfind(|turn| turn.first_seq <= event.seq);
    let Some(turn) = turn else { return Ok(None) };
    let (episode, turn) = StartingTurns::read(&view)?.of((episode.0 as u32, turn.turn));
    let row = view.case_of_turn(EpisodeNum(episode.into()), turn)?;
    Ok(tell(log, &view, row.into_iter().collect(), Amount { findings: 0, ..Amount::LINE })?.pop())
}

/// Sub-agents have no cases: their work counts for the case that started them.
fn rows_of(view: &ViewReader<'_>, session: &SessionInfo) -> Result<Vec<CaseRow>, StoreError> {
    let mut rows = Vec::new();
    for episode in &session.episodes {
        rows.extend(view.cases_of(*episode)?);
    }
    Ok(rows)
}

impl CaseList {
    fn has(&self, log: &mut Log, view: &ViewReader<'_>, row: &CaseRow) -> Result<bool, StoreError> {
        let request = log.store().event(EventId(row.case.asked.id))?;
        let asked = request.as_ref().and_then(|event| event.time);
        if self.to.is_some_and(|to| asked.is_none_or(|asked| asked >= to)) {
            return Ok(false);
        }
        if let Some(from) = self.from {
            let last = view.last_chunk_of_turn(row.episode, row.case.last_turn)?;
            let ended = last.and_then(|chunk| chunk.ended.or(chunk.started)).or(asked);
            if ended.is_none_or(|ended| ended < from) {
                return Ok(false);
            }
        }
        let Some(branch) = &self.branch else { return Ok(true) };
        let is_on_branch = |event: &Event| event.meta.branch.as_ref() == Some(branch);
        if request.as_ref().is_some_and(is_on_branch) {
            return Ok(true);
        }
        for said in row.case.findings.iter().filter(|finding| finding.evidence.kind == EvidenceKind::UserSpan) {
            if log.store().event(EventId(said.evidence.id))?.as_ref().is_some_and(is_on_branch) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How much of a case is told.
#[derive(Clone, Copy)]
struct Amount {
    findings: usize,
    /// Bytes of the request.
    request: usize,
}

impl Amount {
    const LINE: Amount = Amount { findings: 1, request: LONGEST_REQUEST };
}

fn tell(
    log: &mut Log,
    view: &ViewReader<'_>,
    rows: Vec<CaseRow>,
    amount: Amount,
) -> Result<Vec<ToldCase>, RetrieveError> {
    let mut drafts = Vec::new();
    for row in rows {
        let mut texts = Texts::new(log);
        let asked = row.case.asked;
        let asked = folded(texts.get(EventId(asked.id))?, asked.start, asked.end, amount.request);
        let told = choose(&mut texts, &row, &asked, amount.findings)?;
        drafts.push(Draft { row, score: 0.0, superseded_by: None, asked, told });
    }
    told(log, view, drafts, HashMap::new())
}

/// The later case of the same project that is about the same, by its words.
fn later(
    log: &mut Log,
    view: &ViewReader<'_>,
    project: ProjectId,
    row: &CaseRow,
) -> Result<Option<CaseRow>, StoreError> {
    // Only words are looked up, so that no model is needed.
    let index = view.index("")?;
    let filter = Filter { project: Some(project), ..Filter::default() };
    let turns = TurnIndex::read(view, &index, &filter)?;
    standing::successor(log, view, &index, &turns, row)
}

/// The statements that conclude the case best, in the order in which they were said.
fn choose(
    texts: &mut Texts<'_>,
    row: &CaseRow,
    asked: &str,
    most: usize,
) -> Result<Vec<(usize, Finding, String)>, StoreError> {
    let mut ranked: Vec<(i32, usize, &Finding)> = Vec::new();
    for (order, finding) in row.case.findings.iter().enumerate() {
        let text = texts.get(EventId(finding.evidence.id))?;
        let said = text.get(finding.evidence.start as usize..finding.evidence.end as usize).unwrap_or_default();
        ranked.push((headline_weight(&row.case, finding, said), order, finding));
    }
    ranked.sort_by_key(|(weight, order, _)| (-weight, *order));
    let mut chosen: Vec<(usize, Finding, String)> = Vec::new();
    for (_, order, finding) in ranked {
        if chosen.len() >= most {
            break;
        }
        let text = told_text(texts, finding, LONGEST_STATEMENT)?;
        let start = &text[..text.floor_char_boundary(SAME_START)];
        let is_known = asked.contains(start) || chosen.iter().any(|(_, _, known)| known.contains(start));
        if text.len() >= SHORTEST_STATEMENT && !is_known {
            chosen.push((order, *finding, text));
        }
    }
    chosen.sort_by_key(|(order, ..)| *order);
    Ok(chosen)
}
