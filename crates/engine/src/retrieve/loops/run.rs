//! The stages' data about a session's main run.

use std::collections::HashSet;

use crate::log::Log;
use crate::model::{Digest, EvidenceRef, Timestamp, digest_of};
use crate::store::{EpisodeNum, LinkRow, OutcomeRow, TurnRow, ViewReader};

use super::super::RetrieveError;
use super::super::sessions::SessionInfo;
use super::open::{LoopKind, OpenLoop};
use super::tasks;

/// The sessions that others say they continue.
pub(super) struct Continued {
    episodes: HashSet<EpisodeNum>,
    pub(super) sessions: HashSet<String>,
}

/// Up to this many runs are read one by one.
const FEW: usize = 50;

/// `infos`: a session that continues one of them is among them, or older than all.
pub(super) fn continued(view: &ViewReader<'_>, infos: &[SessionInfo]) -> Result<Continued, RetrieveError> {
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

/// A session's main run with the stages' data.
pub(super) struct Run {
    pub(super) info: SessionInfo,
    pub(super) main: Option<EpisodeNum>,
    /// Another session says that it continues this one.
    pub(super) continued: bool,
    pub(super) turns: Vec<TurnRow>,
    pub(super) links: Vec<LinkRow>,
    pub(super) outcomes: Vec<OutcomeRow>,
    pub(super) notes: Vec<tasks::Note>,
}

impl Run {
    pub(super) fn load(
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

    /// Events in a turn abandoned by a rewind do not count as its end.
    pub(super) fn is_active(&self, turn: u32) -> bool {
        self.turns.binary_search_by_key(&turn, |row| row.turn).is_ok_and(|at| self.turns[at].active)
    }

    pub(super) fn last_active_turn(&self) -> Option<u32> {
        self.turns.iter().rfind(|row| row.active).map(|row| row.turn)
    }

    pub(super) fn open(
        &self,
        kind: LoopKind,
        text: String,
        time: Option<Timestamp>,
        evidence: Vec<EvidenceRef>,
    ) -> OpenLoop {
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
