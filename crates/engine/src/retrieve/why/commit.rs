//! Which conversations are behind a commit?
//!
//! Each added line is searched among the edits of its file, and of the file from which the commit moved it; the last
//! edit before the commit that added it is its author. Lines without such an edit were written outside the known
//! sessions, and are counted as such. Removed lines are searched too: for the edits that wrote and removed them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::ingest::Commit;
use crate::log::Log;
use crate::model::{EventId, ProjectId, Timestamp};
use crate::store::{EpisodeNum, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::edits::{
    At, CheckPassed, FileEdit, Likeness, PathMatch, SessionEdit, checks_around, edits_of, is_distinctive,
};
use super::line::{end_of_second, last_of, until};
use super::lines::{CommitLines, DiffLine};
use super::made::{CommitCall, CommitName, made_by};
use super::prompt::Prompt;
use super::reason::{Behind, CaseBehind};

/// At most this many failed, and this many later, edits are shown.
const MOST_TOLD: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitQuestion {
    pub commit: Commit,
    /// None: all projects.
    pub project: Option<ProjectId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommitStory {
    /// Lines that the commit added, and how many of them are distinctive.
    pub added: usize,
    pub distinctive: usize,
    /// How many of those were searched, and how many were written in a session.
    pub looked_for: usize,
    pub proven: usize,
    /// Files with lines of unknown origin, and their numbers.
    pub unproven: Vec<LinesOf>,
    /// Lines that it moved without writing them.
    pub moved: Vec<MovedLines>,
    /// Lines that it removed and did not move, and how many of them were searched.
    pub removed: usize,
    pub looked_for_removed: usize,
    /// The call that made the commit: direct proof of its session.
    pub made: Option<CommitCall>,
    /// The edits that wrote it, by prompt, in order of time.
    pub parts: Vec<CommitPart>,
    /// The authors of the lines that it removed, by prompt.
    pub removed_of: Vec<CommitPart>,
    /// The edits that removed them.
    pub removed_by: Vec<CommitPart>,
    /// Edits of its files that a person refused, in the same turns or just before.
    pub refused: Vec<SessionEdit>,
    /// Edits that removed lines of it since, and how many; newest first.
    pub later: Vec<LaterEdit>,
    pub more_later: usize,
}

/// The results of one prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitPart {
    /// The session of the edits; the prompt's session is the same or the one that started the agent.
    pub session: String,
    pub prompt: Option<Prompt>,
    /// The case that it belongs to.
    pub reason: Option<CaseBehind>,
    /// The number of lines of the commit that it wrote, or of removed lines.
    pub lines: usize,
    pub files: Vec<LinesOf>,
    pub edits: Vec<PartEdit>,
    /// The last check before its edits, if it failed, and the first after them that passed.
    pub failed: Option<CheckPassed>,
    pub passed: Option<CheckPassed>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PartEdit {
    pub written: SessionEdit,
    pub lines: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LaterEdit {
    pub written: SessionEdit,
    pub lines: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinesOf {
    pub path: String,
    pub lines: usize,
}

/// Lines of a file that were elsewhere before: in another file, or at another place of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedLines {
    pub path: String,
    pub from: String,
    pub lines: usize,
}

pub fn why_commit(log: &mut Log, views: &ViewStore, question: &CommitQuestion) -> Result<CommitStory, RetrieveError> {
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let commit = &question.commit;
    let lines = CommitLines::of(commit);
    let count = |lines: &[Vec<DiffLine<'_>>]| lines.iter().map(Vec::len).sum::<usize>();
    let mut story = CommitStory {
        added: commit.files.iter().map(|file| file.added).sum(),
        distinctive: lines.distinctive,
        looked_for: count(&lines.added),
        removed: lines.distinctive_removed,
        looked_for_removed: count(&lines.removed),
        made: made_by(log, &view, CommitName { id: &commit.id, committed: commit.committed }, question.project)?,
        ..CommitStory::default()
    };
    let made_at = end_of_second(commit.committed);
    let mut builder = StoryBuilder {
        log,
        view: &view,
        question,
        lines: &lines,
        made_at,
        behind: HashMap::new(),
        drafts: Drafts::default(),
    };
    for file in 0..commit.files.len() {
        builder.add_file(file, &mut story)?;
    }
    let drafts = std::mem::take(&mut builder.drafts);
    story.parts = builder.parts(drafts.wrote)?;
    story.removed_of = builder.parts(drafts.had_written)?;
    story.removed_by = builder.parts(drafts.took_out)?;
    story.later.sort_by_key(|edit| std::cmp::Reverse(edit.written.time));
    story.more_later = story.later.len().saturating_sub(MOST_TOLD);
    story.later.truncate(MOST_TOLD);
    Ok(story)
}

/// Edits by number, each with the place of the first of its lines, and their count.
type ByEdit = BTreeMap<usize, (Range<usize>, usize)>;

/// The edits that wrote these lines, and the lines that no edit wrote.
fn writers<'c>(edits: &[FileEdit], lines: &[DiffLine<'c>], made_at: Timestamp) -> (ByEdit, Vec<DiffLine<'c>>) {
    let (mut writers, mut rest) = (ByEdit::new(), Vec::new());
    for line in lines {
        let wanted = line.wanted();
        let chosen = [Likeness::Words, Likeness::Letters].into_iter().find_map(|likeness| {
            let mut found = until(&wanted.found_in(edits, likeness), Some(made_at));
            found.retain(|found| found.edit.went_through());
            last_of(&found)
        });
        match chosen.and_then(|it| Some((it.place, edits.iter().position(|edit| std::ptr::eq(edit, it.edit))?))) {
            Some((place, at)) => writers.entry(at).or_insert_with(|| (place.clone(), 0)).1 += 1,
            None => rest.push(*line),
        }
    }
    (writers, rest)
}

/// The edits that removed these lines.
fn takers(edits: &[FileEdit], lines: &[DiffLine<'_>], made_at: Timestamp) -> ByEdit {
    let mut takers = ByEdit::new();
    let could = |edit: &FileEdit| edit.went_through() && edit.time() <= Some(made_at);
    for line in lines {
        let took = |at: &usize| could(&edits[*at]) && edits[*at].took_out(line.text()).is_some();
        let last = (0..edits.len()).filter(took).max_by_key(|at| (edits[*at].time(), edits[*at].event.pos));
        if let Some((at, place)) = last.and_then(|at| Some((at, edits[at].took_out(line.text())?))) {
            takers.entry(at).or_insert_with(|| (place.clone(), 0)).1 += 1;
        }
    }
    takers
}

fn turn_of(edit: &FileEdit) -> (EpisodeNum, u32) {
    (edit.row.episode, edit.row.turn)
}

/// A refused edit is shown from its beginning.
fn first_line(edit: &FileEdit) -> Range<usize> {
    let end = edit.event.text.find('\n').unwrap_or(edit.event.text.len());
    1.min(end)..end
}

/// An edit that wrote lines of the commit, before grouping.
struct DraftPart {
    episode: EpisodeNum,
    place: At,
    /// The file's name in the commit.
    path: String,
    edit: PartEdit,
}

#[derive(Default)]
struct Drafts {
    wrote: Vec<DraftPart>,
    had_written: Vec<DraftPart>,
    took_out: Vec<DraftPart>,
}

/// Reads the details from the log, with a cache.
struct StoryBuilder<'a, 'v> {
    log: &'a mut Log,
    view: &'a ViewReader<'v>,
    question: &'a CommitQuestion,
    lines: &'a CommitLines<'a>,
    /// Later edits did not write it.
    made_at: Timestamp,
    /// A turn has one prompt but many edits.
    behind: HashMap<(EpisodeNum, u32), Behind>,
    drafts: Drafts,
}

impl StoryBuilder<'_, '_> {
    fn add_file(&mut self, file: usize, story: &mut CommitStory) -> Result<(), RetrieveError> {
        let all = self.lines;
        let (added, removed) = (&all.added[file], &all.removed[file]);
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let path = self.question.commit.files[file].path.as_str();
        let edits = self.edits(file)?;
        let (wrote, rest) = writers(&edits, added, self.made_at);
        let turns: BTreeSet<_> = wrote.keys().map(|at| turn_of(&edits[*at])).collect();
        let drafts = self.drafted(&edits, wrote, path)?;
        self.drafts.wrote.extend(drafts);
        let unproven = self.add_moved(file, added, rest, story)?;
        story.proven += added.len() - unproven;
        if unproven > 0 {
            story.unproven.push(LinesOf { path: path.to_owned(), lines: unproven });
        }
        let (had_written, _) = writers(&edits, removed, self.made_at);
        let drafts = self.drafted(&edits, had_written, path)?;
        self.drafts.had_written.extend(drafts);
        let drafts = self.drafted(&edits, takers(&edits, removed, self.made_at), path)?;
        self.drafts.took_out.extend(drafts);
        self.add_refused(&edits, &turns, story)?;
        self.add_later(&edits, added, story)
    }

    fn edits(&mut self, file: usize) -> Result<Vec<FileEdit>, RetrieveError> {
        let paths = self.question.commit.files[file].paths();
        edits_of(self.log, self.view, &paths, self.question.project, PathMatch::Whole)
    }

    /// Lines that the commit moved here were written at their old place. Returns how many of `rest`, which no edit of
    /// this file wrote, no edit of those files wrote either.
    fn add_moved(
        &mut self,
        file: usize,
        added: &[DiffLine<'_>],
        rest: Vec<DiffLine<'_>>,
        story: &mut CommitStory,
    ) -> Result<usize, RetrieveError> {
        let files = &self.question.commit.files;
        let path = files[file].path.as_str();
        for from in added.iter().filter_map(|line| self.lines.moved_from(line, file).first().copied()) {
            let from = files[from].was.as_ref().unwrap_or(&files[from].path);
            match story.moved.iter_mut().find(|moved| moved.path == path && moved.from == *from) {
                Some(moved) => moved.lines += 1,
                None => story.moved.push(MovedLines { path: path.to_owned(), from: from.clone(), lines: 1 }),
            }
        }
        let mut by_file: BTreeMap<usize, Vec<DiffLine<'_>>> = BTreeMap::new();
        let mut unproven = 0;
        for line in rest {
            match self.lines.moved_from(&line, file).into_iter().find(|from| *from != file) {
                Some(from) => by_file.entry(from).or_default().push(line),
                None => unproven += 1,
            }
        }
        for (from, lines) in by_file {
            let edits = self.edits(from)?;
            let (wrote, rest) = writers(&edits, &lines, self.made_at);
            let drafts = self.drafted(&edits, wrote, path)?;
            self.drafts.wrote.extend(drafts);
            unproven += rest.len();
        }
        Ok(unproven)
    }

    fn drafted(&mut self, edits: &[FileEdit], by_edit: ByEdit, path: &str) -> Result<Vec<DraftPart>, RetrieveError> {
        let mut drafts = Vec::new();
        for (at, (place, lines)) in by_edit {
            let edit = &edits[at];
            let told = PartEdit { written: self.session_edit(edit, &place)?, lines };
            let place = At { turn: edit.row.turn, seq: edit.row.seq };
            drafts.push(DraftPart { episode: edit.row.episode, place, path: path.to_owned(), edit: told });
        }
        Ok(drafts)
    }

    fn add_refused(
        &mut self,
        edits: &[FileEdit],
        turns: &BTreeSet<(EpisodeNum, u32)>,
        story: &mut CommitStory,
    ) -> Result<(), RetrieveError> {
        let refused = |edit: &&FileEdit| {
            // Usually the person says at once what to do instead, and a new turn begins.
            let (episode, turn) = turn_of(edit);
            let is_near = turns.contains(&(episode, turn)) || turns.contains(&(episode, turn + 1));
            edit.was_refused() && is_near
        };
        let made_at = Some(self.made_at);
        for edit in edits.iter().filter(refused).filter(|edit| edit.time() <= made_at) {
            if story.refused.len() < MOST_TOLD {
                story.refused.push(self.session_edit(edit, &first_line(edit))?);
            }
        }
        Ok(())
    }

    fn add_later(
        &mut self,
        edits: &[FileEdit],
        added: &[DiffLine<'_>],
        story: &mut CommitStory,
    ) -> Result<(), RetrieveError> {
        let made_at = Some(self.made_at);
        for edit in edits.iter().filter(|edit| edit.went_through() && edit.time() > made_at) {
            let telling = added.iter().map(DiffLine::text).filter(|line| is_distinctive(line));
            let gone: Vec<_> = telling.filter_map(|line| edit.took_out(line)).collect();
            if let Some(first) = gone.first() {
                story.later.push(LaterEdit { written: self.session_edit(edit, first)?, lines: gone.len() });
            }
        }
        Ok(())
    }

    fn session_edit(&mut self, edit: &FileEdit, place: &Range<usize>) -> Result<SessionEdit, RetrieveError> {
        let behind = match self.behind.get(&turn_of(edit)) {
            Some(behind) => behind.clone(),
            None => {
                let behind = edit.behind(self.log, self.view)?;
                self.behind.insert(turn_of(edit), behind.clone());
                behind
            }
        };
        edit.session_edit(self.log, place, behind)
    }

    /// Edits with the same prompt belong together.
    fn parts(&mut self, mut drafts: Vec<DraftPart>) -> Result<Vec<CommitPart>, RetrieveError> {
        drafts.sort_by_key(|draft| (draft.edit.written.time, draft.episode, draft.place.seq));
        let mut groups: Vec<(Option<EventId>, Vec<DraftPart>)> = Vec::new();
        for draft in drafts {
            let key = draft.edit.written.prompt.as_ref().map(|prompt| prompt.event);
            let same = |group: &&mut (Option<EventId>, Vec<DraftPart>)| {
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
    fn part(&mut self, drafts: Vec<DraftPart>) -> Result<CommitPart, RetrieveError> {
        let (mut failed, mut passed) = (None, None);
        if let (Some(first), Some(last)) = (drafts.first(), drafts.last()) {
            let (before_first, _) = checks_around(&self.view.checks_of(first.episode)?.0, first.place);
            let (before_last, after_last) = checks_around(&self.view.checks_of(last.episode)?.0, last.place);
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
            reason: drafts.first().and_then(|draft| draft.edit.written.reason.clone()),
            lines: drafts.iter().map(|draft| draft.edit.lines).sum(),
            files,
            edits: drafts.into_iter().map(|draft| draft.edit).collect(),
            failed,
            passed,
        })
    }
}
