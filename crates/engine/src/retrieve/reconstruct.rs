//! What happened, in order?

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{ChunkBody, ChunkId, ProjectId, Timestamp};
use crate::store::{AgentRow, ChunkRow, EpisodeNum, ViewReader, ViewStore};

use super::RetrieveError;
use super::sessions::{SessionInfo, SessionQuery, find_session, sessions_in};

/// Which part of the history. Without a session: all that matches the other conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconstruct {
    /// A session id, or a prefix of one.
    pub session: Option<String>,
    /// The session before that one; without a session, the one before the newest.
    pub previous: bool,
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Only this agent's runs; `main` is the session's own agent.
    pub agent: Option<String>,
    /// In tokens; the newest part is kept.
    pub budget: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Story {
    pub sessions: Vec<StorySession>,
    pub tokens: u64,
    /// Chunks left out because the budget was full.
    pub omitted: usize,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StorySession {
    #[serde(flatten)]
    pub info: SessionInfo,
    pub pieces: Vec<StoryPiece>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StoryPiece {
    pub chunk: ChunkId,
    /// `main`, or the sub-agent's name.
    pub agent: String,
    /// The task of the sub-agent.
    pub task: Option<String>,
    /// Distinguishes runs of the same name: 0 is the main run, the others are numbered in story order.
    pub run: u32,
    /// The depth below the main agent.
    pub depth: u32,
    pub turn: u32,
    /// On a branch abandoned by a rewind.
    pub abandoned: bool,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub tokens: u32,
    #[serde(flatten)]
    pub body: ChunkBody,
}

pub fn reconstruct(log: &mut Log, views: &ViewStore, question: &Reconstruct) -> Result<Story, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let chosen = choose(log, &view, question)?;
    let mut placed: Vec<(usize, Placed)> = Vec::new();
    for (index, info) in chosen.iter().enumerate() {
        placed.extend(in_order(&view, info)?.into_iter().map(|piece| (index, piece)));
    }
    placed.retain(|(_, piece)| fits(piece, question));
    if let (true, Some(agent)) = (placed.is_empty(), &question.agent) {
        let known = chosen.iter().flat_map(|info| &info.agents).any(|info| info.name.eq_ignore_ascii_case(agent));
        if !known && !agent.eq_ignore_ascii_case("main") {
            return Err(RetrieveError::NotFound { what: "agent", asked: agent.clone() });
        }
    }
    let (first, tokens) = newest_within(&placed, question.budget);
    let mut story: Vec<StorySession> =
        chosen.into_iter().map(|info| StorySession { info, pieces: Vec::new() }).collect();
    for (index, piece) in placed.drain(first..) {
        story[index].pieces.push(piece.with_body(&view)?);
    }
    story.retain(|session| !session.pieces.is_empty());
    Ok(Story { sessions: story, tokens, omitted: first })
}

fn choose(log: &mut Log, view: &ViewReader<'_>, question: &Reconstruct) -> Result<Vec<SessionInfo>, RetrieveError> {
    let project = question.project;
    if question.session.is_none() && !question.previous {
        return sessions_in(log, view, &SessionQuery { project, from: question.from, to: question.to });
    }
    let all = sessions_in(log, view, &SessionQuery::default())?;
    let newest = || {
        let in_project = all.iter().rev().find(|info| project.is_none_or(|project| project == info.project.id));
        in_project.cloned().ok_or(RetrieveError::NotFound { what: "session", asked: "the newest".to_owned() })
    };
    let named = match &question.session {
        Some(asked) => find_session(&all, asked)?,
        None => newest()?,
    };
    if !question.previous {
        return Ok(vec![named]);
    }
    let before = all.iter().filter(|info| info.project.id == named.project.id && info.source == named.source);
    let before = before.take_while(|info| info.session != named.session).last().cloned();
    let asked = format!("the one before {}", named.session);
    before.map(|info| vec![info]).ok_or(RetrieveError::NotFound { what: "session", asked })
}

/// A chunk with its position in the story.
struct Placed {
    row: ChunkRow,
    agent: String,
    task: Option<String>,
    run: u32,
    depth: u32,
    abandoned: bool,
}

impl Placed {
    fn with_body(self, view: &ViewReader<'_>) -> Result<StoryPiece, RetrieveError> {
        let body = view.body(self.row.id)?.unwrap_or_default();
        Ok(StoryPiece {
            chunk: self.row.id,
            agent: self.agent,
            task: self.task,
            run: self.run,
            depth: self.depth,
            turn: self.row.turn,
            abandoned: self.abandoned,
            started: self.row.started,
            ended: self.row.ended,
            tokens: self.row.tokens,
            body,
        })
    }
}

/// The main run chunk by chunk; a sub-agent's run follows the call that started it, or is placed by its time.
fn in_order(view: &ViewReader<'_>, info: &SessionInfo) -> Result<Vec<Placed>, RetrieveError> {
    let mut agents: HashMap<EpisodeNum, AgentRow> = HashMap::new();
    for episode in &info.episodes {
        if let Some(agent) = view.agent(*episode)? {
            agents.insert(*episode, agent);
        }
    }
    let mut waiting: Vec<(Option<Timestamp>, EpisodeNum)> = Vec::new();
    let mut main = Vec::new();
    for episode in &info.episodes {
        match agents.contains_key(episode) || info.episodes.len() > 1 && !is_main(view, &info.episodes, *episode)? {
            true => waiting.push((view.first_chunk(*episode)?.and_then(|chunk| chunk.started), *episode)),
            false => main.push(*episode),
        }
    }
    waiting.sort();
    let mut story = StoryBuilder { view, agents, waiting, runs: 0, out: Vec::new() };
    for episode in main {
        story.add_run(episode, 0)?;
    }
    while let Some((_, episode)) = story.waiting.first().copied() {
        story.waiting.remove(0);
        story.add_run(episode, 1)?;
    }
    Ok(story.out)
}

/// Without an agent row, the first run of a session is its main one.
fn is_main(view: &ViewReader<'_>, episodes: &[EpisodeNum], episode: EpisodeNum) -> Result<bool, RetrieveError> {
    for candidate in episodes {
        if view.agent(*candidate)?.is_none() {
            return Ok(*candidate == episode);
        }
    }
    Ok(false)
}

struct StoryBuilder<'a> {
    view: &'a ViewReader<'a>,
    agents: HashMap<EpisodeNum, AgentRow>,
    waiting: Vec<(Option<Timestamp>, EpisodeNum)>,
    runs: u32,
    out: Vec<Placed>,
}

impl StoryBuilder<'_> {
    fn add_run(&mut self, episode: EpisodeNum, depth: u32) -> Result<(), RetrieveError> {
        let abandoned: Vec<u32> =
            self.view.turns(episode)?.iter().filter(|turn| !turn.active).map(|turn| turn.turn).collect();
        let agent = self.agents.get(&episode);
        let name = agent.map_or("main", |agent| &agent.name).to_owned();
        let task = agent.and_then(|agent| agent.task.clone());
        let run = self.runs;
        self.runs += 1;
        for row in self.view.chunk_rows(episode)? {
            if depth == 0 {
                self.add_earlier(row.started)?;
            }
            let id = row.id;
            let abandoned = abandoned.contains(&row.turn);
            self.out.push(Placed { row, agent: name.clone(), task: task.clone(), run, depth, abandoned });
            self.add_spawned_by(id, depth)?;
        }
        Ok(())
    }

    fn add_spawned_by(&mut self, chunk: ChunkId, depth: u32) -> Result<(), RetrieveError> {
        let spawned = |(_, episode): &(Option<Timestamp>, EpisodeNum)| {
            self.agents.get(episode).is_some_and(|agent| agent.spawn_chunk == Some(chunk))
        };
        let (now, later) = std::mem::take(&mut self.waiting).into_iter().partition(spawned);
        self.waiting = later;
        let now: Vec<(Option<Timestamp>, EpisodeNum)> = now;
        for (_, episode) in now {
            self.add_run(episode, depth + 1)?;
        }
        Ok(())
    }

    /// Adds runs without a known start that began before this time.
    fn add_earlier(&mut self, time: Option<Timestamp>) -> Result<(), RetrieveError> {
        let due = |(started, episode): &(Option<Timestamp>, EpisodeNum)| {
            let unplaced = self.agents.get(episode).is_none_or(|agent| agent.spawn_chunk.is_none());
            unplaced && matches!((started, time), (Some(started), Some(time)) if *started < time)
        };
        let (now, later) = std::mem::take(&mut self.waiting).into_iter().partition(due);
        self.waiting = later;
        let now: Vec<(Option<Timestamp>, EpisodeNum)> = now;
        for (_, episode) in now {
            self.add_run(episode, 1)?;
        }
        Ok(())
    }
}

fn fits(piece: &Placed, question: &Reconstruct) -> bool {
    let after = question.from.is_none_or(|from| piece.row.ended.or(piece.row.started).is_some_and(|at| at >= from));
    let before = question.to.is_none_or(|to| piece.row.started.is_some_and(|at| at < to));
    after && before && question.agent.as_ref().is_none_or(|agent| piece.agent.eq_ignore_ascii_case(agent))
}

/// The first piece that is kept, and the tokens from there on. At least one piece is shown.
fn newest_within(placed: &[(usize, Placed)], budget: Option<u64>) -> (usize, u64) {
    let mut tokens = 0;
    for (index, (_, piece)) in placed.iter().enumerate().rev() {
        let with = tokens + u64::from(piece.row.tokens);
        if budget.is_some_and(|budget| with > budget) && index + 1 < placed.len() {
            return (index + 1, tokens);
        }
        tokens = with;
    }
    (0, tokens)
}
