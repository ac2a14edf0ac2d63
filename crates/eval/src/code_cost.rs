//! What does the code index cost, relative to building the syntax trees of the same files, and what does a question
//! cost, as a whole process?

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use backstory_cause::past::git::new_commits;
use backstory_cause::store::{CodeStore, UpdateOptions};
use backstory_code::{Language, parse_tree_only};

use crate::phase::{self, Cost};
use crate::program::{Peak, run as run_process, watch};
use crate::stats::{percentile, verdict};

/// The program's default limit on the commits of a history.
const COMMITS: usize = 20_000;
const QUESTIONS: usize = 20;
/// Questions are taken from this many of the newest commits.
const NEWEST: usize = 2000;

pub fn run(checkout: &Path, program: Option<&Path>, rounds: usize) -> Result<(), Box<dyn Error>> {
    let checkout = &checkout.canonicalize()?;
    let scratch = tempfile::tempdir()?;
    let copy = scratch.path().join("copy");
    copy_settled(checkout, &copy)?;
    let mut steps: Vec<(&str, Vec<Cost>)> = STEPS.iter().map(|step| (*step, Vec::new())).collect();
    for round in 0..rounds {
        let folder = scratch.path().join(format!("round{round}"));
        let (plain, history, changed) = (folder.join("plain"), folder.join("history"), folder.join("changed"));
        let mut add = |at: usize, cost: Cost| steps[at].1.push(cost);
        add(0, phase::measure("code-trees", checkout, &folder)?);
        add(1, phase::measure("code-index", &copy, &plain)?);
        add(2, phase::measure("code-index", &copy, &plain)?);
        phase::measure("code-index", &copy, &changed)?;
        change_a_file(&copy)?;
        add(3, phase::measure("code-index", &copy, &changed)?);
        if checkout.join(".git").exists() {
            add(4, phase::measure("code-index-history", checkout, &history)?);
            add(5, phase::measure("code-index-history", checkout, &history)?);
        }
    }
    let threads = std::thread::available_parallelism()?;
    println!("{}, {rounds} rounds, {threads} threads, files in the page cache\n", checkout.display());
    print(&steps);
    match program {
        Some(program) => ask(program, checkout, &scratch.path().join("home"), rounds),
        None => Ok(()),
    }
}

const STEPS: [&str; 6] = [
    "syntax trees alone", "cold index, without history", "  nothing changed", "  one file changed",
    "cold index, with history", "  nothing changed",
];

fn print(steps: &[(&str, Vec<Cost>)]) {
    let median = |at: usize, of: fn(&Cost) -> f64| percentile(&steps[at].1.iter().map(of).collect::<Vec<_>>(), 50);
    println!(
        "{:<30} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}",
        "median", "wall ms", "CPU ms", "peak MB", "/ trees", "CPU", "done"
    );
    for (at, (name, costs)) in steps.iter().enumerate().filter(|(_, step)| !step.1.is_empty()) {
        println!(
            "{name:<30} {:>10.1} {:>10.1} {:>9.1} {:>9.3} {:>9.3} {:>9}",
            median(at, |cost| cost.wall_ms),
            median(at, |cost| cost.cpu_ms),
            median(at, |cost| cost.peak_mb),
            median(at, |cost| cost.wall_ms) / median(0, |cost| cost.wall_ms),
            median(at, |cost| cost.cpu_ms) / median(0, |cost| cost.cpu_ms),
            costs[0].done
        );
    }
    println!();
    let wall = |at: usize| median(at, |cost| cost.wall_ms);
    verdict("cold index / syntax trees", wall(1) / wall(0), 3.0, "×");
    verdict("nothing changed / cold", wall(2) / wall(1), 1.0 / 50.0, "×");
    verdict("peak memory of a cold index", median(1, |cost| cost.peak_mb), 500.0, " MB");
    if !steps[4].1.is_empty() {
        println!("with {COMMITS} commits of history:");
        verdict("cold index / syntax trees", wall(4) / wall(0), 3.0, "×");
        verdict("nothing changed / cold", wall(5) / wall(4), 1.0 / 50.0, "×");
        verdict("peak memory of a cold index", median(4, |cost| cost.peak_mb), 500.0, " MB");
    }
}

/// Builds the syntax trees of all files and drops them; only that is timed, not reading the files.
pub fn trees(checkout: &Path) -> Result<Cost, Box<dyn Error>> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for path in phase::files(checkout) {
        let name = path.strip_prefix(checkout)?.to_string_lossy().replace('\\', "/");
        if !name.starts_with(".git/") && Language::of_path(&name).is_some() {
            files.push((name, fs::read(&path)?));
        }
    }
    let threads = std::thread::available_parallelism()?.get();
    let (next, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (cpu, wall) = (cpu_time::ProcessTime::try_now()?, Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((path, text)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    bytes.fetch_add(parse_tree_only(path, text) as u64, Ordering::Relaxed);
                }
            });
        }
    });
    Ok(Cost {
        cpu_ms: cpu.try_elapsed()?.as_secs_f64() * 1e3,
        wall_ms: wall.elapsed().as_secs_f64() * 1e3,
        peak_mb: phase::peak_memory_mb().unwrap_or(f64::NAN),
        done: bytes.into_inner(),
    })
}

/// Which part of the history is indexed?
#[derive(Clone, Copy)]
pub enum History {
    None,
    Newest,
}

/// Updates the index in `folder`; returns the number of its files.
pub fn index(checkout: &Path, folder: &Path, history: History) -> Result<u64, Box<dyn Error>> {
    let commits = match history {
        History::None => 0,
        History::Newest => COMMITS,
    };
    let mut store = CodeStore::open(folder)?;
    let report = store.update(
        checkout,
        &UpdateOptions { commits: Some(commits), most_files: usize::MAX, now: SystemTime::now() },
        &mut |_| {},
    )?;
    Ok(report.files as u64)
}

/// A copy without its history. Recently written files could change again unnoticed and are read twice; a checkout is
/// older than that.
fn copy_settled(checkout: &Path, copy: &Path) -> Result<(), Box<dyn Error>> {
    let earlier = SystemTime::now() - Duration::from_secs(3600);
    for path in phase::files(checkout) {
        let name = path.strip_prefix(checkout)?;
        if name.starts_with(".git") || fs::symlink_metadata(&path)?.is_symlink() {
            continue;
        }
        let target = copy.join(name);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&path, &target)?;
        File::options().write(true).open(&target)?.set_modified(earlier)?;
    }
    Ok(())
}

/// Adds an empty line to a file of medium size.
fn change_a_file(copy: &Path) -> Result<(), Box<dyn Error>> {
    let is_source = |path: &PathBuf| {
        let name = path.strip_prefix(copy).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        backstory_cause::role::role(&name) == backstory_cause::role::FileRole::Source
    };
    let mut sources: Vec<PathBuf> = phase::files(copy).into_iter().filter(is_source).collect();
    sources.sort_by_key(|path| (fs::metadata(path).map_or(0, |meta| meta.len()), path.clone()));
    let path = sources.get(sources.len() / 2).ok_or("the checkout has no sources")?;
    let mut bytes = fs::read(path)?;
    bytes.push(b'\n');
    Ok(fs::write(path, bytes)?)
}

/// A process per question, in the checkout, with a separate memory.
fn ask(program: &Path, checkout: &Path, home: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let program = program.canonicalize()?;
    let questions = questions(checkout)?;
    let why = |question: &str| {
        let mut command = Command::new(&program);
        command.args(["why", question, "--json"]).current_dir(checkout).env("BACKSTORY_HOME", home);
        command
    };
    let first = questions.first().ok_or("the history has no questions")?;
    let cold = run_process(&mut why(first))?.ms;
    let mut times = Vec::new();
    for _ in 0..rounds {
        for question in &questions {
            times.push(run_process(&mut why(question))?.ms);
        }
    }
    let mut peaks: Vec<Peak> = Vec::new();
    for question in &questions {
        peaks.push(watch(&mut why(question))?);
    }
    let most = |of: fn(&Peak) -> f64| peaks.iter().map(of).fold(0.0, f64::max);
    println!("\nwhy QUESTION --json, {} questions from the subjects of past fixes, {rounds} rounds", questions.len());
    println!("the first, which makes the index: {cold:.0} ms");
    println!("then: median {:.1} ms, p95 {:.1} ms", percentile(&times, 50), percentile(&times, 95));
    verdict("why, p95", percentile(&times, 95), 150.0, " ms");
    verdict("peak memory of why", most(|peak| peak.total_mb), 500.0, " MB");
    println!("  ({:.1} MB of it not mapped files)", most(|peak| peak.anonymous_mb));
    Ok(())
}

/// Commit subjects of fixes: they read like questions, and every checkout has them.
fn questions(checkout: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let commits = new_commits(checkout, None, &|_| false, NEWEST, &mut |_, _| {})?;
    let subjects = commits.iter().rev().filter_map(|commit| commit.message.lines().next());
    let fixes = subjects.filter(|subject| subject.to_lowercase().contains("fix") && subject.len() > 30);
    Ok(fixes.take(QUESTIONS).map(str::to_owned).collect())
}
