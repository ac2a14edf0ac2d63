//! The memory lookup for questions about code: asks the engine and translates its answers.

use std::path::{Path, PathBuf};

use backstory_cause::past::PastIndex;
use backstory_cause::relevance::{CodeLocation, DocumentKind, MemoryLookup, Remembered, WrittenBy};
use backstory_engine::Memory;
use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{
    Extent, Recollection, RecollectionAuthor, RecollectionSource, Search, ToldCase, TreeLocation, recollect_location,
    recollect_question, search_cases,
};
use backstory_language::embed::StaticTable;

use crate::commands::sessions::short;
use crate::error::AppError;
use crate::scope::{ProjectScope, ResolvedScope};
use crate::terminal;

const LONGEST_NAME: usize = 90;
const LONGEST_TEXT: usize = 600;

/// At most this many cases of past work are shown before the code.
const MOST_CASES: usize = 3;
const MOST_FINDINGS: usize = 3;
const CASE_LINES: usize = 24;
const CASE_TOKENS: u64 = 600;

/// The memory of a project, and what it knows about one question.
pub struct ProjectMemory<'c> {
    pub memory: Memory,
    /// None: all projects.
    pub project: Option<ProjectId>,
    of_question: Vec<Remembered>,
    /// Past work about the question.
    pub cases: Vec<ToldCase>,
    /// Does the memory know the project?
    is_known: bool,
    root: PathBuf,
    /// The history of the code, once read: files may have had other names.
    pub past: Option<&'c PastIndex>,
    /// The first error while looking up locations.
    problem: Option<AppError>,
}

/// Is the memory part of the answer?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    PartOfAnswer,
    /// It only records the answer.
    NoteOnly,
}

impl ProjectMemory<'_> {
    pub fn ask(
        mut memory: Memory,
        folder: &Path,
        question: &str,
        scope: &ProjectScope,
        root: &Path,
        usage: MemoryUse,
    ) -> Result<Self, AppError> {
        let scope = scope.resolve_in(&mut memory, folder)?;
        let is_known = usage == MemoryUse::PartOfAnswer && !matches!(scope, ResolvedScope::Unknown { .. });
        let project = scope.even_unknown();
        let (mut of_question, mut cases) = (Vec::new(), Vec::new());
        if is_known {
            let (log, views) = memory.parts();
            let known = recollect_question(log, views, question, project)?;
            of_question = known.into_iter().map(|known| remembered(known, None)).collect();
            cases = past_work(&mut memory, question, project)?;
        }
        Ok(ProjectMemory {
            memory,
            project,
            of_question,
            cases,
            is_known,
            root: root.to_owned(),
            past: None,
            problem: None,
        })
    }

    pub fn problem(&mut self) -> Result<(), AppError> {
        self.problem.take().map_or(Ok(()), Err)
    }

    fn of_location(&mut self, location: &CodeLocation) -> Result<Vec<Remembered>, AppError> {
        let commits = || self.past.map(|past| past.commits_of(&location.path)).unwrap_or_default();
        let (log, views) = self.memory.parts();
        let known = recollect_location(log, views, &in_tree(location, &self.root, &commits, self.project))?;
        Ok(known.into_iter().map(|known| remembered(known, Some(location.id.clone()))).collect())
    }
}

impl MemoryLookup for ProjectMemory<'_> {
    fn of_question(&mut self) -> Vec<Remembered> {
        std::mem::take(&mut self.of_question)
    }

    fn of_locations(&mut self, locations: &[CodeLocation]) -> Vec<Remembered> {
        let locations = if self.is_known { locations } else { &[] };
        let mut found = Vec::new();
        for location in locations {
            match self.of_location(location) {
                Ok(known) => found.extend(known),
                Err(problem) => self.problem = Some(problem),
            }
        }
        found
    }
}

/// The cases about a question, best first.
fn past_work(memory: &mut Memory, question: &str, project: Option<ProjectId>) -> Result<Vec<ToldCase>, AppError> {
    let mut asked = Search::new(question);
    asked.filter.project = project;
    let (log, views) = memory.parts();
    let extent = Extent { lines: CASE_LINES, columns: None, tokens: CASE_TOKENS, cases: MOST_CASES };
    // The shipped table: a slow model is not worth waiting for here.
    let mut found = search_cases(log, views, &mut StaticTable::shipped(), &asked, &[], extent)?.cases;
    found.iter_mut().for_each(|case| case.findings.truncate(MOST_FINDINGS));
    Ok(found)
}

/// A location, for questions to the memory.
pub fn in_tree<'a>(
    location: &'a CodeLocation,
    root: &'a Path,
    commits: &'a dyn Fn() -> Vec<String>,
    project: Option<ProjectId>,
) -> TreeLocation<'a> {
    TreeLocation { root, path: &location.path, lines: location.lines, names: &location.names, commits, project }
}

fn remembered(known: Recollection, about: Option<String>) -> Remembered {
    let named = Named::of(&known);
    Remembered {
        id: named.id,
        kind: named.kind,
        name: named.name,
        text: match known.source {
            RecollectionSource::Decision { .. } | RecollectionSource::Failure(_) => {
                terminal::clip(&known.text, LONGEST_TEXT)
            }
            RecollectionSource::Chunk(_) | RecollectionSource::Card { .. } => known.text,
        },
        written_by: match known.author {
            RecollectionAuthor::Person => WrittenBy::Person,
            RecollectionAuthor::Other => WrittenBy::Others,
        },
        citation: Some(named.citation),
        about,
        what: named.relation,
        files: known.files,
        score: known.score,
        constrains: known.constrains,
    }
}

/// The name and citation of a recollection.
struct Named {
    kind: DocumentKind,
    id: String,
    name: String,
    citation: String,
    relation: String,
}

impl Named {
    fn of(known: &Recollection) -> Self {
        let title = terminal::clip(&known.title, LONGEST_NAME);
        let (day, session) = (terminal::day(known.time), known.session.as_deref().unwrap_or_default());
        let relation = known.relation.clone();
        match known.source {
            RecollectionSource::Chunk(chunk) => Named {
                kind: DocumentKind::Session,
                id: format!("session:{}", chunk.short()),
                name: format!("{day} · {title}"),
                citation: format!("chunk {} · session {session}", chunk.short()),
                relation,
            },
            RecollectionSource::Decision { prompt, edit } => Named {
                kind: DocumentKind::Decision,
                id: format!("decision:{}", prompt.unwrap_or(edit).short()),
                name: format!("{day} · {title}"),
                citation: {
                    let prompt = prompt.map(|prompt| format!(" · prompt {}", prompt.short())).unwrap_or_default();
                    format!("session {session}{prompt} · edit {}", edit.short())
                },
                relation,
            },
            RecollectionSource::Failure(failed) => Named {
                kind: DocumentKind::Failure,
                id: format!("failure:{}", failed.short()),
                name: format!("{day} · `{title}`"),
                citation: format!("session {} · failed {}", short(session), failed.short()),
                relation: format!("{}: {relation}", terminal::clip(&known.text, LONGEST_NAME)),
            },
            RecollectionSource::Card { id, kind } => Named {
                kind: DocumentKind::Card,
                id: format!("card:{}", id.short()),
                name: format!("{}: {title}", kind.name()),
                citation: format!("card {id}"),
                relation,
            },
        }
    }
}
