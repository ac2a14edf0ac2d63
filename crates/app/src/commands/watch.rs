use std::path::PathBuf;
use std::time::Duration;

use backstory_engine::Memory;
use backstory_engine::ingest::{FileTask, IngestReport, InputPlace};
use backstory_engine::model::Problem;
use backstory_engine::retrieve::projects;
use serde_json::json;

use crate::error::{AppError, ErrorKind};
use crate::progress::Show;
use crate::session_watch::{Stop, WatchedFolders};
use crate::{embedding, environment, home, json, terminal};

use super::ingest;
use super::sessions::short;

/// A stop is checked for after this many files.
const SLICE: usize = 40;
/// After a failure the waiting time is multiplied by this, up to a minute.
const BACKOFF_FACTOR: u32 = 4;
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Follow live sessions and read them as they grow, until Ctrl-C
///
/// An alternative to hooks. Without a PATH it follows the sessions of Claude Code and
/// Codex on this machine and the paths of `ingest.paths`. It reads what is new, then
/// waits; new sessions and projects are included. A half-written line is read when it
/// is complete.
#[derive(clap::Args)]
pub struct WatchCommand {
    /// Files or folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The time between two looks, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = seconds)]
    interval: f64,
    /// Look once and exit
    #[arg(long)]
    once: bool,
    /// Print only problems
    #[arg(long, short)]
    quiet: bool,
    /// Print one line of JSON for each reading
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (0.05..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("expected 0.05 to 3600 seconds".to_owned()) }
}

impl WatchCommand {
    pub fn run(self) -> Result<(), AppError> {
        let places = self.places()?;
        let stop = Stop::on_signals()?;
        self.say(&self.begin(&places))?;
        let mut round = Round::new(WatchedFolders::new(places));
        loop {
            let wait = match round.run(&stop) {
                Ok(Some(read)) => {
                    self.report(&read)?;
                    Duration::from_secs_f64(self.interval)
                }
                Ok(None) => Duration::from_secs_f64(self.interval),
                Err(error) if self.once => return Err(error),
                Err(error) => round.failed(&error, Duration::from_secs_f64(self.interval)),
            };
            if self.once || stop.after(wait) {
                return self.say(&format!("Read {} in all.\n", terminal::count(round.total, "new event")));
            }
        }
    }

    /// The agents' folders may be created later; a given file or folder must exist.
    fn places(&self) -> Result<Vec<InputPlace>, AppError> {
        if self.paths.is_empty() {
            return home::places();
        }
        if let Some(missing) = self.paths.iter().find(|path| !path.exists()) {
            return Err(AppError::new(ErrorKind::NotFound, format!("{}: no such file or folder", missing.display())));
        }
        Ok(self.paths.iter().cloned().map(InputPlace::Given).collect())
    }

    fn begin(&self, places: &[InputPlace]) -> String {
        let folders: Vec<String> = places.iter().map(|place| home::folder_of(place).display().to_string()).collect();
        let until = if self.once { "" } else { ", until Ctrl-C" };
        format!("Following {}{until}.\n", folders.join(", "))
    }

    fn say(&self, text: &str) -> Result<(), AppError> {
        if self.quiet || self.json { Ok(()) } else { terminal::print(text) }
    }

    fn report(&self, read: &RoundResult) -> Result<(), AppError> {
        let RoundResult { report, places } = read;
        if report.appended.new == 0 && report.problems.is_empty() {
            return Ok(());
        }
        if self.json {
            let mut answer = json::report(report);
            answer["sessions"] =
                places.iter().map(|(project, session)| json!({"project": project, "session": session})).collect();
            answer["time"] = json!(environment::now().to_string());
            return json::print("watch", answer);
        }
        match report.problems.as_slice() {
            [] => {}
            [problem] => terminal::warn(problem),
            several => {
                let problems = terminal::count(several.len() as u64, "problem");
                terminal::warn(format!("{problems} in what was read: `backstory status --problems` lists them"));
            }
        }
        let events = terminal::count(report.appended.new, "new event");
        let time = terminal::paint(terminal::DIM, &terminal::time(Some(environment::now())));
        if report.appended.new == 0 { Ok(()) } else { self.say(&format!("{time}  {events}: {}\n", named(places))) }
    }
}

/// A few of them by name.
fn named(places: &[(String, String)]) -> String {
    const MOST: usize = 3;
    let names: Vec<String> =
        places.iter().take(MOST).map(|(project, session)| format!("{project} {}", short(session))).collect();
    match places.len().saturating_sub(MOST) {
        0 => names.join(", "),
        more => format!("{} and {}", names.join(", "), terminal::count(more as u64, "more session")),
    }
}

/// The result of one check.
struct RoundResult {
    report: IngestReport,
    /// Projects and sessions of the new events.
    places: Vec<(String, String)>,
}

/// The state between two checks.
struct Round {
    folders: WatchedFolders,
    /// Changed files that are not read yet.
    waiting: Vec<FileTask>,
    /// The views are behind, because another process was deriving them.
    behind: bool,
    failures: u32,
    last_failure: String,
    total: u64,
}

impl Round {
    fn new(folders: WatchedFolders) -> Self {
        Round { folders, waiting: Vec::new(), behind: false, failures: 0, last_failure: String::new(), total: 0 }
    }

    /// The memory is opened only if there is something to read, and closed again: meanwhile others may use, replace or
    /// delete it.
    fn run(&mut self, stop: &Stop) -> Result<Option<RoundResult>, AppError> {
        let (changed, problems) = self.folders.changed();
        self.waiting.retain(|task| !changed.contains(task));
        self.waiting.extend(changed);
        // A file that was deleted before reading is not a failure.
        self.waiting.retain(|task| task.path.exists());
        if self.waiting.is_empty() && !self.behind {
            return Ok(None);
        }
        let mut memory = home::open_without_refresh()?;
        let report = self.read(&mut memory, problems, stop)?;
        self.total += report.appended.new;
        if stop.is_asked() {
            // The next command derives the new events.
            return Ok(Some(RoundResult { places: places(&mut memory, &report)?, report }));
        }
        self.behind = memory.refresh(&mut |_| {})?.is_none();
        if report.appended.new > 0 {
            embedding::try_to_catch_up(&mut memory, Show::Nothing);
        }
        let places = places(&mut memory, &report)?;
        if self.failures > 0 {
            terminal::warn("the memory can be written again");
            (self.failures, self.last_failure) = (0, String::new());
        }
        Ok(Some(RoundResult { report, places }))
    }

    fn read(&mut self, memory: &mut Memory, problems: Vec<Problem>, stop: &Stop) -> Result<IngestReport, AppError> {
        let mut report = IngestReport { problems, ..IngestReport::default() };
        while !self.waiting.is_empty() && !stop.is_asked() {
            let slice: Vec<FileTask> = self.waiting.iter().take(SLICE).cloned().collect();
            let read = ingest::ingest_files(memory, &slice, Vec::new(), Show::Nothing)?;
            self.waiting.drain(..slice.len());
            add(&mut report, read);
        }
        Ok(report)
    }

    /// Reports each failure once, and waits longer each time.
    fn failed(&mut self, error: &AppError, interval: Duration) -> Duration {
        if self.last_failure != error.message {
            terminal::warn(format!("{}; trying again", error.message));
            self.last_failure.clone_from(&error.message);
        }
        self.failures += 1;
        interval.saturating_mul(BACKOFF_FACTOR.saturating_pow(self.failures)).min(LONGEST_WAIT)
    }
}

fn add(sum: &mut IngestReport, read: IngestReport) {
    sum.files += read.files;
    sum.unchanged += read.unchanged;
    sum.not_sessions += read.not_sessions;
    sum.unfinished += read.unfinished;
    sum.bytes += read.bytes;
    sum.episodes.extend(read.episodes);
    sum.appended.add(read.appended);
    sum.problems.extend(read.problems);
    for (record, count) in read.tally {
        *sum.tally.entry(record).or_default() += count;
    }
}

/// The names of the sessions that were read.
fn places(memory: &mut Memory, report: &IngestReport) -> Result<Vec<(String, String)>, AppError> {
    if report.appended.new == 0 {
        return Ok(Vec::new());
    }
    let known = projects(memory.log())?;
    let name = |id| known.iter().find(|info| info.id == id).map_or_else(String::new, |info| info.name.clone());
    let mut named = Vec::new();
    for (_, episode) in memory.log().store().episodes()? {
        let place = (name(episode.project), episode.key.session.clone());
        if report.episodes.contains(&episode.id()) && !named.contains(&place) {
            named.push(place);
        }
    }
    Ok(named)
}
