//! How are events forgotten? The payload is removed and the row stays, so that the chain still
//! holds and a second ingest does not bring the text back.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{
    ArtifactId, EpisodeId, Event, EventId, EventKind, Meta, PROJECTS_SESSION, ProjectId, SourceKind, Timestamp,
    digest_of,
};
use crate::store::{Artifact, Scrubbed, UnfinishedForget, is_said_in};

use super::subjects::{Subject, Subjects};
use super::{Log, LogError};

/// Records of forgetting are in an episode of this name. They do not quote what was forgotten,
/// and stay.
const FORGET_SESSION: &str = "judgements";

/// What to forget. All conditions must hold; without any, nothing is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Full session id.
    pub session: Option<String>,
    pub project: Option<ProjectId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Words to look for in the text or metadata, in any case.
    pub query: Option<String>,
    /// Only events up to this position of the log: later ones stay. Alone, it selects nothing.
    pub up_to: Option<u64>,
}

/// What a selector would blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetPlan {
    /// The last position that was searched.
    up_to: u64,
    events: Vec<(u64, EventId)>,
    artifacts: Vec<ArtifactId>,
    /// Files whose reader state contains the words: they must be read again from their start.
    cursors: Vec<String>,
    pub bytes: u64,
    /// Unreadable rows, which may contain the words.
    pub unsearched: u64,
    /// Events per session, by project. A question about all projects belongs to none.
    pub projects: BTreeMap<Option<ProjectId>, BTreeMap<String, u64>>,
}

impl ForgetPlan {
    pub fn events(&self) -> usize {
        self.events.len()
    }

    pub fn artifacts(&self) -> usize {
        self.artifacts.len()
    }

    /// Counts a session that worked in two projects once.
    pub fn sessions(&self) -> usize {
        self.projects.values().flat_map(BTreeMap::keys).collect::<HashSet<_>>().len()
    }

    /// Identifies exactly what would be removed, and how far the log was searched. Equal plans
    /// have equal tokens; different plans have different ones.
    pub fn token(&self) -> String {
        let ids = self.events.iter().map(|(_, id)| id.0).chain(self.artifacts.iter().map(|id| id.0));
        let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        let parts: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
        let digest = digest_of("forget", &parts).to_string();
        format!("{:x}-{}", self.up_to, &digest[..16])
    }

    /// How far the log was searched for a plan with this token.
    pub fn up_to_of(token: &str) -> Option<u64> {
        u64::from_str_radix(token.split_once('-')?.0, 16).ok()
    }

    /// The list of what to do, without any quoted text. It is written to the disk first.
    pub fn marker(&self, begun: Timestamp) -> UnfinishedForget {
        UnfinishedForget::new(begun, &self.events, &self.artifacts, &self.cursors)
    }

    fn add(&mut self, event: &Event, project: Option<ProjectId>, session: &str) {
        if event.pos > self.up_to {
            return;
        }
        self.events.push((event.pos, event.id));
        self.bytes += event.text.len() as u64;
        *self.projects.entry(project).or_default().entry(session.to_owned()).or_default() += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.artifacts.is_empty() && self.cursors.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    pub events: usize,
    pub artifacts: usize,
    /// Was the text removed from unused pages, too?
    pub scrubbed: Scrubbed,
}

impl Log {
    /// Finds what would be removed. Changes nothing. `subjects`: the subjects of cards and
    /// loops, from the views, to which Backstory's own events refer.
    pub fn plan_forget(&mut self, selector: &Selector, mut subjects: Subjects) -> Result<ForgetPlan, LogError> {
        let head = self.store.last_position()?;
        let up_to = selector.up_to.map_or(head, |up_to| up_to.min(head));
        let mut plan = ForgetPlan { up_to, ..ForgetPlan::default() };
        if *selector == (Selector { up_to: selector.up_to, ..Selector::default() }) {
            return Ok(plan);
        }
        let chosen = self.chosen_episodes(selector)?;
        let needle = selector.query.as_deref().map(str::to_lowercase);
        let within = self.sessions_within(selector)?;
        let own = self.own_episodes()?;
        self.complete_subjects(&mut subjects)?;
        let mut unreadable = Vec::new();
        let aliases = self.store.aliases()?;
        self.store.scan(0, |event| {
            if let Some((project, session)) = chosen.get(&event.episode) {
                match matches(&event, selector, needle.as_deref(), within.contains(session)) {
                    Fits::Yes => plan.add(&event, Some(*project), session),
                    Fits::PerhapsSays => unreadable.push((event, Some(*project), session.clone())),
                    Fits::No => {}
                }
            } else if let Some(session) = own.get(&event.episode) {
                let mut subject = subjects.of(&event);
                subject.projects = subject.projects.into_iter().map(|project| aliases.current(project)).collect();
                let fits = matches(&event, selector, needle.as_deref(), false);
                if fits == Fits::Yes && concerns(&subject, selector) {
                    let project = selector.project.or_else(|| subject.projects.iter().min().copied());
                    plan.add(&event, project, session);
                } else if fits == Fits::PerhapsSays {
                    unreadable.push((event, None, session.clone()));
                }
            }
            true
        })?;
        for (event, project, session) in unreadable {
            match self.store.says(event.pos, needle.as_deref().unwrap_or_default())? {
                true => plan.add(&event, project, &session),
                false => plan.unsearched += 1,
            }
        }
        let sessions: HashSet<&str> = chosen.values().map(|(_, session)| session.as_str()).collect();
        for artifact in self.store.artifacts()? {
            if is_meant(&artifact, selector, needle.as_deref(), &sessions, &within) {
                plan.artifacts.push(artifact.id);
            }
        }
        if let Some(needle) = &needle {
            let says = |state: &String| is_said_in(state.as_bytes(), needle);
            let cursors = self.store.cursors()?.into_iter().filter(|cursor| cursor.state.as_ref().is_some_and(says));
            plan.cursors = cursors.map(|cursor| cursor.path).collect();
        }
        Ok(plan)
    }

    /// Blanks what the marker names; [`Log::scrub`] also removes it from unused pages. Both may
    /// be repeated after an interruption.
    pub fn blank(&mut self, marker: &UnfinishedForget) -> Result<(), LogError> {
        Ok(self.store.blank(marker)?)
    }

    pub fn scrub(&mut self) -> Result<Scrubbed, LogError> {
        Ok(self.store.scrub()?)
    }

    /// The session of an event; none for Backstory's own events.
    pub fn session_of(&mut self, event: EventId) -> Result<Option<String>, LogError> {
        let Some(event) = self.store.event(event)? else { return Ok(None) };
        let Some(num) = self.store.episode_num(event.episode)? else { return Ok(None) };
        let episode = self.store.episode(num)?.filter(|episode| episode.key.source != SourceKind::Backstory);
        Ok(episode.map(|episode| episode.key.session))
    }

    /// Appends a record that something was forgotten (never what). Repeating it adds nothing.
    pub fn note_forgotten(&mut self, marker: &UnfinishedForget) -> Result<(), LogError> {
        let text = format!("forgot {} events and {} stored files", marker.events(), marker.artifacts());
        self.append_own(FORGET_SESSION, EventKind::Judgement, marker.begun(), text, Meta::default())?;
        Ok(self.store.checkpoint_wal_or_fail()?)
    }

    /// Sessions that are completely in the selected time: their events without a time are
    /// selected, too.
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

    /// Backstory's own episodes: its cards, questions and answers may repeat what is to be
    /// forgotten.
    fn own_episodes(&mut self) -> Result<HashMap<EpisodeId, String>, LogError> {
        let episodes = self.store.episodes()?.into_iter().map(|(_, episode)| episode);
        let own = episodes.filter(|episode| episode.key.source == SourceKind::Backstory);
        // Acts on projects stay, as the rows of projects do: without them, two memories would
        // mix.
        let stays = [FORGET_SESSION, PROJECTS_SESSION];
        let own = own.filter(|episode| !stays.contains(&episode.key.session.as_str()));
        Ok(own.map(|episode| (episode.id(), episode.key.session)).collect())
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

/// Is an event of Backstory's own about the selected session and project? One without a project
/// is found by its words.
fn concerns(subject: &Subject, selector: &Selector) -> bool {
    let of_session = selector.session.as_ref().is_none_or(|session| subject.sessions.contains(session));
    let of_project = selector.project.is_none_or(|project| {
        subject.projects.contains(&project) || (subject.projects.is_empty() && selector.query.is_some())
    });
    of_session && of_project
}

/// Is a stored file selected? It belongs to the session whose folder it was in, and has its
/// time.
fn is_meant(
    artifact: &Artifact,
    selector: &Selector,
    needle: Option<&str>,
    sessions: &HashSet<&str>,
    within: &HashSet<String>,
) -> bool {
    let text = match (&artifact.text, &artifact.unreadable) {
        (Some(text), _) => text.as_str(),
        (None, Some(_)) if needle.is_none() => "",
        _ => return false,
    };
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fits {
    Yes,
    No,
    /// The row cannot be read; its bytes may contain the words.
    PerhapsSays,
}

fn matches(event: &Event, selector: &Selector, needle: Option<&str>, session_in_time: bool) -> Fits {
    let timed = selector.from.is_some() || selector.to.is_some();
    let fits = !timed || event.time.map_or(session_in_time, |time| in_time(time, selector));
    match (needle, &event.unreadable) {
        _ if !fits => Fits::No,
        (None, Some(_)) => Fits::Yes,
        (Some(_), Some(_)) => Fits::PerhapsSays,
        _ if event.forgotten => Fits::No,
        (None, None) => Fits::Yes,
        (Some(needle), None) if mentions(event, needle) => Fits::Yes,
        (Some(_), None) => Fits::No,
    }
}

/// In the text, or in any string of the metadata.
fn mentions(event: &Event, needle: &str) -> bool {
    event.text.to_lowercase().contains(needle)
        || serde_json::to_value(&event.meta).is_ok_and(|meta| {
            meta.to_string().to_lowercase().contains(needle) || any_string(&meta, &|text| text.contains(needle))
        })
}

fn any_string(value: &serde_json::Value, says: &dyn Fn(&str) -> bool) -> bool {
    match value {
        serde_json::Value::String(text) => says(&text.to_lowercase()),
        serde_json::Value::Array(items) => items.iter().any(|item| any_string(item, says)),
        serde_json::Value::Object(fields) => fields.values().any(|field| any_string(field, says)),
        _ => false,
    }
}
