//! How do events get into the log? Only by `append`.

use std::collections::{BTreeMap, HashMap};

use crate::model::{
    ArtifactId, CARDS_SESSION, Episode, EpisodeKey, EventDraft, EventId, EventKind, Meta, PROJECTS_SESSION, Problem,
    Project, ProjectAct, ProjectId, RETRIEVALS_SESSION, Retrieval, RetrievalOutcome, Sighting, SourceKind, Timestamp,
    digest_of, text_hash,
};
use crate::store::{Cursor, EncodedEvent, EpisodeNum, payload_hash_with, split_payload};

use super::clean::{clean_episode, clean_event, clean_path, clean_project, clean_sighting};
use super::{Log, LogError};

/// Index of an episode within one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EpisodeSlot(usize);

/// Events to append, with their episodes.
#[derive(Debug, Default)]
pub struct Batch {
    pub projects: Vec<Project>,
    /// Sightings at the places of projects.
    pub sightings: Vec<Sighting>,
    pub episodes: Vec<Episode>,
    pub events: Vec<(EpisodeSlot, EventDraft)>,
    /// (path, text) of file versions to keep as evidence.
    pub artifacts: Vec<(String, String)>,
    slots: HashMap<EpisodeKey, EpisodeSlot>,
}

impl Batch {
    /// The slot of an episode, which is added if the batch does not have it yet.
    pub fn episode(&mut self, key: &EpisodeKey, project: ProjectId) -> EpisodeSlot {
        if let Some(slot) = self.slots.get(key) {
            return *slot;
        }
        let slot = EpisodeSlot(self.episodes.len());
        self.episodes.push(Episode { key: key.clone(), project });
        self.slots.insert(key.clone(), slot);
        slot
    }

    pub fn push(&mut self, slot: EpisodeSlot, event: EventDraft) {
        self.events.push((slot, event));
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.artifacts.is_empty()
    }
}

/// Rows written together with a batch: its file's cursor and problems.
#[derive(Debug, Default)]
pub struct Bookkeeping {
    pub cursor: Option<Cursor>,
    /// The file is read again from its start: remove its earlier problems.
    pub clear_problems_of: Option<String>,
    pub problems: Vec<Problem>,
}

/// The result of an append.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    pub new: u64,
    /// Events that were in the log already.
    pub known: u64,
    /// Secrets replaced, by kind.
    pub redacted: BTreeMap<&'static str, u64>,
}

impl Appended {
    pub fn add(&mut self, other: Appended) {
        self.new += other.new;
        self.known += other.known;
        for (kind, count) in other.redacted {
            *self.redacted.entry(kind).or_default() += count;
        }
    }
}

impl Log {
    /// Writes the batch and its bookkeeping in one transaction: after a crash, both are there or
    /// neither.
    pub fn append(&mut self, batch: Batch, bookkeeping: &Bookkeeping) -> Result<Appended, LogError> {
        let mut appended = Appended::default();
        let encoded: Vec<_> =
            batch.events.into_iter().map(|(slot, event)| (slot, self.encode(event, &mut appended.redacted))).collect();
        let artifacts: Vec<_> = batch.artifacts.iter().map(|(path, text)| self.encode_artifact(path, text)).collect();

        let projects: Vec<_> = batch.projects.iter().map(|project| clean_project(&self.redactor, project)).collect();
        let sightings: Vec<_> = batch.sightings.iter().map(|seen| clean_sighting(&self.redactor, seen)).collect();
        let mut episodes: Vec<_> =
            batch.episodes.into_iter().map(|episode| clean_episode(&self.redactor, episode)).collect();

        let mut tx = self.store.begin()?;
        for project in &projects {
            tx.put_project(project)?;
        }
        for seen in &sightings {
            tx.put_sighting(seen)?;
        }
        let mut nums: Vec<Option<EpisodeNum>> = vec![None; episodes.len()];
        for (slot, event) in &encoded {
            let episode = &mut episodes[slot.0];
            let num = match nums[slot.0] {
                Some(num) => num,
                // A file that only repeats another session adds no episode.
                None if tx.contains(event.id)? => {
                    appended.known += 1;
                    continue;
                }
                None => tx.put_episode(episode)?,
            };
            nums[slot.0] = Some(num);
            if tx.append(num, episode, event)? {
                appended.new += 1;
            } else {
                appended.known += 1;
            }
        }
        for (id, path, packed) in &artifacts {
            tx.put_artifact(*id, path, packed)?;
        }
        if let Some(path) = &bookkeeping.clear_problems_of {
            tx.clear_problems(path)?;
        }
        for problem in &bookkeeping.problems {
            tx.add_problem(problem)?;
        }
        if let Some(cursor) = &bookkeeping.cursor {
            tx.set_cursor(cursor)?;
        }
        tx.commit()?;
        Ok(appended)
    }

    fn encode(&mut self, mut event: EventDraft, redacted: &mut BTreeMap<&'static str, u64>) -> EncodedEvent {
        let bytes = clean_event(&self.redactor, &mut event.text, &mut event.meta, redacted);
        let text_hash = text_hash(&event.text);
        EncodedEvent {
            id: event.id_with(&text_hash),
            kind: event.kind,
            time: event.time,
            hash: payload_hash_with(split_payload(&bytes).0, &text_hash),
            packed: Some(self.store.pack(&bytes)),
        }
    }

    pub(super) fn encode_artifact(&mut self, path: &str, text: &str) -> (ArtifactId, String, Vec<u8>) {
        let text = self.redactor.redact(text).text;
        let path = clean_path(&self.redactor, path);
        let id = ArtifactId(digest_of("artifact", &[path.as_bytes(), text.as_bytes()]));
        let packed = self.store.pack(text.as_bytes());
        (id, path, packed)
    }

    /// Appends an act on cards or an exposure. `input` is its data.
    pub fn append_of_cards(
        &mut self,
        kind: EventKind,
        time: Timestamp,
        text: String,
        input: &impl serde::Serialize,
    ) -> Result<Appended, LogError> {
        let meta = Meta { input: serde_json::to_value(input).ok(), ..Meta::default() };
        self.append_own(CARDS_SESSION, kind, time, text, meta)
    }

    /// Appends a question with its answer. Returns the id that outcomes refer to.
    pub fn append_retrieval(
        &mut self,
        time: Timestamp,
        question: &str,
        retrieval: &Retrieval,
    ) -> Result<EventId, LogError> {
        let meta = Meta { input: serde_json::to_value(retrieval).ok(), ..Meta::default() };
        // The id covers the text as stored.
        let text = self.redactor.redact(question).text.into_owned();
        let id = own_event(RETRIEVALS_SESSION, EventKind::Retrieval, time, text.clone(), meta.clone()).id();
        self.append_own(RETRIEVALS_SESSION, EventKind::Retrieval, time, text, meta)?;
        Ok(id)
    }

    /// Appends the outcome that a person records of a retrieval; the text says why.
    pub fn append_retrieval_outcome(
        &mut self,
        time: Timestamp,
        text: String,
        outcome: &RetrievalOutcome,
    ) -> Result<Appended, LogError> {
        let meta = Meta { input: serde_json::to_value(outcome).ok(), ..Meta::default() };
        self.append_own(RETRIEVALS_SESSION, EventKind::Outcome, time, text, meta)
    }

    /// Appends an act on projects. `places` are those of a project that the act creates. Returns
    /// the id by which it can be undone.
    pub fn append_of_projects(
        &mut self,
        time: Timestamp,
        act: &ProjectAct,
        places: Vec<Project>,
    ) -> Result<EventId, LogError> {
        let meta = Meta { input: serde_json::to_value(act).ok(), ..Meta::default() };
        let event = own_event(PROJECTS_SESSION, EventKind::Judgement, time, String::new(), meta);
        let id = event.id();
        let mut batch = Batch { projects: places, ..Batch::default() };
        let key = EpisodeKey::main(SourceKind::Backstory, PROJECTS_SESSION);
        let slot = batch.episode(&key, ProjectId(digest_of("project", &[b"backstory"])));
        batch.push(slot, event);
        self.append(batch, &Bookkeeping::default())?;
        Ok(id)
    }

    /// Appends one event of Backstory itself: a judgement, an outcome.
    pub fn append_own(
        &mut self,
        session: &str,
        kind: EventKind,
        time: Timestamp,
        text: String,
        meta: Meta,
    ) -> Result<Appended, LogError> {
        let mut batch = Batch::default();
        let key = EpisodeKey::main(SourceKind::Backstory, session);
        let slot = batch.episode(&key, ProjectId(digest_of("project", &[b"backstory"])));
        batch.push(slot, own_event(session, kind, time, text, meta));
        self.append(batch, &Bookkeeping::default())
    }
}

fn own_event(session: &str, kind: EventKind, time: Timestamp, text: String, meta: Meta) -> EventDraft {
    let meta_json = serde_json::to_vec(&meta).unwrap_or_default();
    let key = digest_of("own", &[session.as_bytes(), &time.0.to_le_bytes(), &meta_json]);
    EventDraft { key, kind, time: Some(time), text, meta }
}
