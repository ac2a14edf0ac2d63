//! Which statements were written into an instruction file?
//!
//! Nearly everything in such a file is meant to last. An edit counts if it succeeded in a turn that
//! a person began: the person asked for it, or saw it and accepted it. Each statement cites that
//! prompt and the line itself. If no person began the turn (a teammate did), the statement is an
//! agent's word and proves nothing: a tool's edit shows that it is written, not that it is true.
//!
//! What Backstory itself wrote into such a file (`backstory summary --write`) is known already:
//! neither adding nor removing it is a new statement.
//!
//! A removed statement no longer holds. Writing a whole file removes nothing, because its previous
//! content is unknown.
//! nothing, since what it said before is not known.

use std::ops::Range;

use backstory_language::prompts::own_spans;

use crate::derive::cards::topic_of;
use crate::model::{CardSource, Event, EventKind, EvidenceKind, Exit, Found};

use super::markdown::{self, AddedStatement};
use super::{Said, cite, is_said_by_person, kind_of_written, output_of, reading, spoken};

/// Bytes of the prompt that are cited.
const LONGEST_CITED: usize = 600;

/// The statements that a turn's edits added, and those that they removed.
pub fn find(events: &[Event], out: &mut Vec<Said>) -> Vec<(u32, Found)> {
    let mut withdrawn = Vec::new();
    for call in events.iter().filter(|event| event.kind == EventKind::ToolCall && !event.forgotten) {
        let Some(file) = call.meta.files.iter().find_map(|file| instruction_file(file)) else { continue };
        let went_through = output_of(events, call).is_some_and(|output| output.meta.exit == Some(Exit::Ok));
        let asked = events.iter().find(|event| event.seq < call.seq && is_said_by_person(event));
        let Some(prompt) = asked.filter(|_| went_through && is_edit(call)) else { continue };
        let own = own_spans(&call.text);
        let is_foreign = |statement: &AddedStatement| !is_own(&call.text, &own, statement);
        for AddedStatement { text: statement, .. } in markdown::removed(&call.text).into_iter().filter(is_foreign) {
            let reach = reading::reach_of(&statement);
            let gone = Found::Withdrawn { statement, file: file.to_owned(), reach, time: call.time };
            withdrawn.push((call.seq, gone));
        }
        for statement in markdown::added(&call.text).into_iter().filter(is_foreign) {
            out.push(said(prompt, call, file, statement));
        }
    }
    withdrawn
}

/// Is it between our markers, or one of our lines? An edit may hold some lines of a block without
/// its markers; each of them ends with its card's id.
fn is_own(edit: &str, own: &[Range<usize>], statement: &AddedStatement) -> bool {
    let is_inside = own.iter().any(|span| span.start < statement.span.end && statement.span.start < span.end);
    let cited = edit[statement.span.clone()].trim_end().strip_suffix(']').and_then(|line| line.rsplit_once('['));
    let is_id = |id: &str| id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let cites = |cite: &str| cite.strip_prefix("card ").or(cite.strip_prefix("loop ")).is_some_and(is_id);
    is_inside || cited.is_some_and(|(_, cite)| cites(cite))
}

fn said(prompt: &Event, call: &Event, file: &str, statement: AddedStatement) -> Said {
    let whole = spoken::trim(&prompt.text, 0..prompt.text.len());
    let end = prompt.text.floor_char_boundary(whole.end.min(whole.start + LONGEST_CITED));
    let asked = cite(prompt, whole.start..end, EvidenceKind::UserSpan);
    let written = cite(call, statement.span, EvidenceKind::AgentSpan);
    let topic = match &statement.heading {
        Some(heading) => topic_of(heading),
        None => topic_of(&statement.text),
    };
    Said {
        seq: call.seq,
        kind: kind_of_written(&statement.text),
        source: CardSource::Instructions,
        statement: statement.text,
        topic,
        tags: vec![file.to_owned()],
        evidence: vec![asked, written],
        time: call.time,
    }
}

fn is_edit(call: &Event) -> bool {
    matches!(call.meta.tool.as_deref(), Some("Edit" | "MultiEdit" | "Write" | "apply_patch"))
}

/// The base name, if it is a file that hosts read as instructions.
fn instruction_file(path: &str) -> Option<&str> {
    const NAMES: [&str; 10] = [
        "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "CONVENTIONS.md",
        ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
    ];
    let name = path.rsplit(['/', '\\']).next()?;
    let is_rule = name.ends_with(".mdc") && path.contains(".cursor");
    (NAMES.contains(&name) || is_rule).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_block_is_known_already() {
        let open = backstory_language::prompts::OWN_OPEN;
        let close = backstory_language::prompts::OWN_CLOSE;
        let block = format!(
            "+# Rules\n+\n+{open} verb=\"summary\">\n+Respect\n+- Never push to the main branch of this repository. [card 0123456789ab]\n+{close}\n+\n+Always run the tests before a commit."
        );
        let foreign = |edit: &str| -> Vec<String> {
            let own = own_spans(edit);
            let rest = markdown::added(edit).into_iter().filter(|statement| !is_own(edit, &own, statement));
            rest.map(|statement| statement.text).collect()
        };
        assert_eq!(foreign(&block), ["Always run the tests before a commit."]);
        let part = "+- Never push to the main branch of this repository. [card 0123456789ab]\n+- Never push on a Friday afternoon please.";
        assert_eq!(foreign(part), ["Never push on a Friday afternoon please."]);
    }

    #[test]
    fn instruction_files_are_told_by_their_names() {
        assert_eq!(instruction_file("/w/shop/CLAUDE.md"), Some("CLAUDE.md"));
        assert_eq!(instruction_file("C:\\w\\AGENTS.md"), Some("AGENTS.md"));
        assert_eq!(instruction_file(".cursor/rules/style.mdc"), Some("style.mdc"));
        for other in ["README.md", "docs/AGENTS.md.bak", "plans/CLAUDE-plan.md", ".claude/plans/a.md"] {
            assert_eq!(instruction_file(other), None, "{other}");
        }
    }
}
