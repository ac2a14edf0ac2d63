use std::path::{Path, PathBuf};
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::derive::ClustersMade;
use backstory_engine::ingest::{FileTask, Format, IngestReport, Ingester, InputPlace, ReadOptions, RecordFate, find};
use backstory_engine::model::{Problem, ProblemKind};
use backstory_engine::retrieve::totals as totals_of;
use backstory_language::embed::{Embedder, StaticTable};

use crate::error::{AppError, ErrorKind};
use crate::progress::{self, Show};
use crate::{damage, embedding, environment, home, json, last_read, permissions, terminal};

use super::{hints, maintain};

const SHOWN_PROBLEMS: usize = 12;
/// Clusters are recomputed after this many new events.
pub const LARGE: u64 = 2_000;

/// Read new sessions and transcripts
///
/// Without a PATH it reads the sessions of Claude Code and Codex on this machine, and
/// the paths of `ingest.paths` in the configuration. A PATH is a file, a folder, a .gz
/// file, or `-` for standard input: session files; transcripts as JSON lines, JSON
/// documents or plain `Name: text` lines; the memory.db or an archive of Causantic
/// (encrypted archives need CAUSANTIC_EXPORT_PASSWORD).
///
/// Only new records are read. Damaged input is reported, and the rest is kept. Secrets
/// are replaced by a marker before anything is written.
#[derive(clap::Args)]
pub struct Ingest {
    /// Files or folders; `-` is standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read the input in this format instead of detecting it
    #[arg(long, value_name = "FORMAT", value_parser = Format::ALL.map(Format::name))]
    format: Option<String>,
    /// List what happened to each type of record, and every problem
    #[arg(long, short)]
    verbose: bool,
    /// No progress bar, and a report only if there are problems
    #[arg(long, short)]
    quiet: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Ingest {
    pub fn run(self) -> Result<(), AppError> {
        let started = Instant::now();
        let format = self.format.as_deref().and_then(Format::parse);
        let (stdin, paths): (Vec<_>, Vec<_>) = self.paths.iter().partition(|path| path.as_os_str() == "-");
        let places = if self.paths.is_empty() { existing_places()? } else { given_places(&paths)? };

        let mut memory = home::open_without_refresh()?;
        permissions::tighten(memory.home());
        memory.set_archive_password(environment::archive_password());
        let show = if self.quiet || self.json { Show::Nothing } else { Show::bar() };
        let found = find(&places, format);
        let mut report = ingest_files(&mut memory, &found.tasks, found.problems, show)?;
        if !stdin.is_empty() {
            let mut projects = memory.projects()?;
            let folder = home::current_folder()?;
            let mut input = std::io::stdin().lock();
            let options = ReadOptions::default();
            Ingester { log: memory.log(), projects: &mut projects, options, report: &mut report }
                .stream("stdin", &folder, format, &mut input)
                .map_err(backstory_engine::MemoryError::from)?;
        }
        let waiting = report.appended.new;
        refresh(&mut memory, waiting, show)?;
        let embedded = if waiting > 0 { embedding::try_to_catch_up(&mut memory, show) } else { None };
        let made = match &embedded {
            Some(embedded) if waiting > LARGE => cluster(&mut memory, &embedded.model, show),
            _ => None,
        };

        repair(&mut memory, embedded.as_ref())?;
        if self.json {
            return json::print("ingest", json::report(&report));
        }
        if !self.quiet || !report.problems.is_empty() {
            let mut text = self.describe(&mut memory, &report, started)?;
            if let Some(done) = embedded.as_ref().and_then(embedding::describe) {
                text.push_str(&format!("{} {done}\n", terminal::paint(terminal::BOLD, "Vectors")));
            }
            if let Some(made) = made.filter(|made| made.clusters > 0) {
                text.push_str(&format!(
                    "{} {}\n",
                    terminal::paint(terminal::BOLD, "Topics"),
                    maintain::describe(&made)
                ));
            }
            terminal::print(&text)?;
        }
        if self.paths.is_empty() && !self.quiet {
            hints::causantic(&mut memory)?;
        }
        Ok(())
    }

    fn describe(&self, memory: &mut Memory, report: &IngestReport, started: Instant) -> Result<String, AppError> {
        let mut out = summary(report, started.elapsed().as_secs_f64());
        if self.verbose {
            out.push_str(&records(report));
        }
        out.push_str(&problems(&report.problems, if self.verbose { usize::MAX } else { SHOWN_PROBLEMS }));
        out.push_str(&totals(memory)?);
        Ok(out)
    }
}

/// The events are stored even if the index is damaged. An ingest has the time to repair it.
fn repair(memory: &mut Memory, embedded: Option<&embedding::EmbeddingRun>) -> Result<(), AppError> {
    let model = embedded.map_or_else(|| StaticTable::shipped().model().to_owned(), |made| made.model.clone());
    let damaged = damage::of_index(memory, &model)?;
    let told = match damaged.is_empty() {
        true => home::check_daily(memory)?,
        false if memory.is_read_only() => {
            Some(format!("the search index is damaged ({}); `backstory rebuild` repairs it", damaged.join(", ")))
        }
        false => home::repaired(&memory.repair(environment::now())?),
    };
    told.into_iter().for_each(terminal::warn);
    Ok(())
}

fn existing_places() -> Result<Vec<InputPlace>, AppError> {
    let all = home::places()?;
    let is_there = |place: &&InputPlace| match place {
        InputPlace::Given(path) => path.exists(),
        agents => home::folder_of(agents).is_dir(),
    };
    let existing: Vec<InputPlace> = all.iter().filter(is_there).cloned().collect();
    for place in all.iter().filter(|place| matches!(place, InputPlace::Given(_)) && !is_there(place)) {
        terminal::warn(format!("ingest.paths names {}: it is not there", home::folder_of(place).display()));
    }
    if existing.is_empty() {
        let looked: Vec<String> = all.iter().map(|place| home::folder_of(place).display().to_string()).collect();
        let other = home::causantic_database()
            .map(|path| format!(" Causantic has a memory at {}: name it to read it.", path.display()))
            .unwrap_or_default();
        return Err(AppError::new(ErrorKind::NotFound, "no sessions of an agent were found on this machine")
            .hint(format!("Looked in {}. Name a file or folder to read it.{other}", looked.join(" and "))));
    }
    Ok(existing)
}

fn given_places(paths: &[&PathBuf]) -> Result<Vec<InputPlace>, AppError> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(AppError::new(ErrorKind::NotFound, format!("{}: no such file or folder", missing.display())));
    }
    Ok(paths.iter().map(|path| InputPlace::Given((*path).clone())).collect())
}

pub fn ingest_files(
    memory: &mut Memory,
    tasks: &[FileTask],
    problems: Vec<Problem>,
    show: Show,
) -> Result<IngestReport, AppError> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let total = if show == Show::Bar { tasks.iter().map(|task| size(&task.path)).sum() } else { 0 };
    let bar = progress::bytes(total, "reading", show);
    let report = memory.ingest(tasks, problems, &mut |task, _| {
        if show == Show::Bar {
            bar.inc(size(&task.path));
        }
    })?;
    bar.finish_and_clear();
    last_read::note(memory.home());
    Ok(report)
}

pub fn refresh(memory: &mut Memory, waiting: u64, show: Show) -> Result<(), AppError> {
    let bar = progress::events(waiting, "deriving", show);
    memory.refresh(&mut |folded| bar.set_position(folded))?;
    bar.finish_and_clear();
    Ok(())
}

/// The events are stored even if clustering fails.
pub fn cluster(memory: &mut Memory, model: &str, show: Show) -> Option<ClustersMade> {
    match maintain::make_clusters(memory, model, show) {
        Ok(made) => Some(made),
        Err(error) => {
            terminal::warn(format!("clusters were not made: {error}"));
            None
        }
    }
}

pub fn summary(report: &IngestReport, seconds: f64) -> String {
    let read = report.files - report.unchanged - report.not_sessions;
    let mut out = format!(
        "{} {} ({}) in {seconds:.1} s",
        terminal::paint(terminal::BOLD, "Read"),
        terminal::count(read, "file"),
        terminal::bytes(report.bytes),
    );
    let mut asides = Vec::new();
    if report.unchanged > 0 {
        asides.push(format!("{} unchanged", terminal::number(report.unchanged)));
    }
    if report.not_sessions > 0 {
        asides.push(format!("{} without a session", terminal::number(report.not_sessions)));
    }
    if !asides.is_empty() {
        out.push_str(&format!("; {}", asides.join(", ")));
    }
    out.push_str(&format!(
        "\n  {}: {} new",
        terminal::count(report.appended.new + report.appended.known, "event"),
        terminal::number(report.appended.new),
    ));
    if report.appended.known > 0 {
        out.push_str(&format!(", {} already known", terminal::number(report.appended.known)));
    }
    out.push('\n');
    if report.unfinished > 0 {
        let files = terminal::count(report.unfinished, "file");
        out.push_str(&format!("  {files} still being written: the last line is read later\n"));
    }
    if !report.left_out.is_empty() {
        let sessions = terminal::count(report.left_out.len() as u64, "session");
        out.push_str(&format!("  {sessions} skipped: already read from their own files\n"));
    }
    if !report.replaced.is_empty() {
        let sessions = terminal::count(report.replaced.len() as u64, "imported session");
        out.push_str(&format!("  {sessions} replaced by their own files\n"));
    }
    if !report.appended.redacted.is_empty() {
        let kinds: Vec<String> =
            report.appended.redacted.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let total: u64 = report.appended.redacted.values().sum();
        out.push_str(&format!("  {} redacted: {}\n", terminal::count(total, "secret"), kinds.join(", ")));
    }
    out
}

fn records(report: &IngestReport) -> String {
    let mut out = String::from("  records:\n");
    for ((record, fate), count) in &report.tally {
        let fate = match fate {
            RecordFate::Kept => "kept".to_owned(),
            RecordFate::Dropped(reason) => format!("dropped: {reason}"),
        };
        out.push_str(&format!("    {:>9}  {record:<28} {fate}\n", terminal::number(*count)));
    }
    out
}

pub fn problems(problems: &[Problem], most: usize) -> String {
    if problems.is_empty() {
        return "  no problems\n".to_owned();
    }
    let skipped = problems.iter().filter(|problem| problem.kind == ProblemKind::Skipped).count() as u64;
    let kept = problems.len() as u64 - skipped;
    let heading = terminal::count(problems.len() as u64, "problem");
    let mut out = format!(
        "  {} ({} skipped, {} repaired):\n",
        terminal::paint(terminal::WARN, &heading),
        terminal::number(skipped),
        terminal::number(kept)
    );
    for problem in problems.iter().take(most) {
        out.push_str(&format!("    {problem}\n"));
    }
    if problems.len() > most {
        out.push_str(&format!("    … and {} more: `backstory status --problems`\n", problems.len() - most));
    }
    out
}

pub fn totals(memory: &mut Memory) -> Result<String, AppError> {
    let files = memory.files();
    let (log, views) = memory.parts();
    let totals = totals_of(log, views)?;
    let sizes: Vec<String> =
        files.iter().map(|file| format!("{} {}", file.name, terminal::bytes(file.bytes))).collect();
    Ok(format!(
        "{} {}, {}, {}, {} ({})\n",
        terminal::paint(terminal::BOLD, "Memory"),
        terminal::count(totals.sessions, "session"),
        terminal::count(totals.events, "event"),
        terminal::count(totals.chunks, "chunk"),
        terminal::count(totals.edges, "edge"),
        sizes.join(", "),
    ))
}
