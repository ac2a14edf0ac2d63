//! What was done in a case, how was it proven, and how did it end?
//!
//! From the edits and checks of its turns, those of the sub-agents that it started,
//! and the commits that git named.

use std::collections::BTreeMap;

use backstory_language::prompts::asks::of_prompt;
use backstory_language::talk::IntentType;

use crate::log::Log;
use crate::model::{CaseCommit, CaseEnd, CaseId, CheckRun, EditMade, EventId, ProjectId};
use crate::store::{AgentRow, CaseRow, EpisodeNum, StoreError, ViewReader};

use super::super::projects::ProjectName;
use super::changed::ChangedSince;

/// Files and checks that are named.
const MOST_FILES: usize = 3;
const MOST_CHECKS: usize = 2;
/// Letters at the beginning by which a request is recognised when it is sent again.
const SAME_HEAD: usize = 30;
/// With this a host begins the work that a person accepted as a plan.
pub(super) const HANDS_OVER_PLAN: &str = "implement the following plan";

/// What became of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseState {
    Done,
    /// The last check failed.
    Failed,
    /// The person stopped it or refused what came last.
    Refused,
    /// The agent's last question was not answered, or it stopped in the middle.
    Open,
    /// The person rewound it.
    Abandoned,
    /// A later commit took its commit back.
    Reverted,
    /// Later work is about the same subject.
    Superseded,
}

impl CaseState {
    pub fn name(self) -> &'static str {
        match self {
            CaseState::Done => "done",
            CaseState::Failed => "failed",
            CaseState::Refused => "refused",
            CaseState::Open => "open",
            CaseState::Abandoned => "abandoned",
            CaseState::Reverted => "reverted",
            CaseState::Superseded => "superseded",
        }
    }
}

/// What was done and how it was proven.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct CaseWork {
    /// Most lines first, relative to the project's folder where it is known.
    pub files: Vec<FileChanged>,
    /// Files beyond those.
    pub more_files: usize,
    pub checks: Vec<CheckEnd>,
    pub commits: Vec<CaseCommit>,
    /// Later work took lines of it out.
    pub changed_since: Option<ChangedSince>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct FileChanged {
    pub path: String,
    /// Lines that edits put in or took out, whichever is more.
    pub lines: u32,
}

/// How a check ended when it was last run in a case.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CheckEnd {
    pub command: String,
    /// It had failed before in the same case.
    pub failed_before: bool,
    pub passed: bool,
}

impl CaseWork {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.checks.is_empty() && self.commits.is_empty()
    }

    /// Files were changed, and no check and no commit followed.
    pub fn is_unverified(&self) -> bool {
        !self.files.is_empty() && self.checks.is_empty() && self.commits.is_empty()
    }
}

pub struct Works {
    agents: Vec<AgentRow>,
}

impl Works {
    pub fn new(view: &ViewReader<'_>) -> Result<Self, StoreError> {
        Ok(Works { agents: view.agents()? })
    }

    pub fn of(&self, view: &ViewReader<'_>, row: &CaseRow, project: &ProjectName) -> Result<CaseWork, StoreError> {
        let case = &row.case;
        let (mut runs, mut edits) = view.checks_in(row.episode, (case.first_turn, case.last_turn))?;
        for agent in self.started_in(view, row)? {
            let (more_runs, more_edits) = view.checks_in(agent, (0, u32::MAX))?;
            runs.extend(more_runs);
            edits.extend(more_edits);
        }
        let mut files = files(edits, project.path.as_deref());
        let more_files = files.len().saturating_sub(MOST_FILES);
        files.truncate(MOST_FILES);
        Ok(CaseWork { files, more_files, checks: checks(runs), commits: case.commits.clone(), changed_since: None })
    }

    /// Sub-agents that turns of the case started.
    fn started_in(&self, view: &ViewReader<'_>, row: &CaseRow) -> Result<Vec<EpisodeNum>, StoreError> {
        let mut started = Vec::new();
        for agent in self.agents.iter().filter(|agent| agent.parent == Some(row.episode)) {
            let Some(chunk) = agent.spawn_chunk else { continue };
            let turns = row.case.first_turn..=row.case.last_turn;
            if view.chunk_row(chunk)?.is_some_and(|chunk| turns.contains(&chunk.turn)) {
                started.push(agent.episode);
            }
        }
        Ok(started)
    }
}

fn files(edits: Vec<EditMade>, folder: Option<&str>) -> Vec<FileChanged> {
    let mut lines: BTreeMap<String, u32> = BTreeMap::new();
    for edit in edits {
        *lines.entry(edit.file).or_default() += edit.size;
    }
    let mut files: Vec<FileChanged> =
        lines.into_iter().map(|(path, lines)| FileChanged { path: relative(&path, folder), lines }).collect();
    files.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.path.cmp(&b.path)));
    files
}

/// In the project's folder, or else the file with the two folders above it.
fn relative(path: &str, folder: Option<&str>) -> String {
    let path = path.replace('\\', "/");
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    if let Some(inside) = inside {
        return inside.to_owned();
    }
    let parts: Vec<&str> = path.rsplitn(4, '/').take(3).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn checks(runs: Vec<CheckRun>) -> Vec<CheckEnd> {
    let mut ends: Vec<CheckEnd> = Vec::new();
    for run in runs.into_iter().filter(|run| run.is_check) {
        // A commit may run checks, and proves only itself.
        let checks: Vec<&str> =
            run.commands.iter().map(String::as_str).filter(|command| !command.starts_with("git ")).collect();
        if checks.is_empty() {
            continue;
        }
        let command = checks.join(" && ");
        match ends.iter().position(|end| end.command == command) {
            Some(at) => {
                let mut end = ends.remove(at);
                end.failed_before |= !end.passed;
                end.passed = run.passed;
                ends.push(end);
            }
            None => ends.push(CheckEnd { command, failed_before: false, passed: run.passed }),
        }
    }
    ends.reverse();
    ends.truncate(MOST_CHECKS);
    ends
}

/// What became of it, by structure alone.
pub fn state(
    log: &mut Log,
    view: &ViewReader<'_>,
    row: &CaseRow,
    work: &CaseWork,
    project: ProjectId,
) -> Result<CaseState, StoreError> {
    if is_rewound(view, row)? {
        return Ok(CaseState::Abandoned);
    }
    if is_reverted(log, view, row, project)? {
        return Ok(CaseState::Reverted);
    }
    let is_proven = !work.commits.is_empty() || work.checks.first().is_some_and(|check| check.passed);
    Ok(match row.case.end {
        _ if work.checks.first().is_some_and(|check| !check.passed) => CaseState::Failed,
        CaseEnd::Refused if !is_proven => CaseState::Refused,
        CaseEnd::Asked => CaseState::Open,
        CaseEnd::Cut if !is_proven => CaseState::Open,
        CaseEnd::Offered if work.files.is_empty() && !is_proven && wants_work(log, row)? => CaseState::Open,
        _ => CaseState::Done,
    })
}

/// The request asks for more than an answer.
fn wants_work(log: &mut Log, row: &CaseRow) -> Result<bool, StoreError> {
    let asked = request_text(log, row)?;
    Ok(of_prompt(&asked).iter().any(|ask| ask.kind == IntentType::Request))
}

fn request_text(log: &mut Log, row: &CaseRow) -> Result<String, StoreError> {
    let asked = row.case.asked;
    let event = log.store().event(EventId(asked.id))?;
    let span = |text: &str| text.get(asked.start as usize..asked.end as usize).unwrap_or_default().to_owned();
    Ok(event.map_or_else(String::new, |event| span(&event.text)))
}

/// The next case of the session, if the person sent the same request again or handed over its plan.
pub fn sent_again(log: &mut Log, view: &ViewReader<'_>, row: &CaseRow) -> Result<Option<CaseId>, StoreError> {
    let cases = view.cases_of(row.episode)?;
    let Some(next) = cases.iter().find(|next| next.case.first_turn > row.case.last_turn) else { return Ok(None) };
    let (before, after) = (request_text(log, row)?.to_lowercase(), request_text(log, next)?.to_lowercase());
    let head = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).take(SAME_HEAD).collect::<String>();
    let is_same = head(&before).chars().count() == SAME_HEAD && head(&before) == head(&after);
    Ok((is_same || after.starts_with(HANDS_OVER_PLAN)).then_some(next.case.id))
}

fn is_rewound(view: &ViewReader<'_>, row: &CaseRow) -> Result<bool, StoreError> {
    for turn in row.case.first_turn..=row.case.last_turn {
        if view.turn(row.episode, turn)?.is_none_or(|turn| turn.active) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `git revert` names the commit that it takes back by its subject.
fn is_reverted(log: &mut Log, view: &ViewReader<'_>, row: &CaseRow, project: ProjectId) -> Result<bool, StoreError> {
    for commit in &row.case.commits {
        for (episode, turn) in view.cases_with_commit(&format!("Revert \"{}\"", commit.subject))? {
            let is_here = log.store().episode(episode)?.is_some_and(|episode| episode.project == project);
            if is_here && (episode, turn) != (row.episode, row.case.first_turn) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_the_folder_of_the_project() {
        assert_eq!(relative("/home/ada/shop/src/cart.rs", Some("/home/ada/shop")), "src/cart.rs");
        assert_eq!(relative("/home/ada/shop2/src/cart.rs", Some("/home/ada/shop")), "shop2/src/cart.rs");
        assert_eq!(relative("C:\\shop\\src\\cart.rs", None), "shop/src/cart.rs");
        assert_eq!(relative("cart.rs", None), "cart.rs");
    }
}
