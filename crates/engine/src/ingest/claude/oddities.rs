//! What is odd about a file as a whole: parents that are not in it, types that
//! nobody knows. Said once per file, not once per record.

use std::collections::HashSet;

use crate::model::Digest;

use super::record::ClaudeRecord;

/// Beyond this a file's parents are not followed: it would cost memory.
const MOST_RECORDS: usize = 500_000;

#[derive(Default)]
pub(super) struct Oddities {
    seen: HashSet<Digest>,
    /// Records whose parent had not been seen when they came.
    waiting: Vec<(u64, Digest)>,
    types: HashSet<String>,
    /// Only a reading from the first line can tell.
    from_start: bool,
}

impl Oddities {
    pub(super) fn note(&mut self, record: &ClaudeRecord<'_>, line: u64) {
        self.from_start |= line == 1;
        if !self.from_start || self.seen.len() >= MOST_RECORDS {
            return;
        }
        // The first record of a resumed or forked session points elsewhere.
        let bridges = self.seen.is_empty() || record.forked_from.0.is_some();
        if let Some(parent) = record.parent_uuid.get().map(Digest::of_record)
            && !bridges
            && !self.seen.contains(&parent)
        {
            self.waiting.push((line, parent));
        }
        self.seen.extend(record.uuid.get().map(Digest::of_record));
    }

    pub(super) fn is_new_type(&mut self, kind: &str) -> bool {
        self.types.len() < 100 && self.types.insert(kind.to_owned())
    }

    /// The first line with a missing parent, and what became of it.
    pub(super) fn missing_parents(&self) -> Option<(u64, String)> {
        let missing: Vec<u64> =
            self.waiting.iter().filter(|(_, parent)| !self.seen.contains(parent)).map(|(line, _)| *line).collect();
        let first = missing.first().copied()?;
        let reason = match missing.len() {
            1 => "its parent is not in the file: it follows the record before it".to_owned(),
            many => format!(
                "its parent is not in the file, nor are those of {} others: each follows the record before it",
                many - 1
            ),
        };
        Some((first, reason))
    }
}
