//! The cost of `check` and `pack` in a large memory.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::model::{CardAct, CardKind, CardSource, EventKind, ProjectId, Scope, Timestamp, digest_of};
use backstory_engine::retrieve::{Check, check, totals};
use backstory_engine::store::CardFilter;

use crate::growth::{chunks_per_copy, fill};
use crate::program::{self, Program};
use crate::shaped::Shaped;
use crate::stats::{percentile, verdict};

/// Cards of each kind and repository: below the limit of a scope.
const PER_SCOPE: usize = 100;
const KINDS: [CardKind; 2] = [CardKind::Constraint, CardKind::Commitment];
const ROUNDS: usize = 2_000;
const COLD_ROUNDS: usize = 60;

/// `data`: the sessions from which chunks are made.
pub fn run(cards: usize, chunks: u64, data: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let home = scratch.path().join("home");
    if let Some(data) = data.filter(|_| chunks > 0) {
        let shaped = Shaped::survey(data)?;
        let per_copy = chunks_per_copy(&shaped, scratch.path())?;
        fill(&shaped, chunks, per_copy, &home, scratch.path())?;
    }
    let projects = remember(&home, cards)?;
    warm(&home, projects[0])?;
    cold(&home, projects[0])
}

/// The projects of the cards.
fn remember(home: &Path, cards: usize) -> Result<Vec<ProjectId>, Box<dyn Error>> {
    let mut memory = Memory::open(home)?;
    let scopes = cards.div_ceil(PER_SCOPE * KINDS.len());
    let project = |number: usize| ProjectId(digest_of("project", &[b"measured", &number.to_le_bytes()]));
    for number in 0..cards {
        let kind = KINDS[number % KINDS.len()];
        let scope = Scope::repo(project(number / KINDS.len() % scopes));
        let act = CardAct::add(kind, scope, CardSource::Remembered);
        let text =
            format!("Never paint{number} the door{} of house{} in colour{}.", number % 97, number % 89, number % 83);
        memory.log().append_of_cards(EventKind::User, Timestamp(number as i64), text, &act)?;
    }
    memory.refresh(&mut |_| {})?;
    Ok((0..scopes).map(project).collect())
}

/// In a process that stays open.
fn warm(home: &Path, project: ProjectId) -> Result<(), Box<dyn Error>> {
    let mut memory = Memory::open(home)?;
    let held = memory.views().read().cards(&CardFilter::default())?.len();
    let (log, views) = memory.parts();
    println!("{held} cards, {} chunks; {ROUNDS} questions each in one process", totals(log, views)?.chunks);
    for (what, action) in [
        ("nothing forbids it", "make lint && git commit -m done"),
        ("one word in many cards", "open the door7 of house3 now"),
        ("forbidden", "paint0 the door0 of house0 in colour0"),
    ] {
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..ROUNDS {
            let (log, views) = memory.parts();
            let question = Check { action: action.to_owned(), project: Some(project), ..Check::default() };
            let start = Instant::now();
            found = check(log, views, &question)?.forbidden.len();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("  {what} ({found} found), 99 % below {:.3} ms", percentile(&times, 99));
        verdict("  median", percentile(&times, 50), 2.0, " ms");
    }
    Ok(())
}

/// A process per question, alternating with one that does nothing.
fn cold(home: &Path, project: ProjectId) -> Result<(), Box<dyn Error>> {
    // The data must be on the disk: a judgement waits for earlier writes.
    for file in crate::phase::files(home) {
        std::fs::File::open(file)?.sync_all()?;
    }
    let program = Program::beside_this_one(home)?;
    let project = project.to_string();
    let forbidden = ["check", "--project", &project, "paint0 the door0 of house0 in colour0"];
    let asked: [(&str, Vec<&str>); 5] = [
        ("--version", vec!["--version"]),
        ("check, nothing", vec!["check", "--project", &project, "make lint"]),
        ("check, forbidden", forbidden.to_vec()),
        ("pack", vec!["pack", "--project", &project, "--session", "measured", "paint the door"]),
        ("check after a pack", vec!["check", "--project", &project, "make lint"]),
    ];
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); asked.len()];
    for _ in 0..COLD_ROUNDS {
        for ((_, arguments), times) in asked.iter().zip(&mut times) {
            times.push(program::run(&mut program.command(arguments))?.ms);
        }
    }
    println!("\n{COLD_ROUNDS} processes each, wall ms from start to end, median / 95 %");
    for ((what, _), times) in asked.iter().zip(&times) {
        println!("  {what:<20} {:>8.2} {:>8.2}", percentile(times, 50), percentile(times, 95));
    }
    let most = 3.0 * percentile(&times[0], 50) + 15.0;
    for ((what, _), times) in asked.iter().zip(&times).skip(1) {
        verdict(&format!("  {what}"), percentile(times, 50), most, " ms");
    }
    // The cost of a judgement: its card set is rewritten.
    let added = ["remember", "--project", &project, "Never leave the gate open at night"];
    println!("  {:<20} {:>8.2}", "remember", program::run(&mut program.command(&added))?.ms);
    Ok(())
}
