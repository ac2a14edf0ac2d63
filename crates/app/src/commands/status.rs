use std::path::Path;

use backstory_engine::log::Log;
use backstory_engine::retrieve::{Calibration, Loops, SessionQuery, StageStatus, Status, calibration, loops, status};
use backstory_engine::store::{UnfinishedForget, UnreadableRow};
use backstory_engine::{Flaws, HomeFile, Memory};
use backstory_language::embed::EmbedError;
use serde_json::json;

use crate::code_index::{self, KeptIndex};
use crate::embedding::EmbeddingModel;
use crate::endpoint::Timeout;
use crate::error::{AppError, ErrorKind, FINISH_FORGET, MEND_ROWS};
use crate::hook_runs::{self, LastRun};
use crate::progress::Show;
use crate::setup::doctor;
use crate::{damage, home, json, last_read, terminal};

use super::ingest::{problems, refresh};
use super::sessions;

/// The stage of the index.
pub const INDEX: &str = "index";

/// At most this many unreadable rows are named.
const MOST_ROWS: usize = 5;

/// Show sessions, last read, hooks, open work and size
///
/// With --verbose also what the memory holds by kind, the stages, the files that were
/// read, problems of the input, and how well stated probabilities came true.
#[derive(clap::Args)]
pub struct StatusCommand {
    /// Also show stages, tables, files and problems of the input
    #[arg(long, short)]
    verbose: bool,
    /// List every problem of the input
    #[arg(long)]
    problems: bool,
    /// List every file that was read, and how far
    #[arg(long)]
    cursors: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl StatusCommand {
    pub fn run(self) -> Result<(), AppError> {
        let runs = hook_runs::last_runs(&home::memory_home()?);
        let (_, mistakes) = home::config_that_counts()?;
        if !home::has_memory()? {
            return self.before_any(&runs, &mistakes);
        }
        let printed = home::open_silently().and_then(|memory| self.print(memory, &runs, &mistakes));
        match printed {
            Err(error) if error.kind != ErrorKind::BrokenPipe => self.without_memory(&runs, &mistakes, error),
            printed => printed,
        }
    }

    fn print(&self, mut memory: Memory, runs: &[LastRun], mistakes: &[String]) -> Result<(), AppError> {
        let (log, views) = memory.parts();
        let found = status(log, views)?;
        // Unusable views were removed: until new ones exist, hooks cannot answer.
        let is_empty = found.events > 0 && found.stages.iter().all(|stage| stage.built.is_none());
        let status = if is_empty && !memory.is_read_only() {
            refresh(&mut memory, found.events, if self.json { Show::Nothing } else { Show::bar() })?;
            let (log, views) = memory.parts();
            status(log, views)?
        } else {
            found
        };
        let files = memory.files();
        let home = memory.home().to_owned();
        // Reads the whole log, so not for those who only want its size.
        let lost = memory.log().store().unreadable()?;
        let (log, views) = memory.parts();
        let calibration = calibration(log, views)?;
        let mut chosen = EmbeddingModel::open(home::config()?, Timeout::Question);
        let model = chosen.as_mut().map_or(String::new(), |chosen| chosen.embedder().model().to_owned());
        let damaged = if is_current(&status) { damage::of_index(&memory, &model)? } else { Vec::new() };
        if self.json {
            let mut json = json::status(&status, &calibration, &home, &files, &damaged, &code_index::kept()?, runs);
            json["unreadable"] = json!(lost.iter().map(json::unreadable).collect::<Vec<_>>());
            json["exists"] = json!(true);
            json["last_read"] = json!(last_read::time(&home).map(|at| at.to_string()));
            json["writable"] = json!(!memory.is_read_only());
            json["mistakes"] = json!(mistakes);
            json["unfinished_forget"] = json!(UnfinishedForget::is_in(&home));
            return json::print("status", json);
        }
        let mut out = format!("{} {}\n", terminal::paint(terminal::BOLD, "Memory"), home::short(&home));
        let little = doctor::little_space(&home).map(|free| format!("only {} left on the disk", terminal::bytes(free)));
        for told in home::memory_notices(&memory).into_iter().chain(little) {
            out.push_str(&format!("  {}\n", terminal::paint(terminal::WARN, &told)));
        }
        out.push_str(&said_wrongly(mistakes));
        if UnfinishedForget::is_in(&home) {
            let told = format!("a forget is not finished: {FINISH_FORGET}");
            out.push_str(&format!("  {}\n", terminal::paint(terminal::WARN, &told)));
        }
        out.push_str(&unreadable(memory.log(), &lost));
        out.push_str(&overview(&mut memory, &status)?);
        out.push_str(&behind(&status, &damaged));
        out.push_str(&vectors(&memory, &chosen, &model)?);
        let hooks = hook_runs(runs, &home);
        out.push_str(&if hooks.is_empty() { no_hook_yet() } else { hooks });
        if self.verbose {
            out.push_str(&holdings(&status));
            out.push_str(&stages(&status, &damaged));
            out.push_str(&answers(&calibration));
            out.push_str(&file_sizes(&files));
            out.push_str(&code_indexes()?);
        }
        if self.verbose || self.cursors {
            out.push_str(&self.files_read(&status));
        }
        if self.verbose || self.problems {
            out.push_str(&problems(&status.problems, if self.problems { usize::MAX } else { 5 }));
        }
        if !self.verbose {
            let hint = "`backstory status --verbose` shows stages, tables, files and problems of the input.\n";
            out.push_str(&terminal::paint(terminal::DIM, hint));
        }
        terminal::print_text(&out)
    }

    fn files_read(&self, status: &Status) -> String {
        let count = terminal::count(status.cursors.len() as u64, "file");
        let mut out = format!("{} {count}\n", terminal::paint(terminal::BOLD, "Read so far"));
        for cursor in status.cursors.iter().filter(|_| self.cursors) {
            let (read, size) = (terminal::bytes(cursor.offset), terminal::bytes(cursor.size));
            out.push_str(&format!("  {} ({}): {read} of {size}\n", cursor.path, cursor.format));
        }
        out
    }
}

/// The summary for a person: size, freshness, open work.
fn overview(memory: &mut Memory, status: &Status) -> Result<String, AppError> {
    let newest = sessions::newest_first(memory, &SessionQuery::default())?;
    let ended = newest.iter().filter_map(|info| info.ended).max();
    let read = match (last_read::time(memory.home()), ended) {
        _ if newest.is_empty() => "nothing yet: `backstory ingest` reads your sessions".to_owned(),
        (None, None) => "unknown".to_owned(),
        (Some(read), None) => terminal::time(Some(read)),
        (None, ended) => format!("unknown; the newest session ended {}", terminal::time(ended)),
        (Some(read), ended) => {
            format!("{}; the newest session ended {}", terminal::time(Some(read)), terminal::time(ended))
        }
    };
    let (log, views) = memory.parts();
    // A damaged index must not hide the rest.
    let open = loops(log, views, &Loops::default()).map(|found| found.len() as u64);
    let size: u64 = memory.files().iter().map(|file| file.bytes).sum();
    let counts = [(status.episodes as u64, "run"), (status.projects as u64, "project")];
    let [runs, projects] = counts.map(|(many, noun)| terminal::count(many, noun));
    let waits = match status.proposed() {
        0 => "no proposed cards".to_owned(),
        cards => format!("{}: `backstory cards review --all-projects`", terminal::count(cards, "proposed card")),
    };
    let loops = match open {
        Err(_) => "open loops cannot be read".to_owned(),
        Ok(0) => "no open loops".to_owned(),
        Ok(open) => format!("{}: `backstory loops --all-projects`", terminal::count(open, "open loop")),
    };
    let row = |name: &str, told: &str| format!("  {name:<10} {told}\n");
    let rows = [
        row("sessions", &format!("{} ({runs}) in {projects}", terminal::number(status.sessions as u64))),
        row("last read", &read),
        row("waiting", &waits),
        row("", &loops),
        row("size", &terminal::bytes(size)),
    ];
    Ok(rows.concat())
}

/// Stages that are not up to date; empty if all are.
fn behind(status: &Status, damaged: &[String]) -> String {
    let states = status.stages.iter().map(|stage| (stage.name, stage_state(stage, damaged)));
    let line = |(name, state): (&str, String)| format!("  {name:<10} {state}\n");
    let is_news = |state: &str| state != UP_TO_DATE && status.events > 0;
    states.filter(|(_, state)| is_news(state)).map(line).collect::<String>() + &missing(status)
}

fn file_sizes(files: &[HomeFile]) -> String {
    let line = |file: &HomeFile| format!("  {:<20} {:>10}\n", file.name, terminal::bytes(file.bytes));
    format!("{}\n{}", terminal::paint(terminal::BOLD, "Files"), files.iter().map(line).collect::<String>())
}

impl StatusCommand {
    /// No fault if nothing was set up.
    fn before_any(&self, runs: &[LastRun], mistakes: &[String]) -> Result<(), AppError> {
        let home = home::memory_home()?;
        if self.json {
            return json::print("status", json!({"home": home, "exists": false, "mistakes": mistakes, "hooks": runs}));
        }
        let told = format!("No memory yet at {}: {}\n", home::short(&home), home::SET_UP);
        terminal::print(&(told + &said_wrongly(mistakes) + &hook_runs(runs, &home)))
    }

    /// Shows the errors of hooks, for a person who wonders why sessions get nothing.
    fn without_memory(&self, runs: &[LastRun], mistakes: &[String], error: AppError) -> Result<(), AppError> {
        let home = home::memory_home()?;
        match self.json {
            true => json::print("status", json::status_without_memory(&home, &error.message, runs))?,
            false => terminal::print(&(said_wrongly(mistakes) + &hook_runs(runs, &home)))?,
        }
        Err(error)
    }
}

/// The skipped rows of the log, and how to handle them.
fn unreadable(log: &mut Log, rows: &[UnreadableRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = format!("{} of the log cannot be read", terminal::count(rows.len() as u64, "row"));
    let mut out = format!("{}\n", terminal::paint(terminal::WARN, &head));
    for row in rows.iter().take(MOST_ROWS) {
        out.push_str(&format!("  {}\n", damage::row_text(log, row)));
    }
    out + &format!("  {MEND_ROWS}\n")
}

/// Invalid parts of the configuration.
fn said_wrongly(mistakes: &[String]) -> String {
    if mistakes.is_empty() {
        return String::new();
    }
    let line = |mistake: &String| format!("  {}\n", terminal::paint(terminal::WARN, mistake));
    let head = terminal::paint(terminal::BOLD, "Configuration");
    format!("{head} has mistakes; other commands refuse it\n{}", mistakes.iter().map(line).collect::<String>())
}

/// The last run of each hook, with its duration and result.
fn hook_runs(runs: &[LastRun], home: &Path) -> String {
    let mut out = String::new();
    for run in runs {
        let at = backstory_engine::model::Timestamp::parse(&run.time);
        let message = run.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
        let fix = run.fix.as_deref().map(|fix| format!(" ({fix})")).unwrap_or_default();
        let told = format!("{}{message}{fix}", run.result.name());
        let told = if run.result.is_well() { told } else { terminal::paint(terminal::WARN, &told) };
        out.push_str(&format!("  {:<18} {} {:>7.1} ms  {told}\n", run.event, terminal::time(at), run.duration_ms));
    }
    let log = hook_runs::log_file(home);
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let is_past = runs.iter().all(|run| run.result.is_well()) && hook_runs::last_misuse(home, runs).is_none();
        let what = if is_past { "earlier faults" } else { "faults" };
        out.push_str(&format!("  {what} are in {}\n", log.display()));
    }
    if out.is_empty() { out } else { format!("{}\n{out}", hooks_heading()) }
}

fn hooks_heading() -> String {
    terminal::paint(terminal::BOLD, "Hooks (last run)")
}

fn no_hook_yet() -> String {
    format!("{}\n  none has run yet: `backstory init` registers them\n", hooks_heading())
}

/// The code that `why` has read.
fn code_indexes() -> Result<String, AppError> {
    let kept = code_index::kept()?;
    let line = |index: &KeptIndex| {
        let gone = |root: &String| if Path::new(root).is_dir() { "" } else { " (the folder no longer exists)" };
        let root = index.root.as_ref().map(|root| format!("{root}{}", gone(root)));
        format!("  {:>10}  {}\n", terminal::bytes(index.bytes), root.unwrap_or(index.folder.display().to_string()))
    };
    let head = format!("{} in views/code\n", terminal::paint(terminal::BOLD, "Code indexes"));
    Ok(if kept.is_empty() { String::new() } else { head + &kept.iter().map(line).collect::<String>() })
}

/// Does the index have the layout of this version?
fn is_current(status: &Status) -> bool {
    status.stages.iter().all(|stage| stage.built == Some(stage.version))
}

/// Only a slow model's vectors can be behind.
fn vectors(memory: &Memory, chosen: &Result<EmbeddingModel, EmbedError>, model: &str) -> Result<String, AppError> {
    let state = match chosen {
        Ok(EmbeddingModel::Static(_)) => return Ok(String::new()),
        Ok(_) => match memory.waiting_for_vectors(model)? {
            0 => format!("by {model}, up to date"),
            waiting => {
                let waiting = terminal::count(waiting, "passage");
                format!("by {model}, {waiting} behind: `backstory maintain` embeds them")
            }
        },
        Err(error) => terminal::paint(terminal::WARN, &error.to_string()),
    };
    Ok(format!("  {:<10} {state}\n", "vectors"))
}

fn holdings(status: &Status) -> String {
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "Holds"));
    let mut row = |name: &str, count: u64, detail: String| {
        out.push_str(&format!("  {name:<10} {:>12}  {detail}\n", terminal::number(count)));
    };
    let list = |pairs: Vec<(&str, u64)>| {
        pairs.iter().map(|(name, count)| format!("{} {name}", terminal::number(*count))).collect::<Vec<_>>().join(", ")
    };
    row("projects", status.projects as u64, String::new());
    row(
        "sessions",
        status.sessions as u64,
        format!("{} with their sub-agents", terminal::count(status.episodes as u64, "run")),
    );
    row(
        "events",
        status.events,
        list(status.events_by_kind.iter().map(|(kind, count)| (kind.name(), *count)).collect()),
    );
    row(
        "chunks",
        status.chunks,
        format!("{} tokens in {}", terminal::number(status.chunk_tokens), terminal::count(status.turns, "turn")),
    );
    row(
        "edges",
        status.edges.iter().map(|(_, count)| count).sum(),
        list(status.edges.iter().map(|(kind, count)| (kind.name(), *count)).collect()),
    );
    let waiting = match status.proposed() {
        0 => String::new(),
        1 => "; one waits for your review: `backstory cards review --all-projects`".to_owned(),
        several => format!("; {several} wait for your review: `backstory cards review --all-projects`"),
    };
    row(
        "cards",
        status.cards.iter().map(|(_, count)| count).sum(),
        list(status.cards.iter().map(|(status, count)| (status.name(), *count)).collect()) + &waiting,
    );
    out
}

/// Do stated probabilities hold? Empty if nothing was stated.
fn answers(told: &Calibration) -> String {
    if told.retrievals == 0 {
        return String::new();
    }
    let all = terminal::count(told.retrievals as u64, "answer");
    let mut out = format!("{} {all} with a stated probability\n", terminal::paint(terminal::BOLD, "Answers"));
    if let Some(overall) = told.overall {
        out.push_str(&format!(
            "  {:<10} {:.2} stated, {:.2} came true; Brier score {:.3}, calibration error {:.3}\n",
            "overall", overall.stated, overall.observed, overall.brier, overall.expected_error
        ));
    }
    for bucket in &told.buckets {
        out.push_str(&format!(
            "  {:.1} to {:.1} {:.2} stated, {:.2} came true ({:.2} to {:.2}) of {}\n",
            bucket.from, bucket.to, bucket.stated, bucket.observed, bucket.low, bucket.high, bucket.count
        ));
    }
    let known = format!("outcomes: {} by hand, {} from later edits", told.by_hand, told.by_edits);
    out.push_str(&format!("  {known}; {} without an outcome\n", told.without_outcome()));
    out
}

/// Stages with lost or missing rows.
fn missing(status: &Status) -> String {
    let flaws = Flaws { gaps: status.gaps.clone(), ..Flaws::default() };
    let line = |line: String| {
        let what = format!("incomplete ({line}): `backstory maintain` repairs it, the next ingest does too");
        format!("  {}\n", terminal::paint(terminal::WARN, &what))
    };
    flaws.lines().into_iter().map(line).collect()
}

const UP_TO_DATE: &str = "up to date";

fn stages(status: &Status, damaged: &[String]) -> String {
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "Stages"));
    for stage in &status.stages {
        let state = stage_state(stage, damaged);
        out.push_str(&format!("  {:<10} version {:>3}  {state}\n", stage.name, stage.version));
    }
    out
}

fn stage_state(stage: &StageStatus, damaged: &[String]) -> String {
    match (stage.built, stage.behind) {
        (None, _) => "not run yet".to_owned(),
        (Some(built), _) if built != stage.version => {
            format!("made by version {built}: the next ingest rebuilds it")
        }
        _ if stage.name == INDEX && !damaged.is_empty() => {
            let what = format!("damaged ({}): `backstory rebuild` repairs it", damaged.join(", "));
            terminal::paint(terminal::WARN, &what)
        }
        (_, 0) => UP_TO_DATE.to_owned(),
        (_, behind) => format!("{} behind: the next ingest catches up", terminal::count(behind, "event")),
    }
}
