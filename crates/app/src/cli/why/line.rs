//! The story of a line.

use std::path::{Path, PathBuf};

use backstory_cause::impact::impact;
use backstory_cause::locate::Place as CodePlace;
use backstory_code::{EntityId, LARGEST, Language, parse};
use backstory_engine::ingest::{Blame, blame_line, tracked_as, work_tree};
use backstory_engine::retrieve::{LineQuestion, Proof, why_line};

use super::page::{asked, change, heading, indented, known_here, ran, title};
use crate::cli::scope::ProjectScope;
use crate::desk::Desk;
use crate::error::{AppError, ErrorKind};
use crate::reply::Reply;
use crate::wire::{Dependent, LineTold};
use crate::{screen, wire};

/// Lines on either side that tell whether an edit wrote this place.
const AROUND: usize = 4;
/// So many who depend on it are told.
const MOST_DEPENDENTS: usize = 8;

/// `FILE:NUMBER`, also with what compilers and editors add: `FILE:NUMBER:COLUMN`, `FILE:NUMBER-NUMBER`.
pub fn is_meant(desk: &Desk, typed: &str) -> bool {
    let Some((file, _)) = typed.rsplit_once(':') else { return false };
    // A question may end in a colon and a number; it is a file with spaces only if there is one.
    let is_file = |file: &str| !file.is_empty() && desk.file(file).exists();
    match file_and_line(typed) {
        Some((file, _)) => !typed.contains(char::is_whitespace) || is_file(file),
        // `cart.ts:abc` is no question either.
        None => is_file(file),
    }
}

/// Of several lines, the first.
fn file_and_line(typed: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (before, last) = typed.rsplit_once(':')?;
    if let Some((file, line)) = before.rsplit_once(':').filter(|(_, line)| is_number(line) && is_number(last)) {
        return Some((file, line));
    }
    let first = last.split_once('-').filter(|(_, to)| is_number(to)).map_or(last, |(from, _)| from);
    is_number(first).then_some((before, first))
}

/// The conversation behind a line of code.
pub fn tell(desk: &mut Desk, typed: &str, scope: &ProjectScope) -> Result<Reply, AppError> {
    let place = Place::read(desk, typed)?;
    let project = super::project_or_hint(desk, scope)?;
    let question = place.question(project);
    let (log, views) = desk.memory()?.parts();
    let story = why_line(log, views, &question)?;
    let told = LineTold {
        path: &place.path,
        line: place.line,
        text: &question.text,
        blamed: place.blame.line.as_ref(),
        is_tracked: !place.blame.names.is_empty(),
        story: &story,
        dependents: &dependents(desk, &place),
    };
    Ok(Reply::recalled("why", wire::line_story(&told), page(&told)))
}

/// Who uses what the line is in: callers first, then tests. Nobody, where the code cannot be read.
fn dependents(desk: &mut Desk, place: &Place) -> Vec<Dependent> {
    let root = place.root.clone().or_else(|| desk.folder.canonicalize().ok());
    let Some(indexed) = root.and_then(|root| super::index_of(desk, &root).ok()) else {
        return Vec::new();
    };
    let code = CodePlace::new(&indexed.code.tree, &indexed.code.past);
    let path = Path::new(&place.path)
        .strip_prefix(&indexed.root)
        .map_or(place.path.clone(), |inside| inside.to_string_lossy().replace('\\', "/"));
    let file = code.tree.paths().exact(&path);
    let entity = file.and_then(|file| code.tree.entity_at(file, place.line as u32)).filter(|it| it.parent.is_some());
    let Some(entity) = entity else { return Vec::new() };
    let found = impact(&code, &[entity.number], 1, None);
    let users = found.users.iter().chain(&found.tests).take(MOST_DEPENDENTS);
    let told = users.filter_map(|user| {
        let other = code.tree.entity(user.entity)?;
        let unsure = if user.unsure { " (unsure)" } else { "" };
        let name = format!("{} {} {}{unsure}", other.qualified, user.edge.kind.as_str(), entity.qualified);
        Some(Dependent { path: other.path.to_owned(), line: user.edge.line, name })
    });
    told.collect()
}

/// A line of a file in a working tree.
struct Place {
    /// From the root of the tree.
    path: String,
    line: usize,
    lines: Vec<String>,
    blame: Blame,
    /// Of the working tree, if it is in one.
    root: Option<PathBuf>,
    /// What the line is in, the innermost first: `Cart.add`, `add`, `Cart`.
    belongs_to: Vec<String>,
}

impl Place {
    fn read(desk: &Desk, typed: &str) -> Result<Self, AppError> {
        let usage = |problem: String| {
            AppError::new(ErrorKind::Usage, problem).hint("Name a file and a line: `backstory why src/cart.ts:45`.")
        };
        let (file, line) = file_and_line(typed).ok_or_else(|| usage(format!("'{typed}' names no line")))?;
        let line: usize = line.parse().map_err(|_| usage(format!("'{line}' is no line number")))?;
        let file = find(desk, file)?;
        if !file.metadata()?.is_file() {
            return Err(usage(format!("{} is no ordinary file", file.display())));
        }
        let content = std::fs::read(&file)
            .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{}: {error}", file.display())))?;
        if content.contains(&0) {
            return Err(usage(format!("{} is no text", file.display())));
        }
        let text = String::from_utf8_lossy(&content);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if line == 0 || line > lines.len() {
            return Err(usage(format!("{} has {} lines", file.display(), lines.len())));
        }
        let file = file.canonicalize()?;
        let root = file.parent().and_then(work_tree).and_then(|root| root.canonicalize().ok());
        let path = relative(&file, root.as_deref());
        let blame = root.as_ref().and_then(|root| blame_line(root, &path, line, &content)).unwrap_or_default();
        let belongs_to = enclosing(&path, &content, line);
        Ok(Place { path, line, lines, blame, root, belongs_to })
    }

    fn question(&self, project: Option<backstory_engine::model::ProjectId>) -> LineQuestion {
        let mut paths = vec![self.path.clone()];
        let blamed = self.blame.line.iter().map(|blamed| &blamed.path);
        for path in blamed.chain(&self.blame.names) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let at = self.line - 1;
        let near = at.saturating_sub(AROUND)..self.lines.len().min(at + AROUND + 1);
        LineQuestion {
            paths,
            text: self.lines[at].clone(),
            belongs_to: self.belongs_to.clone(),
            around: near.filter(|near| *near != at).map(|near| self.lines[near].clone()).collect(),
            project,
            until: self.blame.line.as_ref().map(|blamed| blamed.time),
        }
    }
}

/// The file as it was typed, or the only one that git has of that name.
fn find(desk: &Desk, typed: &str) -> Result<PathBuf, AppError> {
    let file = desk.file(typed);
    if file.exists() {
        return Ok(file);
    }
    let named = tracked_as(&desk.file("."), typed);
    let message = format!("{}: there is no such file", file.display());
    match named.as_slice() {
        [only] if only.exists() => Ok(only.clone()),
        [] | [_] => Err(AppError::new(ErrorKind::NotFound, message)
            .hint("If it was deleted, ask about the commit: `backstory why COMMIT`.")),
        several => {
            let paths: Vec<String> = several.iter().take(5).map(|path| path.display().to_string()).collect();
            Err(AppError::new(ErrorKind::NotFound, message).hint(format!("Say which: {}", paths.join(", "))))
        }
    }
}

/// The names of what a line is in, in a language that can be read.
fn enclosing(path: &str, content: &[u8], line: usize) -> Vec<String> {
    if Language::of_path(path).is_none() || content.len() > LARGEST {
        return Vec::new();
    }
    let file = parse(path, content);
    let mut names: Vec<String> = Vec::new();
    let mut at = Some(file.entity_at_line(line as u32));
    while let Some(id) = at.filter(|id| *id != EntityId::FILE) {
        let entity = file.entity(id);
        for name in [&entity.qualified, &entity.name] {
            if !name.is_empty() && !names.contains(name) {
                names.push(name.clone());
            }
        }
        at = entity.parent;
    }
    names
}

/// From the root of the tree, or as it is.
fn relative(file: &Path, root: Option<&Path>) -> String {
    let inside: Option<PathBuf> = root.and_then(|root| file.strip_prefix(root).ok().map(Path::to_owned));
    inside.unwrap_or_else(|| file.to_owned()).to_string_lossy().replace('\\', "/")
}

fn page(told: &LineTold<'_>) -> String {
    let mut out = written(told);
    let story = told.story;
    out.push_str(&known_here(&story.cards, &story.troubles, "this line"));
    if !told.dependents.is_empty() {
        out.push_str(&title("Depends on it now"));
        out.extend(told.dependents.iter().map(|it| format!("   {}:{} {}\n", it.path, it.line, it.name)));
    }
    out
}

/// Who wrote the line, and why.
fn written(told: &LineTold<'_>) -> String {
    let story = told.story;
    let mut out =
        format!("{}\n   {}\n", screen::paint(screen::HEAD, &format!("{}:{}", told.path, told.line)), told.text.trim());
    if let Some(blamed) = told.blamed {
        let line = format!("{} · {} · {}", &blamed.commit[..12], screen::time(Some(blamed.time)), blamed.subject);
        out.push_str(&format!("{}   {line}\n", title("Committed")));
        if blamed.is_boundary {
            out.push_str("   The history ends here (a shallow clone): an older commit may have written it.\n");
        }
    } else if told.is_tracked {
        out.push_str("\nNot committed yet.\n");
    }
    let Some(written) = &story.written else {
        let why = match story.considered {
            0 => "the memory has no edit of this file".to_owned(),
            edits => format!("none of {} of this file put this line in", screen::count(edits as u64, "edit")),
        };
        out.push_str(&format!("\nCannot prove who wrote it: {why}.\n"));
        return out;
    };
    match &written.prompt {
        Some(prompt) => out.push_str(&asked("Asked for", prompt)),
        None => out.push_str("\nCannot prove what was asked: no words of a person stand before the edit.\n"),
    }
    if let Some(failed) = &story.failed {
        out.push_str(&ran("Failed before", failed));
    }
    out.push_str(&title(&format!("Written · {}", heading(written))));
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
    for (what, edits) in
        [("Written before", &story.before), ("In vain", &story.in_vain), ("Changed since", &story.later)]
    {
        for edit in edits {
            out.push_str(&title(&format!("{what} · {}", heading(edit))));
            if let Some(prompt) = &edit.prompt {
                out.push_str(&indented(&format!("asked: {}", screen::clip(&prompt.text, 200))));
            }
            if what != "Written before" {
                out.push_str(&change(edit));
            }
        }
    }
    out
}
