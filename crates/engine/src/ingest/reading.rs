//! What does a source get, and what does it fill?

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{EpisodeKey, EventDraft, Problem, ProblemKind};

use super::project::Recorded;

/// A format's reader. One value reads one file, from the cursor to the end.
pub trait Source {
    /// One line without its line break (or a whole document, for formats that
    /// are one). Anything wrong with it becomes a problem; nothing panics.
    fn line(&mut self, line: &[u8], number: u64, out: &mut Reading);

    /// The state that a later reading needs to continue, if any.
    fn state(&self) -> Option<String> {
        None
    }

    /// Continues from the state of an earlier source.
    fn resume(&mut self, _state: &str) {}

    /// The end of the file, for now.
    fn end(&mut self, _out: &mut Reading) -> SourceEnd {
        SourceEnd::Done
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEnd {
    Done,
    /// Not worth keeping yet: read the whole file again when it has grown.
    Undecided,
}

/// What a file's path says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOrigin {
    /// The file's name in problems.
    pub file: String,
    /// The session id for records without one: the file's stem.
    pub session: String,
    /// The sub-agent whose file this is.
    pub agent: Option<String>,
    /// The call that started that sub-agent, if a file beside it names the call.
    pub spawned_by: Option<String>,
    /// Sub-agents with files of their own, which the parent's file need not repeat.
    pub agents_with_files: HashSet<String>,
}

/// Index of an episode within one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadingSlot(pub usize);

/// Was a record kept?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordFate {
    Kept,
    /// Left out, with the reason.
    Dropped(&'static str),
}

/// The number of records by type and fate.
pub type Tally = BTreeMap<(String, RecordFate), u64>;

/// Further problems are only counted.
const MOST_PROBLEMS: usize = 1_000;

/// About what a problem takes in memory.
const PROBLEM_BYTES: usize = 200;

/// What has been read so far.
#[derive(Debug, Default)]
pub struct Reading {
    /// Each episode with its first working folder.
    pub episodes: Vec<(EpisodeKey, Option<String>)>,
    pub events: Vec<(ReadingSlot, EventDraft)>,
    /// Path and text of documents that are kept whole.
    pub artifacts: Vec<(String, String)>,
    /// At most 1,000, and one that counts the rest.
    pub problems: Vec<Problem>,
    pub tally: Tally,
    /// Bytes of text in `events`, plus an estimate for `problems`.
    pub bytes: usize,
    /// What sessions recorded about their repositories.
    pub recorded: HashMap<ReadingSlot, Recorded>,
    slots: HashMap<EpisodeKey, ReadingSlot>,
    more_problems: u64,
}

impl Reading {
    pub fn episode(&mut self, key: EpisodeKey, cwd: Option<&str>) -> ReadingSlot {
        if let Some(slot) = self.slots.get(&key) {
            let known = &mut self.episodes[slot.0].1;
            if known.is_none() {
                *known = cwd.map(str::to_owned);
            }
            return *slot;
        }
        let slot = ReadingSlot(self.episodes.len());
        self.episodes.push((key.clone(), cwd.map(str::to_owned)));
        self.slots.insert(key, slot);
        slot
    }

    /// Keeps the first record of an episode's repository.
    pub fn recorded(&mut self, slot: ReadingSlot, recorded: Recorded) {
        if !recorded.is_empty() {
            self.recorded.entry(slot).or_insert(recorded);
        }
    }

    pub fn event(&mut self, slot: ReadingSlot, event: EventDraft) {
        self.bytes += event.text.len();
        self.events.push((slot, event));
    }

    pub fn problem(&mut self, file: &str, line: Option<u64>, kind: ProblemKind, reason: impl Into<String>) {
        if self.problems.len() > MOST_PROBLEMS {
            return self.one_more_problem(kind);
        }
        let mut problem = Problem { file: file.to_owned(), line, kind, reason: reason.into() };
        if self.problems.len() == MOST_PROBLEMS {
            self.more_problems = 1;
            problem.reason = more_problems(1);
        }
        self.bytes += PROBLEM_BYTES;
        self.problems.push(problem);
    }

    /// The last problem counts all further ones, at the line of the first of them.
    fn one_more_problem(&mut self, kind: ProblemKind) {
        self.more_problems += 1;
        if let Some(last) = self.problems.last_mut() {
            last.reason = more_problems(self.more_problems);
            if kind == ProblemKind::Skipped {
                last.kind = kind;
            }
        }
    }

    pub fn tally(&mut self, record_type: &str, fate: RecordFate) {
        *self.tally.entry((record_type.to_owned(), fate)).or_default() += 1;
    }
}

fn more_problems(count: u64) -> String {
    match count {
        1 => "1 more problem".to_owned(),
        count => format!("{count} more problems from this line on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_beyond_the_limit_are_counted() {
        let mut reading = Reading::default();
        for line in 1..=5_000 {
            let kind = if line == 4_000 { ProblemKind::Skipped } else { ProblemKind::Repaired };
            reading.problem("s1.jsonl", Some(line), kind, "not a record");
        }
        assert_eq!((reading.problems.len(), reading.bytes), (MOST_PROBLEMS + 1, (MOST_PROBLEMS + 1) * PROBLEM_BYTES));
        let rest = Problem {
            file: "s1.jsonl".to_owned(),
            line: Some(1_001),
            kind: ProblemKind::Skipped,
            reason: "4000 more problems from this line on".to_owned(),
        };
        assert_eq!(reading.problems.last(), Some(&rest));
        assert!(reading.problems[..MOST_PROBLEMS].iter().all(|problem| problem.reason == "not a record"));
    }
}
