//! Which tasks did agents note and not do?

use serde_json::Value;

use crate::log::Log;
use crate::model::{Event, EvidenceKind, EvidenceRef, Timestamp, span_hash};
use crate::store::{EpisodeNum, ViewReader};

use super::super::RetrieveError;
use super::later::covers;
use super::{Later, LoopKind, OpenLoop, Run};

/// A list that the agent has not touched for more turns was abandoned.
const FRESH_TURNS: u32 = 3;

/// The state of an agent's list after one call.
pub(super) struct Note {
    turn: u32,
    time: Option<Timestamp>,
    change: Change,
    event: Event,
}

enum Change {
    /// The whole list: text, and whether the task is open.
    List(Vec<(String, bool)>),
    Create(String),
    Update {
        number: String,
        open: Option<bool>,
        text: Option<String>,
    },
}

pub(super) fn notes(log: &mut Log, view: &ViewReader<'_>, num: EpisodeNum) -> Result<Vec<Note>, RetrieveError> {
    let mut notes = Vec::new();
    for row in view.task_notes_of(num)? {
        let Some(event) = log.store().event(row.event)? else { continue };
        if let Some(change) = change(&event) {
            notes.push(Note { turn: row.turn, time: event.time, change, event });
        }
    }
    Ok(notes)
}

fn change(event: &Event) -> Option<Change> {
    let input: Value = match serde_json::from_str(&event.text) {
        Ok(value) => value,
        Err(_) => event.meta.input.clone()?,
    };
    let text = |value: &Value, names: &[&str]| -> Option<String> {
        names.iter().find_map(|name| value.get(name)?.as_str()).map(|text| text.trim().to_owned())
    };
    let is_open = |value: &Value| text(value, &["status"]).map(|status| is_open(&status));
    match event.meta.tool.as_deref()? {
        "TaskCreate" => Some(Change::Create(text(&input, &["subject", "content", "description"])?)),
        "TaskUpdate" => Some(Change::Update {
            number: text(&input, &["taskId", "task_id", "id"])?,
            open: is_open(&input),
            text: text(&input, &["subject"]),
        }),
        _ => {
            let items = input.get("todos").or_else(|| input.get("plan"))?.as_array()?;
            let item = |item: &Value| Some((text(item, &["content", "step", "text"])?, is_open(item)?));
            Some(Change::List(items.iter().filter_map(item).collect()))
        }
    }
}

fn is_open(status: &str) -> bool {
    !matches!(status, "completed" | "done" | "cancelled" | "deleted")
}

/// A task with whether it is open.
struct Task<'a> {
    text: &'a str,
    open: bool,
    /// The note with its text, and the last one that mentions it.
    written: &'a Note,
    last: &'a Note,
}

impl<'a> Task<'a> {
    fn new(text: &'a str, open: bool, note: &'a Note) -> Self {
        Task { text, open, written: note, last: note }
    }
}

/// The final state of the list. Tasks abandoned by a rewind have no effect but keep their number: the host continues
/// counting.
fn state(run: &Run) -> Vec<Task<'_>> {
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for note in &run.notes {
        let kept = run.is_active(note.turn);
        match &note.change {
            // Each list replaces the previous one; the tasks of an emptied, finished list are done.
            Change::List(items) if kept => {
                tasks = items.iter().map(|(text, open)| Task::new(text, *open, note)).collect();
            }
            Change::Create(text) => tasks.push(Task::new(text, kept, note)),
            Change::Update { number, open, text } if kept => {
                let task = number.parse::<usize>().ok().and_then(|number| tasks.get_mut(number.checked_sub(1)?));
                let Some(task) = task else { continue };
                task.open = open.unwrap_or(task.open);
                task.last = note;
                if let Some(text) = text {
                    (task.text, task.written) = (text, note);
                }
            }
            Change::List(_) | Change::Update { .. } => {}
        }
    }
    tasks
}

/// Every text that was ever in a list.
pub(super) fn all_texts(notes: &[Note]) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    for note in notes {
        match &note.change {
            Change::List(items) => texts.extend(items.iter().map(|(text, _)| text.as_str())),
            Change::Create(text) => texts.push(text),
            Change::Update { text, .. } => texts.extend(text.as_deref()),
        }
    }
    texts.sort_unstable();
    texts.dedup();
    texts
}

pub(super) fn of_run(run: &Run, later: &Later<'_>, found: &mut Vec<OpenLoop>) -> Result<(), RetrieveError> {
    if run.continued || is_given_up(run) {
        return Ok(());
    }
    for task in state(run).into_iter().filter(|task| task.open) {
        let wanted = later.doings.terms(task.text);
        // Requested again in this session after the list was written.
        let mut after = run.links.iter().filter(|row| row.turn > task.last.turn);
        let asked_after = after.any(|row| covers(&later.doings.terms(&row.link.intent_text), &wanted));
        let what = without_number(task.text);
        if asked_after || later.take_up(what) || later.speak_of(what, task.last.time)? {
            continue;
        }
        if let Some(evidence) = evidence(task.written, task.text) {
            found.push(run.open(LoopKind::Task, task.text.to_owned(), task.written.time, vec![evidence]));
        }
    }
    Ok(())
}

/// Has the agent ignored its list for long?
fn is_given_up(run: &Run) -> bool {
    let Some(last_turn) = run.last_active_turn() else { return true };
    let looked_at = run.notes.iter().rfind(|note| run.is_active(note.turn)).map_or(0, |note| note.turn);
    last_turn.saturating_sub(looked_at) > FRESH_TURNS
}

/// "Task 7: paint the door" is about the door.
fn without_number(text: &str) -> &str {
    let (head, rest) = text.split_once(':').unwrap_or(("", text));
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let words: Vec<&str> = head.split_whitespace().collect();
    if matches!(words.as_slice(), [_, number] if is_number(number)) { rest.trim() } else { text }
}

/// The position of the task in the call's text; the whole call if the text is escaped there.
fn evidence(note: &Note, text: &str) -> Option<EvidenceRef> {
    let whole = &note.event.text;
    let (start, end) = whole.find(text).map_or((0, whole.len()), |at| (at, at + text.len()));
    let hash = span_hash(whole.get(start..end)?);
    let kind = EvidenceKind::of_event(&note.event);
    Some(EvidenceRef { kind, id: note.event.id.0, start: start as u32, end: end as u32, hash })
}
