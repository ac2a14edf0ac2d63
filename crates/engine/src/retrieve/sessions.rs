//! Which sessions exist, and what were they about?

use std::collections::{BTreeMap, HashMap};

use crate::log::Log;
use crate::model::{Digest, Episode, EpisodeKey, ProjectId, SourceKind, Timestamp};
use crate::store::{AgentRow, AnchorKind, EpisodeNum, RunRow, StoreError, ViewReader, ViewStore};

use super::RetrieveError;
use super::projects::{ProjectInfo, project_uncounted, projects};

/// The filter; by default everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionQuery {
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SessionInfo {
    pub session: String,
    pub source: SourceKind,
    pub project: ProjectInfo,
    pub title: Option<String>,
    pub first_prompt: Option<String>,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub prompts: u32,
    pub events: u32,
    pub chunks: u32,
    pub tokens: u64,
    /// Sub-agents and teammates that worked in it.
    pub agents: Vec<AgentInfo>,
    #[serde(skip)]
    pub episodes: Vec<EpisodeNum>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AgentInfo {
    pub name: String,
    pub team: Option<String>,
    pub runs: u32,
    pub events: u32,
    pub tokens: u64,
}

/// Sessions, oldest first.
pub fn sessions(log: &mut Log, views: &ViewStore, question: &SessionQuery) -> Result<Vec<SessionInfo>, RetrieveError> {
    let snapshot = views.snapshot()?;
    sessions_in(log, &snapshot.read(), question)
}

pub(super) fn sessions_in(
    log: &mut Log,
    view: &ViewReader<'_>,
    question: &SessionQuery,
) -> Result<Vec<SessionInfo>, RetrieveError> {
    let facts = Facts::load(log, view)?;
    let mut grouped: BTreeMap<(SourceKind, String), Vec<(EpisodeNum, Episode)>> = BTreeMap::new();
    for (num, episode) in log.store().episodes()? {
        if episode.key.source != SourceKind::Backstory {
            grouped.entry((episode.key.source, episode.key.session.clone())).or_default().push((num, episode));
        }
    }
    let mut infos: Vec<SessionInfo> = grouped
        .into_iter()
        .filter_map(|((source, session), runs)| facts.describe(source, session, &runs))
        // A copy of an imported session has no rows.
        .filter(|info| info.source != SourceKind::Causantic || info.events > 0)
        .filter(|info| question.project.is_none_or(|project| project == info.project.id))
        .filter(|info| question.from.is_none_or(|from| info.ended.is_some_and(|ended| ended >= from)))
        .filter(|info| question.to.is_none_or(|to| info.started.is_some_and(|started| started < to)))
        .collect();
    infos.sort_by(|a, b| (a.started, &a.session).cmp(&(b.started, &b.session)));
    Ok(infos)
}

/// The main runs of a project with the latest activity, newest first. Only agents' sessions: a transcript is imported
/// long after it was spoken.
pub(super) fn latest_runs(
    view: &ViewReader<'_>,
    project: ProjectId,
    most: usize,
) -> Result<Vec<(EpisodeNum, Timestamp)>, RetrieveError> {
    let mut latest = Vec::new();
    for source in [SourceKind::ClaudeCode, SourceKind::Codex] {
        let any = Episode { key: EpisodeKey::main(source, ""), project };
        if let Some(lane) = any.lane() {
            latest.extend(view.latest_in_lane(lane, most)?);
        }
    }
    latest.sort_by_key(|(num, time)| std::cmp::Reverse((*time, *num)));
    latest.truncate(most);
    Ok(latest)
}

/// The sessions of [`latest_runs`], oldest first. Without sizes, later names and helpers, which would require reading
/// all sessions.
pub(super) fn latest_in(
    log: &mut Log,
    view: &ViewReader<'_>,
    project: ProjectId,
    most: usize,
) -> Result<Vec<SessionInfo>, RetrieveError> {
    let known = project_uncounted(log, project)?;
    let mut facts = Facts { projects: known.map(|info| (project, info)).into_iter().collect(), ..Facts::default() };
    let mut infos = Vec::new();
    for (num, _) in latest_runs(view, project, most)? {
        let Some(episode) = log.store().episode(num)? else { continue };
        facts.runs.extend(view.run(num)?.map(|run| (num, run)));
        infos.extend(facts.describe(episode.key.source, episode.key.session.clone(), &[(num, episode)]));
    }
    infos.sort_by(|a, b| (a.started, &a.session).cmp(&(b.started, &b.session)));
    Ok(infos)
}

fn projects_by_id(log: &mut Log) -> Result<HashMap<ProjectId, ProjectInfo>, RetrieveError> {
    Ok(projects(log)?.into_iter().map(|project| (project.id, project)).collect())
}

/// The one session whose id starts with `asked`.
pub fn find_session(sessions: &[SessionInfo], asked: &str) -> Result<SessionInfo, RetrieveError> {
    let exact = sessions.iter().find(|info| info.session == asked);
    let matching: Vec<&SessionInfo> = sessions.iter().filter(|info| info.session.starts_with(asked)).collect();
    match (exact, matching.as_slice()) {
        (Some(info), _) => Ok(info.clone()),
        (None, [info]) => Ok((*info).clone()),
        (None, []) => Err(RetrieveError::NotFound { what: "session", asked: asked.to_owned() }),
        (None, several) => {
            let candidates = several.iter().take(5).map(|info| info.session.clone()).collect();
            Err(RetrieveError::Ambiguous { what: "session", asked: asked.to_owned(), candidates })
        }
    }
}

/// A partial import may lack the line that introduces a project.
fn unknown_project(id: ProjectId) -> ProjectInfo {
    let name = "(unknown)".to_owned();
    ProjectInfo { id, name, paths: Vec::new(), remote: None, root_commit: None, episodes: 0, merged: Vec::new() }
}

/// The titles of sessions, which their host or the person gave.
pub(super) fn titles(view: &ViewReader<'_>) -> Result<HashMap<EpisodeNum, String>, StoreError> {
    let mut titles = HashMap::new();
    for anchor in view.anchors_of_kind(AnchorKind::Title)? {
        if let (Some(leaf), Some(title)) = (anchor.key, anchor.name)
            && let Some((episode, _)) = view.record_holders(&Digest::of_record(&leaf))?.first()
        {
            titles.insert(*episode, title);
        }
    }
    for (episode, run) in view.runs()? {
        if let Some(title) = run.title {
            titles.insert(episode, title);
        }
    }
    Ok(titles)
}

/// Everything the descriptions need, read once.
#[derive(Default)]
struct Facts {
    runs: HashMap<EpisodeNum, RunRow>,
    sizes: HashMap<EpisodeNum, (u32, u64)>,
    agents: HashMap<EpisodeNum, AgentRow>,
    titles: HashMap<EpisodeNum, String>,
    projects: HashMap<ProjectId, ProjectInfo>,
}

impl Facts {
    fn load(log: &mut Log, view: &ViewReader<'_>) -> Result<Self, RetrieveError> {
        Ok(Facts {
            runs: view.runs()?.into_iter().collect(),
            sizes: view.sizes()?.into_iter().map(|(num, chunks, tokens)| (num, (chunks, tokens))).collect(),
            agents: view.agents()?.into_iter().map(|agent| (agent.episode, agent)).collect(),
            titles: titles(view)?,
            projects: projects_by_id(log)?,
        })
    }

    fn describe(&self, source: SourceKind, session: String, runs: &[(EpisodeNum, Episode)]) -> Option<SessionInfo> {
        let (main, episode) = runs.iter().find(|(_, episode)| episode.key.agent.is_none()).or(runs.first())?;
        let known: Vec<(&EpisodeNum, &RunRow)> =
            runs.iter().filter_map(|(num, _)| Some((num, self.runs.get(num)?))).collect();
        let main_run = self.runs.get(main);
        let size = |num: &EpisodeNum| self.sizes.get(num).copied().unwrap_or((0, 0));
        Some(SessionInfo {
            session,
            source,
            project: self.projects.get(&episode.project).cloned().unwrap_or_else(|| unknown_project(episode.project)),
            title: self.titles.get(main).cloned(),
            first_prompt: main_run.and_then(|run| run.first_prompt.clone()),
            started: known.iter().filter_map(|(_, run)| run.started).min(),
            ended: known.iter().filter_map(|(_, run)| run.ended).max(),
            prompts: main_run.map_or(0, |run| run.prompts),
            events: known.iter().map(|(_, run)| run.events).sum(),
            chunks: runs.iter().map(|(num, _)| size(num).0).sum(),
            tokens: runs.iter().map(|(num, _)| size(num).1).sum(),
            agents: self.agents_of(runs),
            episodes: runs.iter().map(|(num, _)| *num).collect(),
        })
    }

    /// One entry per name: a teammate may have several runs.
    fn agents_of(&self, runs: &[(EpisodeNum, Episode)]) -> Vec<AgentInfo> {
        let mut infos: Vec<AgentInfo> = Vec::new();
        for (num, episode) in runs {
            let Some(id) = &episode.key.agent else { continue };
            let agent = self.agents.get(num);
            let name = agent.map_or_else(|| format!("agent {id}"), |agent| agent.name.clone());
            let events = self.runs.get(num).map_or(0, |run| run.events);
            let tokens = self.sizes.get(num).map_or(0, |(_, tokens)| *tokens);
            match infos.iter_mut().find(|info| info.name == name) {
                Some(info) => {
                    info.runs += 1;
                    info.events += events;
                    info.tokens += tokens;
                }
                None => {
                    let team = agent.and_then(|agent| agent.team.clone());
                    infos.push(AgentInfo { name, team, runs: 1, events, tokens });
                }
            }
        }
        infos
    }
}
