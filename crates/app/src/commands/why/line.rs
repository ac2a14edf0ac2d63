//! Answers questions about a line, or about several adjacent lines.

use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use backstory_cause::impact::impact;
use backstory_cause::locate::Codebase;
use backstory_code::{EntityId, LARGEST_SOURCE_FILE, Language, parse};
use backstory_engine::ingest::{Blame, Blamed, before_moves, blame_lines, gone, tracked_as, work_tree};
use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{Committed, LineQuestion, LineStory, Proof, is_distinctive, why_line};
use backstory_files as files;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::json;
use crate::json::{Dependent, LineAnswer};
use crate::reply::Reply;
use crate::scope::ProjectScope;

use super::line_page;

const LARGEST_SOURCE: u64 = 64 << 20;
/// Lines before and after that show whether an edit wrote this line.
const AROUND: usize = 4;
/// At most this many lines are answered at once.
const LARGEST_RANGE: usize = 50;

/// `FILE:NUMBER`, including the forms of compilers and editors: `FILE:NUMBER:COLUMN`, `FILE:NUMBER-NUMBER`.
pub fn is_meant(context: &AskContext, typed: &str) -> bool {
    let Some((file, _)) = typed.rsplit_once(':') else { return false };
    // A question may end with a colon and a number; a name with spaces is a file only if the file exists.
    let is_file = |file: &str| !file.is_empty() && context.readable(file).is_some();
    match file_and_lines(typed) {
        Some((file, ..)) => !typed.contains(char::is_whitespace) || is_file(file),
        // `cart.ts:abc` is not a question either.
        None => is_file(file),
    }
}

/// The file, the first line and the last line.
fn file_and_lines(typed: &str) -> Option<(&str, &str, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (before, last) = typed.rsplit_once(':')?;
    if let Some((file, line)) = before.rsplit_once(':').filter(|(_, line)| is_number(line) && is_number(last)) {
        return Some((file, line, line));
    }
    let (first, last) = last.split_once('-').unwrap_or((last, last));
    (is_number(first) && is_number(last)).then_some((before, first, last))
}

/// The conversation behind a line of code; for several lines, those behind each.
pub fn reply(context: &mut AskContext, typed: &str, scope: &ProjectScope) -> Result<Reply, AppError> {
    let lines = LineRange::read(context, typed)?;
    let project = super::project_or_hint(context, scope)?;
    let mut groups: Vec<LineGroup> = Vec::new();
    for line in lines.range.clone() {
        let (log, views) = context.memory()?.parts();
        let story = why_line(log, views, &lines.question(line, project))?;
        match groups.iter_mut().find(|group| group.is_same(&story)) {
            Some(group) => group.add(line, story),
            None => groups.push(LineGroup { lines: vec![line], story }),
        }
    }
    // In a range, blank lines and braces need no story.
    if groups.iter().any(|group| group.story.proof != Proof::TooLittle) {
        groups.retain(|group| group.story.proof != Proof::TooLittle);
    }
    let dependents: Vec<Vec<Dependent>> =
        groups.iter().map(|group| dependents(context, &lines, group.lines[0])).collect();
    let stories: Vec<LineAnswer<'_>> =
        groups.iter().zip(&dependents).map(|(it, them)| lines.answer(it, them)).collect();
    let page = match stories.as_slice() {
        [only] => line_page::page(only),
        several => line_page::page_of_several(several),
    };
    let json = match (stories.as_slice(), lines.range.clone().count()) {
        ([only], 1) => json::line_story(only),
        _ => json::line_stories(&lines.path, &lines.range, &stories),
    };
    Ok(Reply::recalled("why", json, page))
}

/// Lines with the same story, which is that of the first line.
struct LineGroup {
    lines: Vec<usize>,
    story: LineStory,
}

impl LineGroup {
    fn is_same(&self, other: &LineStory) -> bool {
        let edit = |story: &LineStory| story.written.as_ref().map(|written| written.event);
        let is_proven = self.story.written.is_some();
        edit(&self.story) == edit(other) && (is_proven || self.story.proof == other.proof)
    }

    /// Adds another line, with the attempts at it.
    fn add(&mut self, line: usize, other: LineStory) {
        self.lines.push(line);
        let story = &mut self.story;
        for (known, more) in [
            (&mut story.before, other.before),
            (&mut story.refused, other.refused),
            (&mut story.failed_attempts, other.failed_attempts),
            (&mut story.later, other.later),
        ] {
            for edit in more {
                if known.iter().all(|it| it.event != edit.event) {
                    known.push(edit);
                }
            }
        }
    }
}

/// The users of what the line is in: callers first, then tests. Empty if the code cannot be read.
fn dependents(context: &mut AskContext, lines: &LineRange, line: usize) -> Vec<Dependent> {
    let root = lines.root.clone().or_else(|| context.folder.canonicalize().ok());
    let Some(indexed) = root.and_then(|root| super::index_of(context, &root).ok()) else {
        return Vec::new();
    };
    let code = Codebase::new(&indexed.code.tree, &indexed.code.past);
    let path = Path::new(&lines.path)
        .strip_prefix(&indexed.root)
        .map_or(lines.path.clone(), |inside| inside.to_string_lossy().replace('\\', "/"));
    let file = code.tree.paths().exact(&path);
    let entity = file.and_then(|file| code.tree.entity_at(file, line as u32)).filter(|it| it.parent.is_some());
    let Some(entity) = entity else { return Vec::new() };
    let found = impact(&code, &[entity.number], 1, None);
    let users = found.users.iter().chain(&found.tests).take(line_page::MOST_DEPENDENTS);
    let dependents = users.filter_map(|user| {
        let other = code.tree.entity(user.entity)?;
        let unsure = if user.unsure { " (unsure)" } else { "" };
        let name = format!("{} {} {}{unsure}", other.qualified, user.edge.kind.as_str(), entity.qualified);
        Some(Dependent { path: other.path.to_owned(), line: user.edge.line, name })
    });
    dependents.collect()
}

/// Lines of a file in a working tree.
struct LineRange {
    /// Relative to the root of the tree.
    path: String,
    range: RangeInclusive<usize>,
    content: Vec<u8>,
    lines: Vec<String>,
    blame: Blame,
    /// For each line that a commit only moved: the commit that first had it.
    first_had: Vec<Option<Blamed>>,
    /// The root of its working tree, if any.
    root: Option<PathBuf>,
}

impl LineRange {
    fn read(context: &AskContext, typed: &str) -> Result<Self, AppError> {
        let usage = |problem: String| {
            AppError::new(ErrorKind::Usage, problem).hint("Name a file and a line: `backstory why src/cart.ts:45`.")
        };
        let (file, first, last) = file_and_lines(typed).ok_or_else(|| usage(format!("'{typed}' names no line")))?;
        let number = |text: &str| text.parse().map_err(|_| usage(format!("'{text}' is no line number")));
        let (first, last): (usize, usize) = (number(first)?, number(last)?);
        let SourceText { file, content, lines } = SourceText::read(context, file)?;
        if first == 0 || last > lines.len() {
            return Err(usage(format!("{} has {} lines", file.display(), lines.len())));
        }
        if last < first || last - first >= LARGEST_RANGE {
            return Err(usage(format!("'{first}-{last}' are not one to {LARGEST_RANGE} lines")));
        }
        let (root, path) = in_tree(&file)?;
        let range = first..=last;
        let blame =
            root.as_ref().and_then(|root| blame_lines(root, &path, range.clone(), &content)).unwrap_or_default();
        let first_had = range.clone().zip(&blame.lines).map(|(line, blamed)| {
            let text = lines.get(line - 1).filter(|text| is_distinctive(text))?;
            before_moves(root.as_ref()?, blamed.as_ref()?, text)
        });
        let first_had = first_had.collect();
        Ok(LineRange { path, range, content, lines, blame, first_had, root })
    }

    fn blamed(&self, line: usize) -> Option<&Blamed> {
        self.blame.lines.get(line - self.range.start())?.as_ref()
    }

    fn first_had(&self, line: usize) -> Option<&Blamed> {
        self.first_had.get(line - self.range.start())?.as_ref()
    }

    fn answer<'a>(&'a self, group: &'a LineGroup, dependents: &'a [Dependent]) -> LineAnswer<'a> {
        let line = group.lines[0];
        LineAnswer {
            path: &self.path,
            lines: &group.lines,
            text: &self.lines[line - 1],
            blamed: self.blamed(line),
            first_had: self.first_had(line),
            in_repository: self.root.is_some(),
            story: &group.story,
            dependents,
        }
    }

    fn question(&self, line: usize, project: Option<ProjectId>) -> LineQuestion {
        let mut paths = vec![self.path.clone()];
        let blamed = self.blamed(line).into_iter().chain(self.first_had(line)).map(|blamed| &blamed.path);
        for path in blamed.chain(&self.blame.names) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        let at = line - 1;
        let near = at.saturating_sub(AROUND)..self.lines.len().min(at + AROUND + 1);
        LineQuestion {
            paths,
            text: self.lines[at].clone(),
            belongs_to: enclosing(&self.path, &self.content, line),
            around: near.filter(|near| *near != at).map(|near| self.lines[near].clone()).collect(),
            project,
            committed: self.blamed(line).map(committed_as),
        }
    }
}

/// The lines of a file.
pub struct SourceText {
    pub file: PathBuf,
    pub content: Vec<u8>,
    pub lines: Vec<String>,
}

impl SourceText {
    /// The file as typed, or the only one with that name in git.
    pub fn read(context: &AskContext, typed: &str) -> Result<Self, AppError> {
        let usage = |problem: String| {
            AppError::new(ErrorKind::Usage, problem).hint("Name a file and a line: `backstory why src/cart.ts:45`.")
        };
        let file = find(context, typed)?;
        if !file.metadata()?.is_file() {
            return Err(usage(format!("{} is no ordinary file", file.display())));
        }
        let content = read_of_tree(&file)
            .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{}: {error}", file.display())))?;
        if content.contains(&0) {
            return Err(usage(format!("{} is no text", file.display())));
        }
        let lines = String::from_utf8_lossy(&content).lines().map(str::to_owned).collect();
        Ok(SourceText { file, content, lines })
    }
}

/// The root of a file's working tree, if any, and its path relative to that.
pub fn in_tree(file: &Path) -> Result<(Option<PathBuf>, String), AppError> {
    let file = file.canonicalize()?;
    let root = file.parent().and_then(work_tree).and_then(|root| root.canonicalize().ok());
    let path = relative(&file, root.as_deref());
    Ok((root, path))
}

/// A link in a repository must stay inside it.
fn read_of_tree(file: &Path) -> std::io::Result<Vec<u8>> {
    let is_link = file.symlink_metadata()?.is_symlink();
    match file.parent().and_then(work_tree).filter(|_| is_link) {
        Some(root) => files::read_within(&root, file, LARGEST_SOURCE),
        None => files::read(file, LARGEST_SOURCE),
    }
}

/// The file as typed, or the only one with that name in git.
fn find(context: &AskContext, typed: &str) -> Result<PathBuf, AppError> {
    if let Some(file) = context.readable(typed) {
        return Ok(file);
    }
    let file = context.file(typed);
    let named = tracked_as(&context.file("."), typed);
    let message = format!("{}: there is no such file", file.display());
    match named.as_slice() {
        [only] if context.readable(only).is_some() => Ok(only.clone()),
        [] | [_] => Err(what_became_of(context, &file).unwrap_or_else(|| {
            AppError::new(ErrorKind::NotFound, message).hint(match context.is_agents() {
                true => "Only files of the working tree are read. If it was deleted, ask about the commit: `backstory why COMMIT`.",
                false => "If it was deleted, ask about the commit: `backstory why COMMIT`.",
            })
        })),
        several => {
            let paths: Vec<String> = several.iter().take(5).map(|path| path.display().to_string()).collect();
            Err(AppError::new(ErrorKind::NotFound, message).hint(format!("Say which: {}", paths.join(", "))))
        }
    }
}

/// Asks git for the file's current name, or for the commit that deleted it.
fn what_became_of(context: &AskContext, file: &Path) -> Option<AppError> {
    let folder = context.folder.canonicalize().ok()?;
    let root = work_tree(&folder)?.canonicalize().ok()?;
    let path = relative(&plain(&folder.join(file.strip_prefix(&context.folder).unwrap_or(file))), Some(&root));
    let end = gone(&root, &path)?;
    let commit = end.commit.as_ref().map(|(id, subject)| format!("{} ({subject})", &id[..12]));
    let by = commit.as_deref().unwrap_or("a change that is not committed yet");
    let (what, hint) = match (&end.renamed_to, &end.commit) {
        (Some(now), _) => (
            format!("{by} renamed it to {now}"),
            format!("Look up the line there, and ask about it: `backstory why {now}:LINE`."),
        ),
        (None, Some((id, _))) => {
            (format!("{by} deleted it"), format!("`backstory why {}` tells whose lines they were.", &id[..12]))
        }
        (None, None) => (format!("{by} deleted it"), format!("`git restore {path}` brings it back.")),
    };
    Some(AppError::new(ErrorKind::NotFound, format!("{path}: there is no such file: {what}")).hint(hint))
}

/// Removes `.` and `..` from a path that may not exist.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// The commit of a line, for questions to the memory.
pub fn committed_as(blamed: &Blamed) -> Committed {
    Committed { id: blamed.commit.clone(), time: blamed.time }
}

/// The names of what a line is in, if the language is supported.
fn enclosing(path: &str, content: &[u8], line: usize) -> Vec<String> {
    if Language::of_path(path).is_none() || content.len() > LARGEST_SOURCE_FILE {
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

/// Relative to the root of the tree, or unchanged.
fn relative(file: &Path, root: Option<&Path>) -> String {
    let inside: Option<PathBuf> = root.and_then(|root| file.strip_prefix(root).ok().map(Path::to_owned));
    inside.unwrap_or_else(|| file.to_owned()).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_or_a_few_are_named_as_editors_do() {
        assert_eq!(file_and_lines("src/a.ts:9"), Some(("src/a.ts", "9", "9")));
        assert_eq!(file_and_lines("src/a.ts:9:12"), Some(("src/a.ts", "9", "9")));
        assert_eq!(file_and_lines("src/a.ts:9-12"), Some(("src/a.ts", "9", "12")));
        for nothing in ["src/a.ts", "src/a.ts:", "src/a.ts:9-", "src/a.ts:-9", "src/a.ts:x", "9"] {
            assert_eq!(file_and_lines(nothing), None, "{nothing}");
        }
    }
}
