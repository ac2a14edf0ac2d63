//! What does somebody who asks get printed: is the answer in it, how early, and does
//! something outdated come first?
//!
//! The built program is asked, a process for each question, and only what it prints
//! counts. Plain BM25 over whole turns answers the same questions.

mod asker;
mod chats;
mod decisions;
mod inserted;
mod packs;
mod questions;
mod session_file;
mod table;
mod text;
mod turns;

use std::error::Error;
use std::path::PathBuf;

pub use chats::Chat;
pub use text::{Statement, rows as read_rows};

use table::Table;

type EvalResult<T> = Result<T, Box<dyn Error>>;

#[derive(clap::Args)]
pub struct AnswerOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// Only these; may be repeated
    #[arg(long, value_enum)]
    only: Vec<QuestionSet>,
    /// Put each chat with a decision in the middle of a long session instead of beside the sessions
    #[arg(long)]
    inserted: bool,
    /// Of packs: add each rule by hand, so that only the choice of cards is measured
    #[arg(long)]
    given: bool,
    /// Further arguments of every `search`, separated by spaces: --args=--passages
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    args: String,
    /// Print JSON, with the measures of each row
    #[arg(long)]
    json: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum QuestionSet {
    /// Questions about the real sessions
    Questions,
    /// Questions and reports that need a decision of an invented chat
    Decisions,
    /// Packs for the same reports, and the hook at a prompt
    Packs,
}

impl AnswerOptions {
    fn wants(&self, set: QuestionSet) -> bool {
        self.only.is_empty() || self.only.contains(&set)
    }
}

pub fn run(options: &AnswerOptions) -> EvalResult<()> {
    let mut tables = Vec::new();
    if options.wants(QuestionSet::Questions) {
        tables.extend(questions::run(options)?);
    }
    if options.wants(QuestionSet::Decisions) {
        tables.extend(decisions::run(options)?);
    }
    if options.wants(QuestionSet::Packs) {
        tables.extend(packs::run(options)?);
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&tables.iter().map(Table::json).collect::<Vec<_>>())?);
    } else {
        tables.iter().for_each(Table::print);
    }
    Ok(())
}
