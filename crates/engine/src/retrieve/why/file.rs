//! Which work wrote which lines of a file?
//!
//! Every line is looked up as in [`super::why_line`], but the edits are read once. Blank lines and boilerplate belong
//! to the work around them.

use std::collections::HashMap;

use crate::log::Log;
use crate::model::{CaseId, EventId, ProjectId};
use crate::store::{EpisodeNum, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{FileEdit, PathMatch, SessionEdit, edits_of, proves_itself, says_something};
use super::line::{Committed, Proof, WantedLine, end_of_second};
use super::reason::Behind;

/// Lines before and after that show whether an edit wrote a line.
const AROUND: usize = 4;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileQuestion {
    /// The names of the file, relative to its repository, newest first.
    pub paths: Vec<String>,
    pub lines: Vec<FileLine>,
    /// None: all projects.
    pub project: Option<ProjectId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileLine {
    pub text: String,
    /// The commit that it is from.
    pub committed: Option<Committed>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileStory {
    /// In file order; without blank lines and braces that belong to no work.
    pub ranges: Vec<FileRange>,
    /// In the order of their first lines.
    pub works: Vec<FileWork>,
    /// Lines with content, and how many of them have an author.
    pub telling: usize,
    pub proven: usize,
    /// Successful edits of the file.
    pub considered: usize,
}

/// Adjacent lines of one piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// From 1.
    pub first: usize,
    pub last: usize,
    /// The proof of its weakest line.
    pub proof: Proof,
    /// The index of the work; None if unproven.
    pub work: Option<usize>,
}

/// A piece of work that wrote lines of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileWork {
    /// The last of its edits that wrote a line.
    pub written: SessionEdit,
    pub edits: usize,
    pub lines: usize,
}

pub fn why_file(log: &mut Log, views: &ViewStore, question: &FileQuestion) -> Result<FileStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let edits = edits_of(log, &view, &question.paths, question.project, PathMatch::Closest)?;
    let mut works = WorkFinder { log, view: &view, edits: &edits, behind: HashMap::new(), found: Vec::new() };
    let mut lines: Vec<AuthorOf> = Vec::with_capacity(question.lines.len());
    for at in 0..question.lines.len() {
        lines.push(works.author_of(&question.lines, at)?);
    }
    let telling = lines.iter().filter(|line| **line != AuthorOf::Nothing).count();
    let proven = lines.iter().filter(|line| matches!(line, AuthorOf::Line(..))).count();
    let texts: Vec<&str> = question.lines.iter().map(|line| line.text.as_str()).collect();
    fill(&mut lines, &texts);
    let works = works.finish()?;
    let considered = edits.iter().filter(|edit| edit.went_through()).count();
    Ok(FileStory { ranges: ranges(&lines), works, telling, proven, considered })
}

/// The author of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AuthorOf {
    /// One of the works.
    Line(usize, Proof),
    Unproven(Proof),
    /// Undecidable: the line has no content.
    Nothing,
}

/// The identity of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkKey {
    Case(CaseId),
    Prompt(EventId),
    Episode(EpisodeNum),
}

struct FoundWork {
    key: WorkKey,
    /// By index among the edits, with a line of each.
    edits: Vec<(usize, std::ops::Range<usize>)>,
    lines: usize,
}

struct WorkFinder<'a, 'v> {
    log: &'a mut Log,
    view: &'a ViewReader<'v>,
    edits: &'a [FileEdit],
    behind: HashMap<(EpisodeNum, u32), Behind>,
    found: Vec<FoundWork>,
}

impl WorkFinder<'_, '_> {
    fn author_of(&mut self, lines: &[FileLine], at: usize) -> Result<AuthorOf, RetrieveError> {
        let line = &lines[at];
        if !says_something(&line.text) {
            return Ok(AuthorOf::Nothing);
        }
        let near = at.saturating_sub(AROUND)..lines.len().min(at + AROUND + 1);
        let around = near.filter(|near| *near != at).map(|near| lines[near].text.as_str());
        let until = line.committed.as_ref().map(|committed| end_of_second(committed.time));
        let wanted = WantedLine::new(&line.text, around);
        let Some((place, range, proof)) = wanted.written_in(self.edits, until) else {
            let proof = if proves_itself(&line.text) { Proof::None } else { Proof::TooLittle };
            return Ok(AuthorOf::Unproven(proof));
        };
        let key = self.key_of(place)?;
        let work = match self.found.iter().position(|work| work.key == key) {
            Some(known) => known,
            None => {
                self.found.push(FoundWork { key, edits: Vec::new(), lines: 0 });
                self.found.len() - 1
            }
        };
        let found = &mut self.found[work];
        found.lines += 1;
        if found.edits.iter().all(|(known, _)| *known != place) {
            found.edits.push((place, range));
        }
        Ok(AuthorOf::Line(work, proof))
    }

    fn key_of(&mut self, place: usize) -> Result<WorkKey, RetrieveError> {
        let edit = &self.edits[place];
        let behind = self.behind_of(edit)?;
        Ok(match (&behind.reason, &behind.prompt) {
            (Some(reason), _) => WorkKey::Case(reason.case),
            (None, Some(prompt)) => WorkKey::Prompt(prompt.event),
            (None, None) => WorkKey::Episode(edit.row.episode),
        })
    }

    fn behind_of(&mut self, edit: &FileEdit) -> Result<Behind, RetrieveError> {
        let turn = (edit.row.episode, edit.row.turn);
        if let Some(known) = self.behind.get(&turn) {
            return Ok(known.clone());
        }
        let behind = edit.behind(self.log, self.view)?;
        self.behind.insert(turn, behind.clone());
        Ok(behind)
    }

    fn finish(mut self) -> Result<Vec<FileWork>, RetrieveError> {
        let found = std::mem::take(&mut self.found);
        let mut works = Vec::with_capacity(found.len());
        for work in found {
            let last = work.edits.iter().max_by_key(|(at, _)| (self.edits[*at].time(), self.edits[*at].event.pos));
            let Some((at, range)) = last else { continue };
            let edit = &self.edits[*at];
            let behind = self.behind_of(edit)?;
            let written = edit.session_edit(self.log, range, behind)?;
            works.push(FileWork { written, edits: work.edits.len(), lines: work.lines });
        }
        Ok(works)
    }
}

/// Between two lines of one work, lines with little content belong to it too.
fn fill(lines: &mut [AuthorOf], texts: &[&str]) {
    let mut before: Option<(usize, usize)> = None;
    for at in 0..lines.len() {
        let AuthorOf::Line(work, _) = lines[at] else {
            if proves_itself(texts[at]) {
                before = None;
            }
            continue;
        };
        if let Some((last, of)) = before
            && of == work
        {
            lines[last + 1..at].fill(AuthorOf::Line(work, Proof::Neighbours));
        }
        before = Some((at, work));
    }
}

fn ranges(lines: &[AuthorOf]) -> Vec<FileRange> {
    let mut ranges: Vec<FileRange> = Vec::new();
    for (at, author) in lines.iter().enumerate() {
        let number = at + 1;
        let (work, proof) = match author {
            AuthorOf::Line(work, proof) => (Some(*work), *proof),
            AuthorOf::Unproven(proof) => (None, *proof),
            AuthorOf::Nothing => continue,
        };
        match ranges.last_mut() {
            Some(range) if range.work == work && is_next(range, number, lines) => {
                range.last = number;
                range.proof = weaker(range.proof, proof);
            }
            _ => ranges.push(FileRange { first: number, last: number, proof, work }),
        }
    }
    ranges
}

/// Are there only lines without content in between?
fn is_next(range: &FileRange, number: usize, lines: &[AuthorOf]) -> bool {
    let between = &lines[range.last..number - 1];
    between.is_empty() || (range.work.is_none() && between.iter().all(|line| *line == AuthorOf::Nothing))
}

fn weaker(a: Proof, b: Proof) -> Proof {
    let rank = |proof: Proof| match proof {
        Proof::OnlyEdit => 0,
        Proof::LastEdit => 1,
        Proof::Spacing => 2,
        Proof::Neighbours => 3,
        Proof::TooLittle => 4,
        Proof::TooLate => 5,
        Proof::None => 6,
    };
    if rank(a) >= rank(b) { a } else { b }
}
