//! The cases of one repository: each base commit is indexed once, on two threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use git2::Repository;

use super::EvalResult;
use super::case::{BugCase, case};
use super::repository::{commit_id, time_of};
use super::rows::ReportRow;
use super::snapshot::{SnapshotSource, SnapshotWorker};

const THREADS: usize = 2;
/// Progress is reported after this many base commits.
const SAY_EVERY: usize = 25;

pub fn repository(folder: &Path, rows: &[ReportRow], commits: usize, cache: Option<&Path>) -> EvalResult<Vec<BugCase>> {
    let name = rows[0].repo.replace('/', "+");
    let start = Instant::now();
    let opened = Repository::open(folder)?;
    let mut bases = Vec::new();
    for row in rows {
        let id = commit_id(&row.base_commit)?;
        bases.push((time_of(&opened, id)?, id));
    }
    // Newest first: then one walk finds most of the history.
    bases.sort_unstable_by(|a, b| b.cmp(a));
    bases.dedup();
    let ids: Vec<_> = bases.iter().map(|(_, id)| *id).collect();
    let kept = cache.map(|cache| cache.join(format!("history-{name}.jsonl")));
    let source = SnapshotSource::open(folder, &ids, commits, kept.as_deref())?;
    eprintln!(
        "{name}: {} rows, {} base commits, {} commits of history in {:.1} s",
        rows.len(),
        ids.len(),
        source.commit_count(),
        start.elapsed().as_secs_f64()
    );
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let cases = Mutex::new(Vec::new());
    let work = || -> EvalResult<()> {
        let mut worker = SnapshotWorker::new(&source)?;
        while let Some(base) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
            let snapshot = worker.snapshot(*base)?;
            for row in rows {
                if commit_id(&row.base_commit)? == *base {
                    let case = case(row, &snapshot, &mut worker)?;
                    cases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(case);
                }
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(SAY_EVERY) || done == ids.len() {
                eprintln!("{name}: {done} of {} base commits, {:.0} s", ids.len(), start.elapsed().as_secs_f64());
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a worker panicked")?)
    })?;
    let mut cases = cases.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    cases.sort_by(|a: &BugCase, b: &BugCase| (a.set, &a.id).cmp(&(b.set, &b.id)));
    Ok(cases)
}
