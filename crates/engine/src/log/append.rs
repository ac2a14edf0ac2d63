//! The one way in.

use std::collections::{BTreeMap, HashMap};

use crate::model::{
    ArtifactId, CARDS_SESSION, Episode, EpisodeKey, EventDraft, EventId, EventKind, Meta, PROJECTS_SESSION, Problem,
    Project, ProjectAct, ProjectId, RETRIEVALS_SESSION, Retrieval, RetrievalOutcome, Sighting, SourceKind, Timestamp,
    digest_of, text_hash,
};
use crate::store::{Cursor, EncodedEvent, EpisodeNum, payload_bytes, payload_hash_with, split_payload};

use super::redact::Redactor;
use super::{Log, LogError};

/// Index of an episode within one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EpisodeSlot(usize);

/// Events on their way into the log, with the episodes they belong to.
#[derive(Debug, Default)]
pub struct Batch {
    pub projects: Vec<Project>,
    /// What was seen at their places.
    pub sightings: Vec<Sighting>,
    pub episodes: Vec<Episode>,
    pub events: Vec<(EpisodeSlot, EventDraft)>,
    /// (path, text) of file versions to keep as evidence.
    pub artifacts: Vec<(String, String)>,
    slots: HashMap<EpisodeKey, EpisodeSlot>,
}

impl Batch {
    /// The slot of an episode; it is added when the batch does not have it yet.
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

/// What moves together with a batch: how far its file has been read, and what
/// was wrong with it.
#[derive(Debug, Default)]
pub struct Bookkeeping {
    pub cursor: Option<Cursor>,
    /// The file is read again from its start: what was wrong before is void.
    pub clear_problems_of: Option<String>,
    pub problems: Vec<Problem>,
}

/// What an append did.
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
    /// Writes the batch and its bookkeeping in one transaction: after a crash
    /// either both are there or neither.
    pub fn append(&mut self, batch: Batch, bookkeeping: &Bookkeeping) -> Result<Appended, LogError> {
        let mut appended = Appended::default();
        let encoded: Vec<_> =
            batch.events.into_iter().map(|(slot, event)| (slot, self.encode(event, &mut appended.redacted))).collect();
        let artifacts: Vec<_> = batch.artifacts.iter().map(|(path, text)| self.encode_artifact(path, text)).collect();

        let mut tx = self.store.begin()?;
        for project in &batch.projects {
            tx.put_project(project)?;
        }
        for seen in &batch.sightings {
            tx.put_sighting(seen)?;
        }
        let mut nums: Vec<Option<EpisodeNum>> = vec![None; batch.episodes.len()];
        let mut episodes = batch.episodes;
        for (slot, event) in &encoded {
            let episode = &mut episodes[slot.0];
            let num = match nums[slot.0] {
                Some(num) => num,
                // A file that only repeats another session makes no episode.
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
        redact_event(&self.redactor, &mut event.text, &mut event.meta, redacted);
        let mut bytes = payload_bytes(&event.meta, &event.text);
        // A branch, a folder or a tool's name can hold a secret too.
        if let Ok(line) = std::str::from_utf8(split_payload(&bytes).0)
            && !self.redactor.find(line).is_empty()
        {
            redact_meta(&self.redactor, &mut event.meta, redacted);
            bytes = payload_bytes(&event.meta, &event.text);
        }
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
        let id = ArtifactId(digest_of("artifact", &[path.as_bytes(), text.as_bytes()]));
        (id, path.to_owned(), self.store.pack(text.as_bytes()))
    }

    /// Appends what was done with cards or shown of them. `input` says what it is.
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

    /// Appends a question with what was answered. Its id is how outcomes name it.
    pub fn append_retrieval(
        &mut self,
        time: Timestamp,
        question: &str,
        retrieval: &Retrieval,
    ) -> Result<EventId, LogError> {
        let meta = Meta { input: serde_json::to_value(retrieval).ok(), ..Meta::default() };
        // The id is that of the text as it is stored.
        let text = self.redactor.redact(question).text.into_owned();
        let id = own_event(RETRIEVALS_SESSION, EventKind::Retrieval, time, text.clone(), meta.clone()).id();
        self.append_own(RETRIEVALS_SESSION, EventKind::Retrieval, time, text, meta)?;
        Ok(id)
    }

    /// Appends what came of a retrieval, by a person's word; the text says why.
    pub fn append_retrieval_outcome(
        &mut self,
        time: Timestamp,
        text: String,
        outcome: &RetrievalOutcome,
    ) -> Result<Appended, LogError> {
        let meta = Meta { input: serde_json::to_value(outcome).ok(), ..Meta::default() };
        self.append_own(RETRIEVALS_SESSION, EventKind::Outcome, time, text, meta)
    }

    /// Appends what a person said of projects. `places` are those of a project that begins
    /// with it. Returns the id by which it can be undone.
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

    /// Appends one event that Backstory itself makes: a judgement, an outcome.
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

/// Looks at every string of the metadata.
fn redact_meta(redactor: &Redactor, meta: &mut Meta, redacted: &mut BTreeMap<&'static str, u64>) {
    if let Ok(mut value) = serde_json::to_value(&*meta) {
        redact_value(redactor, &mut value, redacted);
        if let Ok(clean) = serde_json::from_value(value) {
            *meta = clean;
        }
    }
}

/// Secrets may stand in the text, in a tool's input or in a file's name.
pub(super) fn redact_event(
    redactor: &Redactor,
    text: &mut String,
    meta: &mut Meta,
    redacted: &mut BTreeMap<&'static str, u64>,
) {
    redact_string(redactor, text, redacted);
    if let Some(input) = &mut meta.input {
        redact_value(redactor, input, redacted);
    }
    for file in &mut meta.files {
        redact_string(redactor, file, redacted);
    }
}

fn redact_string(redactor: &Redactor, text: &mut String, redacted: &mut BTreeMap<&'static str, u64>) {
    let found = redactor.redact(text);
    if found.found.is_empty() {
        return;
    }
    for secret in &found.found {
        *redacted.entry(secret.kind.name()).or_default() += 1;
    }
    *text = found.text.into_owned();
}

fn redact_value(redactor: &Redactor, value: &mut serde_json::Value, redacted: &mut BTreeMap<&'static str, u64>) {
    match value {
        serde_json::Value::String(text) => redact_string(redactor, text, redacted),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| redact_value(redactor, item, redacted)),
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                // A secret-like name gives its value away: look at them together.
                if let serde_json::Value::String(text) = field {
                    let pair = format!("{name}={text}");
                    let found = redactor.redact(&pair);
                    if !found.found.is_empty()
                        && let Some(clean) = found.text.strip_prefix(&format!("{name}="))
                    {
                        for secret in &found.found {
                            *redacted.entry(secret.kind.name()).or_default() += 1;
                        }
                        *text = clean.to_owned();
                        continue;
                    }
                }
                redact_value(redactor, field, redacted);
            }
        }
        _ => {}
    }
}
