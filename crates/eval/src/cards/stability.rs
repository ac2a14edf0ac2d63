//! Do the cards stay the same?
//!
//! Recalled text is read again as part of a session; the card sets are rewritten repeatedly; the sessions are read one
//! after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::derive::cards;
use backstory_engine::ingest::{FileTask, InputPlace, find};
use backstory_engine::log::Log;
use backstory_engine::model::CardStatus;
use backstory_engine::store::ViewStore;
use serde_json::json;

use super::{EvalResult, all_cards, plot};
use crate::program::{self, Program};
use crate::{input, questions};

const ROUNDS: usize = 20;
const PASSES: usize = 50;
/// Rows of the printed table.
const ROWS: usize = 12;

pub fn run(data: &Path, plot: Option<&Path>) -> EvalResult {
    let home = tempfile::tempdir()?;
    grow(&data.join("sessions"), home.path(), plot)?;
    echo(home.path())?;
    settle_again(home.path())
}

/// Reads the sessions in order of time, and counts after each.
fn grow(sessions: &Path, home: &Path, plot_to: Option<&Path>) -> EvalResult {
    let mut memory = Memory::open(home)?;
    let shown = [CardStatus::Active, CardStatus::Proposed, CardStatus::Superseded, CardStatus::Archived];
    let mut series: Vec<(&str, Vec<usize>)> = shown.iter().map(|status| (status.name(), Vec::new())).collect();
    for task in in_order_of_time(sessions)? {
        memory.ingest(&[task], Vec::new(), &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        let cards = all_cards(&memory.views().read())?;
        for (status, (_, values)) in shown.iter().zip(&mut series) {
            values.push(cards.iter().filter(|card| card.status == *status).count());
        }
    }
    print_growth(&series);
    if let Some(path) = plot_to {
        fs::write(path, plot::svg("cards", &series))?;
    }
    Ok(())
}

pub fn in_order_of_time(sessions: &Path) -> EvalResult<Vec<FileTask>> {
    let found = find(&[InputPlace::Given(sessions.to_owned())], None);
    let mut by_start: BTreeMap<String, Vec<FileTask>> = BTreeMap::new();
    for task in found.tasks {
        by_start.entry(first_time(&input::text(&task.path)?)).or_default().push(task);
    }
    Ok(by_start.into_values().flatten().collect())
}

/// The first time stamp of a session; empty ones sort first.
fn first_time(text: &str) -> String {
    let stamp = text.split("\"timestamp\":\"").nth(1);
    stamp.and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

fn print_growth(series: &[(&str, Vec<usize>)]) {
    let files = series.first().map_or(0, |(_, values)| values.len());
    println!(
        "{files} files in the order of time\n\nafter file   {}",
        series.iter().map(|(name, _)| format!("{name:>11}")).collect::<String>()
    );
    let step = files.div_ceil(ROWS).max(1);
    for at in (step - 1..files).step_by(step).chain((files > 0 && !files.is_multiple_of(step)).then(|| files - 1)) {
        println!(
            "{:10}   {}",
            at + 1,
            series.iter().map(|(_, values)| format!("{:>11}", values[at])).collect::<String>()
        );
    }
}

/// Recalls, and reads the output as part of a session: as a tool's output, repeated by the agent, pasted by a person.
fn echo(home: &Path) -> EvalResult {
    let program = Program::beside_this_one(home)?;
    let folder = tempfile::tempdir()?;
    let count = |memory: &Memory| all_cards(&memory.views().read());
    let before = count(&Memory::open(home)?)?;
    let asked = questions::asked_by_people();
    let mut bytes = 0;
    for (round, question) in (0..ROUNDS).zip(asked.iter().cycle()) {
        let mut command = program.command(&["recall", question, "--all-projects"]);
        // Every second time in the form for programs.
        command.args((round % 2 == 1).then_some("--json"));
        let printed = program::run(&mut command)?.printed;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        bytes += printed.len();
        let file = folder.path().join(format!("echo-{round:02}.jsonl"));
        fs::write(&file, session(round, question, &printed))?;
        let mut memory = Memory::open(home)?;
        let found = find(&[InputPlace::Given(file)], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
    }
    let after = count(&Memory::open(home)?)?;
    let same = if before == after { "the same" } else { "NOT the same" };
    println!(
        "\n{ROUNDS} rounds of recall and reading it again ({bytes} bytes printed): {} cards before, {} after, {same}",
        before.len(),
        after.len()
    );
    Ok(())
}

fn session(round: usize, question: &str, printed: &str) -> String {
    let id = format!("echo-{round:02}");
    let record = |number: usize, kind: &str, content: serde_json::Value| {
        let time = format!("2027-01-{:02}T10:00:{number:02}.000Z", round + 1);
        let uuid = format!("{id}-{number}");
        let message = json!({"id": format!("msg-{uuid}"), "role": kind, "content": content});
        json!({"type": kind, "uuid": uuid, "sessionId": id, "cwd": "/echo", "timestamp": time, "message": message})
    };
    let call = json!([{"type": "tool_use", "id": format!("toolu-{id}"), "name": "Bash", "input": {"command": format!("backstory recall '{question}'")}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": format!("toolu-{id}"), "content": printed}]);
    let records = [
        record(1, "user", json!(question)),
        record(2, "assistant", call),
        record(3, "user", result),
        record(4, "assistant", json!([{"type": "text", "text": printed}])),
        record(5, "user", json!(printed)),
    ];
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Rewrites all card sets without need, and compares every row.
fn settle_again(home: &Path) -> EvalResult {
    let mut log = Log::open(&home.join("log.sqlite"))?;
    let mut views = ViewStore::open(&home.join("views").join("memory.sqlite"))?;
    let rows = |views: &ViewStore| -> EvalResult<Vec<String>> {
        let rows = views.read().dump()?;
        Ok(rows.into_iter().filter(|row| row.starts_with("card")).collect())
    };
    let before = rows(&views)?;
    let mut changed = 0;
    for _ in 0..PASSES {
        let mut tx = views.begin()?;
        tx.mark_all_cards_stale()?;
        tx.commit()?;
        cards::rewrite_stale(&mut log, &mut views)?;
        changed += usize::from(rows(&views)? != before);
    }
    println!("{PASSES} passes over all card sets ({} rows): {changed} changed anything", before.len());
    Ok(())
}
