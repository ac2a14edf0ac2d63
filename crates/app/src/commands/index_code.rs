use std::path::PathBuf;

use backstory_cause::store::UpdateReport;

use crate::code_index::{self, IndexedCode, Wanted, problem_text};
use crate::error::AppError;
use crate::progress::Show;
use crate::{home, json, terminal};

/// At most this many files with problems are named.
const MOST_PROBLEMS: usize = 10;

/// Read the code and history of a repository
///
/// `why`, `callers` and `callees` do this for the current folder when they need it;
/// this command does it in advance and reports problems. It parses only changed files
/// and reads only new commits, skips files that git ignores, and writes nothing into
/// the repository.
#[derive(clap::Args)]
pub struct IndexCodeCommand {
    /// A folder in the repository; by default the current folder
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Read the newest N commits; by default as many as before, at first 20,000
    #[arg(long, value_name = "N")]
    commits: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl IndexCodeCommand {
    pub fn run(self) -> Result<(), AppError> {
        let folder = match self.path {
            Some(path) => path,
            None => home::current_folder()?,
        };
        let show = if self.json { Show::Nothing } else { Show::bar() };
        let indexed = code_index::open(&folder, Wanted::Index { commits: self.commits }, show)?;
        if self.json {
            return json::print("index-code", json::index_report(&indexed));
        }
        terminal::print(&render(&indexed))
    }
}

fn render(indexed: &IndexedCode) -> String {
    let report = &indexed.report;
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, &indexed.root.display().to_string()));
    if report.busy {
        return out + "   another process is reading it; the existing index is used\n";
    }
    let state = if report.unchanged { "unchanged".to_owned() } else { changes(report) };
    out.push_str(&format!("   {}, {state}\n", terminal::count(report.files as u64, "file")));
    out.push_str(&format!(
        "   {}, {} between them\n",
        entities(report.entities),
        terminal::count(report.edges as u64, "link")
    ));
    match &report.without_history {
        Some(reason) => out.push_str(&format!("   no history: {reason}\n")),
        None => out.push_str(&format!(
            "   {} that changed code ({} read now)\n",
            terminal::count(report.commits as u64, "commit"),
            terminal::number(report.new_commits as u64)
        )),
    }
    out.push_str(&format!("   {} on disk\n", terminal::bytes(report.bytes as u64)));
    if !report.problems.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::WARN, "Not read completely")));
        for problem in report.problems.iter().take(MOST_PROBLEMS) {
            out.push_str(&format!("   {}: {}\n", problem.path, problem_text(problem)));
        }
        let more = report.problems.len().saturating_sub(MOST_PROBLEMS);
        if more > 0 {
            out.push_str(&format!("   and {more} more (--json lists all)\n"));
        }
    }
    out
}

fn entities(count: usize) -> String {
    format!("{} {}", terminal::number(count as u64), if count == 1 { "entity" } else { "entities" })
}

fn changes(report: &UpdateReport) -> String {
    let removed = if report.removed > 0 { format!(", {} gone", report.removed) } else { String::new() };
    format!("{} parsed{removed}", terminal::number(report.parsed as u64))
}
