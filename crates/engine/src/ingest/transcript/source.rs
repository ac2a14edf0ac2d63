//! Lines or a document of a transcript -> events.

use std::collections::{HashMap, HashSet};

use backstory_language::prompts::own_spans;
use serde_json::Value;

use crate::model::{
    Class, Digest, EpisodeKey, EventDraft, EventKind, Meta, ProblemKind, SourceKind, Timestamp, digest_of,
};

use super::super::json::{Fields, LineOutcome, describe, read_json_line, read_json_values};
use super::super::reading::{FileOrigin, Reading, RecordFate, Source, SourceEnd};
use super::document::{self, Conversation};
use super::fields::{self, ToolAct, Utterance};
use super::plain::{Plain, PlainUtterance};
use super::roles::{self, SpeakerRole};
use super::when;

const EMPTY: RecordFate = RecordFate::Dropped("nothing in it");

/// How a transcript is arranged in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptLayout {
    /// Line by line.
    Lines,
    /// One JSON document, which the source gets as one line.
    Document,
}

pub struct TranscriptSource {
    origin: FileOrigin,
    layout: TranscriptLayout,
    mode: Mode,
    conversations: usize,
    talks: HashMap<String, Talk>,
}

/// What the lines are; the first conclusive one decides.
enum Mode {
    /// The comment lines so far.
    Undecided(Vec<(u64, Vec<u8>)>),
    Json,
    Plain(Box<Plain>),
}

/// The state of one conversation.
#[derive(Default)]
struct Talk {
    /// How often the same speaker has said the same words.
    said: HashMap<Digest, u32>,
    /// Are `user` and `bot` roles in it, or people's names? Decided once, so that the result does
    /// not change as a conversation grows.
    has_roles: Option<bool>,
}

/// A future event.
struct Line {
    speaker: String,
    kind: EventKind,
    text: String,
    time: Option<Timestamp>,
    meta: Meta,
}

impl TranscriptSource {
    pub fn new(origin: &FileOrigin, layout: TranscriptLayout) -> Self {
        TranscriptSource {
            origin: origin.clone(),
            layout,
            mode: Mode::Undecided(Vec::new()),
            conversations: 0,
            talks: HashMap::new(),
        }
    }
}

impl Source for TranscriptSource {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        match self.layout {
            TranscriptLayout::Document => self.document(line, out),
            TranscriptLayout::Lines => self.one_line(line, number, out),
        }
    }

    fn end(&mut self, out: &mut Reading) -> SourceEnd {
        if matches!(self.mode, Mode::Undecided(_)) {
            self.decide(Mode::Plain(Box::default()), out);
        }
        if let Mode::Plain(plain) = &mut self.mode {
            let rest = plain.end();
            let anybody = plain.anybody_speaks();
            if anybody {
                rest.into_iter().for_each(|said| self.said(said, out));
            } else if !rest.is_empty() {
                self.problem(None, ProblemKind::Skipped, "nobody speaks: no line has the form `Name: text`", out);
            }
        }
        SourceEnd::Done
    }
}

impl TranscriptSource {
    fn one_line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        let start = line.trim_ascii_start();
        if start.is_empty() {
            return;
        }
        if let Mode::Undecided(comments) = &mut self.mode {
            // Comments may precede records as well as plain lines.
            if start.starts_with(b"#") || start.starts_with(b"//") {
                return comments.push((number, line.to_vec()));
            }
            let is_json = start.starts_with(b"{") || start.starts_with(b"[{") || start.starts_with(b"[[");
            self.decide(if is_json { Mode::Json } else { Mode::Plain(Box::default()) }, out);
        }
        match self.mode {
            Mode::Json => self.json_line(line, number, out),
            _ => self.plain_line(line, number, out),
        }
    }

    fn decide(&mut self, mode: Mode, out: &mut Reading) {
        let Mode::Undecided(comments) = std::mem::replace(&mut self.mode, mode) else { return };
        for (number, line) in comments {
            match self.mode {
                Mode::Json => self.json_line(&line, number, out),
                _ => self.plain_line(&line, number, out),
            }
        }
    }

    fn plain_line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        let text = String::from_utf8_lossy(line);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.problem(Some(number), ProblemKind::Repaired, "bytes that are not UTF-8", out);
        }
        if let Mode::Plain(plain) = &mut self.mode {
            let said = plain.line(&text);
            said.into_iter().for_each(|said| self.said(said, out));
        }
    }

    fn json_line(&mut self, line: &[u8], number: u64, out: &mut Reading) {
        let outcome = read_json_values(line, |bytes| {
            let value: Value = serde_json::from_slice(bytes)?;
            self.record(&value, number, out);
            Ok(())
        });
        match outcome {
            LineOutcome::Read => {}
            LineOutcome::Repaired(reason) => self.problem(Some(number), ProblemKind::Repaired, reason, out),
            LineOutcome::Skipped(reason) => self.problem(Some(number), ProblemKind::Skipped, reason, out),
        }
    }

    /// A record is an utterance or holds a conversation.
    fn record(&mut self, value: &Value, number: u64, out: &mut Reading) {
        if let Value::Object(fields) = value
            && fields::is_utterance(fields)
        {
            let session = self.origin.session.clone();
            return self.utterance(&session, fields, None, out);
        }
        let found = document::conversations(value);
        if !found.is_empty() {
            return found.iter().for_each(|conversation| self.conversation(conversation, out));
        }
        match value.as_object().and_then(fields::read) {
            Some(note) => {
                let session = self.origin.session.clone();
                self.keep_utterance(&session, note, out);
            }
            None if value.is_object() => out.tally("record", RecordFate::Dropped("nobody says anything in it")),
            None => self.problem(Some(number), ProblemKind::Skipped, "not a record", out),
        }
    }

    fn document(&mut self, bytes: &[u8], out: &mut Reading) {
        match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => self.read_document(&value, out),
            Err(_) if is_json_lines(bytes) => self.lines_of_document(bytes, out),
            Err(error) => self.damaged_document(bytes, &error, out),
        }
    }

    fn read_document(&mut self, value: &Value, out: &mut Reading) {
        let found = document::conversations(value);
        if found.is_empty() {
            self.problem(None, ProblemKind::Skipped, "a document in which nobody speaks", out);
        }
        found.iter().for_each(|conversation| self.conversation(conversation, out));
    }

    /// By its beginning, a very long JSON line looks like a document.
    fn lines_of_document(&mut self, bytes: &[u8], out: &mut Reading) {
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            if !line.trim_ascii().is_empty() {
                self.json_line(line, number, out);
            }
        }
    }

    fn damaged_document(&mut self, bytes: &[u8], error: &serde_json::Error, out: &mut Reading) {
        let mut values: Vec<Value> = Vec::new();
        let outcome = read_json_line(bytes, |bytes| {
            values.push(serde_json::from_slice(bytes)?);
            Ok(())
        });
        let line = u64::try_from(error.line()).ok();
        match outcome {
            LineOutcome::Read => {}
            LineOutcome::Repaired(reason) => self.problem(line, ProblemKind::Repaired, reason, out),
            LineOutcome::Skipped(_) if values.is_empty() => match document::read_cut(&String::from_utf8_lossy(bytes)) {
                Some(value) => {
                    self.problem(line, ProblemKind::Repaired, "the document ends too early", out);
                    values.push(value);
                }
                None => return self.problem(line, ProblemKind::Skipped, describe(error), out),
            },
            LineOutcome::Skipped(reason) => self.problem(line, ProblemKind::Skipped, reason, out),
        }
        values.iter().for_each(|value| self.read_document(value, out));
    }

    fn conversation(&mut self, conversation: &Conversation<'_>, out: &mut Reading) {
        self.conversations += 1;
        let session = self.session_of(conversation.id.as_deref());
        self.talks.entry(session.clone()).or_default().has_roles.get_or_insert_with(|| names_in(conversation) < 2);
        let mut dates = conversation.dates.iter().peekable();
        let mut date = None;
        for (index, line) in conversation.lines.iter().enumerate() {
            while let Some((_, next)) = dates.next_if(|(start, _)| *start <= index) {
                date = Some(*next);
            }
            self.utterance(&session, line, date, out);
        }
    }

    /// The first conversation without an id gets the file's id, so that a file of one line gives
    /// the same result as a line and as a document.
    fn session_of(&self, id: Option<&str>) -> String {
        let file = &self.origin.session;
        match id {
            Some(id) if id == file => file.clone(),
            Some(id) => format!("{file}/{id}"),
            None if self.conversations <= 1 => file.clone(),
            None => format!("{file}/{}", self.conversations),
        }
    }

    fn utterance(&mut self, session: &str, fields: &Fields, date: Option<&str>, out: &mut Reading) {
        match fields::read(fields) {
            Some(mut utterance) => {
                utterance.time = utterance.time.or_else(|| date.and_then(when::parse));
                self.keep_utterance(session, utterance, out);
            }
            None => out.tally("record", RecordFate::Dropped("nobody says anything in it")),
        }
    }

    fn keep_utterance(&mut self, session: &str, utterance: Utterance, out: &mut Reading) {
        let talk = self.talks.entry(session.to_owned()).or_default();
        let has_roles = match utterance.speaker.as_str() {
            "" => false,
            _ => *talk.has_roles.get_or_insert(utterance.role.is_some()),
        };
        let role = utterance.role.filter(|_| utterance.certain_role || has_roles);
        let type_name = if utterance.is_note { "note" } else { "utterance" };
        let lines = events_of(utterance, role);
        out.tally(type_name, if lines.is_empty() { EMPTY } else { RecordFate::Kept });
        lines.into_iter().for_each(|line| self.keep(session, line, out));
    }

    fn said(&mut self, said: PlainUtterance, out: &mut Reading) {
        let mut extras = Fields::new();
        let time = said.stamp.as_deref().and_then(when::parse);
        if let (Some(stamp), None) = (said.stamp, time) {
            extras.insert("time".to_owned(), Value::String(stamp));
        }
        if let Some(aside) = said.aside {
            extras.insert("aside".to_owned(), Value::String(aside));
        }
        let is_note = said.speaker.is_none();
        let speaker = said.speaker.unwrap_or_default();
        let role = roles::role_of(&speaker).filter(|_| !said.nick);
        let session = self.origin.session.clone();
        let utterance = Utterance { speaker, role, is_note, text: said.text, time, extras, ..Utterance::default() };
        self.keep_utterance(&session, utterance, out);
    }

    fn keep(&mut self, session: &str, line: Line, out: &mut Reading) {
        let (speaker, text) = (line.speaker.as_bytes(), line.text.as_bytes());
        let talk = self.talks.entry(session.to_owned()).or_default();
        let times = talk.said.entry(digest_of("said", &[speaker, text])).or_default();
        *times += 1;
        let key = digest_of("transcript", &[session.as_bytes(), speaker, text, times.to_string().as_bytes()]);
        let slot = out.episode(EpisodeKey::main(SourceKind::Transcript, session), None);
        let meta = Meta { own_output: !own_spans(&line.text).is_empty(), ..line.meta };
        out.event(slot, EventDraft { key, kind: line.kind, time: line.time, text: line.text, meta });
    }

    fn problem(&self, line: Option<u64>, kind: ProblemKind, reason: impl Into<String>, out: &mut Reading) {
        out.problem(&self.origin.file, line, kind, reason);
    }
}

/// A machine may have a name; where several names speak, they are people's.
fn names_in(conversation: &Conversation<'_>) -> usize {
    let speakers = conversation.lines.iter().filter_map(|line| fields::read(line));
    let names = speakers.filter(|line| line.role.is_none() && !line.speaker.is_empty()).map(|line| line.speaker);
    names.collect::<HashSet<_>>().len()
}

fn is_json_lines(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = lines.next().is_some_and(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok());
    first && lines.next().is_some()
}

/// The text comes before its tool acts.
fn events_of(utterance: Utterance, role: Option<SpeakerRole>) -> Vec<Line> {
    let (kind, class) = kind_of(role, utterance.is_note);
    let speaker = match role {
        Some(_) => utterance.name,
        None => Some(utterance.speaker.clone()).filter(|name| !name.is_empty()),
    };
    let meta = Meta {
        class,
        record: utterance.id,
        speaker,
        tool: utterance.tool,
        tool_use_id: utterance.tool_use_id,
        input: (!utterance.extras.is_empty()).then_some(Value::Object(utterance.extras)),
        ..Meta::default()
    };
    let mut lines = Vec::new();
    let label = utterance.speaker;
    let acts: Vec<Line> = utterance.acts.into_iter().map(|act| act_line(act, &label, &meta, utterance.time)).collect();
    if !utterance.text.trim().is_empty() {
        lines.push(Line { speaker: label, kind, text: utterance.text, time: utterance.time, meta });
    }
    lines.extend(acts);
    lines
}

fn act_line(act: ToolAct, speaker: &str, said: &Meta, time: Option<Timestamp>) -> Line {
    let (kind, tool, id, text) = match act {
        ToolAct::Call { id, tool, text } => (EventKind::ToolCall, Some(tool), id, text),
        ToolAct::Output { id, text } => (EventKind::ToolOutput, None, id, text),
    };
    let meta = Meta { record: said.record.clone(), tool, tool_use_id: id, ..Meta::default() };
    Line { speaker: speaker.to_owned(), kind, text, time, meta }
}

fn kind_of(role: Option<SpeakerRole>, is_note: bool) -> (EventKind, Option<Class>) {
    match role {
        Some(SpeakerRole::User) => (EventKind::User, Some(Class::Prompt)),
        Some(SpeakerRole::Assistant) => (EventKind::Assistant, None),
        Some(SpeakerRole::System) => (EventKind::System, Some(Class::Injected)),
        Some(SpeakerRole::Tool) => (EventKind::ToolOutput, None),
        Some(SpeakerRole::ToolCall) => (EventKind::ToolCall, None),
        None if is_note => (EventKind::System, Some(Class::Injected)),
        None => (EventKind::User, Some(Class::Line)),
    }
}

#[cfg(test)]
mod tests;
