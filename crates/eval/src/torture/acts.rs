//! The acts of the torture test.

use std::error::Error;
use std::fs;
use std::time::Duration;

use backstory_engine::derive::{self, STAGES};
use backstory_engine::store::ViewStore;

use super::dice::Dice;
use super::world::TortureWorld;
use super::{check, damage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A command that writes is killed.
    Kill,
    /// A stage starts over while sessions grow, and that is killed too.
    Restart,
    /// Many commands run at once.
    Crowd,
    /// Bytes of a copy of the memory change.
    Corrupt,
    /// Unsynced data is lost, for each file separately.
    PowerCut,
}

/// Commands that write; `SESSIONS` is the folder of sessions.
const WRITING: [&[&str]; 13] = [
    &["ingest", "--quiet", "SESSIONS"],
    &["ingest", "--quiet", "SESSIONS"],
    &["ingest", "--quiet", "SESSIONS"],
    &["rebuild", "--quiet"],
    &["rebuild", "--quiet", "graph"],
    &["rebuild", "--quiet", "index"],
    &["maintain", "--quiet"],
    &["hook", "session-start"],
    &["hook", "session-end"],
    &["remember", "Always run the linter before a commit."],
    &["watch", "--once", "--quiet", "SESSIONS"],
    &["log", "forget", "--query", "gift wrap", "--all-projects", "--yes"],
    &["pack", "--all-projects", "fix the total"],
];

const READING: [&[&str]; 9] = [
    &["search", "--all-projects", "total"],
    &["recall", "--all-projects", "why is the total wrong"],
    &["sessions", "--all-projects"],
    &["status"],
    &["doctor"],
    &["links", "--all-projects"],
    &["cards", "list", "--all-projects"],
    &["hook", "pre-tool-use"],
    &["check", "--all-projects", "npm test"],
];

impl Act {
    pub const ALL: [Act; 5] = [Act::Kill, Act::Restart, Act::Crowd, Act::Corrupt, Act::PowerCut];

    /// Each kind once at the start, then at random.
    pub fn chosen(dice: &mut Dice, number: u32) -> Self {
        match Act::ALL.get(number as usize) {
            Some(act) => *act,
            None => {
                *dice.of(&[Act::Kill, Act::Kill, Act::Restart, Act::Restart, Act::Crowd, Act::Corrupt, Act::PowerCut])
            }
        }
    }

    pub fn perform(self, world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
        match self {
            Act::Kill => kill(world),
            Act::Restart => restart(world),
            Act::Crowd => crowd(world),
            Act::Corrupt => damage::corrupt(world),
            Act::PowerCut => damage::cut_power(world),
        }
    }
}

fn kill(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    for _ in 0..=world.dice.below(5) {
        world.grow()?;
        let command = *world.dice.of(&WRITING);
        kill_one(world, command)?;
        check::acknowledged(world)?;
    }
    Ok(())
}

/// Starts a command and kills it at a random moment.
fn kill_one(world: &mut TortureWorld, command: &[&str]) -> Result<(), Box<dyn Error>> {
    let delay = Duration::from_micros(world.dice.below(world.usual.as_micros() as u64 * 3 / 2));
    let memory = world.memory();
    let sources = world.sources();
    let sources = sources.to_string_lossy();
    let (had_ended, ended) = world.start(&memory, &placed(command, &sources))?.kill_after(delay)?;
    world.report.add(if had_ended { "ended before they were killed" } else { "killed" }, 1);
    if had_ended && let Some(fault) = ended.fault() {
        world.keep(&memory, &fault)?;
    }
    Ok(())
}

fn placed<'a>(command: &[&'a str], sources: &'a str) -> Vec<&'a str> {
    command.iter().map(|word| if *word == "SESSIONS" { sources } else { word }).collect()
}

/// Like an upgrade, or a person who deletes derived files.
fn restart(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    let sources = world.sources();
    let sources = sources.to_string_lossy().into_owned();
    let memory = world.memory();
    world.run(&memory, &["ingest", "--quiet", &sources])?;
    for _ in 0..=world.dice.below(3) {
        world.grow()?;
        let views = memory.join("views");
        match world.dice.below(8) {
            0 => drop(fs::remove_dir_all(views.join("index"))),
            1 => drop(fs::remove_dir_all(&views)),
            _ => {
                let stage = *world.dice.of(&STAGES);
                // A killed command may have left nothing to open.
                if let Ok(mut views) = ViewStore::open(&views.join("memory.sqlite")) {
                    derive::reset(&mut views, stage)?;
                }
            }
        }
        world.report.add("stages started over", 1);
        if world.dice.one_in(2) {
            kill_one(world, &["ingest", "--quiet", "SESSIONS"])?;
        }
    }
    Ok(())
}

fn crowd(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    world.grow()?;
    let memory = world.memory();
    let sources = world.sources();
    let sources = sources.to_string_lossy();
    let mut running = Vec::new();
    for _ in 0..4 + world.dice.below(8) {
        let commands: &[&[&str]] = if world.dice.one_in(2) { &WRITING } else { &READING };
        let command = *world.dice.of(commands);
        running.push(world.start(&memory, &placed(command, &sources))?);
    }
    for running in running {
        let ended = running.wait()?;
        world.report.add("commands run at once", 1);
        if let Some(fault) = ended.fault() {
            world.keep(&memory, &fault)?;
        }
    }
    Ok(())
}
