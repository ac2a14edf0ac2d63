//! Turns the lines of a Claude Code session into events.

use std::collections::{HashMap, VecDeque};

use serde_json::value::RawValue;

use crate::model::{Class, Digest, EpisodeKey, EventDraft, EventKind, Meta, ProblemKind, SourceKind, digest_of};

use super::super::json::{LineOutcome, read_json_line};
use super::super::reading::{FileOrigin, Reading, ReadingSlot, RecordFate, Source, SourceEnd};
use super::classify::{PromptPiece, TextMark, classify};
use super::events::{assistant_events, content_text, push_piece, record_key, time_of, user_events};
use super::oddities::Oddities;
use super::record::{self, ClaudeRecord};

/// Dropped records are parents too: they lead to the nearest kept one. Two generations bound the
/// memory on files with millions of progress lines.
const REMEMBERED_DROPS: usize = 100_000;
/// The number of drops that the cursor keeps for the next reading.
const DROPS_IN_STATE: usize = 8;

pub struct ClaudeSource {
    origin: FileOrigin,
    /// Dropped record -> nearest kept record before it.
    dropped: HashMap<Digest, Option<String>>,
    dropped_before: HashMap<Digest, Option<String>>,
    /// The most recent drops, which the next record is likely to follow.
    last_dropped: VecDeque<(Digest, Option<String>)>,
    /// Records of sub-agents that some versions wrote into the parent's file without an agent name,
    /// mapped to the first record of that sub-agent's run.
    sidechains: HashMap<Digest, String>,
    oddities: Oddities,
    /// Messages of sub-agents that an earlier progress record contained.
    normalized: HashMap<String, usize>,
    /// Lines held back until a sub-agent's file proves to be more than a stub.
    held: Vec<(u64, Vec<u8>)>,
    proven: bool,
}

/// What a later reading needs: recent drops, and which sidechain a record belongs to.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct State {
    dropped: VecDeque<(Digest, Option<String>)>,
    sidechains: Vec<(Digest, String)>,
}

impl ClaudeSource {
    pub fn new(origin: &FileOrigin) -> Self {
        ClaudeSource {
            origin: origin.clone(),
            dropped: HashMap::new(),
            dropped_before: HashMap::new(),
            last_dropped: VecDeque::new(),
            sidechains: HashMap::new(),
            oddities: Oddities::default(),
            normalized: HashMap::new(),
            held: Vec::new(),
            proven: origin.agent.is_none(),
        }
    }
}

impl Source for ClaudeSource {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        if self.proven {
            return self.read(line, number, out);
        }
        self.held.push((number, line.to_vec()));
        let has_assistant = memchr::memmem::find(line, b"\"assistant\"").is_some();
        if has_assistant || self.held.len() > 2 || number > 2 {
            self.proven = true;
            for (number, line) in std::mem::take(&mut self.held) {
                self.read(&line, number, out);
            }
        }
    }

    fn state(&self) -> Option<String> {
        if self.last_dropped.is_empty() && self.sidechains.is_empty() {
            return None;
        }
        let sidechains = self.sidechains.clone().into_iter().collect();
        serde_json::to_string(&State { dropped: self.last_dropped.clone(), sidechains }).ok()
    }

    fn resume(&mut self, state: &str) {
        let state: State = serde_json::from_str(state).unwrap_or_default();
        self.dropped.extend(state.dropped.iter().cloned());
        self.last_dropped = state.dropped;
        self.sidechains = state.sidechains.into_iter().collect();
    }

    fn end(&mut self, out: &mut Reading) -> SourceEnd {
        if let Some((line, reason)) = self.oddities.missing_parents() {
            out.problem(&self.origin.file, Some(line), ProblemKind::Repaired, reason);
        }
        if self.held.is_empty() {
            return SourceEnd::Done;
        }
        // Teammates started at the same time may leave files that hold only their first message.
        for _ in self.held.drain(..) {
            out.tally("sub-agent stub line", RecordFate::Dropped("the sub-agent never answered"));
        }
        SourceEnd::Undecided
    }
}

impl ClaudeSource {
    fn read(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let outcome = read_json_line(line, |bytes| {
            let record: ClaudeRecord<'_> = serde_json::from_slice(bytes)?;
            self.record(&record, number, out);
            Ok(())
        });
        match outcome {
            LineOutcome::Read => {}
            LineOutcome::Repaired(reason) => {
                out.problem(&self.origin.file, Some(number), ProblemKind::Repaired, reason)
            }
            LineOutcome::Skipped(reason) => out.problem(&self.origin.file, Some(number), ProblemKind::Skipped, reason),
        }
    }

    fn record(&mut self, record: &ClaudeRecord<'_>, number: u64, out: &mut Reading) {
        self.remember_sidechain(record);
        self.oddities.note(record, number);
        if record.message.0.content.is_cut() {
            let reason = format!("a message of more than {} blocks: the rest is left out", record::MOST_BLOCKS);
            out.problem(&self.origin.file, Some(number), ProblemKind::Skipped, reason);
        }
        match record.kind.get() {
            Some("user") => self.user(record, out),
            Some("assistant") => self.assistant(record, out),
            Some("progress") => self.progress(record, out),
            Some("system") => self.system(record, out),
            Some("summary") => self.title(record, record.summary.get(), "summary", out),
            Some("ai-title") => self.title(record, record.ai_title.get().or(record.title.get()), "ai-title", out),
            Some("custom-title") => {
                self.title(record, record.custom_title.get().or(record.title.get()), "custom-title", out);
            }
            Some("queue-operation") => self.queue_operation(record, out),
            Some("attachment") => self.attachment(record, out),
            Some("pr-link") => self.link(record, out),
            Some("compact_boundary") => self.compact_boundary(record, "compact_boundary", out),
            Some(kind @ "file-history-snapshot") => self.drop(record, kind, "the host's own backup index", out),
            Some(kind) => match HOUSEKEEPING.iter().find(|(known, _)| *known == kind) {
                Some((_, reason)) => self.drop(record, kind, reason, out),
                None => {
                    if self.oddities.is_new_type(kind) {
                        let reason = "a record of an unknown type (others like it are counted by `ingest -v`)";
                        out.problem(&self.origin.file, Some(number), ProblemKind::Skipped, reason);
                    }
                    self.drop(record, kind, "unknown record type", out);
                }
            },
            None => {
                out.tally("(no type)", RecordFate::Dropped("a record without a type"));
                let reason = "a record without a type";
                out.problem(&self.origin.file, Some(number), ProblemKind::Skipped, reason);
            }
        }
    }

    fn drop(&mut self, record: &ClaudeRecord<'_>, kind: &str, reason: &'static str, out: &mut Reading) {
        out.tally(kind, RecordFate::Dropped(reason));
        self.remember_drop(record);
    }

    /// Remembers a dropped record, so that its children find a kept parent.
    fn remember_drop(&mut self, record: &ClaudeRecord<'_>) {
        let Some(uuid) = record.uuid.get() else { return };
        let kept = self.kept_ancestor(record.parent_uuid.get().or(record.logical_parent_uuid.get()));
        if self.dropped.len() >= REMEMBERED_DROPS {
            self.dropped_before = std::mem::take(&mut self.dropped);
        }
        if self.last_dropped.len() == DROPS_IN_STATE {
            self.last_dropped.pop_front();
        }
        self.last_dropped.push_back((record_key(uuid), kept.clone()));
        self.dropped.insert(record_key(uuid), kept);
    }

    fn kept_ancestor(&self, parent: Option<&str>) -> Option<String> {
        let parent = parent?;
        let key = record_key(parent);
        match self.dropped.get(&key).or_else(|| self.dropped_before.get(&key)) {
            Some(kept) => kept.clone(),
            None => Some(parent.to_owned()),
        }
    }

    fn episode_key(&self, record: &ClaudeRecord<'_>) -> EpisodeKey {
        let session = record.session_id.get().unwrap_or(&self.origin.session);
        let agent = match &self.origin.agent {
            Some(agent) => Some(record.agent_id.get().unwrap_or(agent).to_owned()),
            None if record.is_sidechain.0 => record.agent_id.owned().or_else(|| self.sidechain_of(record)),
            None => None,
        };
        EpisodeKey { source: SourceKind::ClaudeCode, session: session.to_owned(), agent }
    }

    /// An unnamed sub-agent is named after the first record of its run.
    fn sidechain_of(&self, record: &ClaudeRecord<'_>) -> Option<String> {
        let known = |uuid: &str| self.sidechains.get(&record_key(uuid)).cloned();
        let own = record.uuid.get().and_then(known).or_else(|| record.parent_uuid.get().and_then(known));
        own.or_else(|| record.uuid.get().map(|uuid| uuid.chars().take(8).collect()))
    }

    fn remember_sidechain(&mut self, record: &ClaudeRecord<'_>) {
        if self.origin.agent.is_none()
            && record.is_sidechain.0
            && record.agent_id.get().is_none()
            && let (Some(uuid), Some(agent)) = (record.uuid.get(), self.sidechain_of(record))
        {
            self.sidechains.insert(record_key(uuid), agent);
        }
    }

    fn slot(&self, record: &ClaudeRecord<'_>, out: &mut Reading) -> ReadingSlot {
        out.episode(self.episode_key(record), record.cwd.get())
    }

    /// What every event of a record shares.
    fn envelope(&self, record: &ClaudeRecord<'_>) -> Meta {
        let parent = record.parent_uuid.get().or(record.logical_parent_uuid.get());
        let after = self.kept_ancestor(parent).filter(|kept| Some(kept.as_str()) != parent);
        Meta {
            record: record.uuid.owned(),
            parent: parent.map(str::to_owned),
            after,
            agent: record.agent_name.owned(),
            team: record.team_name.owned(),
            ..Meta::default()
        }
    }

    /// Version, folder and branch, which are kept once per turn.
    fn circumstances(&self, record: &ClaudeRecord<'_>, meta: &mut Meta) {
        meta.version = record.version.owned();
        meta.cwd = record.cwd.owned();
        meta.branch = record.git_branch.owned();
        meta.slug = record.slug.owned();
        meta.forked_from = record.forked_from.0.as_ref().and_then(|fork| fork.message_uuid.owned());
        meta.spawned_by = self.origin.spawned_by.clone();
    }

    fn user(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let slot = self.slot(record, out);
        let mut meta = self.envelope(record);
        self.circumstances(record, &mut meta);
        let kept = user_events(record, &meta, slot, out);
        if kept { out.tally("user", RecordFate::Kept) } else { self.drop(record, "user", "nothing in it", out) }
    }

    fn assistant(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let slot = self.slot(record, out);
        let mut meta = self.envelope(record);
        meta.spawned_by = self.origin.spawned_by.clone();
        let kept = assistant_events(record, &meta, slot, out);
        if kept {
            out.tally("assistant", RecordFate::Kept)
        } else {
            self.drop(record, "assistant", "an empty message", out)
        }
    }

    fn system(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        match record.subtype.get() {
            Some("compact_boundary") => self.compact_boundary(record, "system/compact_boundary", out),
            Some("api_error") => {
                let text = content_text(&record.content).unwrap_or_else(|| "the model could not be reached".to_owned());
                self.keep_system(record, Class::ApiError, text, "system/api_error", out);
            }
            Some("local_command") => {
                let pieces =
                    content_text(&record.content).map(|text| classify(&text, TextMark::None)).unwrap_or_default();
                let slot = self.slot(record, out);
                let meta = self.envelope(record);
                if pieces.is_empty() {
                    return self.drop(record, "system/local_command", "nothing in it", out);
                }
                for (index, piece) in pieces.into_iter().enumerate() {
                    push_piece(record, &meta, index, piece, slot, out);
                }
                out.tally("system/local_command", RecordFate::Kept);
            }
            Some(subtype) => {
                let reason = match subtype {
                    "stop_hook_summary" | "turn_duration" => "timing of the host",
                    "microcompact_boundary" => "the host shortened old tool output",
                    _ => "a notice of the host",
                };
                self.drop(record, &format!("system/{subtype}"), reason, out);
            }
            None => self.drop(record, "system", "a notice of the host", out),
        }
    }

    fn compact_boundary(&mut self, record: &ClaudeRecord<'_>, kind: &str, out: &mut Reading) {
        let metadata = record.compact_metadata.0.as_ref();
        let trigger = metadata.and_then(|metadata| metadata.trigger.get()).unwrap_or("auto");
        let text = match metadata.and_then(|metadata| metadata.pre_tokens.0) {
            Some(tokens) => format!("context compacted ({trigger}, {} tokens before)", tokens.0),
            None => format!("context compacted ({trigger})"),
        };
        self.keep_system(record, Class::CompactionBoundary, text, kind, out);
    }

    fn keep_system(&mut self, record: &ClaudeRecord<'_>, class: Class, text: String, kind: &str, out: &mut Reading) {
        let slot = self.slot(record, out);
        let meta = self.envelope(record);
        let piece = PromptPiece { kind: EventKind::System, class, text, from: None };
        push_piece(record, &meta, 0, piece, slot, out);
        out.tally(kind, RecordFate::Kept);
    }

    fn title(&mut self, record: &ClaudeRecord<'_>, title: Option<&str>, kind: &str, out: &mut Reading) {
        let Some(title) = title else {
            return self.drop(record, kind, "nothing in it", out);
        };
        let slot = self.slot(record, out);
        let meta = Meta { class: Some(Class::Title), leaf: record.leaf_uuid.owned(), ..Meta::default() };
        let leaf = meta.leaf.as_deref().unwrap_or("");
        let key =
            digest_of("claude-title", &[self.episode_key(record).session.as_bytes(), leaf.as_bytes(), kind.as_bytes()]);
        let event = EventDraft { key, kind: EventKind::Note, time: time_of(record), text: title.to_owned(), meta };
        out.event(slot, event);
        out.tally(kind, RecordFate::Kept);
    }

    fn link(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let Some(url) = record.pr_url.get() else {
            return self.drop(record, "pr-link", "nothing in it", out);
        };
        let slot = self.slot(record, out);
        let key = digest_of("claude-link", &[self.episode_key(record).session.as_bytes(), url.as_bytes()]);
        let meta = Meta { class: Some(Class::Link), ..Meta::default() };
        out.event(slot, EventDraft { key, kind: EventKind::Note, time: time_of(record), text: url.to_owned(), meta });
        out.tally("pr-link", RecordFate::Kept);
    }

    /// Text queued while the agent works seldom gets a record of its own.
    fn queue_operation(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let text = match (record.operation.get(), content_text(&record.content)) {
            (Some("enqueue"), Some(text)) => text,
            (Some("enqueue"), None) => return self.drop(record, "queue-operation", "nothing in it", out),
            _ => return self.drop(record, "queue-operation", "only moves a queued message", out),
        };
        let mut queued = classify(&text, TextMark::None);
        for piece in &mut queued {
            if piece.class.starts_turn() {
                piece.class = Class::Queued;
            }
        }
        self.keep_pieces(record, "claude-queue", queued, &text, out);
        out.tally("queue-operation", RecordFate::Kept);
    }

    fn attachment(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let attachment = record.attachment.0.as_ref();
        let queued = attachment.filter(|attachment| attachment.kind.get() == Some("queued_command"));
        let Some(text) = queued.and_then(|attachment| content_text(&attachment.prompt)) else {
            return self.drop(record, "attachment", "context the host attached", out);
        };
        let piece = PromptPiece { kind: EventKind::User, class: Class::Queued, text: text.clone(), from: None };
        self.keep_pieces(record, "claude-queue", vec![piece], &text, out);
        out.tally("attachment", RecordFate::Kept);
    }

    /// Keeps the pieces of a record that has no id.
    fn keep_pieces(
        &mut self,
        record: &ClaudeRecord<'_>,
        domain: &str,
        pieces: Vec<PromptPiece>,
        text: &str,
        out: &mut Reading,
    ) {
        let slot = self.slot(record, out);
        let session = self.episode_key(record).session;
        let stamp = record.timestamp.get().unwrap_or("");
        for (index, piece) in pieces.into_iter().enumerate() {
            let key = digest_of(domain, &[session.as_bytes(), stamp.as_bytes(), &[index as u8], text.as_bytes()]);
            let meta = Meta { class: Some(piece.class), from: piece.from, ..self.envelope(record) };
            out.event(slot, EventDraft { key, kind: piece.kind, time: time_of(record), text: piece.text, meta });
        }
    }

    /// Sub-agents without a file of their own appear in the parent's progress records.
    fn progress(&mut self, record: &ClaudeRecord<'_>, out: &mut Reading) {
        let data = record.data.0.as_ref();
        let kind = data.and_then(|data| data.kind.get()).unwrap_or("other");
        let name = format!("progress/{kind}");
        let (Some(data), "agent_progress") = (data, kind) else {
            return self.drop(record, &name, "the host's progress display", out);
        };
        self.remember_drop(record);
        let Some(agent) = data.agent_id.get() else {
            return out.tally(&name, RecordFate::Dropped("names no agent"));
        };
        if self.origin.agents_with_files.contains(agent) || self.origin.agent.as_deref() == Some(agent) {
            return out.tally(&name, RecordFate::Dropped("the sub-agent has a file of its own"));
        }
        let seen = self.normalized.get(agent).copied().unwrap_or(0);
        let new = data.normalized_messages.iter().skip(seen);
        for message in new.chain(data.message.iter()) {
            self.progress_message(record, agent, message, out);
        }
        self.normalized.insert(agent.to_owned(), data.normalized_messages.len().max(seen));
        out.tally(&name, RecordFate::Kept);
    }

    fn progress_message(&mut self, outer: &ClaudeRecord<'_>, agent: &str, message: &RawValue, out: &mut Reading) {
        let Ok(mut inner) = serde_json::from_str::<ClaudeRecord<'_>>(message.get()) else { return };
        if inner.timestamp.get().is_none() {
            inner.timestamp = record::Lenient(outer.timestamp.0.clone());
        }
        let session = outer.session_id.get().unwrap_or(&self.origin.session);
        let key =
            EpisodeKey { source: SourceKind::ClaudeCode, session: session.to_owned(), agent: Some(agent.to_owned()) };
        let slot = out.episode(key, outer.cwd.get());
        let meta = Meta {
            record: inner.uuid.owned(),
            spawned_by: outer.parent_tool_use.owned(),
            team: outer.team_name.owned(),
            ..Meta::default()
        };
        match inner.kind.get() {
            Some("user") => user_events(&inner, &meta, slot, out),
            Some("assistant") => assistant_events(&inner, &meta, slot, out),
            _ => false,
        };
    }
}

/// Record types without messages or actions.
const HOUSEKEEPING: [(&str, &str); 9] = [
    ("last-prompt", "repeats a prompt"),
    ("permission-mode", "a setting"),
    ("mode", "a setting"),
    ("agent-name", "a setting"),
    ("agent-setting", "a setting"),
    ("worktree-state", "a setting"),
    ("relocated", "a setting"),
    ("tag", "a setting"),
    ("agent-color", "a setting"),
];

#[cfg(test)]
mod tests;
