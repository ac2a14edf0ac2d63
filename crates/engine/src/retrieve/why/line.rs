//! Who wrote this line, and what had been asked?
//!
//! The edits of a file are found by its name, their lines are read from the log.
//! The last edit that put the line in wrote it; an edit that moved it did not.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::derive::cards::troubles::print::of_code;
use crate::log::Log;
use crate::model::{ProjectId, Timestamp};
use crate::store::{ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{Edit, Likeness, PathMatch, Ran, Written, checks_around, edits_of, is_telling};
use super::here::{CardHere, Spoken, TroubleHere, cards_here, troubles_here};

/// So many later edits are told.
const MOST_LATER: usize = 5;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineQuestion {
    /// The names that the file has had, from the root of its repository, the
    /// newest first.
    pub paths: Vec<String>,
    pub text: String,
    /// Lines that stand around it: the more of them an edit wrote, the better.
    pub around: Vec<String>,
    /// What the line belongs to, as the code calls it: `Cart.add`, `add`.
    pub belongs_to: Vec<String>,
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
    /// Cards that name the place: they must be respected here.
    pub cards: Vec<CardHere>,
    /// What went wrong with this line, and what it resolved.
    pub troubles: Vec<TroubleHere>,
    /// Edits of the file that were looked at.
    pub considered: usize,
}

pub fn why_line(log: &mut Log, views: &ViewStore, question: &LineQuestion) -> Result<LineStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let edits = edits_of(log, &view, &question.paths, question.project, PathMatch::Closest)?;
    let wanted = Wanted::new(&question.text, question.around.iter().map(String::as_str));
    let mut story = LineStory {
        proof: Proof::None,
        written: None,
        before: Vec::new(),
        in_vain: Vec::new(),
        later: Vec::new(),
        failed: None,
        passed: None,
        cards: Vec::new(),
        troubles: Vec::new(),
        considered: edits.len(),
    };
    for likeness in [Likeness::Words, Likeness::Letters] {
        let (went, vain): (Vec<_>, Vec<_>) =
            wanted.found_in(&edits, likeness).into_iter().partition(|found| found.edit.went_through());
        for found in vain {
            story.in_vain.push(told(log, &view, found.edit, found.place)?);
        }
        // Clocks differ: an edit after the commit is better than none.
        let in_time = until(&went, question.until);
        let Some(chosen) = last_of(if in_time.is_empty() { &went } else { &in_time }) else { continue };
        let edit = chosen.edit;
        for before in
            went.iter().filter(|other| other.edit.event.id != edit.event.id && other.edit.time() <= edit.time())
        {
            story.before.push(told(log, &view, before.edit, before.place)?);
        }
        story.proof = proof(likeness, went.len());
        story.written = Some(told(log, &view, edit, chosen.place)?);
        for later in edits.iter().filter(|other| other.went_through() && other.time() > edit.time()) {
            if let Some(place) = wanted.touched_by(later).filter(|_| story.later.len() < MOST_LATER) {
                story.later.push(told(log, &view, later, place)?);
            }
        }
        let (runs, _) = view.checks_of(edit.row.episode)?;
        (story.failed, story.passed) = checks_around(&runs, edit.row.seq);
        break;
    }
    let wrote_it = story.written.as_ref().map(|written| written.event);
    let codes = is_telling(&question.text).then(|| of_code(&question.text)).into_iter().collect();
    let writers = wrote_it.into_iter().collect();
    story.troubles = troubles_here(log, &view, &question.paths, &edits, &codes, &writers)?;
    // Another project's cards do not count here.
    if let Some(project) = question.project.or(story.written.as_ref().map(|written| written.project)) {
        let spoken = Spoken { line: &question.text, paths: &question.paths, belongs_to: &question.belongs_to };
        story.cards = cards_here(&view, &spoken, project)?;
    }
    Ok(story)
}

fn told(log: &mut Log, view: &ViewReader<'_>, edit: &Edit, place: &Range<usize>) -> Result<Written, RetrieveError> {
    let prompt = edit.prompt(log, view)?;
    edit.told(log, place, prompt)
}

fn proof(likeness: Likeness, edits: usize) -> Proof {
    match (likeness, edits) {
        (Likeness::Letters, _) => Proof::Spacing,
        (Likeness::Words, 1) => Proof::OnlyEdit,
        (Likeness::Words, _) => Proof::LastEdit,
    }
}

/// A line whose edits are looked for.
pub(super) struct Wanted<'q> {
    line: &'q str,
    around: BTreeSet<&'q str>,
}

/// An edit that put the line in.
#[derive(Clone, Copy)]
pub(super) struct Found<'e> {
    pub edit: &'e Edit,
    /// Where the line stands in the edit's text.
    pub place: &'e Range<usize>,
    /// How many lines of what stands around it the edit put in too.
    around: usize,
}

impl<'q> Wanted<'q> {
    pub fn new(line: &'q str, around: impl Iterator<Item = &'q str>) -> Self {
        Wanted { line: line.trim(), around: around.map(str::trim).filter(|line| is_telling(line)).collect() }
    }

    /// The edits that put the line in. Of a line that says little, two neighbours
    /// must have come with it.
    pub fn found_in<'e>(&self, edits: &'e [Edit], likeness: Likeness) -> Vec<Found<'e>> {
        let found = |edit: &'e Edit| {
            let place = edit.put_in(self.line, likeness)?;
            let around = self.around.iter().filter(|line| edit.added.has(line)).count();
            (is_telling(self.line) || around >= 2).then_some(Found { edit, place, around })
        };
        edits.iter().filter_map(found).collect()
    }

    /// A later edit that took out something around the line.
    fn touched_by<'e>(&self, edit: &'e Edit) -> Option<&'e Range<usize>> {
        let near = std::iter::once(&self.line).chain(&self.around);
        near.filter_map(|line| edit.removed.find(line, Likeness::Words)).min_by_key(|place| place.start)
    }
}

/// Those that were made by then.
pub(super) fn until<'e>(found: &[Found<'e>], until: Option<Timestamp>) -> Vec<Found<'e>> {
    found.iter().filter(|found| until.is_none_or(|until| found.edit.time() <= Some(until))).copied().collect()
}

/// The last of those that wrote most of what stands around the line.
pub(super) fn last_of<'e>(found: &[Found<'e>]) -> Option<Found<'e>> {
    let most = found.iter().map(|found| found.around).max()?;
    let good = found.iter().filter(|found| 2 * found.around >= most);
    good.max_by_key(|found| (found.edit.time(), found.edit.event.pos)).copied()
}
