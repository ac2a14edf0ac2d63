//! Reports oddities of a whole file (missing parents, unknown types) once per file instead of once
//! per record.

use std::collections::HashSet;

use crate::model::Digest;

use super::record::ClaudeRecord;

/// Parents are not checked beyond this number, to bound memory.
const MOST_RECORDS: usize = 500_000;

#[derive(Default)]
pub(super) struct Oddities {
    seen: HashSet<Digest>,
    /// Records that came before their parent.
    waiting: Vec<(u64, Digest)>,
    types: HashSet<String>,
    /// Missing parents can only be detected when reading from the first line.
    from_start: bool,
}

impl Oddities {
    pub(super) fn note(&mut self, record: &ClaudeRecord<'_>, line: u64) {
        self.from_start |= line == 1;
        if !self.from_start || self.seen.len() >= MOST_RECORDS {
            return;
        }
        // The first record of a resumed or forked session has its parent in another file.
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

    /// The first line with a missing parent, and the reason to report.
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
