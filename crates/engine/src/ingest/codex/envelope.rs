//! Reads one record of a rollout from its envelope.

use serde_json::Value;

use super::super::json::Fields;
use crate::model::Timestamp;

/// Types that come with a payload.
const RECORD_TYPES: [&str; 5] = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];
/// Types of response items that the oldest files write without an envelope.
const BARE_ITEMS: [&str; 10] = [
    "message", "reasoning", "function_call", "function_call_output", "local_shell_call", "local_shell_call_output",
    "custom_tool_call", "custom_tool_call_output", "web_search_call", "agent_message",
];

/// The length of a UUID.
const UUID: usize = 36;

/// Does the beginning of a file look like a rollout?
pub fn looks_like(head: &str) -> bool {
    let mut lines = head.lines().map(str::trim).filter(|line| line.starts_with('{'));
    lines.clone().take(8).any(is_enveloped) || lines.next().is_some_and(is_bare_start)
}

/// The first line alone may be longer than the head of a file, so a cut line is judged by the text
/// before its payload.
fn is_enveloped(line: &str) -> bool {
    match serde_json::from_str::<Fields>(line) {
        Ok(record) => {
            record.get("payload").is_some_and(Value::is_object)
                && text_in(&record, "type").is_some_and(|kind| RECORD_TYPES.contains(&kind))
        }
        Err(_) => line.split_once("\"payload\"").is_some_and(|(before, _)| {
            RECORD_TYPES.iter().any(|kind| before.contains(&format!("\"type\":\"{kind}\"")))
        }),
    }
}

fn is_bare_start(line: &str) -> bool {
    serde_json::from_str::<Fields>(line).is_ok_and(|record| is_bare_meta(&record))
}

fn is_bare_meta(record: &Fields) -> bool {
    let has = |name: &str| record.contains_key(name);
    !has("type") && has("id") && has("timestamp") && (has("instructions") || has("git"))
}

pub struct RolloutRecord {
    pub kind: String,
    pub payload: Fields,
    /// What tells the record's moment: its timestamp, or its line where the
    /// format has none.
    pub stamp: String,
    pub time: Option<Timestamp>,
    /// The host's own count of lines, in newer versions.
    pub ordinal: Option<u64>,
}

impl RolloutRecord {
    /// The error names the missing part.
    pub fn new(mut record: Fields, number: u64) -> Result<RolloutRecord, &'static str> {
        let stamp = owned_text(&record, "timestamp");
        let time = stamp.as_deref().and_then(Timestamp::parse);
        let stamp = stamp.unwrap_or_else(|| format!("line {number}"));
        let ordinal = record.get("ordinal").and_then(Value::as_u64);
        let kind = owned_text(&record, "type");
        let (kind, payload) = match (kind, record.remove("payload")) {
            (Some(kind), Some(Value::Object(payload))) => (kind, payload),
            (Some(kind), _) if BARE_ITEMS.contains(&kind.as_str()) => ("response_item".to_owned(), record),
            (Some(kind), _) if RECORD_TYPES.contains(&kind.as_str()) => return Err("a record without a payload"),
            (Some(kind), _) => (kind, record),
            (None, None) if text_in(&record, "record_type") == Some("state") => ("state".to_owned(), record),
            (None, None) if is_bare_meta(&record) => ("session_meta".to_owned(), record),
            (None, _) => return Err("a record without a type"),
        };
        Ok(RolloutRecord { kind, payload, stamp, time, ordinal })
    }

    /// The record's type as the tally and the event's key name it.
    pub fn label(&self) -> String {
        match (self.kind.as_str(), text_in(&self.payload, "type")) {
            (kind @ ("response_item" | "event_msg"), Some(inner)) => format!("{kind}/{inner}"),
            (kind, _) => kind.to_owned(),
        }
    }

    /// Host-side calls have an item id but no call id.
    pub fn call_id(&self) -> Option<&str> {
        let of_item = || text_in(&self.payload, "id").filter(|_| self.kind == "response_item" && self.is_call());
        text_in(&self.payload, "call_id").or_else(of_item)
    }

    fn is_call(&self) -> bool {
        text_in(&self.payload, "type").is_some_and(|kind| kind.ends_with("_call"))
    }
}

/// `rollout-<date>-<session>`, or `rollout-<date>-<session>_<rollout>` for a rolled-back thread ->
/// `<session>`.
pub fn session_in_name(stem: &str) -> Option<&str> {
    const DATE: usize = "2026-01-03T10-00-00-".len();
    let ids = stem.strip_prefix("rollout-")?.get(DATE..)?;
    let id = ids.get(..UUID)?;
    let ends = matches!(ids.as_bytes().get(UUID), None | Some(b'_'));
    (ends && is_session_id(id)).then_some(id)
}

/// Sessions and agents are named by UUIDs.
pub fn is_session_id(text: &str) -> bool {
    text.len() == UUID && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

pub fn text_in<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

pub fn owned_text(fields: &Fields, name: &str) -> Option<String> {
    text_in(fields, name).map(str::to_owned)
}
