//! Which lines did an edit remove and add?

use std::collections::BTreeSet;

use backstory_language::diagnostics::fingerprint;
use backstory_language::digest::span_hash;
use backstory_language::text::one_line;

use super::event::{Event, edits_from_text};
use super::evidence::{EvidenceKind, EvidenceRef};

/// Bytes of an edit that are cited.
const LONGEST_CITED: usize = 600;

/// The lines that an edit removed and added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeChange {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

impl CodeChange {
    /// The change in a few words; `None` if no line has words.
    pub fn phrase(&self) -> Option<String> {
        const LONGEST: usize = 52;
        let first = |lines: &[String]| lines.iter().find(|line| has_words(line)).cloned();
        match (first(&self.removed), first(&self.added)) {
            (Some(old), Some(new)) => {
                let same = shared_start(&old, &new);
                let (rest, more) = (old[same..].trim(), new[same..].trim());
                Some(match (rest.is_empty(), same > LONGEST / 2) {
                    (true, _) => format!("append {} to {}", quoted(more, 60), quoted(&old, 40)),
                    (false, true) => format!(
                        "change {} to {}",
                        quoted(&format!("…{rest}"), LONGEST),
                        quoted(&format!("…{more}"), LONGEST)
                    ),
                    (false, false) => format!("change {} to {}", quoted(&old, LONGEST), quoted(&new, LONGEST)),
                })
            }
            (None, Some(new)) => Some(format!("add {}", quoted(&new, 2 * LONGEST))),
            (Some(old), None) => Some(format!("remove {}", quoted(&old, 2 * LONGEST))),
            (None, None) => None,
        }
    }
}

/// Has words, and is not just a bracket or the sign of a comment.
fn has_words(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}

/// The common start of two lines, up to the last whole word.
fn shared_start(a: &str, b: &str) -> usize {
    let same: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    if same == a.len() {
        return same;
    }
    let mut before = a[..same].char_indices();
    before.rfind(|(_, c)| !c.is_alphanumeric() && *c != '_').map_or(0, |(at, c)| at + c.len_utf8())
}

pub fn cite_edit(event: &Event) -> EvidenceRef {
    let end = event.text.floor_char_boundary(LONGEST_CITED);
    EvidenceRef {
        kind: EvidenceKind::of_event(event),
        id: event.id.0,
        start: 0,
        end: end as u32,
        hash: span_hash(&event.text[..end]),
    }
}

/// The removed and the added lines; the line with the diagnostic and its successor come first.
pub fn code_change(text: &str, code: Option<u32>) -> CodeChange {
    let mut change = CodeChange::default();
    for (old, new) in edits_from_text(text) {
        let (old, new) = changed_lines(&old, &new);
        let only = |these: &[&str], those: &[&str]| -> Vec<String> {
            let is_new =
                |line: &&&str| !line.trim().is_empty() && !those.iter().any(|other| other.trim() == line.trim());
            these.iter().filter(is_new).map(|line| line.trim().to_owned()).collect()
        };
        change.removed.extend(only(&old, &new));
        change.added.extend(only(&new, &old));
    }
    for lines in [&mut change.removed, &mut change.added] {
        let mut known = BTreeSet::new();
        lines.retain(|line| known.insert(line.clone()));
    }
    if let Some(at) = change.removed.iter().position(|line| Some(fingerprint::of_code(line)) == code) {
        let line = change.removed.remove(at);
        change.removed.insert(0, line);
    }
    if let Some(line) = change.removed.first().cloned() {
        let nearest = (0..change.added.len()).rev().max_by_key(|at| shared_words(&line, &change.added[*at]));
        if let Some(at) = nearest {
            let line = change.added.remove(at);
            change.added.insert(0, line);
        }
    }
    change
}

fn shared_words(a: &str, b: &str) -> usize {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    words(a).intersection(&words(b)).count()
}

/// The lines of an edit without unchanged lines at its start and end.
pub fn changed_lines<'a>(old: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut old: Vec<&str> = if old.is_empty() { Vec::new() } else { old.split('\n').collect() };
    let mut new: Vec<&str> = if new.is_empty() { Vec::new() } else { new.split('\n').collect() };
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    old.drain(..same);
    new.drain(..same);
    while !old.is_empty() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    (old, new)
}

/// The text in backticks, if it has none itself.
pub fn quoted(text: &str, longest: usize) -> String {
    format!("`{}`", clipped(text, longest).replace('`', "'"))
}

pub fn clipped(text: &str, longest: usize) -> String {
    let text = one_line(text);
    match text.chars().count() > longest {
        true => format!("{}…", text.chars().take(longest - 1).collect::<String>().trim_end()),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::edits_to_text;

    #[test]
    fn the_line_with_the_diagnostic_comes_first() {
        let text = edits_to_text([("if broken {\n  a()\n}\nreturn nil", "if broken {\n  b()\n}\nreturn err")]);
        let change = code_change(&text, Some(fingerprint::of_code("return nil")));
        assert_eq!((change.removed[0].as_str(), change.added[0].as_str()), ("return nil", "return err"));
        assert_eq!(change.phrase().as_deref(), Some("change `return nil` to `return err`"));
    }

    #[test]
    fn the_phrase_holds_what_differs() {
        let phrase = |old: &str, new: &str| code_change(&edits_to_text([(old, new)]), None).phrase();
        let long = "ours, _ := store.ListTheDoorsOfThisHouseInOrder(house, limit)";
        let appended = phrase("open(door)", "open(door) // fine");
        assert_eq!(appended.as_deref(), Some("append `// fine` to `open(door)`"));
        let inner = phrase(long, &long.replace("limit", "all"));
        assert_eq!(inner.as_deref(), Some("change `…limit)` to `…all)`"));
        assert_eq!(phrase("a", "a\n//"), None);
        // Signs may take several bytes.
        let german = phrase(
            "title=\"“alt Text”\" und noch viel mehr davon in einer Zeile, die lang genug ist, um gekürzt zu werden",
            "title=\"“neu Text”\" und noch viel mehr davon in einer Zeile, die lang genug ist, um gekürzt zu werden",
        );
        assert!(german.is_some_and(|phrase| phrase.contains("neu Text")));
        assert!(phrase("标题：旧值甲乙", "标题：新值甲乙").is_some());
    }

    #[test]
    fn what_stays_is_no_change() {
        assert_eq!(changed_lines("a\nb\nc", "a\nx\ny\nc"), (vec!["b"], vec!["x", "y"]));
        assert_eq!(changed_lines("", "new"), (vec![], vec!["new"]));
        assert_eq!(changed_lines("same", "same"), (vec![], vec![]));
    }
}
