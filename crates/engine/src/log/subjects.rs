//! Which project and which session is an event of Backstory's own about?
//!
//! Such events are in separate episodes, so their input must say it: by a project, a session, a
//! scope, a card, an open loop or an earlier retrieval.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::model::{CardAct, CardId, Digest, EpisodeKey, Event, EventId, ProjectId, Scope, SourceKind, card_id};

use super::{Log, LogError};

/// What an event is about. Empty if nothing says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    pub projects: HashSet<ProjectId>,
    pub sessions: HashSet<String>,
}

impl Subject {
    pub fn add(&mut self, other: &Subject) {
        self.projects.extend(&other.projects);
        self.sessions.extend(other.sessions.iter().cloned());
    }
}

/// The subjects of cards and open loops, from the views and from the log.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    pub cards: HashMap<CardId, Subject>,
    pub loops: HashMap<Digest, Subject>,
    retrievals: HashMap<EventId, Subject>,
    projects: HashMap<String, HashSet<ProjectId>>,
}

impl Log {
    /// Adds subjects from the log: of sessions, of added cards and of retrievals.
    pub(super) fn complete_subjects(&mut self, subjects: &mut Subjects) -> Result<(), LogError> {
        let mut own = Vec::new();
        for (num, episode) in self.store.episodes()? {
            let EpisodeKey { source, session, .. } = episode.key;
            match source {
                SourceKind::Backstory => own.push(num),
                _ => drop(subjects.projects.entry(session).or_default().insert(episode.project)),
            }
        }
        for num in own {
            for event in self.store.events_of(num, 0, u32::MAX)? {
                subjects.learn(&event);
            }
        }
        Ok(())
    }
}

impl Subjects {
    /// Remembers the event's subject: later events name it, or the card that it added.
    fn learn(&mut self, event: &Event) {
        let Some(input) = &event.meta.input else { return };
        let subject = self.of(event);
        if let Ok(CardAct::Add { statement, kind, scope, .. }) = serde_json::from_value(input.clone()) {
            let statement = statement.as_deref().unwrap_or(&event.text);
            self.cards.entry(card_id(kind, &scope, statement)).or_default().add(&subject);
        }
        self.retrievals.insert(event.id, subject);
    }

    pub fn of(&self, event: &Event) -> Subject {
        let mut subject = Subject::default();
        if let Some(known) = event.meta.record.as_deref().and_then(Digest::parse).and_then(|id| self.loops.get(&id)) {
            subject.add(known);
        }
        let Some(input) = &event.meta.input else { return subject };
        let id = |value: &Value| value.as_str().and_then(Digest::parse);
        subject.projects.extend(id(&input["project"]).map(ProjectId));
        let scope = serde_json::from_value::<Scope>(input["scope"].clone()).ok();
        subject.projects.extend(scope.and_then(|scope| scope.project()));
        subject.sessions.extend(input["session"].as_str().map(str::to_owned));
        let cards = input["cards"].as_array().into_iter().flatten().chain(input.get("card"));
        for known in cards.filter_map(|card| self.cards.get(&CardId(id(card)?))) {
            subject.add(known);
        }
        if let Some(known) = id(&input["retrieval"]).and_then(|id| self.retrievals.get(&EventId(id))) {
            subject.add(known);
        }
        // A session that worked in two projects belongs to both.
        let projects = subject.sessions.iter().filter_map(|session| self.projects.get(session)).flatten();
        subject.projects.extend(projects.copied().collect::<Vec<_>>());
        subject
    }
}
