//! Relinks one transcript or session with chosen options.

use std::collections::BTreeSet;

use backstory_language::talk::participants::ParticipantHints;
use backstory_language::talk::{
    DefaultKernel, EligibilityMask, Kernel, LinkOptions, Linked, LinksError, Participants, Request, SeedKernel,
    Setting, TalkLine, link,
};

use crate::derive::links::{agent, talk};
use crate::log::Log;
use crate::model::{CausalLink, Class, Event, EventId, EventKind, Outcome, SourceKind, Timestamp, is_prompt};
use crate::store::{EpisodeNum, ViewStore};

use super::super::sessions::{SessionInfo, SessionQuery, sessions_in};
use super::super::{RetrieveError, find_session};

/// The scoring kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelName {
    #[default]
    Default,
    Seed,
}

/// A line with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    pub index: u32,
    pub speaker: String,
    pub text: String,
    pub event: EventId,
    pub time: Option<Timestamp>,
}

/// A session's lines and links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedSession {
    pub session: String,
    pub source: SourceKind,
    /// An agent's session: linked by structure, without kernels and masks.
    pub by_structure: bool,
    pub lines: Vec<SessionLine>,
    pub linked: Linked,
    /// How calls ended and what people said about it; only for agents' sessions.
    pub outcomes: Vec<Outcome>,
}

impl LinkedSession {
    pub fn lines(&self) -> Vec<TalkLine<'_>> {
        plain(&self.lines)
    }
}

fn plain(lines: &[SessionLine]) -> Vec<TalkLine<'_>> {
    let mut plain = Vec::new();
    for line in lines {
        plain.push(TalkLine { index: line.index, speaker: &line.speaker, text: &line.text });
    }
    plain
}

/// Why a session could not be linked.
#[derive(Debug, thiserror::Error)]
pub enum LinkSessionError {
    #[error(transparent)]
    Links(#[from] LinksError),
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
}

/// The session whose id begins with `asked`.
pub fn link_session(
    log: &mut Log,
    views: &ViewStore,
    asked: &str,
    kernel: KernelName,
    options: &LinkOptions,
) -> Result<LinkedSession, LinkSessionError> {
    let info = {
        let snapshot = views.snapshot()?;
        find_session(&sessions_in(log, &snapshot.read(), &SessionQuery::default())?, asked)?
    };
    let main = main_episode(log, &info)?;
    link_episode(log, main, kernel, options)
}

fn main_episode(log: &mut Log, info: &SessionInfo) -> Result<EpisodeNum, LinkSessionError> {
    for num in &info.episodes {
        if log.store().episode(*num)?.is_some_and(|episode| episode.key.agent.is_none()) {
            return Ok(*num);
        }
    }
    info.episodes
        .first()
        .copied()
        .ok_or_else(|| RetrieveError::NotFound { what: "session", asked: info.session.clone() }.into())
}

/// The only session of a log made from one file, or an error.
pub fn only_session(log: &mut Log) -> Result<EpisodeNum, RetrieveError> {
    let mut main = Vec::new();
    for (num, episode) in log.store().episodes()? {
        if episode.key.agent.is_none() && episode.key.source != SourceKind::Backstory {
            main.push((num, episode.key.session));
        }
    }
    match main.as_slice() {
        [(num, _)] => Ok(*num),
        [] => Err(RetrieveError::NotFound { what: "session", asked: "the file".to_owned() }),
        several => {
            let candidates = several.iter().take(5).map(|(_, session)| session.clone()).collect();
            Err(RetrieveError::Ambiguous { what: "session", asked: "the file".to_owned(), candidates })
        }
    }
}

pub fn link_episode(
    log: &mut Log,
    num: EpisodeNum,
    kernel: KernelName,
    options: &LinkOptions,
) -> Result<LinkedSession, LinkSessionError> {
    let events = log.store().events_of(num, 0, u32::MAX)?;
    let key = log.store().episode(num)?.map(|episode| episode.key);
    let (session, source, agent) =
        key.map_or((String::new(), SourceKind::Transcript, None), |key| (key.session, key.source, key.agent));
    let by_structure = !talk::is_talk(log, num, source, u32::MAX)?;
    if by_structure {
        let found = agent::of_episode(num, &session, agent.as_deref(), &events);
        let lines: Vec<SessionLine> = found.events.into_iter().filter_map(agent_line).collect();
        let linked = with_cast(&session, found.links, &lines)?;
        let outcomes = found.outcomes;
        return Ok(LinkedSession { session, source, by_structure, lines, linked, outcomes });
    }
    let kernel: &dyn Kernel = match kernel {
        KernelName::Default => &DefaultKernel,
        KernelName::Seed => &SeedKernel,
    };
    let linked = link(Request { session: &session, lines: &talk::lines(&events), kernel, options })?;
    let lines = events.into_iter().filter(talk::is_line).map(|event| SessionLine {
        index: event.seq,
        speaker: event.meta.speaker.unwrap_or_default(),
        text: event.text,
        event: event.id,
        time: event.time,
    });
    Ok(LinkedSession { session, source, by_structure, lines: lines.collect(), linked, outcomes: Vec::new() })
}

/// Every speaker but the user counts as answering.
fn with_cast(session: &str, links: Vec<CausalLink>, lines: &[SessionLine]) -> Result<Linked, LinksError> {
    let speakers: BTreeSet<&str> = lines.iter().map(|line| line.speaker.as_str()).filter(|who| *who != USER).collect();
    let responders: Vec<String> = speakers.into_iter().map(str::to_owned).collect();
    let told = ParticipantHints { setting: Some(Setting::TwoParty), responders: &responders, registry: None };
    let participants = Participants::new(&plain(lines), told)?;
    let mask = EligibilityMask::new(session, lines.len(), Vec::new());
    Ok(Linked { links, mask, participants, ..Linked::default() })
}

const USER: &str = "user";
/// The bytes of a call or its output that a page shows; they may be megabytes.
const SHOWN: usize = 600;

/// A line of an agent's session as shown to a reader, without thinking.
fn agent_line(event: &Event) -> Option<SessionLine> {
    let speaker = match event.kind {
        EventKind::User if is_prompt(event) => USER.to_owned(),
        EventKind::Assistant => event.meta.agent.clone().unwrap_or_else(|| "agent".to_owned()),
        EventKind::ToolCall => event.meta.tool.clone().unwrap_or_else(|| "tool".to_owned()),
        EventKind::ToolOutput => "output".to_owned(),
        EventKind::System if event.meta.class == Some(Class::Interruption) => "interruption".to_owned(),
        _ => return None,
    };
    if event.text.trim().is_empty() || event.forgotten {
        return None;
    }
    let is_said = matches!(event.kind, EventKind::User | EventKind::Assistant);
    let text = match event.text.floor_char_boundary(SHOWN) {
        cut if cut < event.text.len() && !is_said => format!("{}…", &event.text[..cut]),
        _ => event.text.clone(),
    };
    Some(SessionLine { index: event.seq, speaker, text, event: event.id, time: event.time })
}
