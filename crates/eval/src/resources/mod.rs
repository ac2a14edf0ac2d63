//! Which resources does each command use: processes, sockets, files, memory, threads?
//!
//! Every command in `backstory --help` runs in a sandbox: the kernel kills it when it starts a child process or opens a
//! socket, and every change of a file outside the memory's folder is detected. [`contract`] says which commands may do
//! more.

mod commands;
mod confine;
mod contract;
mod files;
mod report;
mod trial;
mod world;

pub use confine::{Confinement, run as run_confined};

use std::error::Error;
use std::path::{Path, PathBuf};

use contract::CONTRACT;
use trial::Outcome;
use world::TrialHome;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The folder of the program's sample.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../app/demo");

#[derive(clap::Args)]
pub struct ResourceOptions {
    /// A folder of session files, plain or .gz; without it the sample that comes with the program
    data: Option<PathBuf>,
}

pub fn run(options: &ResourceOptions) -> Result {
    let world = TrialHome::new(options.data.as_deref().unwrap_or(Path::new(SAMPLE)))?;
    let listed = commands::listed(&world)?;
    let mut violations = commands::without_trial(&listed, CONTRACT);
    let notes = trial::controls(&world)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for trial in CONTRACT {
        match trial::run(&world, trial) {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => violations.push(format!("`{}` could not be tried: {error}", trial.typed())),
        }
    }
    if options.data.is_none() {
        violations.extend(outcomes.iter().filter_map(Outcome::out_of_proportion));
    }
    violations.extend(outcomes.iter().flat_map(|outcome| outcome.violations.iter().cloned()));
    report::print(&outcomes, &notes);
    match violations.is_empty() {
        true => Ok(()),
        false => Err(format!("the contract is broken:\n  {}", violations.join("\n  ")).into()),
    }
}
