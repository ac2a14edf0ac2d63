use std::path::Path;

use backstory_engine::log::Log;
use backstory_engine::retrieve::{Calibration, Status, calibration, status};
use backstory_engine::store::{UnfinishedForget, UnreadableRow};
use backstory_engine::{Flaws, Memory};
use backstory_language::embed::EmbedError;
use serde_json::json;

use crate::code_index::{self, KeptIndex};
use crate::embedding::EmbeddingModel;
use crate::endpoint::Timeout;
use crate::error::{AppError, ErrorKind, FINISH_FORGET, MEND_ROWS};
use crate::hook_runs::{self, LastRun};
use crate::progress::Show;
use crate::setup::doctor;
use crate::{damage, home, json, terminal};

use super::ingest::{problems, refresh};

/// The stage that the index belongs to.
pub const INDEX: &str = "index";

/// So many unreadable rows are named.
const MOST_ROWS: usize = 5;

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
        let runs = hook_runs::last_runs(&home::memory_home()?);
        let (_, mistakes) = home::config_that_counts()?;
        if !home::has_memory()? {
            return self.before_any(&runs, &mistakes);
        }
        let told = home::open_silently().and_then(|memory| self.tell(memory, &runs, &mistakes));
        match told {
            Err(error) if error.kind != ErrorKind::BrokenPipe => self.without_memory(&runs, &mistakes, error),
            told => told,
        }
    }

    fn tell(&self, mut memory: Memory, runs: &[LastRun], mistakes: &[String]) -> Result<(), AppError> {
        let (log, views) = memory.parts();
        let found = status(log, views)?;
        // Views that could not be used have been taken away: until there are new
        // ones, no hook could tell anything.
        let is_empty = found.events > 0 && found.stages.iter().all(|stage| stage.built.is_none());
        let status = if is_empty && !memory.is_read_only() {
            refresh(&mut memory, found.events, Show::unless(self.json))?;
            let (log, views) = memory.parts();
            status(log, views)?
        } else {
            found
        };
        let files = memory.files();
        let home = memory.home().to_owned();
        // Reads all of the log: nothing for those who only want its size.
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
            json["writable"] = json!(!memory.is_read_only());
            json["mistakes"] = json!(mistakes);
            json["unfinished_forget"] = json!(UnfinishedForget::is_in(&home));
            return json::print("status", json);
        }
        let mut out = format!("{} {}\n", terminal::paint(terminal::BOLD, "Memory in"), home.display());
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
        for file in &files {
            out.push_str(&format!("  {:<20} {:>10}\n", file.name, terminal::bytes(file.bytes)));
        }
        out.push_str(&holdings(&status));
        out.push_str(&stages(&status, &damaged));
        out.push_str(&missing(&status));
        out.push_str(&vectors(&memory, &chosen, &model)?);
        out.push_str(&answers(&calibration));
        out.push_str(&code_indexes()?);
        out.push_str(&format!(
            "{} {}\n",
            terminal::paint(terminal::BOLD, "Read so far"),
            terminal::count(status.cursors.len() as u64, "file")
        ));
        if self.cursors {
            for cursor in &status.cursors {
                out.push_str(&format!(
                    "  {} ({}): {} of {}\n",
                    cursor.path,
                    cursor.format,
                    terminal::bytes(cursor.offset),
                    terminal::bytes(cursor.size)
                ));
            }
        }
        out.push_str(&hook_runs(runs, &home));
        out.push_str(&problems(&status.problems, if self.problems { usize::MAX } else { 5 }));
        terminal::print(&out)
    }
}

impl StatusCommand {
    /// Nothing is wrong where nothing was set up.
    fn before_any(&self, runs: &[LastRun], mistakes: &[String]) -> Result<(), AppError> {
        let home = home::memory_home()?;
        if self.json {
            return json::print("status", json!({"home": home, "exists": false, "mistakes": mistakes, "hooks": runs}));
        }
        let told = format!("No memory yet at {}: {}\n", home::short(&home), home::SET_UP);
        terminal::print(&(told + &said_wrongly(mistakes) + &hook_runs(runs, &home)))
    }

    /// Whoever asks why sessions get nothing must see what hooks ran into.
    fn without_memory(&self, runs: &[LastRun], mistakes: &[String], error: AppError) -> Result<(), AppError> {
        let home = home::memory_home()?;
        match self.json {
            true => json::print("status", json::status_without_memory(&home, &error.message, runs))?,
            false => terminal::print(&(said_wrongly(mistakes) + &hook_runs(runs, &home)))?,
        }
        Err(error)
    }
}

/// Which rows of the log are skipped, and what to do about it.
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

/// What of the configuration does not count.
fn said_wrongly(mistakes: &[String]) -> String {
    if mistakes.is_empty() {
        return String::new();
    }
    let line = |mistake: &String| format!("  {}\n", terminal::paint(terminal::WARN, mistake));
    let head = terminal::paint(terminal::BOLD, "Configuration");
    format!("{head} has mistakes, and other commands refuse it\n{}", mistakes.iter().map(line).collect::<String>())
}

/// When each hook ran last, how long it took, and what came of it.
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
    if out.is_empty() { out } else { format!("{}\n{out}", terminal::paint(terminal::BOLD, "Hooks, last run")) }
}

/// The code that `why` has read.
fn code_indexes() -> Result<String, AppError> {
    let kept = code_index::kept()?;
    let line = |index: &KeptIndex| {
        let gone = |root: &String| if Path::new(root).is_dir() { "" } else { " (the folder is gone)" };
        let root = index.root.as_ref().map(|root| format!("{root}{}", gone(root)));
        format!("  {:>10}  {}\n", terminal::bytes(index.bytes), root.unwrap_or(index.folder.display().to_string()))
    };
    let head = format!("{} in views/code\n", terminal::paint(terminal::BOLD, "Code that was read"));
    Ok(if kept.is_empty() { String::new() } else { head + &kept.iter().map(line).collect::<String>() })
}

/// Is the index of the layout that this version reads?
fn is_current(status: &Status) -> bool {
    status.stages.iter().all(|stage| stage.built == Some(stage.version))
}

/// Only a slow model's vectors may be behind.
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

/// Does what answers state come true? Nothing where nothing was stated.
fn answers(told: &Calibration) -> String {
    if told.retrievals == 0 {
        return String::new();
    }
    let all = terminal::count(told.retrievals as u64, "answer");
    let mut out =
        format!("{} {all} that stated how likely they are right\n", terminal::paint(terminal::BOLD, "Answers"));
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
    let known = format!("outcomes: {} by hand, {} by what was edited next", told.by_hand, told.by_edits);
    out.push_str(&format!("  {known}; {} without one yet\n", told.without_outcome()));
    out
}

/// Which stages lack rows that they made, or were never given.
fn missing(status: &Status) -> String {
    let flaws = Flaws { gaps: status.gaps.clone(), ..Flaws::default() };
    let line = |line: String| {
        let what = format!("incomplete ({line}): `backstory maintain` repairs it, the next ingest does too");
        format!("  {}\n", terminal::paint(terminal::WARN, &what))
    };
    flaws.lines().into_iter().map(line).collect()
}

fn stages(status: &Status, damaged: &[String]) -> String {
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, "Stages"));
    for stage in &status.stages {
        let state = match (stage.built, stage.behind) {
            (None, _) => "not run yet".to_owned(),
            (Some(built), _) if built != stage.version => {
                format!("made by version {built}: the next ingest rebuilds it")
            }
            _ if stage.name == INDEX && !damaged.is_empty() => {
                let what = format!("damaged ({}): `backstory rebuild` mends it", damaged.join(", "));
                terminal::paint(terminal::WARN, &what)
            }
            (_, 0) => "up to date".to_owned(),
            (_, behind) => format!("{} behind: the next ingest catches up", terminal::count(behind, "event")),
        };
        out.push_str(&format!("  {:<10} version {:>3}  {state}\n", stage.name, stage.version));
    }
    out
}
