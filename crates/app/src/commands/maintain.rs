use std::time::Instant;

use backstory_engine::derive::ClustersMade;
use backstory_engine::derive::clusters::{ClusteringStep, FEWEST};
use backstory_engine::{Memory, MemoryError};
use serde_json::json;

use crate::config::{Labels, Service};
use crate::error::AppError;
use crate::progress::{self, Show};
use crate::{embedding, endpoint, environment, home, json, permissions, terminal};

/// Check the memory, recompute clusters and remove unused files
///
/// Checks all views and repairs damaged ones, computes missing vectors of a slow model
/// (`backstory config`), recomputes clusters (`backstory clusters`), empties the
/// write-ahead logs and removes unused index files. It takes seconds and is optional.
#[derive(clap::Args)]
pub struct Maintain {
    /// No progress bar and no report
    #[arg(long, short)]
    quiet: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Maintain {
    pub fn run(self) -> Result<(), AppError> {
        let started = Instant::now();
        let mut memory = home::open_existing()?;
        let show = if self.quiet || self.json { Show::Nothing } else { Show::bar() };
        let repaired = repair(&mut memory, show)?;
        let embedded = embedding::catch_up(&mut memory, show)?;
        let made = make_clusters(&mut memory, &embedded.model, show)?;
        if let Labels::Llm(service) = &home::config()?.labels {
            name_clusters(&mut memory, service, show)?;
        }
        let freed = memory.tidy()?;
        permissions::tighten(memory.home());
        if self.json {
            let clusters = json!({"chunks": made.chunks, "clusters": made.clusters, "members": made.members});
            let embedded = json!({"model": embedded.model, "passages": embedded.passages});
            let report =
                json!({ "repaired": repaired, "embedded": embedded, "clusters": clusters, "freed_bytes": freed });
            return json::print("maintain", report);
        }
        if self.quiet {
            return Ok(());
        }
        let seconds = started.elapsed().as_secs_f64();
        let freed = if freed > 0 { format!("{} freed", terminal::bytes(freed)) } else { "nothing to tidy".to_owned() };
        let embedded = embedding::describe(&embedded).map(|done| format!("  {done}\n")).unwrap_or_default();
        let repaired = match repaired.as_slice() {
            [] => String::new(),
            lines => format!("  the views were damaged and have been repaired ({})\n", lines.join("; ")),
        };
        terminal::print(&format!("Done in {seconds:.1} s\n{repaired}{embedded}  {}\n  {freed}\n", describe(&made)))
    }
}

/// Checks all views and rebuilds damaged ones; returns the faults.
fn repair(memory: &mut Memory, show: Show) -> Result<Vec<String>, AppError> {
    let spinner = progress::spinner(show);
    progress::say(&spinner, "checking the views");
    let flaws = memory.repair(environment::now())?;
    spinner.finish_and_clear();
    Ok(flaws.lines())
}

fn name_clusters(memory: &mut Memory, service: &Service, show: Show) -> Result<(), AppError> {
    let spinner = progress::spinner(show);
    endpoint::name_clusters(memory, service, &mut |place, of| {
        progress::say(&spinner, &format!("clusters: asking for names, {place} of {of}"));
    })?;
    spinner.finish_and_clear();
    Ok(())
}

pub fn make_clusters(memory: &mut Memory, model: &str, show: Show) -> Result<ClustersMade, MemoryError> {
    let spinner = progress::spinner(show);
    let made = memory.make_clusters(model, &mut |step| {
        progress::say(
            &spinner,
            match step {
                ClusteringStep::Reading => "clusters: reading vectors",
                ClusteringStep::Grouping => "clusters: grouping chunks",
                ClusteringStep::Joining => "clusters: adding nearby chunks",
                ClusteringStep::Naming => "clusters: naming",
            },
        );
    });
    spinner.finish_and_clear();
    made
}

pub fn describe(made: &ClustersMade) -> String {
    if made.chunks < FEWEST as u64 {
        let chunks = terminal::count(made.chunks, "chunk");
        return format!("no clusters: {chunks}, and at least {FEWEST} are needed");
    }
    let share = 100 * made.members / made.chunks.max(1);
    format!(
        "{} with {} of {} ({share} %); `backstory clusters` lists them",
        terminal::count(made.clusters, "cluster"),
        terminal::number(made.members),
        terminal::count(made.chunks, "chunk"),
    )
}
