use std::path::{Path, PathBuf};

use backstory_engine::ingest::{Blamed, blame_line, work_tree};
use backstory_engine::retrieve::{LineQuestion, LineStory, Proof, Ran, Written, why_line};

use super::fix::age;
use super::scope::ProjectScope;
use super::sessions::short;
use crate::error::{AppError, ErrorKind};
use crate::{home, screen, wire};

/// Lines on either side that tell whether an edit wrote this place.
const AROUND: usize = 4;
/// So much of a prompt is shown.
const LONGEST_PROMPT: usize = 600;

/// Why is this line here? The conversation behind a line of code
///
/// `backstory why src/cart.ts:45` finds the edit that wrote the line, what the
/// person had asked for, which check failed before and passed after, what was
/// refused, and which edits came later. Lines that moved and files that were
/// renamed are followed through git. What cannot be proven is said so.
#[derive(clap::Args)]
pub struct WhyCommand {
    /// FILE:LINE
    #[arg(value_name = "FILE:LINE")]
    place: String,
    #[command(flatten)]
    scope: ProjectScope,
    /// The answer as JSON
    #[arg(long)]
    json: bool,
}

impl WhyCommand {
    pub fn run(self) -> Result<(), AppError> {
        let place = Place::read(&self.place)?;
        let mut memory = home::open_memory()?;
        let project = self.scope.resolve(&mut memory)?.project()?;
        let question = place.question(project);
        let (log, views) = memory.parts();
        let story = why_line(log, views, &question)?;
        if self.json {
            return wire::print(
                "why",
                wire::line_story(&place.path, place.line, &question.text, place.blamed.as_ref(), &story),
            );
        }
        screen::print_recalled("why", &tell(&place, &question, &story))
    }
}

/// A line of a file in a working tree.
struct Place {
    /// From the root of the tree.
    path: String,
    line: usize,
    lines: Vec<String>,
    blamed: Option<Blamed>,
}

impl Place {
    fn read(typed: &str) -> Result<Self, AppError> {
        let usage = |problem: String| {
            AppError::new(ErrorKind::Usage, problem).hint("Name a file and a line: `backstory why src/cart.ts:45`.")
        };
        let (file, line) = typed.rsplit_once(':').ok_or_else(|| usage(format!("'{typed}' names no line")))?;
        let line: usize = line.parse().map_err(|_| usage(format!("'{line}' is no line number")))?;
        let file = home::current_folder()?.join(file);
        let content = std::fs::read(&file)
            .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{}: {error}", file.display())))?;
        let text = String::from_utf8_lossy(&content);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if line == 0 || line > lines.len() {
            return Err(usage(format!("{} has {} lines", file.display(), lines.len())));
        }
        let file = file.canonicalize()?;
        let root = file.parent().and_then(work_tree).and_then(|root| root.canonicalize().ok());
        let path = relative(&file, root.as_deref());
        let blamed = root.and_then(|root| blame_line(&root, &path, line, &content));
        Ok(Place { path, line, lines, blamed })
    }

    fn question(&self, project: Option<backstory_engine::model::ProjectId>) -> LineQuestion {
        let mut paths = vec![self.path.clone()];
        paths.extend(self.blamed.iter().map(|blamed| blamed.path.clone()).filter(|path| *path != self.path));
        let at = self.line - 1;
        let near = at.saturating_sub(AROUND)..self.lines.len().min(at + AROUND + 1);
        LineQuestion {
            paths,
            text: self.lines[at].clone(),
            around: near.filter(|near| *near != at).map(|near| self.lines[near].clone()).collect(),
            project,
            until: self.blamed.as_ref().map(|blamed| blamed.time),
        }
    }
}

/// From the root of the tree, or as it is.
fn relative(file: &Path, root: Option<&Path>) -> String {
    let inside: Option<PathBuf> = root.and_then(|root| file.strip_prefix(root).ok().map(Path::to_owned));
    inside.unwrap_or_else(|| file.to_owned()).to_string_lossy().replace('\\', "/")
}

fn tell(place: &Place, question: &LineQuestion, story: &LineStory) -> String {
    let mut out = format!(
        "{}\n   {}\n",
        screen::paint(screen::HEAD, &format!("{}:{}", place.path, place.line)),
        question.text.trim()
    );
    if let Some(blamed) = &place.blamed {
        let line = format!("{} · {} · {}", &blamed.commit[..12], screen::time(Some(blamed.time)), blamed.subject);
        out.push_str(&format!("\n{}\n   {line}\n", screen::paint(screen::BOLD, "Committed")));
    }
    let Some(written) = &story.written else {
        let why = match story.considered {
            0 => "the memory has no edit of this file".to_owned(),
            edits => format!("none of {} of this file put this line in", screen::count(edits as u64, "edit")),
        };
        out.push_str(&format!("\nCannot prove who wrote it: {why}.\n"));
        return out;
    };
    if let Some(prompt) = &written.prompt {
        let head = format!("Asked for · {} · session {}", screen::time(prompt.time), short(&prompt.session));
        out.push_str(&format!("\n{}\n", screen::paint(screen::BOLD, &head)));
        out.push_str(&indented(&screen::clip(&prompt.text, LONGEST_PROMPT)));
    } else {
        out.push_str("\nCannot prove what was asked: no words of a person stand before the edit.\n");
    }
    if let Some(failed) = &story.failed {
        out.push_str(&ran("Failed before", failed));
    }
    out.push_str(&format!("\n{}\n", screen::paint(screen::BOLD, &format!("Written · {}", heading(written)))));
    out.push_str(&change(written));
    let proof = match story.proof {
        Proof::OnlyEdit => "the only edit that put this line in",
        Proof::LastEdit => "the last of several edits that put this line in",
        Proof::Spacing => "the same line but for its spaces",
        Proof::None => "not proven",
    };
    out.push_str(&screen::paint(screen::DIM, &format!("   {proof}\n")));
    if let Some(passed) = &story.passed {
        out.push_str(&ran("Passed after", passed));
    }
    for (title, edits) in
        [("Written before", &story.before), ("In vain", &story.in_vain), ("Changed since", &story.later)]
    {
        for edit in edits {
            out.push_str(&format!("\n{}\n", screen::paint(screen::BOLD, &format!("{title} · {}", heading(edit)))));
            if let Some(prompt) = &edit.prompt {
                out.push_str(&indented(&format!("asked: {}", screen::clip(&prompt.text, 200))));
            }
            if title != "Written before" {
                out.push_str(&change(edit));
            }
        }
    }
    out
}

fn heading(written: &Written) -> String {
    let agent = written.agent.as_deref().map(|agent| format!(" · agent {agent}")).unwrap_or_default();
    format!(
        "{}{} · session {}{agent}",
        screen::time(written.time),
        age(written.time, home::now()),
        short(&written.session)
    )
}

fn change(written: &Written) -> String {
    let lines = written.removed.iter().map(|line| format!("   - {line}\n"));
    lines.chain(written.added.iter().map(|line| format!("   + {line}\n"))).collect()
}

fn ran(title: &str, ran: &Ran) -> String {
    format!("\n{}\n   {}\n", screen::paint(screen::BOLD, &format!("{title} · {}", screen::time(ran.time))), ran.command)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}\n")).collect()
}
