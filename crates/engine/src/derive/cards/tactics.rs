//! What did all fixes of one rule of a linter or compiler have in common? One card per rule.
//!
//! A single fix is told as it was made, several by what they did: in the code, or by telling the tool
//! to ignore it. Three sessions make a habit; until then the card waits.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Candidate, CardKind, CardSource, EvidenceRef, FixNote, Found, LONGEST_STATEMENT, clipped, quoted};
use crate::store::{EpisodeNum, FindingRow};

use super::card_set::{CardChange, CardEntry};

/// In fewer sessions a rule was broken by chance.
const SESSIONS: usize = 3;
/// The fixes that are cited.
const MOST_CITED: usize = 8;

/// A fix with its place.
#[derive(Clone, Copy)]
struct MadeFix<'a> {
    episode: EpisodeNum,
    turn: u32,
    candidate: &'a Candidate,
    note: &'a FixNote,
}

/// What was done about the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Handling {
    Changed,
    Ignored,
    Removed,
    Ran,
}

/// Candidates, dated to the last fix of their rule. `rows` are in the order of episodes.
pub fn of_findings(rows: &[FindingRow]) -> Vec<CardEntry> {
    let mut by_rule: BTreeMap<&str, Vec<MadeFix<'_>>> = BTreeMap::new();
    for row in rows {
        if let Found::Candidate(candidate) = &row.found
            && let Some(note) = &candidate.fix
        {
            let made = MadeFix { episode: row.episode, turn: row.turn, candidate, note };
            by_rule.entry(&note.rule).or_default().push(made);
        }
    }
    by_rule.into_values().filter_map(entry).collect()
}

/// Is it told together with others of its rule?
pub fn is_of_rule(row: &FindingRow) -> bool {
    matches!(&row.found, Found::Candidate(candidate) if candidate.fix.is_some())
}

fn entry(mut fixes: Vec<MadeFix<'_>>) -> Option<CardEntry> {
    fixes.sort_by_key(|made| (made.candidate.time, made.episode, made.turn));
    let last = *fixes.last()?;
    let statement = match fixes.len() {
        1 => last.candidate.statement().to_owned(),
        _ => told(&fixes),
    };
    let mut evidence: Vec<EvidenceRef> = Vec::new();
    let mut tags: Vec<String> = Vec::new();
    for made in fixes.iter().rev().take(MOST_CITED) {
        evidence.extend(
            made.candidate.evidence().iter().filter(|cited| !evidence.contains(cited)).copied().collect::<Vec<_>>(),
        );
        tags.extend(made.candidate.tags.iter().filter(|tag| !tags.contains(tag)).cloned().collect::<Vec<_>>());
    }
    let topic = &last.candidate.topic;
    let made = Candidate::new(CardKind::Tactic, CardSource::Fix, &statement, topic, evidence, last.candidate.time);
    let mut candidate = made.ok()?;
    candidate.tags = tags;
    candidate.is_rare = fixes.iter().map(|made| made.episode).collect::<BTreeSet<_>>().len() < SESSIONS;
    candidate.identity = Some(format!("rule {}", last.note.rule));
    let what = CardChange::Candidate { episode: last.episode, turn: last.turn, candidate };
    Some(CardEntry { time: last.candidate.time, what })
}

/// "errcheck (`make lint`: …) was fixed 12 times in 9 sessions: 7× in the code, e.g. …".
fn told(fixes: &[MadeFix<'_>]) -> String {
    let note = fixes[fixes.len() - 1].note;
    let sessions: BTreeSet<EpisodeNum> = fixes.iter().map(|made| made.episode).collect();
    let count = match sessions.len() {
        1 => format!("{} times in one session", fixes.len()),
        sessions => format!("{} times in {sessions} sessions", fixes.len()),
    };
    let head =
        format!("{} ({}: \"{}\") was fixed {count}", note.rule, quoted(&note.command, 30), clipped(&note.text, 60));
    let mut by_handling: BTreeMap<Handling, Vec<&FixNote>> = BTreeMap::new();
    for made in fixes {
        by_handling.entry(handling(&made.note.done)).or_default().push(made.note);
    }
    let mut all: Vec<(Handling, Vec<&FixNote>)> = by_handling.into_iter().collect();
    all.sort_by_key(|(handling, notes)| (std::cmp::Reverse(notes.len()), *handling));
    let variants = |with_example: &dyn Fn(usize) -> bool| {
        let tell = |(at, (handling, notes)): (usize, &(Handling, Vec<&FixNote>))| {
            let example = notes.last().map(|note| format!(", e.g. {}", note.done)).filter(|_| with_example(at));
            format!("{}× {}{}", notes.len(), handling.told(), example.unwrap_or_default())
        };
        all.iter().enumerate().map(tell).collect::<Vec<_>>().join("; ")
    };
    let most = [all.len(), 1, 0];
    let told = most.iter().map(|most| format!("{head}: {}.", variants(&|at| at < *most)));
    let fits = |text: &String| text.chars().count() <= LONGEST_STATEMENT;
    told.into_iter().find(fits).unwrap_or(head)
}

fn handling(done: &str) -> Handling {
    const IGNORES: [&str; 12] = [
        "nolint", "noqa", "eslint-disable", "ts-ignore", "ts-expect-error", "type: ignore", "#[allow", "#[expect",
        "rubocop:disable", "pylint: disable", "noinspection", "pragma: no cover",
    ];
    if IGNORES.iter().any(|mark| done.contains(mark)) {
        Handling::Ignored
    } else if done.starts_with("remove ") {
        Handling::Removed
    } else if done.starts_with("run ") {
        Handling::Ran
    } else {
        Handling::Changed
    }
}

impl Handling {
    fn told(self) -> &'static str {
        match self {
            Handling::Changed => "in the code",
            Handling::Ignored => "by telling the tool to ignore it",
            Handling::Removed => "by taking the code out",
            Handling::Ran => "by a command",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EvidenceKind, digest_of, span_hash};

    fn rows(fixes: &[(i64, &str)]) -> Vec<FindingRow> {
        let row = |(at, (episode, done)): (usize, &(i64, &str))| {
            let id = digest_of("test", &[&at.to_le_bytes()]);
            let evidence = EvidenceRef { kind: EvidenceKind::ToolOutput, id, start: 0, end: 2, hash: span_hash("ok") };
            let statement = format!("When `make lint` says \"not checked\" (errcheck): {done}.");
            let made = Candidate::new(CardKind::Tactic, CardSource::Fix, &statement, "errcheck", vec![evidence], None);
            let mut candidate = made.expect("a candidate");
            candidate.fix = Some(FixNote {
                rule: "errcheck".to_owned(),
                command: "make lint".to_owned(),
                text: "not checked".to_owned(),
                done: (*done).to_owned(),
            });
            FindingRow { episode: EpisodeNum(*episode), turn: 0, seq: at as u32, found: Found::Candidate(candidate) }
        };
        fixes.iter().enumerate().map(row).collect()
    }

    fn statements(fixes: &[(i64, &str)]) -> Vec<String> {
        let told = of_findings(&rows(fixes)).into_iter().filter_map(|entry| match entry.what {
            CardChange::Candidate { candidate, .. } => Some(candidate.statement().to_owned()),
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn the_fixes_of_a_rule_are_one_card() {
        assert_eq!(
            statements(&[(1, "change `a` to `b`")]),
            ["When `make lint` says \"not checked\" (errcheck): change `a` to `b`."]
        );
        assert_eq!(
            statements(&[(1, "change `a` to `b`"), (1, "append `//nolint:errcheck` to `c`"), (2, "change `d` to `e`")]),
            ["errcheck (`make lint`: \"not checked\") was fixed 3 times in 2 sessions: 2× in the code, e.g. \
                 change `d` to `e`; 1× by telling the tool to ignore it, e.g. append `//nolint:errcheck` to `c`."]
        );
    }
}
