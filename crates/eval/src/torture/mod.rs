//! Does the memory hold under kills, crowds, damage and power cuts?
//!
//! Sessions grow while commands run, are killed, and run at once; stages start over, files are damaged, write-ahead
//! logs and index files are cut. After every act the memory must be intact: no acknowledged event is lost, and all
//! views equal a rebuild.

mod acts;
mod check;
mod damage;
mod dice;
mod report;
mod world;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use acts::Act;
use world::TortureWorld;

#[derive(clap::Args)]
pub struct TortureOptions {
    /// A folder to make the memory in; must be empty or absent
    home: PathBuf,
    /// How long to go on
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// Stop after so many acts instead
    #[arg(long)]
    acts: Option<u32>,
    /// Session files to read, plain or gzipped; the bundled sample when none are named
    #[arg(long)]
    data: Option<PathBuf>,
    /// Another seed gives other acts
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The end condition.
enum Limit {
    Time(Duration),
    Acts(u32),
}

pub fn run(options: &TortureOptions) -> Result<(), Box<dyn Error>> {
    let mut world = TortureWorld::new(&options.home, options.data.as_deref(), options.seed)?;
    let time = Limit::Time(Duration::from_secs(60 * options.minutes));
    torture(&mut world, &options.acts.map_or(time, Limit::Acts))?;
    world.report.print();
    match world.report.failures.len() {
        0 => Ok(()),
        failures => {
            Err(format!("{failures} failures; copies of the memory are in {}", world.failures().display()).into())
        }
    }
}

fn torture(world: &mut TortureWorld, limit: &Limit) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let mut acts = 0;
    let is_enough = |acts: u32| match limit {
        Limit::Time(time) => begun.elapsed() >= *time,
        Limit::Acts(most) => acts >= *most,
    };
    while !is_enough(acts) {
        let act = Act::chosen(&mut world.dice, acts);
        world.report.begin(acts, act);
        act.perform(world)?;
        check::memory(world)?;
        acts += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs every kind of act a few times. Needs the program, which testing the workspace builds.
    #[test]
    fn the_memory_holds_for_a_while() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut world = TortureWorld::new(&folder.path().join("home"), None, 7)?;
        torture(&mut world, &Limit::Acts(4 * Act::ALL.len() as u32))?;
        assert_eq!(world.report.failures, Vec::<String>::new());
        assert!(world.report.count("killed") > 0);
        Ok(())
    }
}
