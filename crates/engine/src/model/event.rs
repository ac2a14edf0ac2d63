//! What is an event? One content block of a record.

use backstory_language::digest::{Digest, digest_of};

use super::ids::{EpisodeId, EventId};
use super::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    User,
    Assistant,
    Thinking,
    ToolCall,
    ToolOutput,
    System,
    Note,
    Exposure,
    Outcome,
    Judgement,
    Retrieval,
}

impl EventKind {
    /// The position in this list is the number stored in the log: only ever
    /// add at the end.
    pub const ALL: [EventKind; 11] = [
        EventKind::User,
        EventKind::Assistant,
        EventKind::Thinking,
        EventKind::ToolCall,
        EventKind::ToolOutput,
        EventKind::System,
        EventKind::Note,
        EventKind::Exposure,
        EventKind::Outcome,
        EventKind::Judgement,
        EventKind::Retrieval,
    ];

    pub fn number(self) -> u8 {
        self as u8
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    pub fn name(self) -> &'static str {
        match self {
            EventKind::User => "user",
            EventKind::Assistant => "assistant",
            EventKind::Thinking => "thinking",
            EventKind::ToolCall => "tool_call",
            EventKind::ToolOutput => "tool_output",
            EventKind::System => "system",
            EventKind::Note => "note",
            EventKind::Exposure => "exposure",
            EventKind::Outcome => "outcome",
            EventKind::Judgement => "judgement",
            EventKind::Retrieval => "retrieval",
        }
    }
}

/// What a user, system or note event is, beyond its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The person's own words to the agent. Starts a turn.
    Prompt,
    /// A slash command with the person's arguments. Starts a turn.
    Command,
    /// A message from another agent of the team. Starts a turn.
    Teammate,
    /// One line of a transcript with named speakers.
    Line,
    /// The person's words, queued while the agent worked.
    Queued,
    /// A shell command the person ran inside the session, or its output.
    LocalCommand,
    /// The person stopped the agent.
    Interruption,
    /// The host's summary of the context that it cut.
    CompactionSummary,
    /// Where the host cut the context.
    CompactionBoundary,
    /// Text that a hook, a skill, the editor or the host put in.
    Injected,
    /// A background task reports its end.
    Notification,
    /// The host could not reach its model.
    ApiError,
    /// A name for the session.
    Title,
    /// A link to a pull request.
    Link,
}

impl Class {
    /// Does it start a turn? Only words of a person or a teammate do.
    pub fn starts_turn(self) -> bool {
        matches!(self, Class::Prompt | Class::Command | Class::Teammate)
    }
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Ok,
    Failed,
    /// The person refused to let the call run.
    Rejected,
    Interrupted,
}

impl Exit {
    pub fn name(self) -> &'static str {
        match self {
            Exit::Ok => "ok",
            Exit::Failed => "failed",
            Exit::Rejected => "rejected",
            Exit::Interrupted => "interrupted",
        }
    }
}

/// Everything about an event except its text. Absent fields are not stored.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// The host's id of the record this event was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The record before it, as the host says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The nearest kept record before it, if `parent` was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Lines with the same message id are one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The part of the tool's input that is not in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Where an edit landed: `[old start, old lines, new start, new lines]` per hunk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<[u32; 4]>,
    /// The name of the agent that speaks, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The sub-agent that a tool output reports from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned: Option<String>,
    /// The call that started the sub-agent this event belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Who sent a message, and to whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Who speaks in a transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The host's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The host's name for work that continues over several sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The record of another session that this session was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// The record that a title describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf: Option<String>,
    /// Contains Backstory's own output.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_output: bool,
}

/// An event as a source reads it, before it is in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDraft {
    /// Identifies the record in its format (for example the host's record id and block number).
    /// The event id covers this key, the kind and the text, so a record that is read twice gives
    /// one event.
    pub key: Digest,
    pub kind: EventKind,
    pub time: Option<Timestamp>,
    pub text: String,
    pub meta: Meta,
}

impl EventDraft {
    pub fn id(&self) -> EventId {
        self.id_with(&text_hash(&self.text))
    }

    /// The same for a text whose hash is known.
    pub fn id_with(&self, text_hash: &[u8; 32]) -> EventId {
        EventId(digest_of("event", &[&self.key.0, &[self.kind.number()], text_hash]))
    }
}

/// A text is hashed once, for the event's id and its payload.
pub fn text_hash(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// An event in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Position in the log, from 1.
    pub pos: u64,
    pub id: EventId,
    pub episode: EpisodeId,
    /// Position in the episode, from 0.
    pub seq: u32,
    pub kind: EventKind,
    pub time: Option<Timestamp>,
    pub text: String,
    pub meta: Meta,
    /// The text is missing: it was blanked on request, or it is unreadable.
    pub forgotten: bool,
    /// Why the row cannot be read, if it is damaged or of a newer version.
    pub unreadable: Option<String>,
}

impl Event {
    pub fn starts_turn(&self) -> bool {
        self.meta.class.is_some_and(Class::starts_turn)
    }
}

/// An edit's text: old lines after `-`, new lines after `+`, an `@@` line between edits. It is
/// lossless: [`edits_from_text`] returns the strings.
pub fn edits_to_text<'a>(edits: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::new();
    for (i, (old, new)) in edits.into_iter().enumerate() {
        if i > 0 {
            out.push_str("\n@@\n");
        }
        let removed = (!old.is_empty()).then(|| old.split('\n').map(|line| ('-', line)));
        let added = (!new.is_empty()).then(|| new.split('\n').map(|line| ('+', line)));
        for (n, (sign, line)) in removed.into_iter().flatten().chain(added.into_iter().flatten()).enumerate() {
            if n > 0 {
                out.push('\n');
            }
            out.push(sign);
            out.push_str(line);
        }
    }
    out
}

/// The (old, new) strings of an edit's text.
pub fn edits_from_text(text: &str) -> Vec<(String, String)> {
    text.split("\n@@\n")
        .map(|edit| {
            let side =
                |sign: char| edit.split('\n').filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n");
            (side('-'), side('+'))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_their_numbers() {
        for (number, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(kind.number()), number);
        }
    }

    #[test]
    fn edits_round_trip() {
        let edits = [("a\nb\n", "a\nc\n"), ("", "new"), ("gone", "")];
        let text = edits_to_text(edits);
        let back = edits_from_text(&text);
        let back: Vec<_> = back.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        assert_eq!(back, edits);
    }

    #[test]
    fn empty_meta_is_empty_json() {
        assert_eq!(serde_json::to_string(&Meta::default()).ok().as_deref(), Some("{}"));
    }
}
