//! Who wrote this line, and what had been asked?
//!
//! The edits of a file are found by its name, their lines are read from the log.
//! The last edit that put the line in wrote it; an edit that moved it did not.

use std::collections::BTreeSet;

use crate::log::Log;
use crate::model::{
    CheckRun, Event, EventId, EventKind, EvidenceKind, EvidenceRef, Exit, ProjectId, SourceKind, Timestamp, span_hash,
};
use crate::store::{EditRow, EpisodeNum, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::prompt::{Prompt, behind};

/// Fewer letters prove nothing by themselves: `}`, `else`.
const TELLING: usize = 6;
/// Of an edit, so many lines on either side of the line are shown.
const SHOWN: usize = 4;
/// So many later edits are told.
const MOST_LATER: usize = 5;
/// The output of a call stands within so many events.
const OUTPUT_WITHIN: u32 = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineQuestion {
    /// The names that the file has had, from the root of its repository, the
    /// newest first.
    pub paths: Vec<String>,
    pub text: String,
    /// Lines that stand around it: the more of them an edit wrote, the better.
    pub around: Vec<String>,
    /// All projects' sessions without one.
    pub project: Option<ProjectId>,
    /// When it was committed: nobody writes a line afterwards.
    pub until: Option<Timestamp>,
}

/// How sure it is that the edit wrote the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The edit has the very line, and no other edit put it in.
    OnlyEdit,
    /// Several edits put it in; this one did last.
    LastEdit,
    /// The same but for its spaces.
    Spacing,
    /// The line says too little, and what stands around it was not written with it.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LineStory {
    pub proof: Proof,
    pub written: Option<Written>,
    /// The same line before: written, and taken out again or moved since.
    pub before: Vec<Written>,
    /// Edits with this line that were refused or did not go through.
    pub in_vain: Vec<Written>,
    /// Edits that later changed what stands around it.
    pub later: Vec<Written>,
    /// The last check before the edit, if it failed, and the first after it that passed.
    pub failed: Option<Ran>,
    pub passed: Option<Ran>,
    /// Edits of the file that were looked at.
    pub considered: usize,
}

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

pub fn why_line(log: &mut Log, views: &ViewStore, question: &LineQuestion) -> Result<LineStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let edits = edits_of(log, &view, question)?;
    let wanted = Wanted::new(question);
    let mut story = LineStory {
        proof: Proof::None,
        written: None,
        before: Vec::new(),
        in_vain: Vec::new(),
        later: Vec::new(),
        failed: None,
        passed: None,
        considered: edits.len(),
    };
    for proof in [Proof::OnlyEdit, Proof::Spacing] {
        let found: Vec<(&Edit, Match)> =
            edits.iter().filter_map(|edit| Some((edit, wanted.find(edit, proof)?))).collect();
        let (went, vain): (Vec<_>, Vec<_>) = found.into_iter().partition(|(edit, _)| edit.went_through);
        for (edit, place) in vain {
            story.in_vain.push(edit.told(log, &view, &place)?);
        }
        let Some((chosen, place)) = wanted.choose(&went) else { continue };
        for (edit, place) in
            went.iter().filter(|(edit, _)| edit.event.id != chosen.event.id && edit.time() <= chosen.time())
        {
            story.before.push(edit.told(log, &view, place)?);
        }
        story.proof = match (proof, went.len()) {
            (Proof::OnlyEdit, 1) => Proof::OnlyEdit,
            (Proof::OnlyEdit, _) => Proof::LastEdit,
            (other, _) => other,
        };
        story.written = Some(chosen.told(log, &view, place)?);
        for edit in edits.iter().filter(|edit| edit.went_through && edit.time() > chosen.time()) {
            if let Some(place) = wanted.touched_by(edit).filter(|_| story.later.len() < MOST_LATER) {
                story.later.push(edit.told(log, &view, &place)?);
            }
        }
        let (runs, _) = view.checks_of(chosen.row.episode)?;
        (story.failed, story.passed) = checks_around(&runs, chosen.row.seq);
        break;
    }
    Ok(story)
}

/// An edit of the file, read from the log.
struct Edit {
    row: EditRow,
    event: Event,
    went_through: bool,
}

/// Where a line stands in an edit's text.
#[derive(Clone, Copy, Debug)]
struct Match {
    /// Bytes of the text.
    start: usize,
    end: usize,
    /// How many lines of what stands around it the edit put in too.
    around: usize,
}

struct Wanted<'q> {
    line: &'q str,
    around: BTreeSet<&'q str>,
    until: Option<Timestamp>,
}

impl<'q> Wanted<'q> {
    fn new(question: &'q LineQuestion) -> Self {
        let around = question.around.iter().map(|line| line.trim()).filter(|line| is_telling(line)).collect();
        Wanted { line: question.text.trim(), around, until: question.until }
    }

    /// The line among those that the edit put in and did not merely move.
    fn find(&self, edit: &Edit, proof: Proof) -> Option<Match> {
        let line = squeezed(self.line);
        let is_it = |text: &str| match proof {
            Proof::Spacing => !line.is_empty() && squeezed(text) == line,
            _ => text.trim() == self.line,
        };
        let lines = lines_of(&edit.event.text);
        if lines.iter().any(|(sign, text, _)| *sign == '-' && is_it(text)) {
            return None;
        }
        let (_, text, start) = lines.iter().find(|(sign, text, _)| *sign == '+' && is_it(text))?;
        let added: BTreeSet<&str> =
            lines.iter().filter(|(sign, ..)| *sign == '+').map(|(_, text, _)| text.trim()).collect();
        let around = self.around.iter().filter(|line| added.contains(*line)).count();
        (is_telling(self.line) || around >= 2).then_some(Match { start: *start, end: start + text.len(), around })
    }

    /// The last of those that wrote most of what stands around the line.
    fn choose<'f, 'e>(&self, found: &'f [(&'e Edit, Match)]) -> Option<(&'e Edit, &'f Match)> {
        let in_time: Vec<&(&Edit, Match)> =
            found.iter().filter(|(edit, _)| self.until.is_none_or(|until| edit.time() <= Some(until))).collect();
        let from = if in_time.is_empty() { found.iter().collect() } else { in_time };
        let most = from.iter().map(|(_, place)| place.around).max()?;
        let good = from.into_iter().filter(|(_, place)| 2 * place.around >= most);
        good.max_by_key(|(edit, _)| (edit.time(), edit.event.pos)).map(|(edit, place)| (*edit, place))
    }

    /// A later edit that took out something around the line.
    fn touched_by(&self, edit: &Edit) -> Option<Match> {
        let lines = lines_of(&edit.event.text);
        let touched = lines
            .iter()
            .find(|(sign, text, _)| *sign == '-' && (text.trim() == self.line || self.around.contains(text.trim())));
        touched.map(|(_, text, start)| Match { start: *start, end: start + text.len(), around: 0 })
    }
}

fn is_telling(line: &str) -> bool {
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

/// The edits of the file, in the order of the log.
fn edits_of(log: &mut Log, view: &ViewReader<'_>, question: &LineQuestion) -> Result<Vec<Edit>, RetrieveError> {
    let mut rows: Vec<EditRow> = Vec::new();
    for path in &question.paths {
        let base = path.rsplit('/').next().unwrap_or(path);
        let named = view.edits_named(base)?;
        let shared = |row: &EditRow| shared_end(&row.path, path);
        // All of the path, or as much of it as any edit has.
        let most = named.iter().map(shared).max().unwrap_or(0);
        rows.extend(named.into_iter().filter(|row| shared_end(&row.path, path) == most));
    }
    let mut seen: BTreeSet<(EpisodeNum, u32)> = BTreeSet::new();
    rows.retain(|row| seen.insert((row.episode, row.seq)));
    let mut edits = Vec::new();
    for row in rows {
        if let Some(project) = question.project {
            let episode = log.store().episode(row.episode)?;
            if episode.is_none_or(|episode| episode.project != project) {
                continue;
            }
        }
        let events = log.store().events_of(row.episode, row.seq, row.seq + OUTPUT_WITHIN)?;
        let Some(event) = events.first().filter(|event| !event.forgotten).cloned() else { continue };
        let output = events.iter().find(|output| {
            output.kind == EventKind::ToolOutput
                && output.meta.tool_use_id.is_some()
                && output.meta.tool_use_id == event.meta.tool_use_id
        });
        let exit = output.and_then(|output| output.meta.exit);
        edits.push(Edit { row, event, went_through: matches!(exit, None | Some(Exit::Ok)) });
    }
    Ok(edits)
}

/// How many parts two paths share at their ends.
fn shared_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b).count()
}

impl Edit {
    fn time(&self) -> Option<Timestamp> {
        self.event.time
    }

    fn told(&self, log: &mut Log, view: &ViewReader<'_>, place: &Match) -> Result<Written, RetrieveError> {
        let episode = log.store().episode(self.row.episode)?;
        let (session, source, agent, project) = match episode {
            Some(episode) => (episode.key.session, episode.key.source, episode.key.agent, episode.project),
            None => return Err(RetrieveError::NotFound { what: "session", asked: self.row.path.clone() }),
        };
        let (removed, added) = around(&self.event.text, place.start);
        let text = &self.event.text[place.start..place.end];
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
                start: place.start as u32,
                end: place.end as u32,
                hash: span_hash(text),
            },
            removed,
            added,
            prompt: behind(log, view, self.row.episode, self.row.turn, self.row.seq)?,
        })
    }
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

fn checks_around(runs: &[CheckRun], seq: u32) -> (Option<Ran>, Option<Ran>) {
    let ran = |run: &CheckRun| Ran { command: run.commands.join(" && "), time: run.time, evidence: run.shown };
    let checks = || runs.iter().filter(|run| run.is_check);
    let failed = checks().rfind(|run| run.seq < seq).filter(|run| !run.passed).map(ran);
    let passed = checks().find(|run| run.seq > seq && run.passed).map(ran);
    (failed, passed)
}
