//! Which conversations are behind a commit?
//!
//! Each line that it put in is looked for among the edits of its file; the last
//! edit before the commit that put it in wrote it. Lines that no edit has were
//! written outside of the sessions that the memory knows, and are counted as such.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::ingest::{ChangedFile, Commit, NewLine, lines_around};
use crate::log::Log;
use crate::model::{EventId, Exit, ProjectId, Timestamp};
use crate::store::{EpisodeNum, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{Edit, Likeness, PathMatch, Ran, Written, checks_around, edits_of, is_telling};
use super::line::{Wanted, last_of, until};
use super::made::{Made, made_by};
use super::prompt::Prompt;

/// So many lines of a commit are looked for.
const MOST_LINES: usize = 400;
/// Edits in vain and later edits: so many of each are told.
const MOST_TOLD: usize = 5;
/// Git's clock has no smaller part.
const SECOND: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitQuestion {
    pub commit: Commit,
    /// All projects' sessions without one.
    pub project: Option<ProjectId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommitStory {
    /// Lines that the commit put in, and how many of them say enough to be looked for.
    pub added: usize,
    pub telling: usize,
    /// Of those, how many were looked for, and how many were written in a session.
    pub looked_for: usize,
    pub proven: usize,
    /// Files with lines that no session is known to have written, and how many.
    pub unproven: Vec<LinesOf>,
    /// The call that made the commit: direct proof of the session it is from.
    pub made: Option<Made>,
    /// What wrote it, prompt by prompt, in the order of time.
    pub parts: Vec<CommitPart>,
    /// Edits of its files that a person refused, in the same turns or just before them.
    pub refused: Vec<Written>,
    /// Edits that took out lines of it since, and how many; the newest first.
    pub later: Vec<LaterEdit>,
    pub more_later: usize,
}

/// What came of one prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitPart {
    /// The session of the edits; that of the prompt is the same or the one that
    /// started the agent.
    pub session: String,
    pub prompt: Option<Prompt>,
    /// How many lines of the commit it wrote.
    pub lines: usize,
    pub files: Vec<LinesOf>,
    pub edits: Vec<PartEdit>,
    /// The last check before its edits, if it failed, and the first after them that passed.
    pub failed: Option<Ran>,
    pub passed: Option<Ran>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PartEdit {
    pub written: Written,
    pub lines: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LaterEdit {
    pub written: Written,
    pub lines: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinesOf {
    pub path: String,
    pub lines: usize,
}

pub fn why_commit(log: &mut Log, views: &ViewStore, question: &CommitQuestion) -> Result<CommitStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let commit = &question.commit;
    let counts = || commit.files.iter().map(|file| telling(file).count());
    let cap = fair_cap(counts(), MOST_LINES);
    let mut story = CommitStory {
        added: commit.files.iter().map(|file| file.added).sum(),
        telling: counts().sum(),
        made: made_by(log, &view, commit, question.project)?,
        ..CommitStory::default()
    };
    let made_at = Timestamp(commit.committed.0 + SECOND - 1);
    let mut teller = Teller { log, view: &view, made_at, prompts: HashMap::new() };
    let mut drafts: Vec<Draft> = Vec::new();
    for file in &commit.files {
        let lines = spread(telling(file).collect(), cap);
        if !lines.is_empty() {
            let edits = edits_of(teller.log, &view, &file.paths(), question.project, PathMatch::Whole)?;
            teller.tell_file(&file.path, &lines, &edits, &mut drafts, &mut story)?;
        }
    }
    story.parts = teller.parts(drafts)?;
    story.later.sort_by_key(|edit| std::cmp::Reverse(edit.written.time));
    story.more_later = story.later.len().saturating_sub(MOST_TOLD);
    story.later.truncate(MOST_TOLD);
    Ok(story)
}

/// A line that a commit put in, in its hunk.
#[derive(Clone, Copy)]
struct Line<'c> {
    hunk: &'c [NewLine],
    at: usize,
}

impl<'c> Line<'c> {
    fn text(&self) -> &'c str {
        &self.hunk[self.at].text
    }

    fn wanted(&self) -> Wanted<'c> {
        Wanted::new(self.text(), lines_around(self.hunk, self.at).map(|line| line.text.as_str()))
    }
}

/// The added lines of a file that say enough to be looked for.
fn telling(file: &ChangedFile) -> impl Iterator<Item = Line<'_>> {
    let lines = file.hunks.iter().flat_map(|hunk| (0..hunk.len()).map(move |at| Line { hunk, at }));
    lines.filter(|line| line.hunk[line.at].is_added && is_telling(line.text()))
}

/// How many lines of each file may be looked for, so that all together are not
/// more than `most`: a long generated file must not crowd out the others.
fn fair_cap(counts: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let mut left = most;
    let mut files = counts.len();
    for count in counts {
        if count > left / files {
            return (left / files).max(1);
        }
        left -= count;
        files -= 1;
    }
    most
}

/// So many of them, evenly from all over the file.
fn spread(lines: Vec<Line<'_>>, cap: usize) -> Vec<Line<'_>> {
    if lines.len() <= cap {
        return lines;
    }
    (0..cap).map(|n| lines[n * lines.len() / cap]).collect()
}

/// Which edits wrote these lines: each by its number with where it has the first
/// of them, and how many they are.
fn writers(edits: &[Edit], lines: &[Line<'_>], made_at: Timestamp) -> BTreeMap<usize, (Range<usize>, usize)> {
    let mut writers: BTreeMap<usize, (Range<usize>, usize)> = BTreeMap::new();
    for line in lines {
        let wanted = line.wanted();
        let chosen = [Likeness::Words, Likeness::Letters].into_iter().find_map(|likeness| {
            let mut found = until(&wanted.found_in(edits, likeness), Some(made_at));
            found.retain(|found| found.edit.went_through());
            last_of(&found)
        });
        if let Some(chosen) = chosen
            && let Some(at) = edits.iter().position(|edit| std::ptr::eq(edit, chosen.edit))
        {
            writers.entry(at).or_insert_with(|| (chosen.place.clone(), 0)).1 += 1;
        }
    }
    writers
}

fn turn_of(edit: &Edit) -> (EpisodeNum, u32) {
    (edit.row.episode, edit.row.turn)
}

/// A refused edit is told from its beginning.
fn first_line(edit: &Edit) -> Range<usize> {
    let end = edit.event.text.find('\n').unwrap_or(edit.event.text.len());
    1.min(end)..end
}

/// An edit that wrote lines of the commit, before it is put with others.
struct Draft {
    episode: EpisodeNum,
    seq: u32,
    /// The file's name in the commit.
    path: String,
    edit: PartEdit,
}

/// Reads on in the log, with what it knows already.
struct Teller<'a, 'v> {
    log: &'a mut Log,
    view: &'a ViewReader<'v>,
    /// Whatever came after did not write it.
    made_at: Timestamp,
    /// A turn has one prompt, and many edits.
    prompts: HashMap<(EpisodeNum, u32), Option<Prompt>>,
}

impl Teller<'_, '_> {
    fn tell_file(
        &mut self,
        path: &str,
        lines: &[Line<'_>],
        edits: &[Edit],
        drafts: &mut Vec<Draft>,
        story: &mut CommitStory,
    ) -> Result<(), RetrieveError> {
        let made_at = self.made_at;
        let writers = writers(edits, lines, made_at);
        let written: usize = writers.values().map(|(_, lines)| lines).sum();
        story.looked_for += lines.len();
        story.proven += written;
        if written < lines.len() {
            story.unproven.push(LinesOf { path: path.to_owned(), lines: lines.len() - written });
        }
        let turns: BTreeSet<_> = writers.keys().map(|at| turn_of(&edits[*at])).collect();
        for (at, (place, lines)) in writers {
            let (edit, path) = (&edits[at], path.to_owned());
            let told = PartEdit { written: self.told(edit, &place)?, lines };
            drafts.push(Draft { episode: edit.row.episode, seq: edit.row.seq, path, edit: told });
        }
        let refused = |edit: &&Edit| {
            // Mostly the person says at once what to do instead, and a new turn begins.
            let (episode, turn) = turn_of(edit);
            let is_near = turns.contains(&(episode, turn)) || turns.contains(&(episode, turn + 1));
            edit.exit == Some(Exit::Rejected) && is_near
        };
        for edit in edits.iter().filter(refused).filter(|edit| edit.time() <= Some(made_at)) {
            if story.refused.len() < MOST_TOLD {
                story.refused.push(self.told(edit, &first_line(edit))?);
            }
        }
        for edit in edits.iter().filter(|edit| edit.went_through() && edit.time() > Some(made_at)) {
            let taken_out = |line: &Line<'_>| edit.removed.find(line.text(), Likeness::Words);
            let gone: Vec<_> = lines.iter().filter(|line| !edit.added.has(line.text())).filter_map(taken_out).collect();
            if let Some(first) = gone.first() {
                story.later.push(LaterEdit { written: self.told(edit, first)?, lines: gone.len() });
            }
        }
        Ok(())
    }

    fn told(&mut self, edit: &Edit, place: &Range<usize>) -> Result<Written, RetrieveError> {
        let prompt = match self.prompts.get(&turn_of(edit)) {
            Some(prompt) => prompt.clone(),
            None => {
                let prompt = edit.prompt(self.log, self.view)?;
                self.prompts.insert(turn_of(edit), prompt.clone());
                prompt
            }
        };
        edit.told(self.log, place, prompt)
    }

    /// Edits behind which the same words stand belong together.
    fn parts(&mut self, mut drafts: Vec<Draft>) -> Result<Vec<CommitPart>, RetrieveError> {
        drafts.sort_by_key(|draft| (draft.edit.written.time, draft.episode, draft.seq));
        let mut groups: Vec<(Option<EventId>, Vec<Draft>)> = Vec::new();
        for draft in drafts {
            let key = draft.edit.written.prompt.as_ref().map(|prompt| prompt.event);
            let same = |group: &&mut (Option<EventId>, Vec<Draft>)| {
                group.0 == key && (key.is_some() || group.1[0].edit.written.session == draft.edit.written.session)
            };
            match groups.iter_mut().find(same) {
                Some((_, drafts)) => drafts.push(draft),
                None => groups.push((key, vec![draft])),
            }
        }
        groups.into_iter().map(|(_, drafts)| self.part(drafts)).collect()
    }

    /// In the order of time.
    fn part(&mut self, drafts: Vec<Draft>) -> Result<CommitPart, RetrieveError> {
        let (mut failed, mut passed) = (None, None);
        if let (Some(first), Some(last)) = (drafts.first(), drafts.last()) {
            let (before_first, _) = checks_around(&self.view.checks_of(first.episode)?.0, first.seq);
            let (before_last, after_last) = checks_around(&self.view.checks_of(last.episode)?.0, last.seq);
            (failed, passed) = (before_first.or(before_last), after_last);
        }
        let mut files: Vec<LinesOf> = Vec::new();
        for draft in &drafts {
            match files.iter_mut().find(|file| file.path == draft.path) {
                Some(file) => file.lines += draft.edit.lines,
                None => files.push(LinesOf { path: draft.path.clone(), lines: draft.edit.lines }),
            }
        }
        files.sort_by_key(|file| std::cmp::Reverse(file.lines));
        Ok(CommitPart {
            session: drafts.first().map(|draft| draft.edit.written.session.clone()).unwrap_or_default(),
            prompt: drafts.first().and_then(|draft| draft.edit.written.prompt.clone()),
            lines: drafts.iter().map(|draft| draft.edit.lines).sum(),
            files,
            edits: drafts.into_iter().map(|draft| draft.edit).collect(),
            failed,
            passed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_leave_room_for_short_ones() {
        assert_eq!(fair_cap([3, 5].into_iter(), 400), 400);
        assert_eq!(fair_cap([10, 20_000].into_iter(), 400), 390);
        assert_eq!(fair_cap([1_000, 1_000].into_iter(), 400), 200);
        assert_eq!(fair_cap(std::iter::repeat_n(9, 1_000), 400), 1);
        assert_eq!(fair_cap(std::iter::empty(), 400), 400);
    }
}
