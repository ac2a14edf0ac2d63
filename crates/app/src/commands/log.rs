use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use backstory_engine::log::{Log, Verified};
use backstory_engine::model::{Event, EventId, EventKind};
use backstory_engine::retrieve::{SessionQuery, ToldCase, case_of_event, find_session, sessions};
use backstory_engine::store::{StoreError, UnfinishedForget};
use backstory_engine::{Citations, Memory};
use backstory_files as files;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind, MEND_ROWS};
use crate::progress::Show;
use crate::reply::Reply;
use crate::terminal::{self, JsonLines};
use crate::{home, json};

use super::forget::Forget;
use super::free_text::not_blank;
use super::ingest::{problems, refresh};
use super::{Answers, case_text, print_answer};

/// Show, check, copy or blank the log
///
/// The log is the ground truth: every event as it was read, append-only, each row
/// chained to the one before. Everything else is derived from it.
#[derive(clap::Args)]
pub struct LogCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    Show(ShowEvents),
    Verify(Verify),
    Export(LogExport),
    Import(LogImport),
    Forget(Forget),
}

impl LogCommand {
    pub fn run(self) -> Result<(), AppError> {
        match self.action {
            Action::Show(action) => print_answer(action),
            Action::Verify(action) => action.run(),
            Action::Export(action) => action.run(),
            Action::Import(action) => action.run(),
            Action::Forget(action) => print_answer(action),
        }
    }

    /// Other surfaces offer only this subcommand.
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        match self.action {
            Action::Forget(action) => action.reply(context),
            Action::Show(action) => action.reply(context),
            _ => Err(AppError::new(ErrorKind::Usage, "only the command line does this")),
        }
    }
}

/// Show events of the log
///
/// An ID is the id of an event or a chunk, or its first digits; for a chunk the
/// command shows its events. The case to which they belong is named last. With --session it shows the events of that session,
/// without any argument the newest events.
#[derive(clap::Args)]
#[command(name = "show")]
struct ShowEvents {
    /// An event or a chunk: its id, or its first digits
    #[arg(value_name = "ID", value_parser = not_blank)]
    id: Option<String>,
    /// Only events of this session and its sub-agents
    #[arg(long, short, value_name = "SESSION", conflicts_with = "id", value_parser = not_blank)]
    session: Option<String>,
    /// Show at most N events, the newest
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::page::limit)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Answers for ShowEvents {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let memory = context.memory()?;
        let events = match (&self.id, &self.session) {
            (Some(id), _) => by_id(memory, id)?,
            (None, Some(session)) => of_session(memory, session, self.limit)?,
            (None, None) => newest(memory, self.limit)?,
        };
        let items: Vec<_> = events.iter().map(json::event).collect();
        let mut json = serde_json::json!({ "items": items });
        if events.is_empty() {
            return Ok(Reply::nothing("log show", json, "The log is empty: `backstory ingest` fills it.\n"));
        }
        let case = match self.id {
            Some(_) => case_of(memory, &events)?,
            None => None,
        };
        json["case"] = serde_json::json!(case.as_ref().map(|case| case.id));
        let of_case = case.map(|case| format!("of {}", case_text::render_headline(&case))).unwrap_or_default();
        let text = events.iter().map(event_text).chain([of_case]).collect::<String>();
        Ok(Reply::recalled("log show", json, text))
    }
}

fn by_id(memory: &mut Memory, asked: &str) -> Result<Vec<Event>, AppError> {
    let hex = asked.to_ascii_lowercase();
    if hex.len() < 4 || hex.len() > 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(AppError::new(ErrorKind::Usage, format!("'{asked}' is not an id"))
            .hint("Ids are hexadecimal; at least their first four digits are needed."));
    }
    let chunks = memory.views().read().chunk_ids_with_prefix(&hex, 3)?;
    let mut ids: Vec<EventId> = memory.log().store().event_ids_with_prefix(&hex, 3)?;
    if chunks.len() + ids.len() > 1 {
        let candidates: Vec<String> =
            chunks.iter().map(ToString::to_string).chain(ids.iter().map(ToString::to_string)).collect();
        return Err(AppError::new(ErrorKind::Usage, format!("'{asked}' is the beginning of several ids"))
            .hint(format!("Give more of it: {}", candidates.join(", "))));
    }
    if let Some(chunk) = chunks.first()
        && let Some(body) = memory.views().read().body(*chunk)?
    {
        ids = body.parts.iter().map(|part| part.event).collect();
        ids.dedup();
    }
    let mut events = Vec::new();
    for id in ids {
        events.extend(memory.log().store().event(id)?);
    }
    if events.is_empty() {
        return Err(AppError::new(ErrorKind::NotFound, format!("nothing in the memory has the id '{asked}'")));
    }
    Ok(events)
}

/// The case to which the events of a chunk belong.
fn case_of(memory: &mut Memory, events: &[Event]) -> Result<Option<ToldCase>, AppError> {
    let (log, views) = memory.parts();
    Ok(events.first().map(|event| case_of_event(log, views, event)).transpose()?.flatten())
}

fn of_session(memory: &mut Memory, asked: &str, limit: usize) -> Result<Vec<Event>, AppError> {
    let (log, views) = memory.parts();
    let info = find_session(&sessions(log, views, &SessionQuery::default())?, asked)?;
    let mut events = Vec::new();
    for episode in info.episodes {
        events.extend(log.store().events_of(episode, 0, u32::MAX)?);
    }
    events.sort_by_key(|event| event.pos);
    events.drain(..events.len().saturating_sub(limit));
    Ok(events)
}

fn newest(memory: &mut Memory, limit: usize) -> Result<Vec<Event>, AppError> {
    let head = memory.log().store().head()?.pos;
    let mut events = Vec::new();
    memory.log().store().scan(head.saturating_sub(limit as u64), |event| {
        events.push(event);
        true
    })?;
    Ok(events)
}

fn event_text(event: &Event) -> String {
    let meta = serde_json::to_string(&event.meta).unwrap_or_default();
    let is_printed = matches!(event.kind, EventKind::ToolOutput | EventKind::System);
    let text = match event.kind {
        _ if event.unreadable.is_some() => {
            format!("(unreadable: {})", event.unreadable.as_deref().unwrap_or_default())
        }
        _ if event.forgotten => "(forgotten on request)".to_owned(),
        _ if is_printed => terminal::foreign(&event.text),
        _ => event.text.clone(),
    };
    format!(
        "{} {} {} #{}\n{}\n{}\n\n",
        terminal::paint(terminal::DIM, &event.id.to_string()),
        terminal::paint(terminal::BOLD, event.kind.name()),
        terminal::time(event.time),
        event.pos,
        terminal::paint(terminal::DIM, &meta),
        text
    )
}

/// Check the log and every citation
///
/// Verifies that no row was changed and that every citation matches its text. Prints
/// the first broken row and exits with 4 when something is wrong.
#[derive(clap::Args)]
struct Verify {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    fn run(self) -> Result<(), AppError> {
        if !home::has_memory()? {
            return Err(home::no_memory()?);
        }
        let (mut log, verified, citations) = verify()?;
        let fault = verified.fault.as_ref().map(|fault| fault.render());
        let fault = fault.or_else(|| citations.fault.clone());
        if self.json {
            json::print("log verify", json::verified(&verified, &citations))?;
        } else if fault.is_none() {
            let forgotten = match verified.forgotten {
                0 => String::new(),
                n => format!(" ({} forgotten on request)", terminal::number(n)),
            };
            terminal::print(&format!(
                "The log is intact: {}{forgotten}, {}, {} checked.\n",
                terminal::count(verified.events, "event"),
                terminal::count(verified.artifacts, "stored file"),
                terminal::count(citations.checked, "citation"),
            ))?;
        }
        match fault {
            None => Ok(()),
            Some(fault) if verified.fault.is_none() => {
                Err(AppError::new(ErrorKind::Corrupt, format!("a citation does not match: {fault}"))
                    .hint("The log itself is intact: `backstory rebuild` recreates the views."))
            }
            Some(fault) if !verified.unreadable.is_empty() => {
                let session = verified.unreadable.first().and_then(|row| crate::damage::session_of(&mut log, row));
                let session = session.map(|session| format!(" (session {session})")).unwrap_or_default();
                let count = terminal::count(verified.unreadable.len() as u64, "unreadable row");
                Err(AppError::new(ErrorKind::Corrupt, format!("the log is damaged: {fault}{session}"))
                    .hint(format!("{count}. {MEND_ROWS}")))
            }
            Some(fault) => Err(AppError::new(ErrorKind::Corrupt, format!("the log is damaged: {fault}"))
                .hint("Rows before that one are sound; restore the file from a backup or import an export.")),
        }
    }
}

/// If the log is too damaged to open its views, the log is checked alone.
fn verify() -> Result<(Log, Verified, Citations), AppError> {
    let alone = || -> Result<Log, AppError> { Ok(Log::open(&home::memory_home()?.join("log.sqlite"))?) };
    match home::open_without_refresh() {
        Ok(mut memory) => {
            let (verified, citations) = memory.verify()?;
            Ok((alone()?, verified, citations))
        }
        Err(error) if error.kind == ErrorKind::Corrupt => {
            let mut log = alone().map_err(|_| error)?;
            let verified = log.verify()?;
            Ok((log, verified, Citations::default()))
        }
        Err(error) => Err(error),
    }
}

/// Write the log as JSON lines, one event per line
///
/// An unreadable row is replaced by its number; the rest is written.
#[derive(clap::Args)]
struct LogExport {
    /// The file to write; without it, standard output
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl LogExport {
    fn run(self) -> Result<(), AppError> {
        let mut log = exported_log()?;
        let exported = match &self.file {
            Some(path) if path.as_os_str() != "-" => {
                let file = files::create_new(path).map_err(|error| {
                    AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()))
                        .hint("Existing files are not overwritten: choose a new name.")
                })?;
                let mut out = JsonLines::new(BufWriter::new(file));
                let exported = log.export(&mut out)?;
                out.flush()?;
                terminal::print(&format!(
                    "Wrote {} to {}\n",
                    terminal::count(exported.events, "event"),
                    path.display()
                ))?;
                exported
            }
            _ => {
                let mut out = terminal::json_lines();
                let exported = log.export(&mut out)?;
                out.flush()?;
                exported
            }
        };
        if exported.unreadable > 0 {
            let rows = terminal::count(exported.unreadable, "row");
            terminal::warn(format!(
                "{rows} could not be read; the export has only their numbers. `backstory log verify` shows the reason"
            ));
        }
        Ok(())
    }
}

/// Opens the log alone, so it can be exported even if nothing can be derived from it. Events to be forgotten are left
/// out.
fn exported_log() -> Result<Log, AppError> {
    if !home::has_memory()? {
        return Err(home::no_memory()?);
    }
    let home = home::memory_home()?;
    if UnfinishedForget::is_in(&home) {
        drop(home::open_existing()?);
        if UnfinishedForget::is_in(&home) {
            return Err(StoreError::Unforgotten("nothing is exported until then".to_owned()).into());
        }
    }
    Ok(Log::open(&home.join("log.sqlite"))?)
}

/// The limit on the size of an import.
const LARGEST_LOG_IMPORT: u64 = 64 << 30;

/// Merge an export into this log
///
/// Existing events stay as they are; importing twice changes nothing.
#[derive(clap::Args)]
struct LogImport {
    /// The file to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl LogImport {
    fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_or_create()?;
        let name = self.file.display().to_string();
        let input: Box<dyn Read> = if self.file.as_os_str() == "-" {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(
                files::open(&self.file, LARGEST_LOG_IMPORT)
                    .map(|opened| opened.file)
                    .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{name}: {error}")))?,
            )
        };
        let imported = memory.log().import(&name, &mut BufReader::new(input))?;
        if let (0, 0, Some(first)) = (imported.appended.new, imported.appended.known, imported.problems.first()) {
            return Err(AppError::new(ErrorKind::Failed, format!("nothing could be imported: {first}"))
                .hint("`backstory log export FILE` writes a file that can be imported."));
        }
        refresh(&mut memory, imported.appended.new, if self.json { Show::Nothing } else { Show::bar() })?;
        if self.json {
            let items: Vec<_> = imported.problems.iter().map(json::problem).collect();
            let answer = serde_json::json!({
                "events_new": imported.appended.new, "events_known": imported.appended.known,
                "redacted": imported.appended.redacted, "problems": items,
            });
            return json::print("log import", answer);
        }
        terminal::print(&format!(
            "Imported {}, {} already known\n{}",
            terminal::count(imported.appended.new, "new event"),
            terminal::number(imported.appended.known),
            problems(&imported.problems, 12)
        ))
    }
}
