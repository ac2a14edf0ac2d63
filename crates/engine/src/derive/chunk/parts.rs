//! The text of an event as shown in a chunk, with its source span.

use std::ops::Range;

use backstory_language::prompts::own_spans;
use similar::{ChangeTag, TextDiff};

use crate::model::{Event, EvidenceKind, Part, PartKind, edits_from_text, edits_to_text, span_hash};

use super::distinctive::distinctive_lines;

/// Bytes of a tool's output that are kept, from its start and from its end.
#[derive(Clone, Copy)]
pub(super) struct Keep {
    pub head: usize,
    pub tail: usize,
}

/// Commands report their result at the end.
pub(super) const KEEP_COMMAND: Keep = Keep { head: 900, tail: 900 };
/// For "The file was updated": the edit itself has the rest.
pub(super) const FIRST_LINE: usize = 160;
/// Files and listings are in the repository; a short excerpt suffices.
pub(super) const KEEP_LISTING: Keep = Keep { head: 500, tail: 150 };

/// A span of the event, shown as it is or as `shown`.
pub(super) fn part(
    event: &Event,
    kind: PartKind,
    label: Option<&str>,
    span: Range<usize>,
    shown: Option<String>,
) -> Part {
    let cited = &event.text[span.clone()];
    Part {
        kind,
        label: label.map(str::to_owned),
        text: shown.unwrap_or_else(|| cited.to_owned()),
        evidence_kind: EvidenceKind::of_event(event),
        event: event.id,
        start: span.start as u32,
        end: span.end as u32,
        hash: span_hash(cited),
    }
}

/// The parts of a text that somebody said, without the host's reminders and Backstory's own output.
pub(super) fn visible_spans(event: &Event) -> Vec<Range<usize>> {
    let text = &event.text;
    let mut hidden = if event.meta.own_output { own_spans(text) } else { Vec::new() };
    hidden.extend(reminders(text));
    if hidden.is_empty() {
        return trimmed(text, 0..text.len()).into_iter().collect();
    }
    hidden.sort_by_key(|span| span.start);
    let mut visible = Vec::new();
    let mut from = 0;
    for span in hidden {
        if span.start > from {
            visible.extend(trimmed(text, from..span.start));
        }
        from = from.max(span.end);
    }
    visible.extend(trimmed(text, from..text.len()));
    visible
}

fn reminders(text: &str) -> Vec<Range<usize>> {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(OPEN).map(|at| from + at) {
        let Some(close) = text[open..].find(CLOSE).map(|at| open + at + CLOSE.len()) else { break };
        spans.push(open..close);
        from = close;
    }
    spans
}

/// Trimmed; `None` if it is blank.
fn trimmed(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let slice = text.get(span.clone())?;
    let body = slice.trim_end();
    let lead = body.len() - body.trim_start_matches(['\n', '\r', ' ']).len();
    (lead < body.len()).then(|| span.start + lead..span.start + body.len())
}

/// A tool's output: whole if it is short, else head and tail with the cut marked.
pub(super) fn output_parts(event: &Event, label: Option<&str>, keep: Keep) -> Vec<Part> {
    let mut parts = Vec::new();
    for span in visible_spans(event) {
        if span.len() <= keep.head + keep.tail + 200 {
            parts.push(part(event, PartKind::ToolOutput, label, span, None));
            continue;
        }
        let text = &event.text;
        let head_end = line_end_before(text, span.start, span.start + keep.head);
        let tail_start = line_start_after(text, span.end - keep.tail, span.end);
        let cut = &text[head_end..tail_start];
        let lines = cut.matches('\n').count().max(1);
        let marker = format!("… [{lines} lines, {} cut] …\n", bytes_for_people(cut.len()));
        parts.push(part(event, PartKind::ToolOutput, label, span.start..head_end, None));
        for line in distinctive_lines(text, head_end..tail_start) {
            let shown = format!("… {}", &text[line.clone()]);
            parts.push(part(event, PartKind::ToolOutput, label, line, Some(shown)));
        }
        let tail = format!("{marker}{}", &text[tail_start..span.end]);
        parts.push(part(event, PartKind::ToolOutput, label, tail_start..span.end, Some(tail)));
    }
    parts
}

/// Only the first line of an output.
pub(super) fn first_line_part(event: &Event, label: Option<&str>) -> Vec<Part> {
    let first = visible_spans(event).into_iter().next();
    let line = first.map(|span| {
        let limit = event.text.floor_char_boundary(span.end.min(span.start + FIRST_LINE));
        let end = event.text[span.start..limit].find('\n').map_or(limit, |at| span.start + at);
        part(event, PartKind::ToolOutput, label, span.start..end, None)
    });
    line.into_iter().collect()
}

fn line_end_before(text: &str, start: usize, limit: usize) -> usize {
    let limit = text.floor_char_boundary(limit);
    match text[start..limit].rfind('\n') {
        Some(at) if at > 0 => start + at,
        _ => limit,
    }
}

fn line_start_after(text: &str, from: usize, end: usize) -> usize {
    let from = text.ceil_char_boundary(from);
    match text[from..end].find('\n') {
        Some(at) if from + at + 1 < end => from + at + 1,
        _ => from,
    }
}

fn bytes_for_people(bytes: usize) -> String {
    if bytes < 1024 { format!("{bytes} bytes") } else { format!("{} KB", bytes.div_ceil(1024)) }
}

/// Longer edits are too expensive to diff line by line.
const LARGEST_DIFFED_EDIT: usize = 64 << 10;

/// An edit without its unchanged lines.
pub(super) fn changed_lines(text: &str) -> String {
    let edits: Vec<String> = edits_from_text(text).iter().map(|(old, new)| changed(old, new)).collect();
    edits.join("\n@@\n")
}

fn changed(old: &str, new: &str) -> String {
    if old.is_empty() || new.is_empty() || old.len() + new.len() > LARGEST_DIFFED_EDIT {
        return edits_to_text([(old, new)]);
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let diff = TextDiff::from_slices(&old, &new);
    let changes = diff.iter_all_changes().filter_map(|change| match change.tag() {
        ChangeTag::Equal => None,
        ChangeTag::Delete => Some(format!("-{}", change.value())),
        ChangeTag::Insert => Some(format!("+{}", change.value())),
    });
    changes.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_shows_only_what_changed() {
        let text = edits_to_text([("a\nold\nm\nx\nz", "a\nnew\nnewer\nm\ny\nz"), ("", "first")]);
        assert_eq!(changed_lines(&text), "-old\n+new\n+newer\n-x\n+y\n@@\n+first");
        assert_eq!(changed_lines(&edits_to_text([("a\nb", "a")])), "-b");
    }
}
