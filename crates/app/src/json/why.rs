//! The JSON of why.

use std::ops::RangeInclusive;

use backstory_cause::relevance::WrittenBy;
use backstory_engine::ingest::{Blamed, Commit};
use backstory_engine::model::Card;
use backstory_engine::retrieve::{
    CardHere, CaseBehind, CheckPassed, CommitCall, CommitPart, CommitStory, Decision, FailureHere, FileRange,
    FileStory, FileWork, Guess, GuessGround, LineStory, LinesOf, LocationStory, MovedLines, Prompt, Quote, SessionEdit,
};
use serde_json::{Value, json};

use super::answers::citation;
use super::time;
use crate::untrusted;

/// A caller or user of a place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    pub name: String,
    pub path: String,
    pub line: u32,
}

/// The answer about one or more lines.
pub struct LineAnswer<'a> {
    pub path: &'a str,
    /// All lines with this story.
    pub lines: &'a [usize],
    /// The text of the first of them.
    pub text: &'a str,
    pub blamed: Option<&'a Blamed>,
    /// The commit that first had the line, if a later one only moved it.
    pub first_had: Option<&'a Blamed>,
    pub in_repository: bool,
    pub story: &'a LineStory,
    pub dependents: &'a [Dependent],
}

pub fn line_story(answer: &LineAnswer<'_>) -> Value {
    let story = answer.story;
    let all = |edits: &[SessionEdit]| edits.iter().map(written).collect::<Vec<_>>();
    json!({
        "path": answer.path,
        "line": answer.lines.first(),
        "text": answer.text,
        "commit": answer.blamed.map(blamed),
        "first_commit": answer.first_had.map(blamed),
        "proof": story.proof,
        "considered": story.considered,
        "guesses": story.guesses.iter().map(guess).collect::<Vec<_>>(),
        "written": story.written.as_ref().map(written),
        "before": all(&story.before),
        "refused": all(&story.refused),
        "failed_attempts": all(&story.failed_attempts),
        "later": all(&story.later),
        "failed": story.failed.as_ref().map(ran),
        "passed": story.passed.as_ref().map(ran),
        "cards": story.cards.iter().map(card_here).collect::<Vec<_>>(),
        "failures": story.failures.iter().map(failure_here).collect::<Vec<_>>(),
        "dependents": answer.dependents.iter().map(dependent).collect::<Vec<_>>(),
    })
}

/// Adjacent lines: one story for all lines of an edit.
pub fn line_stories(path: &str, range: &RangeInclusive<usize>, stories: &[LineAnswer<'_>]) -> Value {
    let story = |answer: &LineAnswer<'_>| {
        let mut story = line_story(answer);
        story["lines"] = json!(answer.lines);
        story
    };
    json!({
        "path": path,
        "first_line": range.start(),
        "last_line": range.end(),
        "stories": stories.iter().map(story).collect::<Vec<_>>(),
    })
}

/// All lines of a file: each range with its work.
pub fn file_story(path: &str, lines: usize, story: &FileStory) -> Value {
    let range = |range: &FileRange| {
        let work = range.work.and_then(|work| story.works.get(work));
        json!({
            "first_line": range.first,
            "last_line": range.last,
            "proof": range.proof,
            "work": range.work,
            "case": work.and_then(|work| work.written.reason.as_ref()).map(|reason| reason.case),
            "session": work.map(|work| &work.written.session),
        })
    };
    let work = |work: &FileWork| {
        let written = &work.written;
        json!({
            "session": written.session,
            "time": time(written.time),
            "edit": written.event,
            "record": written.record,
            "edits": work.edits,
            "lines": work.lines,
            "prompt": written.prompt.as_ref().map(prompt),
            "case": written.reason.as_ref().map(reason),
        })
    };
    json!({
        "path": path,
        "lines": lines,
        "telling": story.telling,
        "proven": story.proven,
        "considered": story.considered,
        "ranges": story.ranges.iter().map(range).collect::<Vec<_>>(),
        "works": story.works.iter().map(work).collect::<Vec<_>>(),
    })
}

fn guess(guess: &Guess) -> Value {
    let (ground, lines) = match guess.ground {
        GuessGround::Committed => ("committed", None),
        GuessGround::WroteAround(lines) => ("wrote_around", Some(lines)),
        GuessGround::EditedLast => ("edited_last", None),
    };
    json!({
        "session": guess.session,
        "time": time(guess.time),
        "ground": ground,
        "lines_around": lines,
        "prompt": guess.prompt.as_ref().map(prompt),
        "case": guess.reason.as_ref().map(reason),
    })
}

fn reason(reason: &CaseBehind) -> Value {
    let findings = reason.findings.iter().map(|(role, said)| {
        let mut told = quote(said);
        told["role"] = json!(role);
        told
    });
    json!({
        "id": reason.case,
        "session": reason.session,
        "turns": reason.turns,
        "asked": quote(&reason.asked),
        "accepted": reason.accepted.iter().map(quote).collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn quote(quote: &Quote) -> Value {
    json!({"text": quote.text, "time": time(quote.time), "evidence": citation(&quote.evidence)})
}

fn blamed(blamed: &Blamed) -> Value {
    json!({
        "id": blamed.commit,
        "subject": blamed.subject,
        "time": time(Some(blamed.time)),
        "path": blamed.path,
        "boundary": blamed.is_boundary,
    })
}

pub fn place_story(id: &str, story: &LocationStory) -> Value {
    let decision = |decision: &Decision| {
        let mut told = with_lines(written(&decision.written), decision.lines);
        told["edits"] = json!(decision.edits);
        told
    };
    json!({
        "place": id,
        "telling_lines": story.distinctive,
        "decisions": story.decisions.iter().map(decision).collect::<Vec<_>>(),
        "failures": story.failures.iter().map(failure_here).collect::<Vec<_>>(),
        "cards": story.cards.iter().map(card_here).collect::<Vec<_>>(),
    })
}

fn card_here(here: &CardHere) -> Value {
    json!({
        "id": here.card.id,
        "kind": here.card.kind,
        "status": here.card.status,
        "statement": here.card.statement,
        "written_by": written_by(&here.card),
        "names": here.names,
        "doubt": here.doubt,
        "evidence": here.card.evidence.iter().map(citation).collect::<Vec<_>>(),
    })
}

fn written_by(card: &Card) -> WrittenBy {
    if untrusted::is_foreign(card) { WrittenBy::Others } else { WrittenBy::Person }
}

fn failure_here(here: &FailureHere) -> Value {
    let resolution = here.failure.resolution.as_ref();
    json!({
        "session": here.session,
        "relation": here.relation,
        "diagnostic": here.failure.text,
        "rule": here.failure.rule,
        "command": here.failure.command,
        "time": time(here.failure.time),
        "resolved": resolution.map(|resolution| time(resolution.time)),
        "failed": citation(&here.failure.failed),
        "passed": resolution.map(|resolution| citation(&resolution.passed)),
    })
}

fn dependent(dependent: &Dependent) -> Value {
    json!({"name": dependent.name, "path": dependent.path, "line": dependent.line})
}

pub fn commit_story(commit: &Commit, story: &CommitStory) -> Value {
    let files: Vec<Value> = commit
        .files
        .iter()
        .map(|file| json!({"path": file.path, "was": file.was, "added": file.added, "removed": file.removed}))
        .collect();
    json!({
        "commit": {
            "id": commit.id,
            "subject": commit.subject,
            "body": commit.body,
            "author": commit.author,
            "authored": time(Some(commit.authored)),
            "committed": time(Some(commit.committed)),
            "parents": commit.parents,
            "files": files,
        },
        "lines": {
            "added": story.added,
            "telling": story.distinctive,
            "looked_for": story.looked_for,
            "proven": story.proven,
            "removed": story.removed,
            "looked_for_removed": story.looked_for_removed,
        },
        "made": story.made.as_ref().map(made),
        "parts": story.parts.iter().map(part).collect::<Vec<_>>(),
        "moved": story.moved.iter().map(moved).collect::<Vec<_>>(),
        "removed_of": story.removed_of.iter().map(part).collect::<Vec<_>>(),
        "removed_by": story.removed_by.iter().map(part).collect::<Vec<_>>(),
        "refused": story.refused.iter().map(written).collect::<Vec<_>>(),
        "later": story.later.iter().map(|edit| with_lines(written(&edit.written), edit.lines)).collect::<Vec<_>>(),
        "more_later": story.more_later,
        "unproven": lines_of(&story.unproven),
    })
}

fn made(made: &CommitCall) -> Value {
    json!({
        "session": made.session,
        "source": made.source,
        "agent": made.agent,
        "project": made.project,
        "time": time(made.time),
        "command": made.command,
        "event": made.event,
        "record": made.record,
        "call": made.call,
        "evidence": citation(&made.evidence),
        "prompt": made.prompt.as_ref().map(prompt),
        "case": made.reason.as_ref().map(reason),
    })
}

/// The prompt is listed once, not with each edit.
fn part(part: &CommitPart) -> Value {
    json!({
        "session": part.session,
        "prompt": part.prompt.as_ref().map(prompt),
        "case": part.reason.as_ref().map(reason),
        "lines": part.lines,
        "files": lines_of(&part.files),
        "failed": part.failed.as_ref().map(ran),
        "passed": part.passed.as_ref().map(ran),
        "edits": part.edits.iter().map(|it| with_lines(edit(&it.written), it.lines)).collect::<Vec<_>>(),
    })
}

fn moved(moved: &MovedLines) -> Value {
    json!({"path": moved.path, "from": moved.from, "lines": moved.lines})
}

fn lines_of(files: &[LinesOf]) -> Vec<Value> {
    files.iter().map(|file| json!({"path": file.path, "lines": file.lines})).collect()
}

fn with_lines(mut edit: Value, lines: usize) -> Value {
    edit["lines"] = json!(lines);
    edit
}

fn written(written: &SessionEdit) -> Value {
    let mut told = edit(written);
    told["prompt"] = json!(written.prompt.as_ref().map(prompt));
    told["case"] = json!(written.reason.as_ref().map(reason));
    told
}

fn edit(edit: &SessionEdit) -> Value {
    json!({
        "session": edit.session,
        "source": edit.source,
        "agent": edit.agent,
        "project": edit.project,
        "time": time(edit.time),
        "path": edit.path,
        "event": edit.event,
        "record": edit.record,
        "call": edit.call,
        "evidence": citation(&edit.evidence),
        "removed": edit.removed,
        "added": edit.added,
    })
}

fn prompt(prompt: &Prompt) -> Value {
    json!({
        "session": prompt.session,
        "event": prompt.event,
        "record": prompt.record,
        "time": time(prompt.time),
        "text": prompt.text,
        "evidence": citation(&prompt.evidence),
    })
}

fn ran(ran: &CheckPassed) -> Value {
    json!({ "command": ran.command, "time": time(ran.time), "evidence": citation(&ran.evidence) })
}
