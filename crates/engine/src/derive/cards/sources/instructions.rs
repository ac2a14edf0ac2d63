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
//! A removed statement no longer holds, and neither does what a file that is written whole does not
//! say again. A file below the root is named with its folder: its statements hold there.

use std::ops::Range;

use backstory_language::prompts::own_spans;

use crate::derive::cards::topic_of;
use crate::model::{CardKind, CardSource, Event, EventKind, EvidenceKind, Exit, Found};

use super::markdown::{self, AddedStatement};
use super::{Said, cite, is_said_by_person, kind_of_written, output_of, reading, spoken};

/// Bytes of the prompt that are cited.
const LONGEST_CITED: usize = 600;

/// The statements that a turn's edits added, and those that they removed.
pub fn find(events: &[Event], out: &mut Vec<Said>) -> Vec<(u32, Found)> {
    let mut withdrawn = Vec::new();
    for call in events.iter().filter(|event| event.kind == EventKind::ToolCall && !event.forgotten) {
        let files = call.meta.files.iter();
        let Some(file) = files.clone().find_map(|file| instruction_file(file, call.meta.cwd.as_deref())) else {
            continue;
        };
        let went_through = output_of(events, call).is_some_and(|output| output.meta.exit == Some(Exit::Ok));
        let asked = events.iter().find(|event| event.seq < call.seq && is_said_by_person(event));
        let Some(prompt) = asked.filter(|_| went_through && is_edit(call)) else { continue };
        let own = own_spans(&call.text);
        let is_foreign = |statement: &AddedStatement| !is_own(&call.text, &own, statement);
        for AddedStatement { text: statement, .. } in markdown::removed(&call.text).into_iter().filter(is_foreign) {
            let reach = reading::reach_of(&statement);
            let gone = Found::Withdrawn { statement, file: file.clone(), reach, time: call.time };
            withdrawn.push((call.seq, gone));
        }
        let added: Vec<AddedStatement> = markdown::added(&call.text).into_iter().filter(is_foreign).collect();
        if call.meta.tool.as_deref() == Some("Write") {
            let statements = added.iter().map(|statement| statement.text.clone()).collect();
            let written = Found::Rewritten { file: file.clone(), statements, time: call.time };
            withdrawn.push((call.seq, written));
        }
        let alone = added.into_iter().filter(|statement| stands_without_lead(&call.text, statement));
        out.extend(alone.map(|statement| said(prompt, call, &file, statement)));
    }
    withdrawn
}

/// Items that need the line above their list to be understood only count if they order something.
fn stands_without_lead(edit: &str, statement: &AddedStatement) -> bool {
    let has_lead = statement.text.len() > edit[statement.span.clone()].len() && statement.text.contains(": ");
    !has_lead || kind_of_written(&statement.text) != CardKind::Fact
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

/// The path from the working folder, or else the base name, of a file that hosts read as instructions.
fn instruction_file(path: &str, cwd: Option<&str>) -> Option<String> {
    const NAMES: [&str; 10] = [
        "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "CONVENTIONS.md",
        ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md",
    ];
    let name = path.rsplit(['/', '\\']).next()?;
    let is_rule = name.ends_with(".mdc") && path.contains(".cursor");
    let below = cwd.and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix(['/', '\\']));
    let relative = below.or_else(|| (!path.starts_with(['/', '\\', '~', '.']) && !path.contains(':')).then_some(path));
    let is_hidden = |path: &&str| path.split(['/', '\\']).any(|part| part.starts_with('.'));
    let kept = relative.filter(|path| !is_hidden(path)).unwrap_or(name).replace('\\', "/");
    (NAMES.contains(&name) || is_rule).then_some(kept)
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
        let file = |path: &str| instruction_file(path, Some("/w/shop"));
        assert_eq!(file("/w/shop/CLAUDE.md").as_deref(), Some("CLAUDE.md"));
        assert_eq!(file("/w/shop/apps/web/AGENTS.md").as_deref(), Some("apps/web/AGENTS.md"));
        assert_eq!(file("apps/web/AGENTS.md").as_deref(), Some("apps/web/AGENTS.md"));
        assert_eq!(file("/other/AGENTS.md").as_deref(), Some("AGENTS.md"));
        assert_eq!(file("C:\\w\\AGENTS.md").as_deref(), Some("AGENTS.md"));
        assert_eq!(file(".cursor/rules/style.mdc").as_deref(), Some("style.mdc"));
        for other in ["README.md", "docs/AGENTS.md.bak", "plans/CLAUDE-plan.md", ".claude/plans/a.md"] {
            assert_eq!(file(other), None, "{other}");
        }
    }
}
