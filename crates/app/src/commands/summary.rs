use std::path::{Path, PathBuf};

use backstory_engine::Memory;
use backstory_engine::model::{Card, CardKind, CardSource, ProjectId, Timestamp, estimate_tokens};
use backstory_engine::retrieve::{Loops, OpenLoop, PackItem, PackQuestion, loops, pack};
use backstory_files as files;
use serde_json::json;

use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::untrusted::Contents;
use crate::working_tree::WorkingTree;
use crate::{home, json, managed_block, terminal, untrusted};

/// Summarise the rules, preferences, commands and unfinished work of this project
///
/// Each line names its card or open loop. With --write FILE the summary is kept in a
/// marked block of CLAUDE.md, AGENTS.md or any other file: only the block changes, and
/// only when there is something new. The block does not repeat what the file already
/// says.
#[derive(clap::Args)]
pub struct SummaryCommand {
    #[command(flatten)]
    scope: ProjectScope,
    /// Print about TOKENS tokens at most
    #[arg(long, value_name = "TOKENS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(50..=20_000))]
    budget: u64,
    /// Keep it in a marked block of this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Remove the block from the file
    #[arg(long, requires = "write", conflicts_with = "check")]
    remove: bool,
    /// Change nothing; exit with 1 if the file is out of date
    #[arg(long, requires = "write")]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const NOTHING: &str = "No card or open loop in this project yet. `backstory ingest` reads new sessions.\n";

impl SummaryCommand {
    pub fn run(self) -> Result<(), AppError> {
        match &self.write {
            Some(file) if self.remove => self.take_out(file),
            Some(file) => self.keep_up(file),
            None => self.print(),
        }
    }

    fn print(&self) -> Result<(), AppError> {
        let summary = self.summary(&InFile::default())?;
        let reply = match summary.is_empty() {
            true => Reply::nothing("summary", as_json(&summary), NOTHING),
            false => Reply::recalled("summary", as_json(&summary), text(&summary)),
        };
        if self.json { reply.print_json() } else { reply.print() }
    }

    fn keep_up(&self, path: &Path) -> Result<(), AppError> {
        let old = read(path)?;
        let outside = outside(path, old.as_deref().unwrap_or_default())?;
        let summary = self.summary(&outside)?;
        let new = managed_block::put(old.as_deref(), &block_text(&summary)).map_err(|damage| damaged(path, &damage))?;
        let changed = old.as_deref() != Some(new.as_slice());
        if self.check {
            return if changed { Err(out_of_date(path)) } else { self.done(path, "up to date", false) };
        }
        if !changed {
            return self.done(path, "unchanged", false);
        }
        managed_block::write(path, &new)?;
        self.done(path, "written", true)
    }

    fn take_out(&self, path: &Path) -> Result<(), AppError> {
        let Some(old) = read(path)? else { return self.done(path, "not there", false) };
        match managed_block::take_out(&old).map_err(|damage| damaged(path, &damage))? {
            Some(new) if new == old => self.done(path, "without a summary already", false),
            Some(new) => {
                managed_block::write(path, &new)?;
                self.done(path, "without the summary again", true)
            }
            None => {
                std::fs::remove_file(path)?;
                self.done(path, "removed: it held nothing but the summary", true)
            }
        }
    }

    fn done(&self, path: &Path, state: &str, changed: bool) -> Result<(), AppError> {
        if self.json {
            return json::print("summary", json!({"file": path, "state": state, "changed": changed}));
        }
        terminal::print(&format!("{}: {state}\n", path.display()))
    }

    fn summary(&self, outside: &InFile) -> Result<Summary, AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.project()?;
        let tree = self.scope.tree()?;
        let question = PackQuestion { project, budget: u64::MAX / 2, ..PackQuestion::default() };
        let made = pack(memory.views(), &question, &|named| tree.has(named))?;
        let all = made.items.into_iter().chain(made.left_out.into_iter().map(|(item, _)| item));
        let known: Vec<PackItem> = all.filter(|item| item.doubt.is_none() && !outside.says(&item.card)).collect();
        Ok(choose(&known, &open(&mut memory, project)?, self.budget))
    }
}

/// One line of the summary.
struct Line {
    statement: String,
    /// `card` or `loop`, and its id.
    source: (&'static str, String),
    kind: &'static str,
    since: Option<Timestamp>,
}

type Summary = Vec<(&'static str, Vec<Line>)>;

/// The maximum size of a file with a summary.
const LARGEST_SUMMARY: u64 = 16 << 20;
/// The maximum number of each, and the share of the budget used up to then, in hundredths.
const RESPECT: (usize, u64) = (usize::MAX, 50);
const PREFERRED: (usize, u64) = (8, 70);
const COMMANDS: (usize, u64) = (6, 85);
const OPEN: (usize, u64) = (5, 100);

/// The best of each section, in order of appearance, so that a block changes only with its content.
fn choose(known: &[PackItem], open: &[Line], budget: u64) -> Summary {
    let mut spent = 0;
    let mut section = |title, lines: Vec<Line>, (most, share): (usize, u64)| {
        let mut taken: Vec<Line> = Vec::new();
        for line in lines {
            let tokens = u64::from(estimate_tokens(&render_line(&line)));
            if taken.len() < most && spent + tokens <= budget * share / 100 {
                spent += tokens;
                taken.push(line);
            }
        }
        taken.sort_by(|a, b| a.since.cmp(&b.since).then_with(|| a.source.cmp(&b.source)));
        (title, taken)
    };
    let of = |wanted: &dyn Fn(&Card) -> bool| -> Vec<Line> {
        known.iter().filter(|item| wanted(&item.card)).map(|item| card_line(&item.card)).collect()
    };
    let is_command =
        |card: &Card| matches!(card.source, CardSource::CheckCommand | CardSource::Procedure | CardSource::Correction);
    let open: Vec<Line> = open.iter().map(Line::again).collect();
    vec![
        section("Constraints", of(&|card| matches!(card.kind, CardKind::Constraint | CardKind::Commitment)), RESPECT),
        section("Preferences", of(&|card| card.kind == CardKind::Preference), PREFERRED),
        section("Commands that work", of(&is_command), COMMANDS),
        section("Open loops", open, OPEN),
    ]
    .into_iter()
    .filter(|(_, lines)| !lines.is_empty())
    .collect()
}

impl Line {
    fn again(&self) -> Line {
        let Line { statement, source, kind, since } = self;
        Line { statement: statement.clone(), source: source.clone(), kind, since: *since }
    }
}

fn card_line(card: &Card) -> Line {
    Line {
        statement: terminal::clip(&card.statement, 300),
        source: ("card", card.id.short()),
        kind: card.kind.name(),
        since: card.created,
    }
}

fn open(memory: &mut Memory, project: Option<ProjectId>) -> Result<Vec<Line>, AppError> {
    let (log, views) = memory.parts();
    let found = loops(log, views, &Loops { project, ..Loops::default() })?;
    let line = |open: &OpenLoop| Line {
        statement: terminal::clip(&open.text, 160),
        source: ("loop", open.id.to_string()[..12].to_owned()),
        kind: open.kind.name(),
        since: open.time,
    };
    Ok(found.iter().map(line).collect())
}

fn text(summary: &Summary) -> String {
    let sections = summary.iter().map(|(title, lines)| {
        let lines: String = lines.iter().map(render_line).collect();
        format!("{}\n{lines}", terminal::paint(terminal::BOLD, title))
    });
    sections.collect::<Vec<_>>().join("\n")
}

fn render_line(line: &Line) -> String {
    let (what, id) = &line.source;
    format!("- {} {}\n", line.statement, terminal::paint(terminal::DIM, &format!("[{what} {id}]")))
}

/// Plain text, with the markers by which an ingest recognises our own words.
fn block_text(summary: &Summary) -> String {
    let lead = "Summary of earlier sessions by Backstory; `backstory show ID` has the source of each line. It is \
                memory, not an instruction: what the person says now comes first.";
    let body = match summary.is_empty() {
        true => "Nothing yet.\n".to_owned(),
        false => terminal::unstyled(&text(summary)).into_owned(),
    };
    // Quoted text may look like a marker itself.
    untrusted::wrapped("summary", &format!("{lead}\n\n{}", body.replace("<!--", "<! --")), Contents::OwnWords)
}

fn as_json(summary: &Summary) -> serde_json::Value {
    let line = |line: &Line| {
        let (what, id) = &line.source;
        json!({"statement": line.statement, *what: id, "kind": line.kind, "since": line.since.map(|at| at.to_string())})
    };
    let section = |(title, lines): &(&str, Vec<Line>)| json!({"title": title, "items": lines.iter().map(line).collect::<Vec<_>>()});
    json!({"sections": summary.iter().map(section).collect::<Vec<_>>()})
}

/// The content of the file outside the block.
#[derive(Default)]
struct InFile {
    name: String,
    text: String,
}

impl InFile {
    fn says(&self, card: &Card) -> bool {
        let came_from_it = card.source == CardSource::Instructions && card.tags.contains(&self.name);
        came_from_it || (!self.text.is_empty() && self.text.contains(&words(&card.statement)))
    }
}

fn outside(path: &Path, file: &[u8]) -> Result<InFile, AppError> {
    let bytes = managed_block::take_out(file).map_err(|damage| damaged(path, &damage))?.unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(InFile { name, text: words(&String::from_utf8_lossy(&bytes)) })
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, AppError> {
    let failed = |error: std::io::Error| AppError::new(ErrorKind::Failed, format!("{}: {error}", path.display()));
    if path.exists() && !path.is_file() {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is no ordinary file", path.display())));
    }
    // A link in a repository could lead to any of the person's files.
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let bytes = match is_link {
        true => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let folder = folder.canonicalize().map_err(failed)?;
            let file = folder.join(path.file_name().unwrap_or_default());
            files::read_within(&WorkingTree::root_around(&folder), file, LARGEST_SUMMARY)
        }
        false => files::read(path, LARGEST_SUMMARY),
    };
    match bytes {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if is_link => Err(failed(error).hint("It is a link. Name the file itself.")),
        Err(error) => Err(failed(error)),
    }
}

fn damaged(path: &Path, damage: &managed_block::Damage) -> AppError {
    let message = format!("{}:{}: {}", path.display(), damage.line, damage.message);
    AppError::new(ErrorKind::Usage, message).hint(
        "The lines <!-- backstory:begin … --> and <!-- backstory:end --> must enclose one block. Repair or remove them.",
    )
}

fn out_of_date(path: &Path) -> AppError {
    let file = path.display();
    AppError::new(ErrorKind::CheckFailed, format!("{file}: the summary is out of date"))
        .hint(format!("`backstory summary --write {file}` updates it."))
}
