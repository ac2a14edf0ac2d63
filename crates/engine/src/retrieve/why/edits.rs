//! Which edits of a file does the memory have, and which lines did each put in?

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::log::Log;
use crate::model::{
    CheckRun, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Exit, ProjectId, SourceKind, Timestamp, span_hash,
};
use crate::store::{EditRow, EpisodeNum, StoreError, ViewReader};

use super::super::RetrieveError;
use super::prompt::{Prompt, behind};

/// Fewer letters prove nothing by themselves: `}`, `else`.
const TELLING: usize = 6;
/// Of an edit, so many lines on either side of the line are shown.
const SHOWN: usize = 4;
/// The output of a call mostly comes next, and stands within so many events.
const OUTPUT_WITHIN: [u32; 2] = [4, 40];

/// An edit in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub session: String,
    pub source: SourceKind,
    pub agent: Option<String>,
    pub project: ProjectId,
    pub time: Option<Timestamp>,
    pub path: String,
    pub event: EventId,
    /// The host's ids of the record and of the call.
    pub record: Option<String>,
    pub call: Option<String>,
    /// The line in the edit.
    pub evidence: EvidenceRef,
    /// What was there before, and what was put there, around the line.
    pub removed: Vec<String>,
    pub added: Vec<String>,
    pub prompt: Option<Prompt>,
}

/// A check that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    pub command: String,
    pub time: Option<Timestamp>,
    pub evidence: EvidenceRef,
}

/// How much of a file's path must an edit have?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMatch {
    /// As much of it as any edit has: the folders may have had other names.
    Closest,
    /// All of it, or all that the edit has.
    Whole,
}

/// An edit of a file, read from the log.
pub struct Edit {
    pub row: EditRow,
    pub event: Event,
    pub exit: Option<Exit>,
    pub added: Lines,
    pub removed: Lines,
}

/// Lines of an edit by their words; each leads to where it stands in the text.
#[derive(Default)]
pub struct Lines {
    trimmed: HashMap<String, Range<usize>>,
    squeezed: HashMap<String, Range<usize>>,
}

/// What of a line must be the same?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Everything but its indentation.
    Words,
    /// Everything but its spaces.
    Letters,
}

impl Lines {
    fn add(&mut self, text: &str, at: usize) {
        let place = at..at + text.len();
        self.trimmed.entry(text.trim().to_owned()).or_insert(place.clone());
        self.squeezed.entry(squeezed(text)).or_insert(place);
    }

    pub fn find(&self, line: &str, likeness: Likeness) -> Option<&Range<usize>> {
        match likeness {
            Likeness::Words => self.trimmed.get(line.trim()),
            Likeness::Letters => self.squeezed.get(&squeezed(line)).filter(|_| !line.trim().is_empty()),
        }
    }

    pub fn has(&self, line: &str) -> bool {
        self.trimmed.contains_key(line.trim())
    }
}

impl Edit {
    fn read(row: EditRow, event: Event, exit: Option<Exit>) -> Self {
        let (mut added, mut removed) = (Lines::default(), Lines::default());
        for (sign, text, at) in lines_of(&event.text) {
            match sign {
                '+' => added.add(text, at),
                '-' => removed.add(text, at),
                _ => {}
            }
        }
        Edit { row, event, exit, added, removed }
    }

    pub fn time(&self) -> Option<Timestamp> {
        self.event.time
    }

    pub fn went_through(&self) -> bool {
        matches!(self.exit, None | Some(Exit::Ok))
    }

    /// Where the edit has a line that it put in and did not merely move.
    pub fn put_in(&self, line: &str, likeness: Likeness) -> Option<&Range<usize>> {
        self.added.find(line, likeness).filter(|_| self.removed.find(line, likeness).is_none())
    }

    pub fn prompt(&self, log: &mut Log, view: &ViewReader<'_>) -> Result<Option<Prompt>, StoreError> {
        behind(log, view, self.row.episode, self.row.turn, self.row.seq)
    }

    /// The edit as it is told, seen from a line of it.
    pub fn told(&self, log: &mut Log, line: &Range<usize>, prompt: Option<Prompt>) -> Result<Written, RetrieveError> {
        let episode = log.store().episode(self.row.episode)?;
        let (session, source, agent, project) = match episode {
            Some(episode) => (episode.key.session, episode.key.source, episode.key.agent, episode.project),
            None => return Err(RetrieveError::NotFound { what: "session", asked: self.row.path.clone() }),
        };
        let (removed, added) = around(&self.event.text, line.start);
        Ok(Written {
            session,
            source,
            agent,
            project,
            time: self.event.time,
            path: self.row.path.clone(),
            event: self.event.id,
            record: self.event.meta.record.clone(),
            call: self.event.meta.tool_use_id.clone(),
            evidence: EvidenceRef {
                kind: EvidenceKind::AgentSpan,
                id: self.event.id.0,
                start: line.start as u32,
                end: line.end as u32,
                hash: span_hash(&self.event.text[line.clone()]),
            },
            removed,
            added,
            prompt,
        })
    }
}

/// Does a line say enough to prove anything by itself?
pub fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Sign, text and place of each line of an edit.
fn lines_of(text: &str) -> Vec<(char, &str, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        if let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '+' | '-' | ' ')) {
            out.push((sign, &line[1..], at + 1));
        }
        at += line.len() + 1;
    }
    out
}

/// What an edit takes out and puts in around a place of its text.
fn around(text: &str, at: usize) -> (Vec<String>, Vec<String>) {
    let lines = lines_of(text);
    let here = lines.iter().position(|(_, _, start)| *start == at).unwrap_or(0);
    let near = &lines[here.saturating_sub(SHOWN)..lines.len().min(here + SHOWN + 1)];
    let side = |wanted: char| {
        near.iter().filter(|(sign, ..)| *sign == wanted).map(|(_, text, _)| (*text).to_owned()).collect()
    };
    (side('-'), side('+'))
}

/// The edits of a file that has had these names, in the order of the log.
pub fn edits_of(
    log: &mut Log,
    view: &ViewReader<'_>,
    paths: &[String],
    project: Option<ProjectId>,
    path_match: PathMatch,
) -> Result<Vec<Edit>, RetrieveError> {
    latest_edits_of(log, view, paths, project, path_match, usize::MAX)
}

/// No more than so many of them, the last in the log.
pub fn latest_edits_of(
    log: &mut Log,
    view: &ViewReader<'_>,
    paths: &[String],
    project: Option<ProjectId>,
    path_match: PathMatch,
    most: usize,
) -> Result<Vec<Edit>, RetrieveError> {
    let mut rows: Vec<EditRow> = Vec::new();
    for path in paths {
        let base = path.rsplit('/').next().unwrap_or(path);
        let named = view.edits_named(base)?;
        let most = named.iter().map(|row| shared_end(&row.path, path)).max().unwrap_or(0);
        rows.extend(named.into_iter().filter(|row| match path_match {
            PathMatch::Closest => shared_end(&row.path, path) == most,
            PathMatch::Whole => is_same_file(&row.path, path),
        }));
    }
    let mut seen: BTreeSet<(EpisodeNum, u32)> = BTreeSet::new();
    rows.retain(|row| seen.insert((row.episode, row.seq)));
    let mut edits = Vec::new();
    let mut project_of: HashMap<EpisodeNum, Option<ProjectId>> = HashMap::new();
    for row in rows.into_iter().rev() {
        if edits.len() == most {
            break;
        }
        if let Some(project) = project {
            let of_row = match project_of.get(&row.episode) {
                Some(known) => *known,
                None => {
                    let found = log.store().episode(row.episode)?.map(|episode| episode.project);
                    *project_of.entry(row.episode).or_insert(found)
                }
            };
            if of_row != Some(project) {
                continue;
            }
        }
        if let Some((event, exit)) = call_with_exit(log, row.episode, row.seq)? {
            edits.push(Edit::read(row, event, exit));
        }
    }
    edits.reverse();
    Ok(edits)
}

/// A call, and how it ended.
fn call_with_exit(log: &mut Log, episode: EpisodeNum, seq: u32) -> Result<Option<(Event, Option<Exit>)>, StoreError> {
    let mut found = None;
    for within in OUTPUT_WITHIN {
        let events = log.store().events_of(episode, seq, seq + within)?;
        let Some(call) = events.first().filter(|event| !event.forgotten) else { return Ok(None) };
        let output = events.iter().find(|output| {
            output.kind == EventKind::ToolOutput
                && output.meta.tool_use_id.is_some()
                && output.meta.tool_use_id == call.meta.tool_use_id
        });
        found = Some((call.clone(), output.and_then(|output| output.meta.exit)));
        if output.is_some() {
            break;
        }
    }
    Ok(found)
}

/// How many parts two paths share at their ends.
fn shared_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b).count()
}

/// Is one path all of the other's end? Sessions name files from the root of the
/// disk, repositories from their own.
pub fn is_same_file(a: &str, b: &str) -> bool {
    let parts = |path: &str| path.split('/').count();
    shared_end(a, b) == parts(a).min(parts(b))
}

/// The last check before a place of a session, if it failed, and the first after
/// it that passed.
pub fn checks_around(runs: &[CheckRun], seq: u32) -> (Option<Ran>, Option<Ran>) {
    let ran = |run: &CheckRun| Ran { command: run.commands.join(" && "), time: run.time, evidence: run.shown };
    let checks = || runs.iter().filter(|run| run.is_check);
    let failed = checks().rfind(|run| run.seq < seq).filter(|run| !run.passed).map(ran);
    let passed = checks().find(|run| run.seq > seq && run.passed).map(ran);
    (failed, passed)
}
