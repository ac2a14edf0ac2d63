//! Files whose records are repeated, disordered, shared between sessions or undated: the views must
//! not depend on the times of refreshes.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::desk::{Desk, TestResult, called, lines, prompt, returned, said};

/// A record of a session, with the index of its file.
fn record() -> impl Strategy<Value = (usize, Value)> {
    // Few ids, so that they collide within a file and across files.
    let id = || (0u8..12).prop_map(|id| format!("u{id}"));
    let parent = prop_oneof![3 => id(), 1 => Just(String::new()), 1 => Just("nowhere".to_owned())];
    let time = prop_oneof![
        6 => (0u32..40).prop_map(|minute| Some(format!("2026-01-03T10:{minute:02}:00.000Z"))),
        1 => Just(None),
        1 => Just(Some("yesterday".to_owned())),
    ];
    let session = prop_oneof![8 => Just(None), 1 => Just(Some("s1")), 1 => Just(Some("s2"))];
    let fork = prop_oneof![9 => Just(None), 1 => id().prop_map(Some)];
    let words = prop::sample::select(vec!["apples", "open the door", "make lint", "no, fix the lamp first", "x"]);
    (0usize..3, 0u8..4, id(), parent, time, session, fork, words).prop_map(
        |(file, kind, id, parent, time, session, fork, words)| {
            let mut record = match kind {
                0 => prompt(&id, &parent, words),
                1 => said(&id, &parent, &format!("{words} {}", "and more ".repeat(60))),
                2 => called(&id, &parent, words),
                _ => returned(&id, &parent, words),
            };
            record["sessionId"] = json!(session.map_or(format!("s{file}"), str::to_owned));
            record["timestamp"] = json!(time);
            if let Some(fork) = fork {
                record["forkedFrom"] = json!({"sessionId": "s0", "messageUuid": fork});
            }
            (file, record)
        },
    )
}

#[derive(Clone, Debug)]
enum Change {
    /// Records are added to their files.
    Grow(Vec<(usize, Value)>),
    /// Reverses the lines of a file.
    Reverse(usize),
    /// Copies all lines of a file to another one.
    Copy(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => prop::collection::vec(record(), 1..7).prop_map(Change::Grow),
        1 => (0usize..3).prop_map(Change::Reverse),
        1 => (0usize..3, 0usize..3).prop_map(|(from, to)| Change::Copy(from, to)),
    ]
}

fn read_after_each(changes: &[Change]) -> TestResult {
    let mut desk = Desk::new()?;
    let mut files: [Vec<Value>; 3] = Default::default();
    for change in changes {
        match change {
            Change::Grow(records) => records.iter().for_each(|(file, record)| files[*file].push(record.clone())),
            Change::Reverse(file) => files[*file].reverse(),
            Change::Copy(from, to) => {
                let copied = files[*from].clone();
                files[*to].extend(copied);
            }
        }
        for (file, records) in files.iter().enumerate() {
            desk.write(&format!("s{file}.jsonl"), &lines(records))?;
        }
        desk.ingest()?;
    }
    desk.check_whole()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn catching_up_with_disorder_equals_rebuilding(changes in prop::collection::vec(change(), 1..8)) {
        read_after_each(&changes).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
}
