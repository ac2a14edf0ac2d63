//! Who wrote this line, and what was the request?
//!
//! The edits of a file are found by its name, their lines are read from the log. The last edit that added the line is
//! its author; an edit that moved it is not.

use std::collections::BTreeSet;
use std::ops::Range;

use backstory_language::diagnostics::fingerprint::of_code;

use crate::log::Log;
use crate::model::{ProjectId, Timestamp};
use crate::store::{ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{
    At, CheckPassed, FileEdit, Likeness, PathMatch, SessionEdit, checks_around, edits_of, is_distinctive,
    proves_itself, says_something,
};
use super::guess::{Guess, Unproven, guesses};
use super::here::{CardHere, FailureHere, Spoken, cards_here, failures_here};
use super::made::CommitName;

/// At most this many later, and this many failed, edits are shown.
const MOST_TOLD: usize = 5;
/// The surrounding lines that prove that an edit is about a line.
const LEAST_AROUND: usize = 2;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineQuestion {
    /// The names of the file, relative to its repository, newest first.
    pub paths: Vec<String>,
    pub text: String,
    /// The surrounding lines: the more of them an edit wrote, the better.
    pub around: Vec<String>,
    /// Names of the enclosing function or type: `Cart.add`, `add`.
    pub belongs_to: Vec<String>,
    /// None: all projects.
    pub project: Option<ProjectId>,
    /// The line's commit: nobody writes a line afterwards.
    pub committed: Option<Committed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub id: String,
    pub time: Timestamp,
}

/// The proof that the edit wrote the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Only this edit added exactly this line.
    OnlyEdit,
    /// Several edits added it; this was the last.
    LastEdit,
    /// Equal except for spaces.
    Spacing,
    /// The line has little content; the surrounding lines were written with it.
    Neighbours,
    /// The line has no content: any edit may have added it.
    TooLittle,
    /// All edits that added it are newer than its commit.
    TooLate,
    /// No edit added it, or it has little content and no matching neighbours.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LineStory {
    pub proof: Proof,
    pub written: Option<SessionEdit>,
    /// Earlier versions of the line: written, and removed or moved since.
    pub before: Vec<SessionEdit>,
    /// Refused edits of this place: with this line, or another in its stead.
    pub refused: Vec<SessionEdit>,
    /// Edits with this line that failed.
    pub failed_attempts: Vec<SessionEdit>,
    /// Edits that later changed the surrounding lines.
    pub later: Vec<SessionEdit>,
    /// The last check before the edit, if it failed, and the one after it that passed.
    pub failed: Option<CheckPassed>,
    pub passed: Option<CheckPassed>,
    /// Cards that name the place and must be respected here.
    pub cards: Vec<CardHere>,
    /// Failures of this line, and failures that it resolved.
    pub failures: Vec<FailureHere>,
    /// Successful edits of the file that were checked.
    pub considered: usize,
    /// For a line without an author: work that may have written it.
    pub guesses: Vec<Guess>,
}

pub fn why_line(log: &mut Log, views: &ViewStore, question: &LineQuestion) -> Result<LineStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let edits = edits_of(log, &view, &question.paths, question.project, PathMatch::Closest)?;
    let wanted = WantedLine::new(&question.text, question.around.iter().map(String::as_str));
    let mut story = LineStory {
        proof: if says_something(&question.text) { Proof::None } else { Proof::TooLittle },
        written: None,
        before: Vec::new(),
        refused: Vec::new(),
        failed_attempts: Vec::new(),
        later: Vec::new(),
        failed: None,
        passed: None,
        cards: Vec::new(),
        failures: Vec::new(),
        considered: edits.iter().filter(|edit| edit.went_through()).count(),
        guesses: Vec::new(),
    };
    let until = question.committed.as_ref().map(|committed| end_of_second(committed.time));
    let writer = wanted.writer_in(&edits, until);
    if writer.is_none() {
        if until.is_some() && wanted.writer_in(&edits, None).is_some() {
            story.proof = Proof::TooLate;
        }
        let commit = question.committed.as_ref().map(|it| CommitName { id: &it.id, committed: it.time });
        let around = |edit: &FileEdit| wanted.around_in(edit);
        let line = Unproven { around: &around, commit, project: question.project };
        story.guesses = guesses(log, &view, &edits, &line)?;
    }
    if let Some(Writer { chosen, all, proof }) = &writer {
        let edit = chosen.edit;
        for before in all.iter().filter(|it| it.edit.event.id != edit.event.id && it.edit.time() <= edit.time()) {
            story.before.push(session_edit(log, &view, before.edit, before.place)?);
        }
        story.proof = *proof;
        story.written = Some(session_edit(log, &view, edit, chosen.place)?);
        for later in edits.iter().filter(|other| other.went_through() && other.time() > edit.time()) {
            if let Some(place) = wanted.touched_by(later).filter(|_| story.later.len() < MOST_TOLD) {
                story.later.push(session_edit(log, &view, later, place)?);
            }
        }
        let (runs, _) = view.checks_of(edit.row.episode)?;
        (story.failed, story.passed) = checks_around(&runs, At { turn: edit.row.turn, seq: edit.row.seq });
    }
    let wrote = writer.map(|writer| writer.chosen.edit);
    for edit in edits.iter().filter(|edit| !edit.went_through() && edit.was_taken()) {
        let Some(place) = wanted.missed_by(edit, wrote) else { continue };
        let list = if edit.was_refused() { &mut story.refused } else { &mut story.failed_attempts };
        if list.len() < MOST_TOLD {
            list.push(session_edit(log, &view, edit, place)?);
        }
    }
    let wrote_it = story.written.as_ref().map(|written| written.event);
    let codes = is_distinctive(&question.text).then(|| of_code(&question.text)).into_iter().collect();
    let writers = wrote_it.into_iter().collect();
    story.failures = failures_here(log, &view, &question.paths, &edits, &codes, &writers)?;
    // Other projects' cards do not apply here.
    if let Some(project) = question.project.or(story.written.as_ref().map(|written| written.project)) {
        let spoken = Spoken { line: &question.text, paths: &question.paths, belongs_to: &question.belongs_to };
        story.cards = cards_here(&view, &spoken, project)?;
    }
    Ok(story)
}

fn session_edit(
    log: &mut Log,
    view: &ViewReader<'_>,
    edit: &FileEdit,
    place: &Range<usize>,
) -> Result<SessionEdit, RetrieveError> {
    let behind = edit.behind(log, view)?;
    edit.session_edit(log, place, behind)
}

/// A line whose edits are searched.
pub(super) struct WantedLine<'q> {
    line: &'q str,
    around: BTreeSet<&'q str>,
}

/// An edit that added the line.
#[derive(Clone, Copy)]
pub(super) struct EditMatch<'e> {
    pub edit: &'e FileEdit,
    /// The position of the line in the edit's text.
    pub place: &'e Range<usize>,
    /// The number of surrounding lines that the edit added too.
    around: usize,
}

/// The edit that wrote the line, and all that added it.
struct Writer<'e> {
    chosen: EditMatch<'e>,
    all: Vec<EditMatch<'e>>,
    proof: Proof,
}

impl<'q> WantedLine<'q> {
    pub fn new(line: &'q str, around: impl Iterator<Item = &'q str>) -> Self {
        WantedLine { line: line.trim(), around: around.map(str::trim).filter(|line| is_distinctive(line)).collect() }
    }

    /// The edits that added the line. A line with little content needs two neighbours from the same edit; one without
    /// content is in any edit.
    pub fn found_in<'e>(&self, edits: &'e [FileEdit], likeness: Likeness) -> Vec<EditMatch<'e>> {
        let found = |edit: &'e FileEdit| {
            let place = edit.put_in(self.line, likeness)?;
            let around = self.around_in(edit);
            let proves = proves_itself(self.line) || says_something(self.line) && around >= LEAST_AROUND;
            proves.then_some(EditMatch { edit, place, around })
        };
        edits.iter().filter_map(found).collect()
    }

    /// The number of surrounding lines that an edit added.
    fn around_in(&self, edit: &FileEdit) -> usize {
        self.around.iter().filter(|line| edit.added.has(line)).count()
    }

    /// The edit that wrote the line. An exact match is preferred to one with other spaces.
    fn writer_in<'e>(&self, edits: &'e [FileEdit], made_by: Option<Timestamp>) -> Option<Writer<'e>> {
        [Likeness::Words, Likeness::Letters].into_iter().find_map(|likeness| {
            let mut all = self.found_in(edits, likeness);
            all.retain(|found| found.edit.went_through());
            // Nobody writes a line after it was committed.
            let all = until(&all, made_by);
            let chosen = last_of(&all)?;
            let proof = match likeness {
                _ if !proves_itself(self.line) => Proof::Neighbours,
                Likeness::Letters => Proof::Spacing,
                Likeness::Words if all.len() == 1 => Proof::OnlyEdit,
                Likeness::Words => Proof::LastEdit,
            };
            Some(Writer { chosen, all, proof })
        })
    }

    /// The edit that wrote the line, and the line's position in it.
    pub fn written_in(&self, edits: &[FileEdit], made_by: Option<Timestamp>) -> Option<(usize, Range<usize>, Proof)> {
        let Writer { chosen, proof, .. } = self.writer_in(edits, made_by)?;
        let at = edits.iter().position(|edit| std::ptr::eq(edit, chosen.edit))?;
        Some((at, chosen.place.clone(), proof))
    }

    /// The position at which a later edit removed a line around this one.
    fn touched_by<'e>(&self, edit: &'e FileEdit) -> Option<&'e Range<usize>> {
        let near = std::iter::once(&self.line).chain(&self.around).filter(|line| is_distinctive(line));
        near.filter_map(|line| edit.took_out(line)).min_by_key(|place| place.start)
    }

    /// The position at which a failed edit would have changed this place: it has the line; or it was refused, and would
    /// have removed the line or what its writer removed; or it was refused just before, and is about the surrounding
    /// lines.
    fn missed_by<'e>(&self, edit: &'e FileEdit, writer: Option<&'e FileEdit>) -> Option<&'e Range<usize>> {
        let own = [Likeness::Words, Likeness::Letters]
            .into_iter()
            .find_map(|likeness| edit.put_in(self.line, likeness).filter(|_| is_distinctive(self.line)));
        if own.is_some() || !edit.was_refused() {
            return own;
        }
        let gone = std::iter::once(self.line).filter(|line| is_distinctive(line));
        let of_writer =
            |writer: &'e FileEdit| writer.removed.distinctive().filter(|line| writer.took_out(line).is_some());
        let replaced = gone.chain(writer.into_iter().flat_map(of_writer));
        if let Some(place) = replaced.filter_map(|line| edit.took_out(line)).min_by_key(|place| place.start) {
            return Some(place);
        }
        if !writer.is_some_and(|writer| edit.is_just_before(writer)) {
            return None;
        }
        let find = |line: &&str| edit.added.find(line, Likeness::Words).or(edit.removed.find(line, Likeness::Words));
        let around: Vec<&Range<usize>> = self.around.iter().filter_map(find).collect();
        (around.len() >= LEAST_AROUND).then(|| around.into_iter().min_by_key(|place| place.start)).flatten()
    }
}

/// Git's times have a resolution of one second.
pub(super) fn end_of_second(time: Timestamp) -> Timestamp {
    Timestamp(time.0 + 999)
}

/// The edits up to this time.
pub(super) fn until<'e>(found: &[EditMatch<'e>], until: Option<Timestamp>) -> Vec<EditMatch<'e>> {
    found.iter().filter(|found| until.is_none_or(|until| found.edit.time() <= Some(until))).copied().collect()
}

/// The last of those that wrote most of the surrounding lines.
pub(super) fn last_of<'e>(found: &[EditMatch<'e>]) -> Option<EditMatch<'e>> {
    let most = found.iter().map(|found| found.around).max()?;
    let good = found.iter().filter(|found| 2 * found.around >= most);
    good.max_by_key(|found| (found.edit.time(), found.edit.event.pos)).copied()
}
