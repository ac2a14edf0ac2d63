//! Measurements: quality and speed on fixed data. Not shipped.
//!
//! Each command prints its measurements beside the baseline; `docs/measurements.md` keeps the numbers with the command
//! and the commit.

#![allow(clippy::print_stdout, reason = "this program's purpose is to print")]

mod answers;
mod baseline;
mod bugloc;
mod callgraph;
mod cards;
mod check_cost;
mod code_cost;
mod decided;
mod embedding;
mod fixes;
mod growth;
mod hooks_cost;
mod ingest_cost;
mod input;
mod line_story;
mod links;
mod links_agents;
mod links_sample;
mod links_tabletop;
mod loose_fixes;
mod mcp_cost;
mod mcp_server;
mod mcp_size;
mod mcp_soak;
mod phase;
mod phase_steps;
mod plans;
mod program;
mod quality;
mod questions;
mod records;
mod redaction;
#[cfg(target_os = "linux")]
mod resources;
mod search_cost;
mod shaped;
mod stats;
#[cfg(feature = "tokens")]
mod tokens;
mod torture;
mod word_index;

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
    /// What is printed for questions: is the answer in it, how early, and does something outdated come first?
    Answers(answers::AnswerOptions),
    /// Are the files and functions of real fixes found from the report, beside plain similarity?
    Bugloc(bugloc::BuglocOptions),
    /// Do different questions about the same code get different answers?
    DifferentQueries(bugloc::DifferentOptions),
    /// The call graph against call edges that are known
    Callgraph {
        language: callgraph::Truth,
        /// The sources that the edges are of, checked out
        checkout: PathBuf,
        /// Known edges, as .jsonl.gz
        edges: PathBuf,
    },
    /// What the index of code costs, beside making the syntax trees alone, and what asking it costs
    CodeCost {
        /// A working tree with its git directory
        checkout: PathBuf,
        /// The program that is asked; without it nothing is asked
        program: Option<PathBuf>,
        /// Repeat and take the median
        #[arg(long, default_value_t = 3)]
        rounds: usize,
    },
    /// What a call of the MCP server costs beside the engine's own time
    McpCost {
        /// A folder of session files, plain or gzipped
        data: PathBuf,
        /// Ask every question so many times
        #[arg(long, default_value_t = 10)]
        rounds: usize,
        /// Instead: make so many mixed calls while the memory grows, and watch what the server holds
        #[arg(long, value_name = "CALLS")]
        soak: Option<u64>,
    },
    /// What becomes of real sessions as cards
    Cards(cards::CardOptions),
    /// Do cards hold what conversations decided?
    DecisionCards(decided::DecisionCardOptions),
    /// The embedding that ships: make it, compare it
    #[command(subcommand)]
    Embedding(embedding::Command),
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
    /// Which processes, sockets, files, memory and threads does each command take?
    #[cfg(target_os = "linux")]
    Resources(resources::ResourceOptions),
    /// Becomes a program that may do little (used by resources)
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Confined(resources::Confinement),
    /// How far the token estimate is from a real tokenizer
    #[cfg(feature = "tokens")]
    Tokens {
        /// A folder of session files, plain or .gz
        data: PathBuf,
    },
    /// What a question costs: a process for each, beside ripgrep looking for a word
    SearchCost {
        /// The folder of evaluation data
        data: PathBuf,
        /// How often each question is asked
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// How cost grows: reading, rebuilding, searching, recalling and clustering at several sizes
    Growth {
        /// The folder of evaluation data
        data: PathBuf,
        /// About how many chunks; may be repeated. A million takes 10 GB of disk and half an hour
        #[arg(long, default_values_t = [10_000, 100_000])]
        chunks: Vec<u64>,
    },
    /// One measured step in a process of its own (used by growth)
    #[command(hide = true)]
    GrowthStep { step: growth::GrowthStep, questions: PathBuf, home: PathBuf },
    /// Writes copies of the real sessions that read like further sessions, for measuring at any size
    Shaped {
        /// The folder of evaluation data
        data: PathBuf,
        /// An empty folder for the copies
        out: PathBuf,
        #[arg(long, default_value_t = 1)]
        copies: u32,
    },
    /// What finding words costs: the index of the memory, SQLite's FTS5, tantivy (with the feature of that name)
    WordIndex {
        /// The folder of evaluation data
        data: PathBuf,
        /// How many chunks to index; may be repeated
        #[arg(long, default_values_t = [100_000])]
        chunks: Vec<usize>,
        /// Which engines to measure; all when none is named
        #[arg(long)]
        engine: Vec<word_index::Engine>,
    },
    /// One measured step in a process of its own (used by word-index)
    #[command(hide = true)]
    WordIndexStep { engine: word_index::Engine, step: word_index::IndexStep, texts: PathBuf, folder: PathBuf },
    /// Is what a prompt claims what followed it by the host's own account?
    LinksAgents {
        /// The folder of evaluation data
        data: PathBuf,
    },
    /// What the links of game sessions look like: excluded, wanted, claimed
    LinksTabletop {
        /// The folder of evaluation data, or one of `.jsonl.gz` episodes
        data: PathBuf,
        /// Instead, write claims of both kernels to judge blindly, and the key to them, into this folder
        #[arg(long)]
        sample: Option<PathBuf>,
    },
    /// What each hook costs as a whole process, beside `--version`
    HooksCost {
        #[arg(long, default_value_t = 10_000)]
        cards: usize,
        #[arg(long, default_value_t = 100_000)]
        chunks: u64,
        /// Make the memory here, or use the one that is here
        #[arg(long, value_name = "FOLDER")]
        keep: Option<PathBuf>,
        /// The folder of evaluation data
        data: PathBuf,
    },
    /// What asking `check` and `pack` costs when there is much to remember
    CheckCost {
        #[arg(long, default_value_t = 10_000)]
        cards: usize,
        /// Beside about so many chunks, made of the sessions in DATA
        #[arg(long, default_value_t = 0, requires = "data")]
        chunks: u64,
        /// The folder of evaluation data
        data: Option<PathBuf>,
    },
    /// A committed line to the edit and the prompt that wrote it
    LineStory {
        /// The folder of evaluation data
        data: PathBuf,
    },
    /// What would have been said at each failure that had come up before
    Fixes {
        /// The folder of evaluation data
        data: PathBuf,
        /// Also write what was said, and the cards, into this folder, for reading
        #[arg(long)]
        sample: Option<PathBuf>,
    },
    /// Is an error found that is pasted without its place or rule, in prose, with other names, or in part?
    LooseFixes {
        /// The folder of evaluation data
        data: PathBuf,
    },
    /// Does `check` find the rule that a plan in words goes against?
    Plans {
        /// Other rows than those that come with this program: .jsonl with rule, against and beside
        rows: Option<PathBuf>,
    },
    /// Does the memory hold under kills, crowds, damage and power cuts?
    Torture(torture::TortureOptions),
    /// How good the answers are, on the labelled data
    Quality(quality::QualityOptions),
    /// How well replies are found, on chat and dialogues with reply links by people
    Links {
        /// The folder of evaluation data
        data: PathBuf,
        /// Also what each group of features is good for
        #[arg(long)]
        ablation: bool,
    },
    /// Fits the weights by which replies are found
    LinksTrain {
        /// The folder of evaluation data
        data: PathBuf,
        /// Write them where the engine takes them from, instead of printing them
        #[arg(long)]
        write: bool,
    },
    /// What finding replies costs, beside tokenising the lines
    LinksCost {
        /// The folder of evaluation data
        data: PathBuf,
        /// How many lines; may be repeated
        #[arg(long, default_values_t = [10_000, 100_000, 1_000_000])]
        lines: Vec<usize>,
    },
    /// One measured step in a process of its own (used by the other commands)
    #[command(hide = true)]
    Phase { name: String, data: PathBuf, home: PathBuf },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Cli::parse().command {
        Command::Answers(options) => answers::run(&options),
        Command::Bugloc(options) => bugloc::run(&options),
        Command::DifferentQueries(options) => bugloc::run_different(&options),
        Command::Callgraph { language, checkout, edges } => callgraph::run(language, &checkout, &edges),
        Command::CodeCost { checkout, program, rounds } => code_cost::run(&checkout, program.as_deref(), rounds),
        Command::Cards(options) => cards::run(&options),
        Command::DecisionCards(options) => decided::run(&options),
        Command::Embedding(command) => embedding::run(command),
        Command::IngestCost { data, rounds } => ingest_cost::run(&data, rounds),
        Command::McpCost { data, rounds, soak: None } => mcp_cost::run(&data, rounds),
        Command::McpCost { data, soak: Some(calls), .. } => mcp_soak::run(&data, calls),
        Command::Records { data } => records::run(&data),
        Command::Redaction => redaction::run(),
        #[cfg(target_os = "linux")]
        Command::Resources(options) => resources::run(&options),
        #[cfg(target_os = "linux")]
        Command::Confined(confinement) => resources::run_confined(&confinement),
        #[cfg(feature = "tokens")]
        Command::Tokens { data } => tokens::run(&data),
        Command::SearchCost { data, rounds } => search_cost::run(&data, rounds),
        Command::Growth { data, chunks } => growth::run(&data, &chunks),
        Command::GrowthStep { step, questions, home } => growth::run_step(step, &questions, &home),
        Command::Shaped { data, out, copies } => shaped::run(&data, &out, copies),
        Command::WordIndex { data, chunks, engine } => word_index::run(&data, &chunks, &engine),
        Command::WordIndexStep { engine, step, texts, folder } => word_index::run_step(engine, step, &texts, &folder),
        Command::LinksAgents { data } => links_agents::run(&data),
        Command::LinksTabletop { data, sample: None } => links_tabletop::run(&data),
        Command::LinksTabletop { data, sample: Some(folder) } => links_sample::run(&data, &folder),
        Command::HooksCost { cards, chunks, keep, data } => hooks_cost::run(cards, chunks, &data, keep.as_deref()),
        Command::CheckCost { cards, chunks, data } => check_cost::run(cards, chunks, data.as_deref()),
        Command::LineStory { data } => line_story::run(&data),
        Command::Fixes { data, sample } => fixes::run(&data, sample.as_deref()),
        Command::LooseFixes { data } => loose_fixes::run(&data),
        Command::Plans { rows } => plans::measure(rows.as_deref()),
        Command::Torture(options) => torture::run(&options),
        Command::Quality(options) => quality::run(&options),
        Command::Links { data, ablation } => links::run(&data, ablation),
        Command::LinksTrain { data, write } => links::run_train(&data, write),
        Command::LinksCost { data, lines } => links::run_cost(&data, &lines),
        Command::Phase { name, data, home } => phase_steps::run(&name, &data, &home),
    }
}
