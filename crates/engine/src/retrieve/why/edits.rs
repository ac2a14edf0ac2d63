//! Which edits of a file does the memory contain, and which lines did each add?

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use backstory_language::prompts::replies::is_mere_assent;
use backstory_language::text::{is_boilerplate, is_import};

use crate::log::Log;
use crate::model::{
    CheckRun, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Exit, ProjectId, SourceKind, Timestamp, span_hash,
};
use crate::store::{EditRow, EpisodeNum, StoreError, ViewReader};

use super::super::RetrieveError;
use super::host_messages::is_host_message;
use super::prompt::{Prompt, RunPosition};
use super::reason::{Behind, CaseBehind, behind};

/// Lines with fewer letters prove nothing by themselves: `}`, `else`.
const TELLING: usize = 6;
/// Lines of an edit that are shown before and after the line.
const SHOWN: usize = 4;
/// The output of a call usually comes next, and within this many events.
const OUTPUT_WITHIN: [u32; 2] = [4, 40];

/// An edit in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEdit {
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
    /// The old and the new lines around it.
    pub removed: Vec<String>,
    pub added: Vec<String>,
    pub prompt: Option<Prompt>,
    /// The case that it belongs to.
    pub reason: Option<CaseBehind>,
}

impl SessionEdit {
    /// The request: the words just before the edit, or what they continue if they say little.
    pub fn asked(&self) -> Option<&str> {
        let said = self.prompt.as_ref().map(|prompt| prompt.text.as_str());
        let opening = self.reason.as_ref().map(|reason| reason.asked.text.as_str());
        match said {
            Some(said) if !is_mere_assent(said) => Some(said),
            _ => opening.or(said),
        }
    }
}

/// A check that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckPassed {
    pub command: String,
    pub time: Option<Timestamp>,
    pub evidence: EvidenceRef,
}

/// How much of a file's path must match an edit's?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathMatch {
    /// As much as in any edit: the folders may have been renamed.
    Closest,
    /// All of it, or all of the edit's path.
    Whole,
}

/// The outcome of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// It succeeded, or its end is unknown.
    WentThrough,
    /// A person refused it.
    Refused,
    /// The host rejected its form: its text was not found, or its file not read yet. The same edit usually follows at
    /// once.
    NotTaken,
    /// Anything else.
    Failed,
}

/// An edit of a file, read from the log.
pub struct FileEdit {
    pub row: EditRow,
    pub event: Event,
    pub outcome: EditOutcome,
    pub added: EditLines,
    pub removed: EditLines,
}

/// Lines of an edit by content, each with its positions in the text.
#[derive(Default)]
pub struct EditLines {
    trimmed: HashMap<String, Range<usize>>,
    squeezed: HashMap<String, Range<usize>>,
}

/// Which parts of a line must match?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Everything but its indentation.
    Words,
    /// Everything but its spaces.
    Letters,
}

impl EditLines {
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

    /// The lines that are distinctive enough to prove anything.
    pub fn distinctive(&self) -> impl Iterator<Item = &str> {
        self.trimmed.keys().map(String::as_str).filter(|line| is_distinctive(line))
    }
}

impl FileEdit {
    fn read(row: EditRow, event: Event, outcome: EditOutcome) -> Self {
        let (mut added, mut removed) = (EditLines::default(), EditLines::default());
        for (sign, text, at) in lines_of(&event.text) {
            match sign {
                '+' => added.add(text, at),
                '-' => removed.add(text, at),
                _ => {}
            }
        }
        FileEdit { row, event, outcome, added, removed }
    }

    pub fn time(&self) -> Option<Timestamp> {
        self.event.time
    }

    pub fn went_through(&self) -> bool {
        self.outcome == EditOutcome::WentThrough
    }

    pub fn was_refused(&self) -> bool {
        self.outcome == EditOutcome::Refused
    }

    pub fn was_taken(&self) -> bool {
        self.outcome != EditOutcome::NotTaken
    }

    /// In the same turn as another, or in the one before it: usually a person says at once what to do instead, and a
    /// new turn begins.
    pub fn is_just_before(&self, other: &FileEdit) -> bool {
        let (own, its) = (self.row.turn, other.row.turn);
        self.row.episode == other.row.episode && (own == its || own + 1 == its)
    }

    /// The position of a line that the edit removed and did not add again.
    pub fn took_out(&self, line: &str) -> Option<&Range<usize>> {
        self.removed.find(line, Likeness::Words).filter(|_| !self.added.has(line))
    }

    /// The position of a line that the edit added and did not merely move.
    pub fn put_in(&self, line: &str, likeness: Likeness) -> Option<&Range<usize>> {
        self.added.find(line, likeness).filter(|_| self.removed.find(line, likeness).is_none())
    }

    pub fn behind(&self, log: &mut Log, view: &ViewReader<'_>) -> Result<Behind, StoreError> {
        behind(log, view, RunPosition { episode: self.row.episode, turn: self.row.turn, until: self.row.seq })
    }

    /// Renders the edit for an answer, centred on one of its lines.
    pub fn session_edit(
        &self,
        log: &mut Log,
        line: &Range<usize>,
        behind: Behind,
    ) -> Result<SessionEdit, RetrieveError> {
        let episode = log.store().episode(self.row.episode)?;
        let (session, source, agent, project) = match episode {
            Some(episode) => (episode.key.session, episode.key.source, episode.key.agent, episode.project),
            None => return Err(RetrieveError::NotFound { what: "session", asked: self.row.path.clone() }),
        };
        let (removed, added) = around(&self.event.text, line.start);
        Ok(SessionEdit {
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
            prompt: behind.prompt,
            reason: behind.reason,
        })
    }
}

/// Is a line distinctive enough to prove anything by itself? Boilerplate is not.
pub fn is_distinctive(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING && !is_boilerplate(line)
}

/// Can the author be found by the line alone? An import says nothing about its neighbours, but occurs only once in a
/// file.
pub fn proves_itself(line: &str) -> bool {
    is_distinctive(line) || is_import(line) && says_something(line)
}

/// Does it contain anything? Blank lines and lone braces do not.
pub fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A line of an edit.
type EditLine<'t> = (char, &'t str, usize);

/// Sign, text and position of each line of an edit.
fn lines_of(text: &str) -> Vec<EditLine<'_>> {
    pieces_of(text).concat()
}

/// An edit may consist of several pieces, each for another place in the file.
fn pieces_of(text: &str) -> Vec<Vec<EditLine<'_>>> {
    let mut pieces = vec![Vec::new()];
    let mut at = 0;
    for line in text.split('\n') {
        match line.chars().next() {
            Some(sign @ ('+' | '-' | ' ')) => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push((sign, &line[1..], at + 1));
                }
            }
            _ if line.starts_with("@@") || line.starts_with("*** ") => pieces.push(Vec::new()),
            _ => {}
        }
        at += line.len() + 1;
    }
    pieces
}

/// The lines that an edit removes and adds around a position, without unchanged ones.
fn around(text: &str, at: usize) -> (Vec<String>, Vec<String>) {
    let pieces = pieces_of(text);
    let piece = pieces.iter().find(|piece| piece.iter().any(|line| line.2 == at)).or(pieces.first());
    let lines = piece.map(|piece| without_what_stays(piece)).unwrap_or_default();
    let here = lines.iter().position(|line| line.2 >= at).unwrap_or(0);
    let near = &lines[here.saturating_sub(SHOWN)..lines.len().min(here + SHOWN + 1)];
    let side = |wanted: char| {
        let mut side: Vec<String> =
            near.iter().filter(|(sign, ..)| *sign == wanted).map(|(_, text, _)| (*text).to_owned()).collect();
        while side.last().is_some_and(|line| line.trim().is_empty()) {
            side.pop();
        }
        side
    };
    (side('-'), side('+'))
}

/// Agents quote context to locate a change: lines at the start and end of it are removed and added again.
fn without_what_stays<'t>(piece: &[EditLine<'t>]) -> Vec<EditLine<'t>> {
    let side = |wanted: char| piece.iter().filter(move |line| line.0 == wanted).copied().collect::<Vec<EditLine<'t>>>();
    let (mut old, mut new) = (side('-'), side('+'));
    let same = old.iter().zip(&new).take_while(|(old, new)| old.1 == new.1).count();
    old.drain(..same);
    new.drain(..same);
    while let (Some(a), Some(b)) = (old.last(), new.last())
        && a.1 == b.1
    {
        old.pop();
        new.pop();
    }
    let mut lines: Vec<EditLine<'t>> = old.into_iter().chain(new).collect();
    lines.sort_by_key(|line| line.2);
    lines
}

/// The edits of a file that has had these names, in the order of the log.
pub fn edits_of(
    log: &mut Log,
    view: &ViewReader<'_>,
    paths: &[String],
    project: Option<ProjectId>,
    path_match: PathMatch,
) -> Result<Vec<FileEdit>, RetrieveError> {
    latest_edits_of(log, view, paths, project, path_match, usize::MAX)
}

/// At most this many of them, the last in the log.
pub fn latest_edits_of(
    log: &mut Log,
    view: &ViewReader<'_>,
    paths: &[String],
    project: Option<ProjectId>,
    path_match: PathMatch,
    most: usize,
) -> Result<Vec<FileEdit>, RetrieveError> {
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
        if let Some((event, outcome)) = call_with_outcome(log, row.episode, row.seq)? {
            edits.push(FileEdit::read(row, event, outcome));
        }
    }
    edits.reverse();
    Ok(edits)
}

/// A call, and how it ended.
fn call_with_outcome(log: &mut Log, episode: EpisodeNum, seq: u32) -> Result<Option<(Event, EditOutcome)>, StoreError> {
    let mut found = None;
    for within in OUTPUT_WITHIN {
        let events = log.store().events_of(episode, seq, seq + within)?;
        let Some(call) = events.first().filter(|event| !event.forgotten) else { return Ok(None) };
        let output = events.iter().find(|output| {
            output.kind == EventKind::ToolOutput
                && output.meta.tool_use_id.is_some()
                && output.meta.tool_use_id == call.meta.tool_use_id
        });
        found = Some((call.clone(), output.map_or(EditOutcome::WentThrough, outcome_of)));
        if output.is_some() {
            break;
        }
    }
    Ok(found)
}

fn outcome_of(output: &Event) -> EditOutcome {
    match output.meta.exit {
        None | Some(Exit::Ok) => EditOutcome::WentThrough,
        Some(Exit::Rejected) => EditOutcome::Refused,
        Some(_) if is_host_message(&output.text) => EditOutcome::NotTaken,
        Some(_) => EditOutcome::Failed,
    }
}

/// The number of trailing components that two paths share.
fn shared_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b).count()
}

/// Is one path a suffix of the other? Sessions use absolute paths, repositories relative ones.
pub fn is_same_file(a: &str, b: &str) -> bool {
    let parts = |path: &str| path.split('/').count();
    shared_end(a, b) == parts(a).min(parts(b))
}

/// The position of an edit in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub turn: u32,
    pub seq: u32,
}

/// The last check before an edit, if it failed, and the first that passed after it: in the same turn, or later if it is
/// the one that had failed. A pass under another prompt proves nothing about this edit, nor does a commit.
pub fn checks_around(runs: &[CheckRun], edit: At) -> (Option<CheckPassed>, Option<CheckPassed>) {
    let ran = |run: &CheckRun| CheckPassed { command: run.commands.join(" && "), time: run.time, evidence: run.shown };
    let checks = || runs.iter().filter(|run| run.is_check && run.commands.iter().any(|command| !is_git(command)));
    let last = checks().rfind(|run| run.seq < edit.seq && run.turn + 1 >= edit.turn);
    let failed = last.filter(|run| !run.passed);
    let after = || checks().filter(|run| run.seq > edit.seq && run.passed);
    let same = |run: &&CheckRun| failed.is_some_and(|failed| failed.commands == run.commands);
    let passed = after().find(|run| run.turn == edit.turn).or_else(|| after().find(same));
    (failed.map(ran), passed.map(ran))
}

fn is_git(command: &str) -> bool {
    command.starts_with("git ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::edits_to_text;

    #[test]
    fn an_edit_is_told_without_what_stays() {
        let told = |old: &str, new: &str, line: &str| {
            let text = edits_to_text([("first();\n", "second();\n"), (old, new)]);
            let at = text.rfind(line).unwrap_or_default();
            around(&text, at)
        };
        let (removed, added) = told("open();\nwork();\nclose();\n", "open();\nrest();\nclose();\n", "rest();");
        assert_eq!((removed, added), (vec!["work();".to_owned()], vec!["rest();".to_owned()]));
        let (removed, added) = told("", "\nopen();\n\n", "open();");
        assert_eq!((removed, added), (Vec::new(), vec![String::new(), "open();".to_owned()]));
        let (removed, added) = told("gone();\n", "", "gone();");
        assert_eq!((removed, added), (vec!["gone();".to_owned()], Vec::new()));
    }
}
