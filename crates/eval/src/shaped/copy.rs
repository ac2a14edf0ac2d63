//! Rewrites a line for one copy.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::ToSpan;
use jiff::civil::DateTime;

use super::disguise::{disguise, hash, is_uuid};
use super::scan::{Visitor, scan};
use super::vocabulary::{CopyWords, Vocabulary};

/// The distance between copies, small enough that their sessions interleave.
const HOURS_APART: i64 = 5;
/// The copies are spread over the folders of this many people, so that there are several projects with more than one
/// copy in each.
const OWNERS: u64 = 4;

pub struct Copy<'a> {
    number: u32,
    words: CopyWords<'a>,
    /// Records are in order: most have the same hour as the one before.
    last_hour: Option<(Vec<u8>, Vec<u8>)>,
    out: Vec<u8>,
}

impl<'a> Copy<'a> {
    pub fn new(number: u32, vocabulary: &'a Vocabulary) -> Self {
        Copy { number, words: vocabulary.of_copy(number), last_hour: None, out: Vec::new() }
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// The rewritten content of a file; valid until the next call.
    pub fn rewrite(&mut self, content: &[u8]) -> &[u8] {
        self.out.clear();
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            scan(line, self);
        }
        &self.out
    }

    /// Files and folders named after a session follow its new name.
    pub fn path(&self, real: &Path, is_session: impl Fn(&[u8]) -> bool) -> PathBuf {
        let rename = |name: &str| -> OsString {
            let (stem, extension) = name.split_once('.').map_or((name, ""), |(stem, _)| (stem, &name[stem.len()..]));
            let stem_bytes = stem.as_bytes();
            if !is_uuid(stem_bytes) && !is_session(stem_bytes) {
                return name.into();
            }
            let mut other = Vec::new();
            disguise(stem_bytes, u64::from(self.number), &mut other);
            format!("{}{extension}", String::from_utf8_lossy(&other)).into()
        };
        real.components().map(|part| rename(&part.as_os_str().to_string_lossy())).collect()
    }

    fn shifted_hour(&self, hour: &[u8]) -> Option<Vec<u8>> {
        let hour = std::str::from_utf8(hour).ok()?;
        let time: DateTime = format!("{hour}:00:00").parse().ok()?;
        let shifted = time.checked_add((HOURS_APART * i64::from(self.number)).hours()).ok()?;
        Some(shifted.strftime("%Y-%m-%dT%H").to_string().into_bytes())
    }
}

impl Visitor for Copy<'_> {
    fn other(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn word(&mut self, word: &[u8]) {
        self.out.extend_from_slice(self.words.form(word));
    }

    fn fixed(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn id(&mut self, id: &[u8]) {
        disguise(id, u64::from(self.number), &mut self.out);
    }

    fn session_id(&mut self, id: &[u8]) {
        self.id(id);
    }

    fn time(&mut self, time: &[u8]) {
        const HOUR: usize = "2026-01-27T09".len();
        let (hour, rest) = time.split_at(HOUR);
        if self.last_hour.as_ref().is_none_or(|(last, _)| last != hour) {
            let shifted = self.shifted_hour(hour).unwrap_or_else(|| hour.to_vec());
            self.last_hour = Some((hour.to_vec(), shifted));
        }
        if let Some((_, shifted)) = &self.last_hour {
            self.out.extend_from_slice(shifted);
        }
        self.out.extend_from_slice(rest);
    }

    fn owner(&mut self, name: &[u8]) {
        match hash(b"owner", u64::from(self.number)) % OWNERS {
            0 => self.out.extend_from_slice(name),
            owner => disguise(name, owner, &mut self.out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::WordCounts;
    use super::*;

    #[test]
    fn a_copy_has_other_ids_later_times_and_follows_itself() {
        let vocabulary = WordCounts::default().finish();
        let line = br#"{"sessionId":"258c7280-ae70-4798-800f-63464d01a85d","timestamp":"2026-01-31T22:18:57.835Z"}"#;
        let mut copy = Copy::new(1, &vocabulary);
        let other = String::from_utf8_lossy(copy.rewrite(line)).into_owned();
        assert_eq!(other.len(), line.len());
        assert!(other.contains("\"2026-02-01T03:18:57.835Z\"") && !other.contains("258c7280"), "{other}");
        let path = Path::new("258c7280-ae70-4798-800f-63464d01a85d/subagents/agent-a1.jsonl");
        let renamed = copy.path(path, |_| false).to_string_lossy().into_owned();
        assert!(other.contains(&renamed[..36]) && renamed.ends_with("/subagents/agent-a1.jsonl"), "{renamed}");
    }
}
