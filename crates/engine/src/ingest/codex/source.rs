//! Turns the lines of a Codex rollout into events.

use backstory_language::prompts::own_spans;
use serde_json::Value;

use crate::model::{Class, EpisodeKey, EventDraft, EventKind, Meta, ProblemKind, SourceKind, Timestamp, digest_of};

use super::super::json::{Fields, LineOutcome, read_json_values};
use super::super::project::Recorded;
use super::super::reading::{FileOrigin, Reading, RecordFate, Source, SourceEnd};
use super::calls::{self, CodexCall};
use super::envelope::{RolloutRecord, owned_text, session_in_name, text_in};
use super::fates::{self, COPIED, EMPTY, HOST_STATE, REPEATED, UNKNOWN};
use super::outputs;
use super::repeats::{Repeats, Settled, Voice};
use super::words::{self, EventPiece};

/// A fork's file begins with a copy of the other session. The copied lines are written at once: the
/// gaps are shorter than any real action.
const COPY_GAP_MS: i64 = 5;

pub struct CodexSource {
    file: String,
    /// The session id in the file's name. It takes precedence over the records, because a reading
    /// that starts in the middle of the file sees only the name.
    named: Option<String>,
    facts: Facts,
    repeats: Repeats<Held>,
    reading: bool,
    from_start: bool,
}

/// Facts that later lines need, kept between two readings.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Facts {
    session: String,
    /// The session id in the file's own first record.
    introduced: Option<String>,
    circumstances: Circumstances,
    model: Option<String>,
    started: Option<Timestamp>,
    /// The time of the last copied line of another session.
    copied_until: Option<Timestamp>,
    /// The first line number that is not inherited, where the host numbers lines.
    own_from: Option<u64>,
}

/// Version, folder and branch, which are kept with every prompt.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Circumstances {
    cwd: Option<String>,
    version: Option<String>,
    branch: Option<String>,
    forked_from: Option<String>,
    #[serde(default, skip_serializing_if = "Recorded::is_empty")]
    repository: Recorded,
}

/// A message that waits for the response item it may repeat.
struct Held {
    label: String,
    event: EventDraft,
}

impl CodexSource {
    pub fn new(origin: &FileOrigin) -> Self {
        let named = session_in_name(&origin.session).map(str::to_owned);
        let session = named.clone().unwrap_or_else(|| origin.session.clone());
        CodexSource {
            file: origin.file.clone(),
            named,
            facts: Facts { session, ..Facts::default() },
            repeats: Repeats::resumed(),
            reading: false,
            from_start: false,
        }
    }
}

impl Source for CodexSource {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if !std::mem::replace(&mut self.reading, true) {
            self.from_start = number <= 1;
            self.repeats = if self.from_start { Repeats::from_start() } else { Repeats::resumed() };
        }
        let outcome = read_json_values(line, |bytes| {
            let record: Fields = serde_json::from_slice(bytes)?;
            self.record(record, number, out);
            Ok(())
        });
        match outcome {
            LineOutcome::Read => {}
            LineOutcome::Repaired(reason) => out.problem(&self.file, Some(number), ProblemKind::Repaired, reason),
            LineOutcome::Skipped(reason) => out.problem(&self.file, Some(number), ProblemKind::Skipped, reason),
        }
    }

    fn state(&self) -> Option<String> {
        serde_json::to_string(&self.facts).ok()
    }

    fn resume(&mut self, state: &str) {
        if let Ok(facts) = serde_json::from_str(state) {
            self.facts = facts;
        }
    }

    fn end(&mut self, out: &mut Reading) -> SourceEnd {
        let settled = self.repeats.end();
        self.settle(settled, out);
        SourceEnd::Done
    }
}

impl CodexSource {
    fn record(&mut self, record: Fields, number: u64, out: &mut Reading) {
        let line = match RolloutRecord::new(record, number) {
            Ok(line) => line,
            Err(reason) => {
                out.tally("(damaged)", RecordFate::Dropped(reason));
                return out.problem(&self.file, Some(number), ProblemKind::Skipped, reason);
            }
        };
        let label = line.label();
        let fate = if line.kind == "session_meta" {
            Some(self.session_meta(&line))
        } else if self.is_copied(&line) {
            Some(COPIED)
        } else {
            self.own_record(&line, out)
        };
        // A held message is counted later, when it is settled.
        if let Some(fate) = fate {
            out.tally(&label, fate);
        }
    }

    fn own_record(&mut self, line: &RolloutRecord, out: &mut Reading) -> Option<RecordFate> {
        match line.kind.as_str() {
            "turn_context" => Some(self.turn_context(&line.payload)),
            "response_item" => Some(self.response_item(line, out)),
            "event_msg" => self.event_msg(line, out),
            "compacted" => Some(self.compacted(line, out)),
            "inter_agent_communication" => Some(self.agent_message(line, out)),
            "world_state" | "security_risk_score" | "inter_agent_communication_metadata" | "state" => Some(HOST_STATE),
            _ => Some(UNKNOWN),
        }
    }

    fn session_meta(&mut self, line: &RolloutRecord) -> RecordFate {
        let meta = &line.payload;
        let id = text_in(meta, "id").filter(|id| !id.is_empty()).unwrap_or(&self.facts.session).to_owned();
        if self.is_another_session(&id) {
            self.facts.copied_until = line.time;
            return COPIED;
        }
        if self.named.is_none() {
            self.facts.session.clone_from(&id);
        }
        self.facts.introduced = Some(id);
        self.facts.started = text_in(meta, "timestamp").and_then(Timestamp::parse).or(line.time);
        self.facts.own_from = meta.get("subagent_history_start_ordinal").and_then(Value::as_u64);
        let git = meta.get("git").and_then(Value::as_object);
        let here = &mut self.facts.circumstances;
        here.cwd = owned_text(meta, "cwd").or(here.cwd.take());
        here.version = owned_text(meta, "cli_version").or(here.version.take());
        here.branch = git.and_then(|git| owned_text(git, "branch")).or(here.branch.take());
        let said = |name| git.and_then(|git| owned_text(git, name)).filter(|text| !text.is_empty());
        here.repository.remote = said("repository_url").or(here.repository.remote.take());
        here.repository.commit = said("commit_hash").or(here.repository.commit.take());
        here.forked_from = parent_session(meta).or(here.forked_from.take());
        RecordFate::Kept
    }

    /// The first record names the file's session; other ids belong to a copy.
    fn is_another_session(&self, id: &str) -> bool {
        match (&self.facts.introduced, &self.named) {
            (Some(own), named) => own != id && named.as_deref() != Some(id),
            (None, Some(named)) => named != id && !self.from_start,
            (None, None) => false,
        }
    }

    /// A copy ends at a pause, or where a turn starts that is younger than the session.
    fn is_copied(&mut self, line: &RolloutRecord) -> bool {
        if let (Some(own_from), Some(ordinal)) = (self.facts.own_from, line.ordinal) {
            return ordinal < own_from;
        }
        let Some(last) = self.facts.copied_until else { return false };
        let starts_own_turn =
            matches!(text_in(&line.payload, "type"), Some("task_started" | "turn_started"))
                && line.payload.get("started_at").and_then(Value::as_i64).is_some_and(|second| {
                    self.facts.started.is_some_and(|started| second >= started.0.div_euclid(1000))
                });
        let follows_at_once = line.time.is_some_and(|time| (0..=COPY_GAP_MS).contains(&(time.0 - last.0)));
        self.facts.copied_until = if follows_at_once && !starts_own_turn { line.time } else { None };
        self.facts.copied_until.is_some()
    }

    fn turn_context(&mut self, context: &Fields) -> RecordFate {
        self.facts.circumstances.cwd = owned_text(context, "cwd").or(self.facts.circumstances.cwd.take());
        self.facts.model = owned_text(context, "model").or(self.facts.model.take());
        RecordFate::Dropped("its facts are kept with the messages")
    }

    fn response_item(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let item = &line.payload;
        let kind = text_in(item, "type").unwrap_or("");
        self.repeats.item_seen();
        if !matches!(kind, "message" | "") {
            self.agent_acts(out);
        }
        match kind {
            "message" => self.message(line, out),
            "agent_message" => self.agent_message(line, out),
            "reasoning" => self.reasoning(line, out),
            "compaction" | "compaction_summary" | "context_compaction" => {
                RecordFate::Dropped("the compacted context, encrypted")
            }
            "compaction_trigger" | "additional_tools" => HOST_STATE,
            _ if kind.ends_with("_output") => self.tool_output(line, out),
            _ => match calls::read_call(kind, item) {
                Some(call) => self.tool_call(line, call, out),
                None => UNKNOWN,
            },
        }
    }

    fn message(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let parts = words::parts(line.payload.get("content"));
        let whole = parts.join("\n");
        if whole.trim().is_empty() {
            return EMPTY;
        }
        let pieces = match text_in(&line.payload, "role") {
            Some("user") => {
                let pieces = words::of_user(&parts);
                let prompts = pieces.iter().filter(|piece| piece.is_prompt()).map(|piece| piece.text.as_str());
                self.said(Voice::Person, std::iter::once(whole.as_str()).chain(prompts), out);
                pieces
            }
            Some("assistant") => {
                self.agent_acts(out);
                self.said(Voice::Agent, std::iter::once(whole.as_str()).chain(parts.iter().map(String::as_str)), out);
                vec![words::of_assistant(whole)]
            }
            _ => vec![words::injected(whole)],
        };
        if pieces.iter().any(EventPiece::starts_turn) {
            self.turn_border(out);
        }
        self.learn_folder(&pieces);
        for piece in pieces {
            self.keep_piece(line, piece, out);
        }
        RecordFate::Kept
    }

    /// The oldest files name the working folder only in the text for the model.
    fn learn_folder(&mut self, pieces: &[EventPiece]) {
        if self.facts.circumstances.cwd.is_none() {
            self.facts.circumstances.cwd = pieces.iter().find_map(words::folder_in);
        }
    }

    /// A message from another agent of the team.
    fn agent_message(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let text = words::parts(line.payload.get("content")).join("\n");
        if text.trim().is_empty() {
            return EMPTY;
        }
        self.turn_border(out);
        let (from, to) = (owned_text(&line.payload, "author"), owned_text(&line.payload, "recipient"));
        self.keep_piece(line, words::from_teammate(text, from, to), out);
        RecordFate::Kept
    }

    fn reasoning(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let parts = ["summary", "content"].map(|name| words::parts(line.payload.get(name)).join("\n\n"));
        let text = parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n");
        if text.is_empty() {
            return RecordFate::Dropped("encrypted reasoning");
        }
        self.keep(line, EventKind::Thinking, text, Meta::default(), out);
        RecordFate::Kept
    }

    fn tool_call(&mut self, line: &RolloutRecord, call: CodexCall, out: &mut Reading) -> RecordFate {
        let meta = Meta {
            tool: Some(call.tool),
            tool_use_id: line.call_id().map(str::to_owned),
            input: (!call.rest.is_empty()).then_some(Value::Object(call.rest)),
            files: call.files,
            to: call.to,
            ..Meta::default()
        };
        self.keep(line, EventKind::ToolCall, call.text, meta, out);
        RecordFate::Kept
    }

    fn tool_output(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let Some(output) = outputs::read_output(&line.payload) else { return UNKNOWN };
        let meta = Meta {
            tool_use_id: line.call_id().map(str::to_owned),
            exit: output.exit,
            exit_code: output.code,
            spawned: output.spawned,
            ..Meta::default()
        };
        self.keep(line, EventKind::ToolOutput, output.text, meta, out);
        RecordFate::Kept
    }

    fn compacted(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        self.said(Voice::Host, std::iter::once(words::COMPACTED), out);
        self.keep_piece(line, words::compacted(), out);
        if let Some(summary) = text_in(&line.payload, "message").filter(|summary| !summary.trim().is_empty()) {
            self.keep_piece(line, words::summary(summary.to_owned()), out);
        }
        RecordFate::Kept
    }

    fn event_msg(&mut self, line: &RolloutRecord, out: &mut Reading) -> Option<RecordFate> {
        let event = &line.payload;
        let fate = match text_in(event, "type").unwrap_or("") {
            "user_message" => return self.user_message(line, out),
            "agent_message" => return self.hold(line, Voice::Agent, words::of_assistant(message_in(event)), out),
            "context_compacted" => return self.hold(line, Voice::Host, words::compacted(), out),
            "task_started" | "turn_started" => {
                self.turn_border(out);
                HOST_STATE
            }
            "task_complete" | "turn_complete" => {
                self.turn_border(out);
                let failure = event.get("error").and_then(Value::as_object);
                failure.map_or(HOST_STATE, |failure| self.api_error(line, failure, out))
            }
            "turn_aborted" => {
                self.turn_border(out);
                self.keep_piece(line, words::interruption(text_in(event, "reason")), out);
                RecordFate::Kept
            }
            "error" | "stream_error" => self.api_error(line, event, out),
            "thread_name_updated" => self.title(line, out),
            "" => UNKNOWN,
            kind => fates::of_event(kind),
        };
        Some(fate)
    }

    fn user_message(&mut self, line: &RolloutRecord, out: &mut Reading) -> Option<RecordFate> {
        let text = message_in(&line.payload);
        let mut fate = Some(EMPTY);
        for piece in words::of_user(&[text]) {
            fate = if piece.is_prompt() { self.hold(line, Voice::Person, piece, out) } else { Some(REPEATED) };
        }
        fate
    }

    fn api_error(&mut self, line: &RolloutRecord, error: &Fields, out: &mut Reading) -> RecordFate {
        let text = text_in(error, "message").filter(|text| !text.trim().is_empty());
        let text = text.unwrap_or("the model could not be reached").to_owned();
        self.keep_piece(line, EventPiece::new(EventKind::System, Class::ApiError, text), out);
        RecordFate::Kept
    }

    fn title(&mut self, line: &RolloutRecord, out: &mut Reading) -> RecordFate {
        let Some(title) = owned_text(&line.payload, "thread_name") else { return EMPTY };
        self.keep_piece(line, EventPiece::new(EventKind::Note, Class::Title, title), out);
        RecordFate::Kept
    }

    fn keep_piece(&mut self, line: &RolloutRecord, piece: EventPiece, out: &mut Reading) {
        self.keep(line, piece.kind, piece.text, piece.meta, out);
    }

    fn keep(&mut self, line: &RolloutRecord, kind: EventKind, text: String, meta: Meta, out: &mut Reading) {
        let event = self.draft(line, kind, text, meta);
        self.push(event, out);
    }

    fn draft(&self, line: &RolloutRecord, kind: EventKind, text: String, mut meta: Meta) -> EventDraft {
        meta.record = owned_text(&line.payload, "id");
        meta.own_output = !own_spans(&text).is_empty();
        match kind {
            EventKind::User => {
                meta.cwd.clone_from(&self.facts.circumstances.cwd);
                meta.version.clone_from(&self.facts.circumstances.version);
                meta.branch.clone_from(&self.facts.circumstances.branch);
                meta.forked_from.clone_from(&self.facts.circumstances.forked_from);
            }
            EventKind::Assistant => meta.model.clone_from(&self.facts.model),
            _ => {}
        }
        let key = digest_of(
            "codex",
            &[
                self.facts.session.as_bytes(),
                line.stamp.as_bytes(),
                line.label().as_bytes(),
                line.call_id().unwrap_or("").as_bytes(),
                &digest_of("codex-text", &[text.as_bytes()]).0,
            ],
        );
        // Bare items have no time; the session's start is the nearest.
        EventDraft { key, kind, time: line.time.or(self.facts.started), text, meta }
    }

    fn push(&mut self, event: EventDraft, out: &mut Reading) {
        let key = EpisodeKey::main(SourceKind::Codex, self.facts.session.as_str());
        let slot = out.episode(key, self.facts.circumstances.cwd.as_deref());
        out.recorded(slot, self.facts.circumstances.repository.clone());
        out.event(slot, event);
    }

    /// Holds a message until it is clear that no response item has the same text.
    fn hold(&mut self, line: &RolloutRecord, voice: Voice, piece: EventPiece, out: &mut Reading) -> Option<RecordFate> {
        if piece.text.trim().is_empty() {
            return Some(EMPTY);
        }
        if voice == Voice::Agent {
            self.agent_acts(out);
        }
        let text = piece.text.clone();
        let event = self.draft(line, piece.kind, piece.text, piece.meta);
        let held = Held { label: line.label(), event };
        let settled = self.repeats.heard(voice, &text, held);
        self.settle(settled, out);
        None
    }

    fn said<'a>(&mut self, voice: Voice, texts: impl Iterator<Item = &'a str>, out: &mut Reading) {
        let settled = self.repeats.said(voice, texts);
        self.settle(settled, out);
    }

    fn agent_acts(&mut self, out: &mut Reading) {
        let settled = self.repeats.agent_acts();
        self.settle(settled, out);
    }

    fn turn_border(&mut self, out: &mut Reading) {
        let settled = self.repeats.turn_border();
        self.settle(settled, out);
    }

    fn settle(&mut self, settled: Vec<Settled<Held>>, out: &mut Reading) {
        for message in settled {
            match message {
                Settled::Alone(held) => {
                    out.tally(&held.label, RecordFate::Kept);
                    self.push(held.event, out);
                }
                Settled::Repeat(held) => out.tally(&held.label, REPEATED),
            }
        }
    }
}

/// The session this one was forked from or started by.
fn parent_session(meta: &Fields) -> Option<String> {
    let spawn = || {
        let source = meta.get("source")?.get("subagent")?.get("thread_spawn")?;
        source.get("parent_thread_id")?.as_str().map(str::to_owned)
    };
    owned_text(meta, "forked_from_id").or_else(|| owned_text(meta, "parent_thread_id")).or_else(spawn)
}

fn message_in(event: &Fields) -> String {
    text_in(event, "message").unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests;
