//! What was said and done about a place in the code: a function, a type, a file.
//!
//! Each distinctive line of the place belongs to the last edit that added it. Edits of one prompt are one decision: the
//! request, and how many of the current lines it wrote.

use std::collections::{BTreeMap, BTreeSet};

use backstory_language::diagnostics::fingerprint::of_code;

use crate::log::Log;
use crate::model::{EventId, ProjectId};
use crate::store::{ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{FileEdit, Likeness, PathMatch, SessionEdit, is_distinctive, latest_edits_of};
use super::here::{CardHere, FailureHere, Spoken, cards_here, failures_here};

/// At most this many of the newest edits of a file are read.
const MOST_READ: usize = 60;
/// At most this many decisions are shown.
const MOST: usize = 3;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocationQuestion {
    /// The names of the file, relative to its repository, newest first.
    pub paths: Vec<String>,
    /// The current lines.
    pub lines: Vec<String>,
    /// Its names in the code: `Cart.add`, `add`.
    pub names: Vec<String>,
    /// None: all projects.
    pub project: Option<ProjectId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocationStory {
    /// Those that wrote most of it come first.
    pub decisions: Vec<Decision>,
    pub failures: Vec<FailureHere>,
    /// Cards that name it.
    pub cards: Vec<CardHere>,
    /// The number of distinctive lines.
    pub distinctive: usize,
}

/// The part of the place that one prompt wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Its last edit here, with the prompt behind it.
    pub written: SessionEdit,
    pub edits: usize,
    /// The number of its lines at this place.
    pub lines: usize,
}

pub fn why_location(
    log: &mut Log,
    views: &ViewStore,
    question: &LocationQuestion,
) -> Result<LocationStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let distinctive: BTreeSet<&str> =
        question.lines.iter().map(|line| line.trim()).filter(|line| is_distinctive(line)).collect();
    let edits = latest_edits_of(log, &view, &question.paths, question.project, PathMatch::Whole, MOST_READ)?;
    let wrote = written_by(&edits, &distinctive);
    let decisions = decisions(log, &view, &wrote)?;
    let writers: BTreeSet<EventId> = wrote.iter().map(|(edit, _)| edit.event.id).collect();
    let codes: BTreeSet<u32> = distinctive.iter().map(|line| of_code(line)).collect();
    let failures = failures_here(log, &view, &question.paths, &edits, &codes, &writers)?;
    let project = question.project.or(decisions.first().map(|decision| decision.written.project));
    let spoken = Spoken { line: "", paths: &question.paths, belongs_to: &question.names };
    let cards = match project {
        Some(project) => cards_here(&view, &spoken, project)?,
        None => Vec::new(),
    };
    Ok(LocationStory { decisions, failures, cards, distinctive: distinctive.len() })
}

/// The edits that last added lines of the place, with those lines.
fn written_by<'e, 'l>(edits: &'e [FileEdit], distinctive: &BTreeSet<&'l str>) -> Vec<(&'e FileEdit, Vec<&'l str>)> {
    let mut lines_of: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for line in distinctive {
        let wrote = |edit: &FileEdit| edit.went_through() && edit.put_in(line, Likeness::Words).is_some();
        let last =
            (0..edits.len()).filter(|at| wrote(&edits[*at])).max_by_key(|at| (edits[*at].time(), edits[*at].event.pos));
        if let Some(last) = last {
            lines_of.entry(last).or_default().push(line);
        }
    }
    lines_of.into_iter().map(|(at, lines)| (&edits[at], lines)).collect()
}

fn decisions(
    log: &mut Log,
    view: &ViewReader<'_>,
    wrote: &[(&FileEdit, Vec<&str>)],
) -> Result<Vec<Decision>, RetrieveError> {
    let mut found: Vec<(Option<EventId>, Decision)> = Vec::new();
    for (edit, lines) in wrote {
        let Some(place) = lines.first().and_then(|line| edit.put_in(line, Likeness::Words)) else { continue };
        let behind = edit.behind(log, view)?;
        let asked = behind.prompt.as_ref().map(|prompt| prompt.event);
        let known = found.iter_mut().find(|(known, _)| asked.is_some() && *known == asked);
        match known {
            Some((_, decision)) => {
                decision.edits += 1;
                decision.lines += lines.len();
                if edit.time() > decision.written.time {
                    decision.written = edit.session_edit(log, place, behind)?;
                }
            }
            None => {
                let written = edit.session_edit(log, place, behind)?;
                found.push((asked, Decision { written, edits: 1, lines: lines.len() }));
            }
        }
    }
    let mut decisions: Vec<Decision> = found.into_iter().map(|(_, decision)| decision).collect();
    decisions.sort_by_key(|decision| std::cmp::Reverse((decision.lines, decision.written.time)));
    decisions.truncate(MOST);
    Ok(decisions)
}
