//! Forgetting: the payload goes, the place stays, so that the chain still
//! holds and reading the same file again does not bring it back.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{
    ArtifactId, EpisodeId, Event, EventId, EventKind, Meta, ProjectId, RETRIEVALS_SESSION, Retrieval, SourceKind,
    Timestamp, digest_of,
};

use crate::store::Artifact;

use super::{Log, LogError};

/// What to forget. All given conditions must hold; none given selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Full session id.
    pub session: Option<String>,
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Words to look for in the text or metadata, whatever their case.
    pub query: Option<String>,
    /// Only events up to this position of the log: what was appended later stays.
    /// On its own it selects nothing.
    pub up_to: Option<u64>,
}

/// What a selector would blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetPlan {
    /// The last position that was looked at.
    up_to: u64,
    positions: Vec<u64>,
    ids: Vec<EventId>,
    artifacts: Vec<ArtifactId>,
    pub bytes: u64,
    /// Events per session, by project. What was asked of all projects at once is
    /// of none.
    pub projects: BTreeMap<Option<ProjectId>, BTreeMap<String, u64>>,
}

impl ForgetPlan {
    pub fn events(&self) -> usize {
        self.positions.len()
    }

    pub fn artifacts(&self) -> usize {
        self.artifacts.len()
    }

    /// A session that worked in two projects is one.
    pub fn sessions(&self) -> usize {
        self.projects.values().flat_map(BTreeMap::keys).collect::<HashSet<_>>().len()
    }

    /// Stands for exactly what would go, and for how far the log was looked at. The
    /// same plan has the same token, any other has another.
    pub fn token(&self) -> String {
        let ids = self.ids.iter().map(|id| id.0).chain(self.artifacts.iter().map(|id| id.0));
        let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        let parts: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
        let digest = digest_of("forget", &parts).to_string();
        format!("{:x}-{}", self.up_to, &digest[..16])
    }

    /// How far the log was looked at for a plan with this token.
    pub fn up_to_of(token: &str) -> Option<u64> {
        u64::from_str_radix(token.split_once('-')?.0, 16).ok()
    }

    fn add(&mut self, event: &Event, project: Option<ProjectId>, session: &str) {
        if event.pos > self.up_to {
            return;
        }
        self.positions.push(event.pos);
        self.ids.push(event.id);
        self.bytes += event.text.len() as u64;
        *self.projects.entry(project).or_default().entry(session.to_owned()).or_default() += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty() && self.artifacts.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    pub events: usize,
    pub artifacts: usize,
}

impl Log {
    /// What would go. Changes nothing.
    pub fn plan_forget(&mut self, selector: &Selector) -> Result<ForgetPlan, LogError> {
        let head = self.store.head()?.pos;
        let up_to = selector.up_to.map_or(head, |up_to| up_to.min(head));
        let mut plan = ForgetPlan { up_to, ..ForgetPlan::default() };
        if *selector == (Selector { up_to: selector.up_to, ..Selector::default() }) {
            return Ok(plan);
        }
        let chosen = self.chosen_episodes(selector)?;
        let needle = selector.query.as_deref().map(str::to_lowercase);
        let within = self.sessions_within(selector)?;
        let questions = self.episodes_of_questions()?;
        self.store.scan(0, |event| {
            if let Some((project, session)) = chosen.get(&event.episode)
                && matches(&event, selector, needle.as_deref(), within.contains(session))
            {
                plan.add(&event, Some(*project), session);
            } else if questions.contains(&event.episode)
                && matches(&event, selector, needle.as_deref(), false)
                && concerns(&event, selector)
            {
                plan.add(&event, asked(&event).and_then(|asked| asked.project), RETRIEVALS_SESSION);
            }
            true
        })?;
        let sessions: HashSet<&str> = chosen.values().map(|(_, session)| session.as_str()).collect();
        for artifact in self.store.artifacts()? {
            if is_meant(&artifact, selector, needle.as_deref(), &sessions, &within) {
                plan.artifacts.push(artifact.id);
            }
        }
        Ok(plan)
    }

    /// Blanks what was planned and records that it was done (never what).
    pub fn forget(&mut self, plan: &ForgetPlan, now: Timestamp) -> Result<Forgotten, LogError> {
        let forgotten = Forgotten { events: plan.events(), artifacts: plan.artifacts() };
        if plan.is_empty() {
            return Ok(forgotten);
        }
        self.store.blank(&plan.positions, &plan.artifacts)?;
        let text = format!("forgot {} events and {} stored files", forgotten.events, forgotten.artifacts);
        self.append_own("judgements", EventKind::Judgement, now, text, Meta::default())?;
        self.store.checkpoint()?;
        Ok(forgotten)
    }

    /// Sessions that lie in the selected time as a whole: what of them has no
    /// time of its own goes with them.
    fn sessions_within(&mut self, selector: &Selector) -> Result<HashSet<String>, LogError> {
        let sessions: HashMap<EpisodeId, String> =
            self.store.episodes()?.into_iter().map(|(_, episode)| (episode.id(), episode.key.session)).collect();
        let (mut within, mut beyond) = (HashSet::new(), HashSet::new());
        if selector.from.is_none() && selector.to.is_none() {
            return Ok(within);
        }
        self.store.scan(0, |event| {
            if let (Some(time), Some(session)) = (event.time, sessions.get(&event.episode)) {
                let side = if in_time(time, selector) { &mut within } else { &mut beyond };
                if !side.contains(session) {
                    side.insert(session.clone());
                }
            }
            true
        })?;
        within.retain(|session| !beyond.contains(session));
        Ok(within)
    }

    /// What was asked of Backstory, and what was answered, may say what is to be forgotten.
    fn episodes_of_questions(&mut self) -> Result<HashSet<EpisodeId>, LogError> {
        let own = self.store.episodes_of_session(SourceKind::Backstory, RETRIEVALS_SESSION)?;
        Ok(own.into_iter().map(|(_, episode)| episode.id()).collect())
    }

    fn chosen_episodes(&mut self, selector: &Selector) -> Result<HashMap<EpisodeId, (ProjectId, String)>, LogError> {
        let episodes = self.store.episodes()?;
        Ok(episodes
            .into_iter()
            .filter(|(_, episode)| episode.key.source != SourceKind::Backstory)
            .filter(|(_, episode)| selector.session.as_ref().is_none_or(|session| *session == episode.key.session))
            .filter(|(_, episode)| selector.project.is_none_or(|project| project == episode.project))
            .map(|(_, episode)| (episode.id(), (episode.project, episode.key.session)))
            .collect())
    }
}

/// Is a question, or what came of it, about the session and the project that are meant?
fn concerns(event: &Event, selector: &Selector) -> bool {
    if selector.session.is_none() && selector.project.is_none() {
        return true;
    }
    asked(event).is_some_and(|asked| {
        (selector.session.is_none() || selector.session == asked.session)
            && (selector.project.is_none() || selector.project == asked.project)
    })
}

fn asked(event: &Event) -> Option<Retrieval> {
    event.meta.input.clone().and_then(|input| serde_json::from_value(input).ok())
}

/// A stored file belongs to the session whose folder it was in, and has its time.
fn is_meant(
    artifact: &Artifact,
    selector: &Selector,
    needle: Option<&str>,
    sessions: &HashSet<&str>,
    within: &HashSet<String>,
) -> bool {
    let Some(text) = &artifact.text else { return false };
    let by_session = selector.session.is_some() || selector.project.is_some();
    let in_session = artifact.path.split(['/', '\\']).any(|part| sessions.contains(part));
    let says = |needle: &str| text.to_lowercase().contains(needle) || artifact.path.to_lowercase().contains(needle);
    let timed = selector.from.is_some() || selector.to.is_some();
    let in_time = artifact.path.split(['/', '\\']).any(|part| within.contains(part));
    let asked = by_session || timed || needle.is_some();
    asked && (!timed || in_time) && (!by_session || in_session) && needle.is_none_or(says)
}

fn in_time(time: Timestamp, selector: &Selector) -> bool {
    selector.from.is_none_or(|from| time >= from) && selector.to.is_none_or(|to| time < to)
}

fn matches(event: &Event, selector: &Selector, needle: Option<&str>, session_in_time: bool) -> bool {
    if event.forgotten {
        return false;
    }
    let timed = selector.from.is_some() || selector.to.is_some();
    let fits = !timed || event.time.map_or(session_in_time, |time| in_time(time, selector));
    fits && needle.is_none_or(|needle| mentions(event, needle))
}

fn mentions(event: &Event, needle: &str) -> bool {
    event.text.to_lowercase().contains(needle)
        || serde_json::to_string(&event.meta).is_ok_and(|meta| meta.to_lowercase().contains(needle))
}
