//! What does a project do repeatedly? Checks that passed in several sessions, and checks that pass
//! one after the other. No single session proves it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Candidate, CardKind, CardSource, EvidenceRef, Found, Timestamp};
use crate::store::{EpisodeNum, FindingRow};

use super::card_set::{CardChange, CardEntry};

/// The number of sessions that make a habit.
const SESSIONS: usize = 3;
/// The number of steps of a procedure.
const STEPS: [usize; 2] = [3, 2];
/// The maximum per project: further ones are variations.
const PROCEDURES: usize = 2;

/// A check that passed.
#[derive(Clone, Copy, Debug)]
struct Pass<'a> {
    episode: EpisodeNum,
    turn: u32,
    command: &'a str,
    evidence: EvidenceRef,
    time: Option<Timestamp>,
}

/// Candidates, dated to the session that reached the required number. `rows` are in the order of episodes.
pub fn of_findings(rows: &[FindingRow]) -> Vec<CardEntry> {
    let passes: Vec<Pass<'_>> = rows
        .iter()
        .filter_map(|row| match &row.found {
            Found::Passed { command, evidence, time } => {
                Some(Pass { episode: row.episode, turn: row.turn, command, evidence: *evidence, time: *time })
            }
            _ => None,
        })
        .collect();
    let mut entries = checks(&passes);
    entries.extend(procedures(&passes));
    entries
}

fn checks(passes: &[Pass<'_>]) -> Vec<CardEntry> {
    let mut by_command: BTreeMap<&str, Vec<Vec<Pass<'_>>>> = BTreeMap::new();
    for pass in passes {
        by_command.entry(pass.command).or_default().push(vec![*pass]);
    }
    let habits = by_command.into_iter().filter_map(|(command, times)| {
        let habit = Habit::of(times)?;
        let statement = format!("Check of this project: `{command}`");
        habit.entry(CardSource::CheckCommand, &statement, command)
    });
    habits.collect()
}

fn procedures(passes: &[Pass<'_>]) -> Vec<CardEntry> {
    let mut found: Vec<(Vec<&str>, Habit<'_>)> = Vec::new();
    for steps in STEPS {
        let mut of_size: Vec<(Vec<&str>, Habit<'_>)> =
            sequences(passes, steps).into_values().filter_map(habit_of).collect();
        of_size.sort_by(|(a, of_a), (b, of_b)| of_b.sessions.cmp(&of_a.sessions).then_with(|| a.cmp(b)));
        for (order, habit) in of_size {
            let is_part = found.iter().any(|(longer, _)| order.iter().all(|command| longer.contains(command)));
            if !is_part && found.len() < PROCEDURES {
                found.push((order, habit));
            }
        }
    }
    let entries = found.into_iter().filter_map(|(order, habit)| {
        let steps: Vec<String> = order.iter().map(|command| format!("`{command}`")).collect();
        let statement = format!("Checks that go together in this project: {}", steps.join(", then "));
        habit.entry(CardSource::Procedure, &statement, order.first()?)
    });
    entries.collect()
}

type Order<'a> = Vec<&'a str>;

/// Sequences of this many different checks within a turn, grouped by their set of checks.
fn sequences<'a>(passes: &[Pass<'a>], steps: usize) -> BTreeMap<BTreeSet<&'a str>, Vec<Vec<Pass<'a>>>> {
    let mut found: BTreeMap<BTreeSet<&str>, Vec<Vec<Pass<'_>>>> = BTreeMap::new();
    for window in passes.windows(steps) {
        let is_one_turn = window.iter().all(|pass| (pass.episode, pass.turn) == (window[0].episode, window[0].turn));
        let commands: BTreeSet<&str> = window.iter().map(|pass| pass.command).collect();
        if is_one_turn && commands.len() == steps {
            found.entry(commands).or_default().push(window.to_vec());
        }
    }
    found
}

/// The most frequent order, and the habit.
fn habit_of(times: Vec<Vec<Pass<'_>>>) -> Option<(Order<'_>, Habit<'_>)> {
    let mut orders: BTreeMap<Order<'_>, usize> = BTreeMap::new();
    for time in &times {
        *orders.entry(time.iter().map(|pass| pass.command).collect()).or_default() += 1;
    }
    let order = orders.into_iter().rev().max_by_key(|(_, count)| *count)?.0;
    Some((order, Habit::of(times)?))
}

/// The first occurrences that suffice, one per session.
struct Habit<'a> {
    first: Vec<Vec<Pass<'a>>>,
    sessions: usize,
}

impl<'a> Habit<'a> {
    fn of(mut times: Vec<Vec<Pass<'a>>>) -> Option<Self> {
        let mut known = BTreeSet::new();
        times.sort_by_key(|time| (time[0].time, time[0].episode));
        times.retain(|time| known.insert(time[0].episode));
        let sessions = times.len();
        times.truncate(SESSIONS);
        (sessions >= SESSIONS).then_some(Habit { first: times, sessions })
    }

    fn entry(self, source: CardSource, statement: &str, topic: &str) -> Option<CardEntry> {
        let last = *self.first.last()?.last()?;
        let mut evidence: Vec<EvidenceRef> = self.first.iter().flatten().map(|pass| pass.evidence).collect();
        // One command may have run several checks.
        evidence.dedup();
        let candidate = Candidate::new(CardKind::Fact, source, statement, topic, evidence, last.time).ok()?;
        Some(CardEntry {
            time: candidate.time,
            what: CardChange::Candidate { episode: last.episode, turn: last.turn, candidate },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EvidenceKind, digest_of, span_hash};

    fn rows(sessions: &[&[&str]]) -> Vec<FindingRow> {
        let mut rows = Vec::new();
        for (episode, commands) in sessions.iter().enumerate() {
            for (seq, command) in commands.iter().enumerate() {
                let id = digest_of("test", &[&episode.to_le_bytes(), &seq.to_le_bytes()]);
                let evidence =
                    EvidenceRef { kind: EvidenceKind::ToolOutput, id, start: 0, end: 2, hash: span_hash("ok") };
                let time = Some(Timestamp((episode * 100 + seq) as i64));
                let found = Found::Passed { command: (*command).to_owned(), evidence, time };
                rows.push(FindingRow { episode: EpisodeNum(episode as i64), turn: 0, seq: seq as u32, found });
            }
        }
        rows
    }

    fn statements(sessions: &[&[&str]]) -> Vec<String> {
        let told = of_findings(&rows(sessions)).into_iter().filter_map(|entry| match entry.what {
            CardChange::Candidate { candidate, .. } => Some(candidate.statement().to_owned()),
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn three_sessions_make_a_habit() {
        let twice: [&[&str]; 3] = [&["make test", "make lint"], &["make lint", "make test"], &["make lint"]];
        assert_eq!(statements(&twice), ["Check of this project: `make lint`"]);
        let thrice: [&[&str]; 3] =
            [&["make test", "make lint"], &["make lint", "make test"], &["make lint", "make test", "make lint"]];
        assert_eq!(
            statements(&thrice)[2..],
            ["Checks that go together in this project: `make lint`, then `make test`"],
            "in the order that is more common, and however often in one session"
        );
    }

    #[test]
    fn the_longer_procedure_stands_for_its_parts() {
        let all: [&[&str]; 3] = [&["a x", "b x", "c x"]; 3];
        assert_eq!(statements(&all)[3..], ["Checks that go together in this project: `a x`, then `b x`, then `c x`"]);
    }
}
