//! A question in, cases out.

use std::collections::HashMap;

use backstory_language::embed::Embedder;

use crate::ingest::CommitMessage;
use crate::log::Log;
use crate::model::{CaseId, EventId, EvidenceKind, EvidenceRef, Role, SourceKind, Timestamp, estimate_tokens};
use crate::store::{CaseRow, EpisodeNum, Index, StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::super::cards::{CardHit, matching_cards};
use super::super::projects::{ProjectName, project_names};
use super::super::rank::{Days, RankFor};
use super::super::render::{ChunkRenderer, Excerpt, unknown};
use super::super::search::{Hit, Hits, Search};
use super::changed::changed_since;
use super::commits::{CommitHit, is_taken_back, matching_commits};
use super::select::{CASES_WITH_WORK, Draft, Selection, is_short_reply};
use super::standing;
use super::stated::add_statements;
use super::titled::{SessionTitles, titled_cases};
use super::turn_index::{TurnIndex, is_report};
use super::turn_rank::{RankedTurns, rank};
use super::work_done::{CaseState, CaseWork, Works, state};

/// Lines of an answer by default, with those that a surface puts around it.
pub const CASE_LINES: usize = 20;
/// Tokens of an answer by default.
pub const CASE_BUDGET: u64 = 800;

/// A case as an answer tells it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ToldCase {
    pub id: CaseId,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectName,
    pub time: Option<Timestamp>,
    /// The git branch on which it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The first and last turn.
    pub turns: (u32, u32),
    pub asked: String,
    /// The session's title, where the request says too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub findings: Vec<ToldFinding>,
    pub state: CaseState,
    pub work: CaseWork,
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
    /// A short reply to the statement before it.
    pub is_reply: bool,
    pub text: String,
    pub evidence: EvidenceRef,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseAnswer {
    /// Cards that have to do with the question.
    pub cards: Vec<CardHit>,
    pub cases: Vec<ToldCase>,
    /// Commits of the repository that answer, too.
    pub commits: Vec<CommitHit>,
    /// Of what is told.
    pub tokens: u64,
    pub notices: Vec<String>,
    /// The share of the question that the best session has.
    pub covered: f32,
    /// Only passages can answer: the best one is of no case (of a transcript of people, or of a
    /// sub-agent), or no case states anything.
    pub only_passages: bool,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// As they are on the screen, where its columns are known.
    pub lines: usize,
    pub columns: Option<usize>,
    pub tokens: u64,
    pub cases: usize,
}

impl Extent {
    /// What the cards that stand before the cases leave.
    pub fn without(self, cards: &[CardHit]) -> Self {
        let tokens: u64 = cards.iter().map(|hit| u64::from(estimate_tokens(&hit.card.statement)) + CITED_TOKENS).sum();
        let tokens = self.tokens.saturating_sub(tokens).max(LEAST_TOKENS.min(self.tokens));
        Extent { lines: self.lines.saturating_sub(cards.len()), tokens, ..self }
    }
}

/// Cards leave so many tokens for a case.
const LEAST_TOKENS: u64 = 150;
/// Tokens of what stands behind a card's statement: its id, kind and day.
const CITED_TOKENS: u64 = 14;
/// Below this share of the question's words nothing is an answer. A long report has
/// many words that no answer repeats.
const LEAST_COVERED: f32 = 0.38;
const LEAST_COVERED_OF_REPORT: f32 = 0.25;
/// A passage with this share answers by itself, whatever the rest of its session says.
const COVERED_BY_PASSAGE: f32 = 0.6;
/// The first cases bring along what came later about the same subject.
const WITH_SUCCESSOR: usize = 3;
/// Turns of a conversation with this share of its best turn's score matched, too.
const WITH_BEST: f32 = 0.85;
const MOST_BEST: usize = 3;
/// Tokens of what matched word for word.
const MATCHED_TOKENS: u32 = 60;

pub fn search_cases(
    log: &mut Log,
    views: &ViewStore,
    embedder: &mut dyn Embedder,
    question: &Search,
    commits: &[CommitMessage],
    extent: Extent,
) -> Result<CaseAnswer, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let found = CaseHits::read(log, &view, embedder, question)?;
    let mut answer = CaseAnswer {
        cards: found.cards.clone(),
        cases: Vec::new(),
        commits: matching_commits(&view, commits, &found.hits.terms)?,
        tokens: 0,
        notices: found.hits.notices.clone(),
        covered: found.ranked.covered,
        only_passages: found.only_passages,
    };
    let titled = match found.is_answered() {
        true => Vec::new(),
        false => titled_cases(log, &view, &question.filter, &found)?,
    };
    if !found.is_answered() && titled.is_empty() {
        answer.only_passages &= answer.commits.is_empty();
        return Ok(answer);
    }
    let extent = extent.without(&found.cards);
    let mut selection = Selection::new(log, &question.text, &found.hits.terms, extent);
    answer.commits.iter().for_each(|hit| hit.take_space(&mut selection));
    match titled.is_empty() {
        true => choose(&mut selection, &view, &found, &found.ranked)?,
        false => titled.iter().try_for_each(|row| selection.add_later(row, 0.0))?,
    }
    let matched = exact_passages(&mut selection, &view, &found.index, &found.hits)?;
    answer.tokens = selection.tokens_told(extent);
    let drafts = selection.in_order();
    let rows: Vec<CaseRow> = drafts.iter().take(CASES_WITH_WORK).map(|draft| draft.row.clone()).collect();
    answer.cases = told(log, &view, drafts, matched)?;
    mark_changed(log, &view, &rows, &mut answer.cases)?;
    for case in answer.cases.iter_mut().filter(|case| is_taken_back(&case.work.commits, commits)) {
        case.state = CaseState::Reverted;
    }
    answer.only_passages |= answer.cases.is_empty();
    Ok(answer)
}

/// What was found for a question, before any of it is told.
pub(super) struct CaseHits {
    pub index: Index,
    pub hits: Hits,
    pub turns: TurnIndex,
    pub ranked: RankedTurns,
    pub cards: Vec<CardHit>,
    pub only_passages: bool,
}

impl CaseHits {
    pub fn read(
        log: &mut Log,
        view: &ViewReader<'_>,
        embedder: &mut dyn Embedder,
        question: &Search,
    ) -> Result<Self, RetrieveError> {
        let index = view.index(embedder.model())?;
        let hits = Hits::find(view, &index, embedder, question, RankFor::Search)?;
        let turns = TurnIndex::read(view, &index, &question.resolved_filter(view)?)?;
        let days = Days::of(&question.text, question.now.as_ref());
        let mut ranked = rank(&turns, &index, &hits, &days);
        add_statements(log, view, &turns, &question.text, &hits.terms, &mut ranked)?;
        let only_passages =
            hits.chunks.first().is_some_and(|hit| hit.strong && !turns.has(index.docs.turn(hit.score.doc)));
        let cards = match question.wants_cards() {
            true => matching_cards(view, question.filter.project, &question.text)?,
            false => Vec::new(),
        };
        Ok(CaseHits { index, hits, turns, ranked, cards, only_passages })
    }

    /// Is there an answer at all? Judged once, by the best session or one exact passage.
    pub fn is_answered(&self) -> bool {
        let least = if is_report(&self.hits.terms) { LEAST_COVERED_OF_REPORT } else { LEAST_COVERED };
        self.ranked.covered >= least || self.hits.chunks.iter().take(5).any(is_exact)
    }
}

/// The best turns, each conversation as a whole, and what came later about the same subject.
pub(super) fn choose(
    selection: &mut Selection<'_>,
    view: &ViewReader<'_>,
    found: &CaseHits,
    ranked: &RankedTurns,
) -> Result<(), RetrieveError> {
    let (index, turns) = (&found.index, &found.turns);
    let mut cases = CasesOfTurns::default();
    for ranked_turn in &ranked.turns {
        if selection.is_full() {
            break;
        }
        let turn = turns.turns[ranked_turn.turn as usize];
        let Some(row) = cases.of(view, (turn.episode, turn.turn))? else { continue };
        let is_new = !selection.has(row.case.id);
        if row.case.is_talk && !is_new {
            continue;
        }
        let later = match is_new && selection.drafts.len() < WITH_SUCCESSOR {
            true => standing::successor(selection.log(), view, index, turns, &row)?,
            false => None,
        };
        let score = ranked_turn.score;
        if let Some(later) = later.as_ref().filter(|later| !selection.has(later.case.id)) {
            selection.add_later(later, score)?;
        }
        match row.case.is_talk {
            true => selection.add_talk(&row, &best_turns(turns, ranked, turn.case), score)?,
            false => selection.add_turn(&row, turn.turn, score)?,
        }
        if let Some(later) = later {
            selection.supersede(row.case.id, later.case.id);
        }
    }
    Ok(())
}

/// The turns of a case that are nearly as good as its best one.
pub(super) fn best_turns(turns: &TurnIndex, ranked: &RankedTurns, case: u32) -> Vec<u32> {
    let of_case = ranked.turns.iter().filter(|ranked| turns.turns[ranked.turn as usize].case == case);
    let best = of_case.clone().next().map_or(0.0, |ranked| ranked.score);
    let near = of_case.filter(|ranked| ranked.score >= WITH_BEST * best).take(MOST_BEST);
    near.map(|ranked| turns.turns[ranked.turn as usize].turn).collect()
}

/// Cases by their turns, read once each.
#[derive(Default)]
pub(super) struct CasesOfTurns {
    rows: Vec<CaseRow>,
}

impl CasesOfTurns {
    pub fn of(&mut self, view: &ViewReader<'_>, (episode, turn): (u32, u32)) -> Result<Option<CaseRow>, StoreError> {
        let episode = EpisodeNum(episode.into());
        let has = |row: &&CaseRow| row.episode == episode && (row.case.first_turn..=row.case.last_turn).contains(&turn);
        if let Some(row) = self.rows.iter().find(has) {
            return Ok(Some(row.clone()));
        }
        let row = view.case_of_turn(episode, turn)?;
        self.rows.extend(row.clone());
        Ok(row)
    }
}

/// The passages that match nearly word for word, by their cases.
pub(super) fn exact_passages(
    selection: &mut Selection<'_>,
    view: &ViewReader<'_>,
    index: &Index,
    hits: &Hits,
) -> Result<HashMap<CaseId, String>, RetrieveError> {
    let mut passages = HashMap::new();
    let rows: Vec<CaseRow> = selection.drafts.iter().map(|draft| draft.row.clone()).collect();
    for row in rows {
        let Some(hit) = exact_hit(index, hits, &row) else { continue };
        let mut renderer = ChunkRenderer::new(selection.log(), *view, &hits.terms)?;
        let text = matched(selection.log(), view, &mut renderer, hit)?;
        if let Some(text) = text.filter(|text| selection.takes(row.case.id, text)) {
            passages.insert(row.case.id, text);
        }
    }
    Ok(passages)
}

pub(super) fn told(
    log: &mut Log,
    view: &ViewReader<'_>,
    drafts: Vec<Draft>,
    mut matched: HashMap<CaseId, String>,
) -> Result<Vec<ToldCase>, RetrieveError> {
    let projects = project_names(log)?;
    let (works, mut titles) = (Works::new(view)?, SessionTitles::default());
    let mut cases = Vec::new();
    for draft in drafts {
        let (row, case) = (&draft.row, &draft.row.case);
        let Some(episode) = log.store().episode(row.episode)? else { continue };
        let project = projects.get(&episode.project).cloned().unwrap_or_else(|| unknown(episode.project));
        let work = works.of(view, row, &project)?;
        let state = match draft.superseded_by {
            Some(_) => CaseState::Superseded,
            None => state(log, view, row, &work, episode.project)?,
        };
        let request = log.store().event(EventId(case.asked.id))?;
        let mut findings = Vec::new();
        for (at, (_, finding, text)) in draft.told.into_iter().enumerate() {
            let active = view.turn(row.episode, finding.turn)?.is_none_or(|turn| turn.active);
            findings.push(ToldFinding {
                role: finding.role,
                turn: finding.turn,
                abandoned: !active,
                person: finding.evidence.kind == EvidenceKind::UserSpan,
                is_reply: at > 0 && case.is_talk && is_short_reply(&finding, &text),
                text,
                evidence: finding.evidence,
            });
        }
        cases.push(ToldCase {
            id: case.id,
            session: episode.key.session,
            source: episode.key.source,
            project,
            time: request.as_ref().and_then(|event| event.time),
            branch: request.and_then(|event| event.meta.branch),
            turns: (case.first_turn, case.last_turn),
            title: titles.of(view, row, &draft.asked)?,
            asked: draft.asked,
            findings,
            state,
            work,
            superseded_by: draft.superseded_by,
            matched: matched.remove(&case.id),
            score: draft.score,
        });
    }
    Ok(cases)
}

/// Which of the cases have lines that are no longer there?
pub(super) fn mark_changed(
    log: &mut Log,
    view: &ViewReader<'_>,
    rows: &[CaseRow],
    cases: &mut [ToldCase],
) -> Result<(), RetrieveError> {
    for row in rows {
        if let Some(told) = cases.iter_mut().find(|told| told.id == row.case.id && !told.work.files.is_empty()) {
            told.work.changed_since = changed_since(log, view, row, told.project.id)?;
        }
    }
    Ok(())
}

fn is_exact(hit: &Hit) -> bool {
    hit.strong && (hit.score.verbatim > 0.0 || hit.score.covered >= COVERED_BY_PASSAGE)
}

/// The best passage of a case that has nearly all of the question.
fn exact_hit<'a>(index: &Index, hits: &'a Hits, row: &CaseRow) -> Option<&'a Hit> {
    let case = &row.case;
    let is_here = |hit: &&Hit| {
        let (episode, turn) = index.docs.turn(hit.score.doc);
        EpisodeNum(episode.into()) == row.episode && (case.first_turn..=case.last_turn).contains(&turn)
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
