//! What of it is worth a card?

use backstory_language::diagnostics::fingerprint;
use backstory_language::text::one_line;

use crate::log::Log;
use crate::model::{
    Attempt, Candidate, CardKind, CardSource, CheckRun, Event, EventId, EvidenceKind, EvidenceRef, Found, Remedy,
    Resolution, Trouble, edits_from_text, span_hash,
};
use crate::store::StoreError;

use super::corrections;
use super::runs::changed_lines;

/// A change of more lines than this has no essence to tell in a sentence.
const LONGEST_CHANGE: u32 = 12;
/// Of one complaint, so many attempts are told.
const MOST_ATTEMPTS: usize = 1;
const LONGEST_CITED: usize = 600;
/// Cards about the same error carry this tag and the error's fingerprint.
pub const ERROR_TAG: &str = "error:";
/// Cards about a command carry this tag and its normal form.
pub const COMMAND_TAG: &str = "command:";

/// A correction carries this tag and the name of each variable that the working form sets.
pub const ENVIRONMENT_TAG: &str = "sets:";

/// Checks that passed in a turn, each once.
pub fn passes(runs: &[CheckRun]) -> Vec<(u32, Found)> {
    let mut known: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for run in runs.iter().filter(|run| run.is_check && run.passed) {
        for command in &run.commands {
            if !command.starts_with("git ") && !known.contains(&command.as_str()) {
                known.push(command);
                let passed = Found::Passed { command: command.clone(), evidence: run.shown, time: run.time };
                out.push((run.seq, passed));
            }
        }
    }
    out
}

/// Turn, place and statement of what a trouble teaches, from `first_turn` on. Each
/// rests on what was known at that place.
pub fn of_trouble(log: &mut Log, trouble: &Trouble, first_turn: u32) -> Result<Vec<(u32, u32, Candidate)>, StoreError> {
    let mut out = Vec::new();
    let resolution = trouble.resolution.as_ref().filter(|resolution| resolution.turn >= first_turn);
    if let Some((resolution, corrected)) =
        resolution.and_then(|found| Some((found, corrections::of_form(trouble, found)?)))
    {
        out.push((resolution.turn, resolution.seq, corrected));
        return Ok(out);
    }
    if !trouble.sort.is_reusable() || trouble.of_helper {
        return Ok(out);
    }
    for attempt in trouble.attempts.iter().take(MOST_ATTEMPTS).filter(|attempt| attempt.turn >= first_turn) {
        out.extend(of_attempt(log, trouble, attempt)?.map(|candidate| (attempt.turn, attempt.seq, candidate)));
    }
    if let Some(resolution) = resolution {
        out.extend(of_fix(log, trouble, resolution)?.map(|candidate| (resolution.turn, resolution.seq, candidate)));
    }
    Ok(out)
}

/// Is it clear enough what helped to be told to somebody else?
pub fn is_clear(resolution: &Resolution) -> bool {
    match &resolution.remedy {
        Remedy::Line { .. } => resolution.size <= LONGEST_CHANGE,
        Remedy::File { edits } => edits.len() == 1 && resolution.size <= LONGEST_CHANGE,
        Remedy::Commands { .. } | Remedy::Form { .. } => true,
        Remedy::Elsewhere { .. } | Remedy::Nothing => false,
    }
}

fn of_fix(log: &mut Log, trouble: &Trouble, resolution: &Resolution) -> Result<Option<Candidate>, StoreError> {
    if !is_clear(resolution) {
        return Ok(None);
    }
    let mut evidence = vec![trouble.failed, resolution.passed];
    let done = match &resolution.remedy {
        Remedy::Commands { commands } => format!("run {}", quoted(&commands.join(" && "), 70)),
        Remedy::Form { command, .. } => format!("run it as {}", quoted(command, 90)),
        remedy => {
            let Some((change, cited)) = first_change(log, remedy.edits(), trouble.code)? else { return Ok(None) };
            evidence.extend(cited);
            let Some(told) = change.told() else { return Ok(None) };
            told
        }
    };
    let statement = format!("{}: {done}{}.", complaint_of(trouble), place_of(trouble));
    Ok(candidate(CardKind::Tactic, CardSource::Fix, &statement, trouble, evidence, resolution.time))
}

fn of_attempt(log: &mut Log, trouble: &Trouble, attempt: &Attempt) -> Result<Option<Candidate>, StoreError> {
    if attempt.size > LONGEST_CHANGE {
        return Ok(None);
    }
    let Some((change, cited)) = first_change(log, &attempt.edits, attempt.code)? else { return Ok(None) };
    let Some(told) = change.told() else { return Ok(None) };
    let statement = format!("{}: it does not help to {told}{}.", complaint_of(trouble), place_of(trouble));
    let evidence = [vec![trouble.failed, attempt.failed], cited].concat();
    Ok(candidate(CardKind::NegativeResult, CardSource::Attempt, &statement, trouble, evidence, attempt.time))
}

fn candidate(
    kind: CardKind,
    source: CardSource,
    statement: &str,
    trouble: &Trouble,
    evidence: Vec<EvidenceRef>,
    time: Option<crate::model::Timestamp>,
) -> Option<Candidate> {
    let topic = trouble.rule.clone().unwrap_or_else(|| clipped(&trouble.text, 60));
    let mut candidate = Candidate::new(kind, source, statement, &topic, evidence, time).ok()?;
    candidate.tags = vec![format!("{ERROR_TAG}{}", trouble.print)];
    Some(candidate)
}

/// `make lint` says "…" (rule)
fn complaint_of(trouble: &Trouble) -> String {
    let rule = trouble.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
    format!("When {} says \"{}\"{rule}", quoted(&trouble.command, 40), clipped(&trouble.text, 80))
}

fn place_of(trouble: &Trouble) -> String {
    let base = trouble.file.as_deref().and_then(|file| file.rsplit('/').next());
    base.map(|base| format!(" (so in {})", clipped(base, 30))).unwrap_or_default()
}

/// What an edit comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

impl Change {
    /// In a few words; none where the lines tell nothing.
    fn told(&self) -> Option<String> {
        const LONGEST: usize = 52;
        let first = |lines: &[String]| lines.iter().find(|line| tells(line)).cloned();
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
fn tells(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}

/// How far two lines are the same, up to the last whole word.
fn shared_start(a: &str, b: &str) -> usize {
    let same: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    if same == a.len() {
        return same;
    }
    let mut before = a[..same].char_indices();
    before.rfind(|(_, c)| !c.is_alphanumeric() && *c != '_').map_or(0, |(at, c)| at + c.len_utf8())
}

/// The first of the edits that tells, with its evidence.
fn first_change(
    log: &mut Log,
    edits: &[EventId],
    code: Option<u32>,
) -> Result<Option<(Change, Vec<EvidenceRef>)>, StoreError> {
    for edit in edits {
        let Some(event) = log.store().event(*edit)?.filter(|event| !event.forgotten) else { continue };
        let change = change_of(&event.text, code);
        if change.told().is_some() {
            return Ok(Some((change, vec![cite_edit(&event)])));
        }
    }
    Ok(None)
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

/// The lines that are gone and those that came for them, the one that was
/// complained about and its successor first.
pub fn change_of(text: &str, code: Option<u32>) -> Change {
    let mut change = Change::default();
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
        let mut known = std::collections::BTreeSet::new();
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
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    words(a).intersection(&words(b)).count()
}

/// In backticks, which the text itself must not have.
fn quoted(text: &str, longest: usize) -> String {
    format!("`{}`", clipped(text, longest).replace('`', "'"))
}

fn clipped(text: &str, longest: usize) -> String {
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
    fn the_line_that_was_complained_about_comes_first() {
        let text = edits_to_text([("if broken {\n  a()\n}\nreturn nil", "if broken {\n  b()\n}\nreturn err")]);
        let change = change_of(&text, Some(fingerprint::of_code("return nil")));
        assert_eq!((change.removed[0].as_str(), change.added[0].as_str()), ("return nil", "return err"));
        assert_eq!(change.told().as_deref(), Some("change `return nil` to `return err`"));
    }

    #[test]
    fn what_differs_is_what_is_told() {
        let told = |old: &str, new: &str| change_of(&edits_to_text([(old, new)]), None).told();
        let long = "ours, _ := store.ListTheDoorsOfThisHouseInOrder(house, limit)";
        let appended = told("open(door)", "open(door) // fine");
        assert_eq!(appended.as_deref(), Some("append `// fine` to `open(door)`"));
        let inner = told(long, &long.replace("limit", "all"));
        assert_eq!(inner.as_deref(), Some("change `…limit)` to `…all)`"));
        assert_eq!(told("a", "a\n//"), None);
        // Signs may take several bytes.
        let german = told(
            "title=\"“alt Text”\" und noch viel mehr davon in einer Zeile, die lang genug ist, um gekürzt zu werden",
            "title=\"“neu Text”\" und noch viel mehr davon in einer Zeile, die lang genug ist, um gekürzt zu werden",
        );
        assert!(german.is_some_and(|told| told.contains("neu Text")));
        assert!(told("标题：旧值甲乙", "标题：新值甲乙").is_some());
    }
}
