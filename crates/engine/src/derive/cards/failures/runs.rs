//! Which commands were run and which files edited in a turn?

use backstory_language::commands::line::{self as command, CommandLine};
use backstory_language::diagnostics::{Diagnostic, DiagnosticKind};
use backstory_language::diagnostics::{fingerprint, output as diagnostics};
use backstory_language::prompts::blank_own;

use crate::derive::links::agent::prints_failed_tests;
use crate::model::{
    CheckRun, EditMade, Event, EvidenceKind, EvidenceRef, Exit, agent_steps, changed_lines, edits_from_text, is_shell,
    span_hash, writes_files,
};

/// The number of lines of an edit's old text that are stored.
const MOST_LINES: usize = 40;
/// Bytes of a passing output that are cited.
const LONGEST_SHOWN: usize = 160;

/// The runs and edits of one turn, in order.
#[derive(Debug, Default, PartialEq)]
pub struct OfTurn {
    pub runs: Vec<CheckRun>,
    pub edits: Vec<EditMade>,
}

pub fn of_turn(turn: u32, events: &[Event]) -> OfTurn {
    let mut out = OfTurn::default();
    for step in agent_steps(events) {
        let Some(output) = step.output.filter(|output| !output.forgotten) else { continue };
        if is_shell(step.event) {
            out.runs.extend(run(turn, step.event, output));
        } else if step.event.meta.tool.as_deref().is_some_and(writes_files) && output.meta.exit != Some(Exit::Failed) {
            out.edits.extend(edit(turn, step.event));
        }
    }
    out
}

fn run(turn: u32, call: &Event, output: &Event) -> Option<CheckRun> {
    let line = command::read(&call.text);
    let exit = output.meta.exit?;
    // A start in the background proves nothing.
    let is_started = output.text.starts_with("Command running in background");
    if matches!(exit, Exit::Rejected | Exit::Interrupted) || is_started {
        return None;
    }
    let is_check = !line.checks.is_empty();
    // Backstory's own output is not a diagnostic.
    let text = blank_own(&output.text);
    let diagnostics = match (is_check, exit) {
        // Whether an unknown command passes cannot be determined.
        _ if !is_check && line.helpers.is_empty() => Vec::new(),
        (_, Exit::Failed) => diagnostics::of_failure(&text),
        (true, _) => diagnostics::read(&text),
        (false, _) => Vec::new(),
    };
    let passed = exit == Exit::Ok && !(is_check && hides_failure(&line, &text, &diagnostics));
    let commands = if is_check { line.checks } else { line.helpers };
    if commands.is_empty() && line.before.is_empty() {
        return None;
    }
    Some(CheckRun {
        turn,
        seq: output.seq,
        commands,
        forms: line.forms,
        before: line.before,
        is_check,
        passed,
        is_cut: line.is_cut,
        call: call.id,
        output: output.id,
        shown: shown(output),
        time: output.time,
        diagnostics,
    })
}

/// A pipe succeeds when its last command does; only its output shows a failure.
fn hides_failure(line: &CommandLine, output: &str, diagnostics: &[Diagnostic]) -> bool {
    if prints_failed_tests(output) || diagnostics::says_it_failed(output) {
        return true;
    }
    line.is_piped
        && diagnostics
            .iter()
            .any(|diagnostic| matches!(diagnostic.sort, DiagnosticKind::Compile) && diagnostic.file.is_some())
}

/// The beginning of an output, which says enough of one that passed.
fn shown(output: &Event) -> EvidenceRef {
    let end = output.text.floor_char_boundary(LONGEST_SHOWN);
    EvidenceRef {
        kind: EvidenceKind::ToolOutput,
        id: output.id.0,
        start: 0,
        end: end as u32,
        hash: span_hash(&output.text[..end]),
    }
}

fn edit(turn: u32, call: &Event) -> Option<EditMade> {
    let file = call.meta.files.first()?.clone();
    let mut before = Vec::new();
    let mut size = 0;
    for (old, new) in edits_from_text(&call.text) {
        let (gone, added) = changed_lines(&old, &new);
        size += gone.len().max(added.len()) as u32;
        before.extend(old.lines().filter(|line| !line.trim().is_empty()).map(fingerprint::of_code));
    }
    before.truncate(MOST_LINES);
    Some(EditMade { turn, seq: call.seq, file, call: call.id, before, size })
}
