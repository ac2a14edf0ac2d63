use backstory_engine::Memory;
use backstory_engine::retrieve::{Status, status};

use super::ingest::problems;
use crate::config::Embedding;
use crate::embedding::Chosen;
use crate::endpoint::Patience;
use crate::error::AppError;
use crate::{home, screen, wire};

/// Show what the memory holds and whether it is well
#[derive(clap::Args)]
pub struct StatusCommand {
    /// List every problem of the input
    #[arg(long)]
    problems: bool,
    /// List every file that was read, and how far
    #[arg(long)]
    cursors: bool,
    /// Everything as JSON
    #[arg(long)]
    json: bool,
}

impl StatusCommand {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_memory_as_it_is()?;
        let files = memory.files();
        let home = memory.home().to_owned();
        let (log, views) = memory.parts();
        let status = status(log, views)?;
        if self.json {
            return wire::print("status", wire::status(&status, &home, &files));
        }
        let mut out = format!("{} {}\n", screen::paint(screen::BOLD, "Memory in"), home.display());
        for file in &files {
            out.push_str(&format!("  {:<20} {:>10}\n", file.name, screen::bytes(file.bytes)));
        }
        out.push_str(&holdings(&status));
        out.push_str(&stages(&status));
        out.push_str(&vectors(&memory)?);
        out.push_str(&format!(
            "{} {}\n",
            screen::paint(screen::BOLD, "Read so far"),
            screen::count(status.cursors.len() as u64, "file")
        ));
        if self.cursors {
            for cursor in &status.cursors {
                out.push_str(&format!(
                    "  {} ({}): {} of {}\n",
                    cursor.path,
                    cursor.format,
                    screen::bytes(cursor.offset),
                    screen::bytes(cursor.size)
                ));
            }
        }
        out.push_str(&problems(&status.problems, if self.problems { usize::MAX } else { 5 }));
        screen::print(&out)
    }
}

/// Only a slow model's vectors may be behind.
fn vectors(memory: &Memory) -> Result<String, AppError> {
    let config = home::config()?;
    if config.embedding == Embedding::Static {
        return Ok(String::new());
    }
    let state = match Chosen::open(&config, Patience::Question) {
        Ok(mut chosen) => {
            let model = chosen.embedder().model().to_owned();
            match memory.waiting_for_vectors(&model)? {
                0 => format!("by {model}, up to date"),
                waiting => {
                    let waiting = screen::count(waiting, "passage");
                    format!("by {model}, {waiting} behind: `backstory maintain` embeds them")
                }
            }
        }
        Err(error) => screen::paint(screen::WARN, &error.to_string()),
    };
    Ok(format!("  {:<10} {state}\n", "vectors"))
}

fn holdings(status: &Status) -> String {
    let mut out = format!("{}\n", screen::paint(screen::BOLD, "Holds"));
    let mut row = |name: &str, count: u64, detail: String| {
        out.push_str(&format!("  {name:<10} {:>12}  {detail}\n", screen::number(count)));
    };
    let list = |pairs: Vec<(&str, u64)>| {
        pairs.iter().map(|(name, count)| format!("{} {name}", screen::number(*count))).collect::<Vec<_>>().join(", ")
    };
    row("projects", status.projects as u64, String::new());
    row(
        "sessions",
        status.sessions as u64,
        format!("{} with their sub-agents", screen::count(status.episodes as u64, "run")),
    );
    row(
        "events",
        status.events,
        list(status.events_by_kind.iter().map(|(kind, count)| (kind.name(), *count)).collect()),
    );
    row(
        "chunks",
        status.chunks,
        format!("{} tokens in {}", screen::number(status.chunk_tokens), screen::count(status.turns, "turn")),
    );
    row(
        "edges",
        status.edges.iter().map(|(_, count)| count).sum(),
        list(status.edges.iter().map(|(kind, count)| (kind.name(), *count)).collect()),
    );
    out
}

fn stages(status: &Status) -> String {
    let mut out = format!("{}\n", screen::paint(screen::BOLD, "Stages"));
    for stage in &status.stages {
        let state = match (stage.built, stage.behind) {
            (None, _) => "not run yet".to_owned(),
            (Some(built), _) if built != stage.version => {
                format!("made by version {built}: the next ingest rebuilds it")
            }
            (_, 0) => "up to date".to_owned(),
            (_, behind) => format!("{} behind: the next ingest catches up", screen::count(behind, "event")),
        };
        out.push_str(&format!("  {:<10} version {:>3}  {state}\n", stage.name, stage.version));
    }
    out
}
