//! Is a file a Claude Code session, and what do its first records say?

use super::record::ClaudeRecord;

const RECORD_TYPES: [&str; 9] = [
    "user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation", "ai-title",
    "attachment",
];

/// Does the beginning of a file look like a session?
pub fn looks_like(head: &str) -> bool {
    head.lines().filter(|line| line.starts_with('{')).take(8).any(|line| match serde_json::from_str(line) {
        Ok(record) => is_record(&record),
        // Damaged, or cut off at the end of the head.
        Err(_) => line.contains("\"sessionId\":") || BARE_TYPES.iter().any(|start| line.starts_with(start)),
    })
}

/// Records without a session id, by their first bytes.
const BARE_TYPES: [&str; 2] = [r#"{"type":"file-history-snapshot""#, r#"{"type":"summary""#];

fn is_record(record: &ClaudeRecord<'_>) -> bool {
    let known_type = record.kind.get().is_some_and(|kind| RECORD_TYPES.contains(&kind));
    let marked = record.session_id.get().or(record.uuid.get()).or(record.leaf_uuid.get()).is_some();
    known_type && (marked || record.kind.get() == Some("file-history-snapshot"))
}

/// Session facts of the first records, for records without their own.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Introduction {
    pub session: Option<String>,
    pub cwd: Option<String>,
}

pub fn introduction(head: &str) -> Introduction {
    let mut found = Introduction::default();
    for line in head.lines() {
        let Ok(record) = serde_json::from_str::<ClaudeRecord<'_>>(line) else { continue };
        found.session = found.session.or_else(|| record.session_id.owned());
        found.cwd = found.cwd.or_else(|| record.cwd.owned());
        if found.session.is_some() && found.cwd.is_some() {
            break;
        }
    }
    found
}
