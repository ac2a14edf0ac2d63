//! Do different questions about the same code get different answers?

use std::error::Error;
use std::path::PathBuf;

use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{RetrievalOptions, retrieve};
use git2::Repository;

use super::metrics::DEPTH;
use super::repository::{commit_id, find, time_of};
use super::rows::ReportRow;
use super::snapshot::{COMMITS, SnapshotSource, SnapshotWorker};
use super::{EvalResult, wanted};

#[derive(clap::Args)]
pub struct DifferentOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// A folder with the bare repositories, as OWNER+NAME
    repositories: PathBuf,
    /// Only repositories with this in their name; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// How many questions per repository: its issues, then its commit messages
    #[arg(long, default_value_t = 20)]
    questions: usize,
    /// Keep histories in this folder; those found there are used
    #[arg(long)]
    cache: Option<PathBuf>,
}

pub fn run(options: &DifferentOptions) -> Result<(), Box<dyn Error>> {
    measure(options).map_err(|error| error as Box<dyn Error>)
}

/// The answer to one question: the ids of the first ten documents.
struct Answered<'a> {
    question: &'a str,
    documents: Vec<String>,
}

fn measure(options: &DifferentOptions) -> EvalResult<()> {
    if let Some(cache) = &options.cache {
        std::fs::create_dir_all(cache)?;
    }
    println!(
        "{:<10} {:>9} {:>6} {:>13} {:>13} {:>10} {:>11} {:>10}",
        "", "questions", "pairs", "mean overlap", "worst overlap", "same first", "same ten", "same order"
    );
    let mut identical = 0;
    let rows = wanted(&options.data, &options.only)?;
    for rows in rows.chunk_by(|a, b| a.repo == b.repo) {
        let name = &rows[0].repo;
        let Some(folder) = find(&options.repositories, name) else {
            println!("skipped {name}: {} has no such repository", options.repositories.display());
            continue;
        };
        let repository = Repository::open(&folder)?;
        let mut newest = None;
        for row in rows {
            let id = commit_id(&row.base_commit)?;
            newest = newest.max(Some((time_of(&repository, id)?, id)));
        }
        let Some((_, base)) = newest else { continue };
        let kept = options.cache.as_ref().map(|cache| cache.join(format!("history-{}.jsonl", name.replace('/', "+"))));
        let source = SnapshotSource::open(&folder, &[base], COMMITS, kept.as_deref())?;
        let mut worker = SnapshotWorker::new(&source)?;
        let snapshot = worker.snapshot(base)?;
        let place = Codebase::new(&snapshot.tree, &snapshot.past);
        let mut answered = Vec::new();
        for row in questions(rows, options.questions) {
            let ten = RetrievalOptions { max_docs: Some(DEPTH), ..RetrievalOptions::default() };
            let found = retrieve(&place, &mut worker.reader, &row.query, &mut (), None, &ten, None)?;
            let documents = found.documents.into_iter().take(DEPTH).map(|ranked| ranked.document.id).collect();
            answered.push(Answered { question: title(&row.query), documents });
        }
        identical += print(name, &answered);
    }
    println!("\npairs of different questions with the same ten documents: {identical} (target 0)");
    Ok(())
}

/// Issues come first in the rows.
fn questions(rows: &[ReportRow], most: usize) -> Vec<&ReportRow> {
    let mut chosen: Vec<&ReportRow> = Vec::new();
    for row in rows {
        if chosen.len() < most && !chosen.iter().any(|known| known.query.trim() == row.query.trim()) {
            chosen.push(row);
        }
    }
    chosen
}

fn title(query: &str) -> &str {
    query.trim().lines().next().unwrap_or_default()
}

/// Prints one line and the most similar pair; returns the number of pairs with the same documents.
fn print(name: &str, answered: &[Answered<'_>]) -> usize {
    let (mut overlaps, mut same_first, mut same_ten, mut same_order) = (Vec::new(), 0, 0, 0);
    let mut worst: Option<(f64, &Answered<'_>, &Answered<'_>)> = None;
    for (at, a) in answered.iter().enumerate() {
        for b in &answered[at + 1..] {
            let shared = a.documents.iter().filter(|id| b.documents.contains(id)).count();
            let overlap = shared as f64 / a.documents.len().max(b.documents.len()).max(1) as f64;
            overlaps.push(overlap);
            same_first += usize::from(a.documents.first() == b.documents.first());
            same_ten += usize::from(shared == a.documents.len() && shared == b.documents.len());
            same_order += usize::from(a.documents == b.documents);
            if worst.as_ref().is_none_or(|worst| overlap > worst.0) {
                worst = Some((overlap, a, b));
            }
        }
    }
    let Some((most, a, b)) = worst else { return 0 };
    println!(
        "{:<10} {:>9} {:>6} {:>13.3} {:>13.3} {same_first:>10} {same_ten:>11} {same_order:>10}",
        super::table::short(name),
        answered.len(),
        overlaps.len(),
        overlaps.iter().sum::<f64>() / overlaps.len() as f64,
        most,
    );
    println!("    most alike: {:.70} | {:.70}", a.question, b.question);
    same_ten
}
