//! Are the files and functions of a real fix found from the report or the commit message?
//!
//! 1. `rows`: the questions, with what their fixes changed.
//! 2. `repository`: bare repositories, their files and their histories.
//! 3. `snapshot`: a base commit as the program would have indexed it.
//! 4. `plain`: similarity alone over the same files, to compare with.
//! 5. `gold`: which of our functions did the fix change?
//! 6. `case`, `shown`, `collect`: the signals of every candidate, and the documents that would have been shown.
//! 7. `metrics`, `fit`: how good is a ranking, and which weights make it so?
//! 8. `report`, `table`, `calibration`: what is printed.
//! 9. `different`: do different questions get different answers?

mod calibration;
mod case;
mod collect;
mod different;
mod fit;
mod gold;
mod metrics;
mod plain;
mod report;
mod repository;
mod rows;
mod shown;
mod snapshot;
mod table;

use std::error::Error;
use std::path::{Path, PathBuf};

use case::BugCase;
use rows::ReportRow;

/// Workers pass their errors on, so they must be `Send`.
type EvalResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(clap::Args)]
pub struct BuglocOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// A folder with the bare repositories, as OWNER+NAME
    repositories: PathBuf,
    /// Only repositories with this in their name; may be repeated
    #[arg(long)]
    only: Vec<String>,
    /// At most so many commits before a base commit, the newest
    #[arg(long, default_value_t = snapshot::COMMITS)]
    commits: usize,
    /// Keep histories and measured cases in this folder; histories found there are used
    #[arg(long)]
    cache: Option<PathBuf>,
    /// Measure nothing: fit and report from the cases in the cache
    #[arg(long, requires = "cache")]
    refit: bool,
}

pub fn run(options: &BuglocOptions) -> Result<(), Box<dyn Error>> {
    let cases = cases(options).map_err(|error| error as Box<dyn Error>)?;
    if cases.is_empty() {
        return Err("none of the repositories is there".into());
    }
    report::print(&cases);
    Ok(())
}

pub use different::{DifferentOptions, run as run_different};

fn cases(options: &BuglocOptions) -> EvalResult<Vec<BugCase>> {
    if let Some(cache) = &options.cache {
        std::fs::create_dir_all(cache)?;
    }
    let mut cases = Vec::new();
    for rows in wanted(&options.data, &options.only)?.chunk_by(|a, b| a.repo == b.repo) {
        let name = &rows[0].repo;
        let kept = options.cache.as_ref().map(|folder| folder.join(format!("cases-{}.json", name.replace('/', "+"))));
        if let Some(kept) = kept.as_ref().filter(|_| options.refit) {
            match std::fs::read(kept) {
                Ok(bytes) => cases.extend(serde_json::from_slice::<Vec<BugCase>>(&bytes)?),
                Err(_) => println!("skipped {name}: {} is not there", kept.display()),
            }
            continue;
        }
        let Some(folder) = repository::find(&options.repositories, name) else {
            println!("skipped {name}: {} has no such repository ({} rows)", options.repositories.display(), rows.len());
            continue;
        };
        let found = collect::repository(&folder, rows, options.commits, options.cache.as_deref())?;
        if let Some(kept) = kept {
            std::fs::write(kept, serde_json::to_vec(&found)?)?;
        }
        cases.extend(found);
    }
    Ok(cases)
}

/// The rows of the selected repositories, grouped by repository.
fn wanted(data: &Path, only: &[String]) -> EvalResult<Vec<ReportRow>> {
    let mut rows = rows::read(data)?;
    rows.retain(|row| only.is_empty() || only.iter().any(|part| row.repo.contains(part)));
    rows.sort_by(|a, b| (&a.repo, a.set, &a.id).cmp(&(&b.repo, b.set, &b.id)));
    Ok(rows)
}
