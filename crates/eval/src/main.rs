//! Measurements: quality and speed on fixed data. Not shipped.
//!
//! Each command prints what it measured beside its baseline; `docs/measurements.md`
//! keeps the numbers with the command and the commit.

#![allow(clippy::print_stdout, reason = "this program's purpose is to print")]

mod ingest_cost;
mod phase;
mod records;
mod redaction;
#[cfg(feature = "tokens")]
mod tokens;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "backstory-eval", about = "Measures Backstory on fixed data")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What reading costs: CPU, memory and size beside merely parsing the JSON
    IngestCost {
        /// A folder of session files, plain or .gz
        data: PathBuf,
        /// Repeat and take the median
        #[arg(long, default_value_t = 3)]
        rounds: usize,
    },
    /// What becomes of each type of record
    Records {
        /// A folder of session files, plain or .gz
        data: PathBuf,
    },
    /// How many planted secrets are found, and what is taken for one wrongly
    Redaction,
    /// How far the token estimate is from a real tokenizer
    #[cfg(feature = "tokens")]
    Tokens {
        /// A folder of session files, plain or .gz
        data: PathBuf,
    },
    /// One measured step in a process of its own (used by the other commands)
    #[command(hide = true)]
    Phase { name: String, data: PathBuf, home: PathBuf },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::IngestCost { data, rounds } => ingest_cost::run(&data, rounds),
        Command::Records { data } => records::run(&data),
        Command::Redaction => redaction::run(),
        #[cfg(feature = "tokens")]
        Command::Tokens { data } => tokens::run(&data),
        Command::Phase { name, data, home } => phase::run(&name, &data, &home),
    }
}
