//! Which loops are open?

use crate::log::Log;
use crate::model::{Digest, EvidenceRef, ProjectId, SourceKind, Timestamp};
use crate::store::ViewStore;

use super::super::sessions::{SessionQuery, latest_in, sessions_in};
use super::super::{ProjectInfo, RetrieveError};

use super::judged::Judgement;
use super::later::{Doings, Later};
use super::run::{Run, continued};
use super::{deferred, ends, judged, tasks};

/// The filter; by default all open loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Includes loops closed by a judgement.
    pub closed: bool,
    /// Only loops from this many newest sessions of the project. Fast, however many there are.
    pub latest: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopKind {
    /// A request without an answer.
    Unanswered,
    /// The person stopped the agent, and the work was not resumed.
    Interrupted,
    /// The person refused an action of the agent, and nothing followed.
    Rejected,
    /// The record ends while a call runs.
    BrokenOff,
    /// The last run of some tests failed.
    Failing,
    /// An agent noted it and did not do it.
    Task,
    /// The person postponed it.
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

/// An open loop.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoop {
    pub id: Digest,
    pub kind: LoopKind,
    /// The request or the task.
    pub text: String,
    /// The last event: the words of the refusal, the failing command.
    pub last: Option<String>,
    pub time: Option<Timestamp>,
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectInfo,
    /// The request first, then what followed. Never empty.
    pub evidence: Vec<EvidenceRef>,
    /// The judgement that closed it.
    pub judgement: Option<Judgement>,
}

/// Newest first.
pub fn loops(log: &mut Log, views: &ViewStore, question: &Loops) -> Result<Vec<OpenLoop>, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    // All later sessions decide whether something was resumed.
    let infos = match (question.latest, question.project) {
        (Some(most), Some(project)) => latest_in(log, &view, project, most)?,
        _ => sessions_in(log, &view, &SessionQuery { project: question.project, ..SessionQuery::default() })?,
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
        // A broken-off record already lists its last request.
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
    // Tasks of one list keep their order.
    found.sort_by_key(|open| std::cmp::Reverse(open.time));
    Ok(found)
}

/// The one loop whose id starts with `asked`, including closed ones.
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
