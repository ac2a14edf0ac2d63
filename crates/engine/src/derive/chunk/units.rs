//! Which parts of a turn belong together: a prompt, a paragraph, a call with its result?

use std::collections::HashMap;

use backstory_language::text::clip;

use crate::model::{
    Class, CommandRun, Event, EventKind, Exit, Part, PartKind, Timestamp, edits_file, estimate_tokens,
    is_only_own_output, is_shell,
};

use super::parts::{
    KEEP_COMMAND, KEEP_LISTING, Keep, changed_lines, first_line_part, output_parts, part, visible_spans,
};
use super::split::split;

/// Larger texts are split; about 350 tokens.
const LARGEST_UNIT_PIECE: usize = 1_260;
/// Tools whose text is worth keeping whole.
const WORDY: [&str; 5] = ["Task", "Agent", "SendMessage", "ExitPlanMode", "apply_patch"];
/// The label of messages that were queued while the agent worked; other prompts have the speaker's
/// name as label.
pub const QUEUED: &str = "queued";
const SHOWN_COMMAND: usize = 300;
const SHOWN_INPUT: usize = 600;

/// Parts that must stay in one chunk.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub parts: Vec<Part>,
    pub tokens: u32,
    pub seqs: Vec<u32>,
    pub times: Vec<Timestamp>,
    pub files: Vec<String>,
    pub commands: Vec<CommandRun>,
    /// A sub-agent worked between the call and this result, so they are separate units.
    pub after_spawn: bool,
}

impl Unit {
    fn of(event: &Event, parts: Vec<Part>) -> Self {
        let shown = parts.iter().filter(|part| part.kind != PartKind::Thinking);
        let tokens = shown.map(|part| estimate_tokens(&part.text)).sum();
        Unit { parts, tokens, seqs: vec![event.seq], times: event.time.into_iter().collect(), ..Unit::default() }
    }

    fn absorb(&mut self, other: Unit) {
        self.tokens += other.tokens;
        self.parts.extend(other.parts);
        self.seqs.extend(other.seqs);
        self.times.extend(other.times);
    }
}

/// The units of a turn, in the order things happened. `next` is what the next
/// turn begins with, if there is one.
pub(super) fn of_turn(events: &[Event], next: Option<&Event>) -> Vec<Unit> {
    let outputs: HashMap<&str, usize> = events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.kind == EventKind::ToolOutput && !event.forgotten)
        .filter_map(|(index, event)| Some((event.meta.tool_use_id.as_deref()?, index)))
        .collect();
    let mut calls: HashMap<&str, &Event> = HashMap::new();
    let mut units = Vec::new();
    for (index, event) in events.iter().enumerate().filter(|(_, event)| !event.forgotten) {
        if is_delivered_later(event, events[index + 1..].iter().chain(next)) {
            continue;
        }
        match event.kind {
            EventKind::ToolCall => {
                let id = event.meta.tool_use_id.as_deref();
                let output = id.and_then(|id| outputs.get(id)).map(|index| &events[*index]);
                if let Some(id) = id {
                    calls.insert(id, event);
                }
                units.extend(call_units(event, output.filter(|_| !is_spawn(event))));
            }
            EventKind::ToolOutput => {
                let call = event.meta.tool_use_id.as_deref().and_then(|id| calls.get(id));
                match call {
                    Some(call) if !is_spawn(call) => {}
                    Some(call) => units.push(Unit { after_spawn: true, ..report_unit(event, call) }),
                    None => units.push(output_unit(event, None)),
                }
            }
            EventKind::Thinking => units.push(Unit::of(event, text_parts(event, PartKind::Thinking, None))),
            EventKind::Assistant => units.extend(text_units(event, PartKind::Assistant, None)),
            EventKind::User => units.extend(user_units(event)),
            EventKind::System | EventKind::Note => units.extend(note_unit(event)),
            EventKind::Exposure | EventKind::Outcome | EventKind::Judgement | EventKind::Retrieval => {}
        }
    }
    units.retain(|unit| !unit.parts.is_empty());
    units.dedup_by(|next, unit| is_same_note(unit, next));
    units
}

/// Hosts may repeat a note many times in a row.
fn is_same_note(a: &Unit, b: &Unit) -> bool {
    match (a.parts.as_slice(), b.parts.as_slice()) {
        ([a], [b]) => a.kind == PartKind::Note && b.kind == PartKind::Note && a.text == b.text,
        _ => false,
    }
}

pub(super) fn is_spawn(call: &Event) -> bool {
    matches!(call.meta.tool.as_deref(), Some("Task" | "Agent"))
}

fn user_units(event: &Event) -> Vec<Unit> {
    let label = match event.meta.class {
        Some(Class::Line) => event.meta.speaker.as_deref(),
        Some(Class::Teammate) => event.meta.from.as_deref(),
        Some(Class::Queued) => Some(QUEUED),
        _ => None,
    };
    text_units(event, PartKind::User, label)
}

/// A host's note: only events that affect the turn.
fn note_unit(event: &Event) -> Option<Unit> {
    let shown = match event.meta.class? {
        Class::Interruption => "interrupted by the user".to_owned(),
        Class::CompactionBoundary | Class::Link => event.text.clone(),
        Class::ApiError | Class::LocalCommand | Class::Notification => clip(&event.text, SHOWN_INPUT),
        _ => return None,
    };
    let whole = 0..event.text.len();
    let shown = if event.meta.class == Some(Class::Notification) { notification(&event.text) } else { shown };
    Some(Unit::of(event, vec![part(event, PartKind::Note, None, whole, Some(shown))]))
}

/// The result itself is in the sub-agent's own run.
fn notification(text: &str) -> String {
    let tag = |name: &str| {
        let from = text.find(&format!("<{name}>"))? + name.len() + 2;
        let length = text[from..].find(&format!("</{name}>"))?;
        Some(text[from..from + length].trim().to_owned())
    };
    let summary = tag("summary").unwrap_or_else(|| format!("task {}", tag("task-id").unwrap_or_default()));
    let status = tag("status").map(|status| format!(" ({status})")).unwrap_or_default();
    format!("notification: {}{status}", clip(&summary, SHOWN_INPUT))
}

fn text_parts(event: &Event, kind: PartKind, label: Option<&str>) -> Vec<Part> {
    visible_spans(event).into_iter().map(|span| part(event, kind, label, span, None)).collect()
}

/// Long text becomes several units.
fn text_units(event: &Event, kind: PartKind, label: Option<&str>) -> Vec<Unit> {
    let mut units = Vec::new();
    for span in visible_spans(event) {
        for piece in split(&event.text[span.clone()], LARGEST_UNIT_PIECE) {
            let piece = span.start + piece.start..span.start + piece.end;
            if !event.text[piece.clone()].trim().is_empty() {
                units.push(Unit::of(event, vec![part(event, kind, label, piece, None)]));
            }
        }
    }
    units
}

/// The call, cut if it is long, with its result at its last piece.
fn call_units(call: &Event, output: Option<&Event>) -> Vec<Unit> {
    let tool = call.meta.tool.as_deref();
    let mut units: Vec<Unit> = call_parts(call).into_iter().map(|part| Unit::of(call, vec![part])).collect();
    if units.is_empty() {
        units.push(Unit::of(call, vec![part(call, PartKind::ToolCall, tool, 0..call.text.len(), None)]));
    }
    for unit in &mut units {
        unit.files.clone_from(&call.meta.files);
    }
    if let Some(last) = units.last_mut() {
        if is_shell(call) {
            let (exit, code) = output.map_or((None, None), |output| (output.meta.exit, output.meta.exit_code));
            last.commands.push(CommandRun { command: clip(&call.text, SHOWN_COMMAND), exit, code });
        }
        if let Some(output) = output {
            let is_own = is_only_own_output(call, output);
            last.absorb(if is_own { Unit::of(output, Vec::new()) } else { output_unit(output, tool) });
        }
    }
    units
}

fn output_unit(output: &Event, tool: Option<&str>) -> Unit {
    let tells_little = tool.is_some_and(|tool| tool == "TodoWrite" || edits_file(tool));
    let mut parts = if tells_little && output.meta.exit == Some(Exit::Ok) {
        first_line_part(output, None)
    } else {
        output_parts(output, exit_label(output), keep_for(tool, output))
    };
    if parts.is_empty() && output.meta.exit.is_some_and(|exit| exit != Exit::Ok) {
        let whole = 0..output.text.len();
        let shown = Some("(no output)".to_owned());
        parts.push(part(output, PartKind::ToolOutput, exit_label(output), whole, shown));
    }
    Unit::of(output, parts)
}

/// A report is separate from its call, so it names the agent.
fn report_unit(output: &Event, call: &Event) -> Unit {
    let mut unit = output_unit(output, call.meta.tool.as_deref());
    let header = call_header(call);
    let whose = header.trim_start_matches("to ").trim_end_matches(": ");
    for part in &mut unit.parts {
        part.label = Some(match part.label.take() {
            Some(exit) => format!("{exit}, from {whose}"),
            None => format!("from {whose}"),
        });
    }
    unit
}

/// A queued message is kept where it was delivered, if that follows.
pub fn is_delivered_later<'a>(event: &Event, mut later: impl Iterator<Item = &'a Event>) -> bool {
    let waits = matches!(event.meta.class, Some(Class::Queued | Class::Notification));
    waits && later.any(|other| other.meta.class != Some(Class::Queued) && other.text.trim() == event.text.trim())
}

fn exit_label(output: &Event) -> Option<&'static str> {
    output.meta.exit.filter(|exit| *exit != Exit::Ok).map(Exit::name)
}

fn keep_for(tool: Option<&str>, output: &Event) -> Keep {
    match tool {
        Some("Read" | "Glob" | "Grep" | "LS" | "WebFetch" | "WebSearch") if output.meta.exit == Some(Exit::Ok) => {
            KEEP_LISTING
        }
        _ => KEEP_COMMAND,
    }
}

fn call_parts(call: &Event) -> Vec<Part> {
    let tool = call.meta.tool.as_deref();
    let whole = 0..call.text.len();
    match tool {
        Some(name) if edits_file(name) => edit_parts(call),
        Some(name) if is_shell(call) || WORDY.contains(&name) => {
            let header = call_header(call);
            let pieces = split(&call.text, LARGEST_UNIT_PIECE);
            pieces
                .into_iter()
                .enumerate()
                .map(|(index, piece)| {
                    let shown = (index == 0).then(|| format!("{header}{}", &call.text[piece.clone()]));
                    part(call, PartKind::ToolCall, tool, piece, shown)
                })
                .collect()
        }
        Some("AskUserQuestion") => vec![part(call, PartKind::ToolCall, tool, whole, Some(questions(&call.text)))],
        Some("TodoWrite") => vec![part(call, PartKind::ToolCall, tool, whole, Some(todo_list(&call.text)))],
        _ => {
            let shown = format!("{}{}", clip(&call.text, SHOWN_INPUT), call_footer(call));
            vec![part(call, PartKind::ToolCall, tool, whole, Some(shown))]
        }
    }
}

/// The recipient of a call.
fn call_header(call: &Event) -> String {
    let field =
        |name: &str| call.meta.input.as_ref().and_then(|input| input.get(name)).and_then(|value| value.as_str());
    match call.meta.tool.as_deref() {
        Some("Task" | "Agent") => {
            let who = call.meta.to.as_deref().or_else(|| field("subagent_type")).unwrap_or("agent");
            let what = field("description").map(|what| format!(" ({what})")).unwrap_or_default();
            format!("to {who}{what}: ")
        }
        Some("SendMessage") => format!("to {}: ", call.meta.to.as_deref().unwrap_or("?")),
        _ => String::new(),
    }
}

/// The location of a search.
fn call_footer(call: &Event) -> String {
    let place = call.meta.input.as_ref().and_then(|input| input.get("path").or_else(|| input.get("glob")));
    place.and_then(|place| place.as_str()).map(|place| format!(" in {place}")).unwrap_or_default()
}

/// Path and changes; a long edit becomes several pieces.
fn edit_parts(call: &Event) -> Vec<Part> {
    let tool = call.meta.tool.as_deref();
    let path = call.meta.files.first().map_or("", String::as_str);
    let changed = changed_lines(&call.text);
    split(&changed, LARGEST_UNIT_PIECE)
        .into_iter()
        .map(|piece| {
            let shown = format!("{path}\n{}", changed[piece].trim_end_matches('\n'));
            part(call, PartKind::ToolCall, tool, 0..call.text.len(), Some(shown))
        })
        .collect()
}

/// The agent's questions, with the offered answers.
fn questions(input: &str) -> String {
    let Ok(input) = serde_json::from_str::<serde_json::Value>(input) else { return clip(input, SHOWN_INPUT) };
    let Some(questions) = input.get("questions").and_then(|questions| questions.as_array()) else {
        return clip(&input.to_string(), SHOWN_INPUT);
    };
    let line = |question: &serde_json::Value| {
        let options = question.get("options").and_then(|options| options.as_array());
        let labels: Vec<&str> =
            options.into_iter().flatten().filter_map(|option| option.get("label")?.as_str()).collect();
        Some(format!("{} [{}]", question.get("question")?.as_str()?, labels.join(" | ")))
    };
    questions.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn todo_list(input: &str) -> String {
    let Ok(input) = serde_json::from_str::<serde_json::Value>(input) else { return clip(input, SHOWN_INPUT) };
    let Some(todos) = input.get("todos").and_then(|todos| todos.as_array()) else {
        return clip(&input.to_string(), SHOWN_INPUT);
    };
    let line = |todo: &serde_json::Value| {
        let text = todo.get("content")?.as_str()?;
        let mark = match todo.get("status").and_then(|status| status.as_str()) {
            Some("completed") => "x",
            Some("in_progress") => ">",
            _ => " ",
        };
        Some(format!("[{mark}] {text}"))
    };
    todos.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}
