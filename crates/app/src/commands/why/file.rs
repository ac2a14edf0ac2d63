//! Shows the work behind each line of a file.

use std::path::Path;

use backstory_engine::ingest::{Blame, blame_lines};
use backstory_engine::retrieve::{FileLine, FileQuestion, FileStory, FileWork, why_file};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{json, terminal};

use super::line::{SourceText, committed_as, in_tree};
use super::line_page::ranges;
use super::page::{cited, opening};

/// A longer file is generated.
const LONGEST_FILE: usize = 50_000;
/// At most this many works are listed, those with the most lines.
const MOST_WORKS: usize = 8;

/// Is it the name of an existing file?
pub fn is_meant(context: &AskContext, typed: &str) -> bool {
    !typed.trim().is_empty() && context.readable(typed).is_some_and(|file| file.is_file())
}

pub fn reply(context: &mut AskContext, typed: &str, scope: &ProjectScope) -> Result<Reply, AppError> {
    let SourceText { file, content, lines } = SourceText::read(context, typed)?;
    if lines.len() > LONGEST_FILE {
        let message = format!("{typed} has {} lines; at most {LONGEST_FILE} at once", lines.len());
        return Err(AppError::new(ErrorKind::Usage, message)
            .hint(format!("Ask about a part of it: `backstory why {typed}:1-50`.")));
    }
    let (root, path) = in_tree(&file)?;
    let blame = match (&root, lines.len()) {
        (Some(root), 1..) => blame_lines(root, &path, 1..=lines.len(), &content).unwrap_or_default(),
        _ => Blame::default(),
    };
    let project = super::project_or_hint(context, scope)?;
    let mut paths = vec![path.clone()];
    paths.extend(blame.names.iter().filter(|name| **name != path).cloned());
    let count = lines.len();
    let committed = |at: usize| blame.lines.get(at).and_then(Option::as_ref).map(committed_as);
    let lines = lines.into_iter().enumerate().map(|(at, text)| FileLine { text, committed: committed(at) }).collect();
    let (log, views) = context.memory()?.parts();
    let story = why_file(log, views, &FileQuestion { paths, lines, project })?;
    let json = json::file_story(&path, count, &story);
    if story.considered == 0 {
        return Ok(Reply::nothing("why", json, no_edit(&path, project.is_some())));
    }
    Ok(Reply::recalled("why", json, page(&path, count, &story)))
}

fn page(path: &str, lines: usize, story: &FileStory) -> String {
    let mut out = format!("{}\n", terminal::paint(terminal::HEAD, path));
    let of = format!("{} of {} telling lines", story.proven, story.telling);
    let works = terminal::count(story.works.len() as u64, "piece");
    out.push_str(&format!("   {}; {of} are from {works} of work\n", terminal::count(lines as u64, "line")));
    let mut order: Vec<usize> = (0..story.works.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse((story.works[*at].lines, story.works[*at].written.time)));
    for at in order.iter().take(MOST_WORKS) {
        out.push_str(&work(&story.works[*at], &lines_of(story, Some(*at))));
    }
    if order.len() > MOST_WORKS {
        let more = order.len() - MOST_WORKS;
        out.push_str(&terminal::paint(terminal::DIM, &format!("\n… and {more} more with fewer lines (--json)\n")));
    }
    let unproven = lines_of(story, None);
    if !unproven.is_empty() {
        out.push_str(&format!("\nCannot prove who wrote {}.\n", clipped_ranges(&unproven)));
    }
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    out.push_str(&terminal::paint(terminal::DIM, &format!("\nMore about a line: `backstory why {name}:LINE`.\n")));
    out
}

fn no_edit(path: &str, of_one_project: bool) -> String {
    match of_one_project {
        true => format!("This project's sessions have no edit of {path}; --all-projects asks all.\n"),
        false => format!("The memory has no edit of {path}.\n"),
    }
}

fn work(work: &FileWork, lines: &[usize]) -> String {
    let written = &work.written;
    let asked = opening(written.prompt.as_ref(), written.reason.as_ref());
    let asked = asked.unwrap_or_else(|| "(no words of a person stand before it)".to_owned());
    let cite = terminal::paint(terminal::DIM, &cited(written.time, &written.session, written.reason.as_ref()));
    let lines = format!("{} · {}", terminal::count(work.lines as u64, "line"), clipped_ranges(lines));
    format!("\n{}\n   {asked}\n   {cite}\n", terminal::paint(terminal::BOLD, &lines))
}

fn lines_of(story: &FileStory, work: Option<usize>) -> Vec<usize> {
    let own = story.ranges.iter().filter(|range| range.work == work);
    own.flat_map(|range| range.first..=range.last).collect()
}

fn clipped_ranges(lines: &[usize]) -> String {
    terminal::clip(&ranges(lines), 100)
}
