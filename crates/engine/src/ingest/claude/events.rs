//! The events of one record: one per content block.

use backstory_language::prompts::own_spans;
use serde_json::value::RawValue;

use crate::model::{Class, Digest, EventDraft, EventKind, Exit, Meta, Timestamp, digest_of};

use super::super::reading::{Reading, ReadingSlot};
use super::classify::{PromptPiece, TextMark, classify};
use super::record::{self, ClaudeRecord, Content, ContentBlock, ToolUseResult};
use super::tools::{self, ResultMark};

pub(super) fn user_events(record: &ClaudeRecord<'_>, meta: &Meta, slot: ReadingSlot, out: &mut Reading) -> bool {
    let before = out.events.len();
    match &record.message.0.content {
        Content::None => {}
        Content::Text(text) => user_text(record, meta, 0, text, slot, out),
        Content::Blocks(blocks) => {
            let mut images = 0;
            for (index, block) in blocks.iter().enumerate() {
                match block.kind.get() {
                    Some("tool_result") => tool_output(record, meta, block, slot, out),
                    Some("text") => user_text(record, meta, index, block.text.get().unwrap_or(""), slot, out),
                    Some("image" | "document") => images += 1,
                    _ => {}
                }
            }
            if images > 0 {
                mark_images(record, meta, images, before, slot, out);
            }
        }
    }
    out.events.len() > before
}

/// Images cannot be searched; a marker makes their presence searchable.
fn mark_images(
    record: &ClaudeRecord<'_>,
    meta: &Meta,
    images: usize,
    before: usize,
    slot: ReadingSlot,
    out: &mut Reading,
) {
    let marker = if images == 1 { "[image]".to_owned() } else { format!("[{images} images]") };
    let prompt = out.events[before..].iter_mut().find(|(_, event)| event.meta.class == Some(Class::Prompt));
    match prompt {
        Some((_, event)) => {
            event.text.push('\n');
            event.text.push_str(&marker);
        }
        None => {
            let piece = PromptPiece { kind: EventKind::User, class: Class::Prompt, text: marker, from: None };
            push_piece(record, meta, usize::from(u8::MAX), piece, slot, out);
        }
    }
}

fn user_text(record: &ClaudeRecord<'_>, meta: &Meta, block: usize, text: &str, slot: ReadingSlot, out: &mut Reading) {
    let carries_result = record.tool_use_result.present || record.source_tool_assistant.get().is_some();
    for (index, mut piece) in classify(text, TextMark::of(record)).into_iter().enumerate() {
        // Text beside a tool's result is a remark of the host.
        if carries_result && piece.class == Class::Prompt {
            (piece.kind, piece.class) = (EventKind::System, Class::Injected);
        }
        push_piece(record, meta, block * 16 + index, piece, slot, out);
    }
}

pub(super) fn push_piece(
    record: &ClaudeRecord<'_>,
    meta: &Meta,
    index: usize,
    piece: PromptPiece,
    slot: ReadingSlot,
    out: &mut Reading,
) {
    let spawned = (piece.class == Class::Notification).then(|| piece.from.clone()).flatten();
    let from = if spawned.is_some() { None } else { piece.from };
    let meta = Meta {
        class: Some(piece.class),
        from,
        spawned,
        own_output: !own_spans(&piece.text).is_empty(),
        ..meta.clone()
    };
    let key = said_key(record, &(index as u32).to_le_bytes());
    out.event(slot, EventDraft { key, kind: piece.kind, time: time_of(record), text: piece.text, meta });
}

fn tool_output(record: &ClaudeRecord<'_>, meta: &Meta, block: &ContentBlock<'_>, slot: ReadingSlot, out: &mut Reading) {
    let result = &record.tool_use_result;
    let text = content_text(&block.content).unwrap_or_default();
    let mark = match (result.fields.interrupted.0, block.is_error.0) {
        (true, _) => ResultMark::Interrupted,
        (false, true) => ResultMark::Error,
        (false, false) => ResultMark::None,
    };
    let (exit, exit_code) = tools::exit_of(&text, mark);
    let exit_code = exit_code.or_else(|| result.text.as_deref().and_then(tools::exit_code));
    let spawned = result.fields.agent_id.owned().or_else(|| tools::agent_id_in(&text));
    let meta = Meta {
        record: meta.record.clone(),
        parent: meta.parent.clone(),
        after: meta.after.clone(),
        agent: meta.agent.clone(),
        team: meta.team.clone(),
        spawned_by: meta.spawned_by.clone(),
        tool_use_id: block.tool_use_id.owned(),
        exit: Some(exit),
        exit_code,
        spawned,
        to: result.fields.name.owned(),
        hunks: if exit == Exit::Ok { hunks_of(result) } else { Vec::new() },
        own_output: !own_spans(&text).is_empty(),
        ..Meta::default()
    };
    // A replayed session writes the same result under a new record id.
    let key = match block.tool_use_id.get() {
        Some(id) => digest_of("claude-result", &[id.as_bytes()]),
        None => event_key(record, b"result"),
    };
    out.event(slot, EventDraft { key, kind: EventKind::ToolOutput, time: time_of(record), text, meta });
}

fn hunks_of(result: &ToolUseResult<'_>) -> Vec<[u32; 4]> {
    let number = |number: &record::Lenient<record::Number>| number.0.map_or(0, |number| number.0 as u32);
    let hunks = result.fields.structured_patch.0.iter().flatten().filter_map(|hunk| hunk.0.as_ref());
    hunks
        .map(|hunk| {
            [number(&hunk.old_start), number(&hunk.old_lines), number(&hunk.new_start), number(&hunk.new_lines)]
        })
        .collect()
}

pub(super) fn assistant_events(record: &ClaudeRecord<'_>, meta: &Meta, slot: ReadingSlot, out: &mut Reading) -> bool {
    let before = out.events.len();
    let message = &record.message.0;
    let meta = Meta { message: message.id.owned(), model: message.model.owned(), ..meta.clone() };
    match &message.content {
        Content::None => {}
        Content::Text(text) => agent_text(record, &meta, EventKind::Assistant, text, slot, out),
        Content::Blocks(blocks) => {
            for block in blocks {
                match block.kind.get() {
                    Some("text") => {
                        agent_text(record, &meta, EventKind::Assistant, block.text.get().unwrap_or(""), slot, out);
                    }
                    Some("thinking") => {
                        agent_text(record, &meta, EventKind::Thinking, block.thinking.get().unwrap_or(""), slot, out);
                    }
                    Some("tool_use" | "server_tool_use") => tool_call(record, &meta, block, slot, out),
                    _ => {}
                }
            }
        }
    }
    out.events.len() > before
}

fn agent_text(
    record: &ClaudeRecord<'_>,
    meta: &Meta,
    kind: EventKind,
    text: &str,
    slot: ReadingSlot,
    out: &mut Reading,
) {
    if text.trim().is_empty() {
        return;
    }
    let class = record.is_api_error_message.0.then_some(Class::ApiError);
    let meta = Meta { class, own_output: !own_spans(text).is_empty(), ..meta.clone() };
    let key = message_key(record, b"");
    out.event(slot, EventDraft { key, kind, time: time_of(record), text: text.to_owned(), meta });
}

fn tool_call(record: &ClaudeRecord<'_>, meta: &Meta, block: &ContentBlock<'_>, slot: ReadingSlot, out: &mut Reading) {
    let tool = block.name.get().unwrap_or("unknown");
    let call = tools::call_text(tool, block.input.map(RawValue::get));
    let meta = Meta {
        tool: Some(tool.to_owned()),
        tool_use_id: block.id.owned(),
        input: call.rest,
        files: call.files,
        to: call.to,
        team: call.team.or_else(|| meta.team.clone()),
        ..meta.clone()
    };
    let key = match block.id.get() {
        Some(id) => digest_of("claude-call", &[id.as_bytes()]),
        None => message_key(record, tool.as_bytes()),
    };
    out.event(slot, EventDraft { key, kind: EventKind::ToolCall, time: time_of(record), text: call.text, meta });
}

/// A message keeps its key when a resume repeats it.
fn message_key(record: &ClaudeRecord<'_>, part: &[u8]) -> Digest {
    match record.message.0.id.get() {
        Some(id) => digest_of("claude-message", &[id.as_bytes(), part]),
        None => event_key(record, part),
    }
}

/// A resume or fork writes the same words under a new record id but with their old time. The record
/// id decides for sub-agents, because several may get the same words at the same time. The block's
/// number does not count: a replay omits the editor's text before the words.
fn said_key(record: &ClaudeRecord<'_>, part: &[u8]) -> Digest {
    match record.timestamp.get() {
        Some(time)
            if !record.is_sidechain.0 && record.agent_id.get().is_none() && record.parent_tool_use.get().is_none() =>
        {
            digest_of("claude-said", &[time.as_bytes()])
        }
        _ => event_key(record, part),
    }
}

fn event_key(record: &ClaudeRecord<'_>, part: &[u8]) -> Digest {
    match record.uuid.get() {
        Some(uuid) => digest_of("claude-record", &[uuid.as_bytes(), part]),
        None => {
            let session = record.session_id.get().unwrap_or("");
            let stamp = record.timestamp.get().unwrap_or("");
            digest_of("claude-bare", &[session.as_bytes(), stamp.as_bytes(), part])
        }
    }
}

pub(super) fn record_key(uuid: &str) -> Digest {
    Digest::of_record(uuid)
}

pub(super) fn time_of(record: &ClaudeRecord<'_>) -> Option<Timestamp> {
    record.timestamp.get().and_then(Timestamp::parse)
}

/// The text of a content, with markers for images.
pub(super) fn content_text(content: &Content<'_>) -> Option<String> {
    match content {
        Content::None => None,
        Content::Text(text) => Some(text.clone().into_owned()),
        Content::Blocks(blocks) => {
            let parts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| match block.kind.get() {
                    Some("image" | "document") => Some("[image]"),
                    _ => block.text.get(),
                })
                .collect();
            Some(parts.join("\n"))
        }
    }
}
