//! The shipped embedding: how it is made, and how good it is.
//!
//! 1. `texts`, `vectors`: texts of several kinds, and the model's vectors of them.
//! 2. `pca`, `untrained`: the model's vectors of single word pieces, in fewer dimensions.
//! 3. `fit`, `make`: the table, fitted to the texts and written.
//! 4. `compare`: its quality.

mod compare;
mod fit;
mod make;
mod pca;
mod texts;
mod untrained;
mod vectors;

use std::path::PathBuf;

use clap::Subcommand;

/// What can be done with embeddings.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a table of word vectors from a sentence model and texts
    Make {
        /// The folder of the sentence model
        #[arg(long)]
        model: PathBuf,
        /// A file or folder with texts; `PATH=N` takes N of them
        #[arg(long, required = true, num_args = 1..)]
        text: Vec<texts::TextPlace>,
        /// The table; what the model said about the texts is kept beside it
        #[arg(long)]
        out: PathBuf,
        /// How many texts the places without a number of their own give together
        #[arg(long, default_value_t = 80_000)]
        texts: usize,
        #[command(flatten)]
        options: fit::FitOptions,
    },
    /// How many of the turns that answer a question are among the 10 nearest
    Compare {
        /// The folder with locomo.jsonl.gz and beam.jsonl.gz
        #[arg(long)]
        data: PathBuf,
        /// Tables to measure
        #[arg(long, num_args = 1..)]
        table: Vec<PathBuf>,
        /// Folders of sentence models to measure beside them
        #[arg(long, num_args = 1..)]
        model: Vec<PathBuf>,
    },
}

/// Runs one of the commands.
pub(crate) fn run(command: Command) -> Result<(), Box<dyn std::error::Error>> {
    match command {
        Command::Make { model, text, out, texts, options } => make::run(&model, &text, texts, &out, &options),
        Command::Compare { data, table, model } => compare::run(&data, &table, &model),
    }
}
