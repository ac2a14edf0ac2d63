//! What was worked on last on a git branch?
//!
//! Reads only the last cases of the newest sessions of a project, so the cost does not depend on the size of the memory.

use crate::log::Log;
use crate::model::{CaseId, EventId, ProjectId};
use crate::store::{CaseRow, EpisodeNum, ViewReader, ViewStore};

use super::RetrieveError;
use super::recent::is_informative;
use super::sessions::latest_runs;

/// Sessions that are looked at, and cases of each, newest first.
const SESSIONS: usize = 6;
const CASES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchQuestion {
    pub project: ProjectId,
    /// Without one, any branch counts.
    pub branch: Option<String>,
    /// Excludes this session: it knows what it did.
    pub other_than: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchWork {
    /// The last case whose request says what it is about.
    pub last: Option<CaseId>,
    /// The newest sessions that worked on the branch.
    pub sessions: Vec<String>,
}

pub fn branch_work(log: &mut Log, views: &ViewStore, question: &BranchQuestion) -> Result<BranchWork, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let mut found = BranchWork::default();
    // One more than needed: the asking session may be among them.
    for (num, _) in latest_runs(&view, question.project, SESSIONS + 1)? {
        let session = log.store().episode(num)?.map(|episode| episode.key.session);
        let Some(session) = session.filter(|session| Some(session) != question.other_than.as_ref()) else { continue };
        let mut is_here = question.branch.is_none();
        for row in last_cases(&view, num)? {
            let asked = log.store().event(EventId(row.case.asked.id))?;
            let Some(asked) = asked else { continue };
            if question.branch.is_some() && asked.meta.branch != question.branch {
                continue;
            }
            is_here = true;
            let words = asked.text.get(row.case.asked.start as usize..row.case.asked.end as usize);
            if found.last.is_none() && words.is_some_and(is_informative) {
                found.last = Some(row.case.id);
            }
        }
        found.sessions.extend(is_here.then_some(session));
    }
    Ok(found)
}

/// The last cases of an episode, newest first.
fn last_cases(view: &ViewReader<'_>, episode: EpisodeNum) -> Result<Vec<CaseRow>, RetrieveError> {
    let mut cases: Vec<CaseRow> = Vec::new();
    let mut turn = view.turns(episode)?.last().map(|turn| turn.turn);
    while let Some(at) = turn {
        let Some(row) = view.case_of_turn(episode, at)? else { break };
        turn = row.case.first_turn.checked_sub(1);
        cases.push(row);
        if cases.len() >= CASES {
            break;
        }
    }
    Ok(cases)
}
