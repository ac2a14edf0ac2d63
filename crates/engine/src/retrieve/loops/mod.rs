//! What was asked for and never came to an end?
//!
//! - [`deferred`]: what did a person put off?
//! - [`ends`]: how did sessions end: without an answer, stopped, refused, with failing tests?
//! - [`tasks`]: what did agents write down and not do?
//! - [`later`]: what did later sessions take up again?
//! - [`judged`]: what did a person say is done or dropped?

mod deferred;
mod ends;
mod judged;
mod later;
mod tasks;

use std::collections::HashSet;

use crate::log::Log;
use crate::model::{Digest, EvidenceRef, ProjectId, SourceKind, Timestamp, digest_of};
use crate::store::{EpisodeNum, LinkRow, OutcomeRow, TurnRow, ViewReader, ViewStore};

use super::sessions::{SessionInfo, Sessions, latest_in, sessions_in};
use super::{ProjectInfo, RetrieveError};

use later::{Doings, Later};

pub use judged::{Judgement, LOOPS_SESSION, Verdict};

/// Which ones to list; the open ones of everything when nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Those that were closed by a judgement as well.
    pub closed: bool,
    /// Only what so many of the project's newest sessions left. Quick, however many
    /// there are.
    pub latest: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopKind {
    /// Asked, and nothing came.
    Unanswered,
    /// The person stopped the agent, and it was not taken up again.
    Interrupted,
    /// The person refused what the agent wanted to do, and it stayed at that.
    Rejected,
    /// The record ends while a call runs.
    BrokenOff,
    /// Tests failed when they were last run.
    Failing,
    /// An agent wrote it down and did not do it.
    Task,
    /// The person put it off.
    Deferred,
}

impl LoopKind {
    pub fn name(self) -> &'static str {
        match self {
            LoopKind::Unanswered => "unanswered",
            LoopKind::Interrupted => "interrupted",
            LoopKind::Rejected => "rejected",
            LoopKind::BrokenOff => "broken_off",
            LoopKind::Failing => "failing",
            LoopKind::Task => "task",
            LoopKind::Deferred => "deferred",
        }
    }
}

/// Something that was left open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoop {
    pub id: Digest,
    pub kind: LoopKind,
    /// What was asked for, or the task.
    pub text: String,
    /// What happened last: the words of the refusal, the failing command.
    pub last: Option<String>,
    pub time: Option<Timestamp>,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectInfo,
    /// The request first, then what came of it. Never empty.
    pub evidence: Vec<EvidenceRef>,
    /// Closed by this.
    pub judgement: Option<Judgement>,
}

/// Newest first.
pub fn loops(log: &mut Log, views: &ViewStore, question: &Loops) -> Result<Vec<OpenLoop>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    // Whether something was taken up later is told by all later sessions.
    let infos = match (question.latest, question.project) {
        (Some(most), Some(project)) => latest_in(log, &view, project, most)?,
        _ => sessions_in(log, &view, &Sessions { project: question.project, ..Sessions::default() })?,
    };
    let continued = continued(&view, &infos)?;
    let mut runs = Vec::new();
    for info in infos {
        runs.push(Run::load(log, &view, info, &continued)?);
    }
    let mut found = Vec::new();
    let doings = Doings::of(&runs);
    for (at, run) in runs.iter().enumerate() {
        let later = Later { doings: &doings, at, project: run.info.project.id, view: &view };
        let broke_off = ends::of_run(log, run, &later, &mut found)?;
        // Of a record that breaks off, the last request is what is open.
        if !broke_off {
            tasks::of_run(run, &later, &mut found)?;
        }
        deferred::of_run(run, &later, &mut found);
    }
    let judgements = judged::all(log)?;
    for open in &mut found {
        open.judgement = judgements.get(&open.id).cloned();
    }
    found.retain(|open| question.closed || open.judgement.is_none());
    found.retain(|open| question.from.is_none_or(|from| open.time.is_some_and(|time| time >= from)));
    found.retain(|open| question.to.is_none_or(|to| open.time.is_some_and(|time| time < to)));
    // Tasks of one list stay in its order.
    found.sort_by_key(|open| std::cmp::Reverse(open.time));
    Ok(found)
}

/// The one loop whose id starts like this, closed ones included.
pub fn find_loop(log: &mut Log, views: &ViewStore, asked: &str) -> Result<OpenLoop, RetrieveError> {
    let all = loops(log, views, &Loops { closed: true, ..Loops::default() })?;
    let mut matching: Vec<OpenLoop> =
        all.into_iter().filter(|open| !asked.is_empty() && open.id.to_string().starts_with(asked)).collect();
    match matching.len() {
        1 => Ok(matching.remove(0)),
        0 => Err(RetrieveError::NotFound { what: "open loop", asked: asked.to_owned() }),
        _ => {
            let candidates = matching.iter().take(5).map(|open| open.id.to_string()).collect();
            Err(RetrieveError::Ambiguous { what: "open loop", asked: asked.to_owned(), candidates })
        }
    }
}

/// What other sessions say they go on from.
struct Continued {
    episodes: HashSet<EpisodeNum>,
    sessions: HashSet<String>,
}

/// So few runs are asked one by one.
const FEW: usize = 50;

/// `infos`: what goes on from one of them is one of them, or older than all.
fn continued(view: &ViewReader<'_>, infos: &[SessionInfo]) -> Result<Continued, RetrieveError> {
    let mut continued = Continued { episodes: HashSet::new(), sessions: HashSet::new() };
    let known: HashSet<EpisodeNum> = infos.iter().flat_map(|info| info.episodes.iter().copied()).collect();
    for (num, origin) in origins(view, &known)? {
        // A record of another session, or that session itself.
        let holders = view.record_holders(&Digest::of_record(&origin))?;
        continued.episodes.extend(holders.into_iter().map(|(holder, _)| holder).find(|holder| *holder != num));
        continued.sessions.insert(origin);
    }
    Ok(continued)
}

fn origins(view: &ViewReader<'_>, of: &HashSet<EpisodeNum>) -> Result<Vec<(EpisodeNum, String)>, RetrieveError> {
    if of.len() > FEW {
        return Ok(view.named_origins()?.into_iter().filter(|(num, _)| of.contains(num)).collect());
    }
    let mut origins = Vec::new();
    for num in of {
        if let Some(run) = view.run(*num)? {
            origins.extend([run.forked_from, run.first_parent].into_iter().flatten().map(|origin| (*num, origin)));
        }
    }
    Ok(origins)
}

/// A session's main run with what the stages know of it.
struct Run {
    info: SessionInfo,
    main: Option<EpisodeNum>,
    /// Another session says that it goes on from here.
    continued: bool,
    turns: Vec<TurnRow>,
    links: Vec<LinkRow>,
    outcomes: Vec<OutcomeRow>,
    notes: Vec<tasks::Note>,
}

impl Run {
    fn load(
        log: &mut Log,
        view: &ViewReader<'_>,
        info: SessionInfo,
        continued: &Continued,
    ) -> Result<Self, RetrieveError> {
        let mut main = None;
        for num in &info.episodes {
            if log.store().episode(*num)?.is_some_and(|episode| episode.key.agent.is_none()) {
                main = Some(*num);
            }
        }
        let (mut turns, mut links, mut outcomes, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if let Some(num) = main {
            turns = view.turns(num)?;
            links = view.links_of(num)?;
            outcomes = view.outcomes_of(num)?;
            notes = tasks::notes(log, view, num)?;
        }
        let continued =
            main.is_some_and(|num| continued.episodes.contains(&num)) || continued.sessions.contains(&info.session);
        Ok(Run { info, main, continued, turns, links, outcomes, notes })
    }

    /// Left by a rewind, what happened in a turn is not how it ended.
    fn is_active(&self, turn: u32) -> bool {
        self.turns.binary_search_by_key(&turn, |row| row.turn).is_ok_and(|at| self.turns[at].active)
    }

    fn last_active_turn(&self) -> Option<u32> {
        self.turns.iter().rfind(|row| row.active).map(|row| row.turn)
    }

    fn open(&self, kind: LoopKind, text: String, time: Option<Timestamp>, evidence: Vec<EvidenceRef>) -> OpenLoop {
        let first = evidence.first().map_or(Digest([0; 16]), |evidence| evidence.id);
        OpenLoop {
            id: digest_of("loop", &[kind.name().as_bytes(), &first.0, text.as_bytes()]),
            kind,
            text,
            last: None,
            time,
            session: self.info.session.clone(),
            source: self.info.source,
            project: self.info.project.clone(),
            evidence,
            judgement: None,
        }
    }
}
