//! What sessions and cards say to the question, and to the places that may be its cause.

use std::path::{Path, PathBuf};

use backstory_cause::past::PastIndex;
use backstory_cause::relevance::{AskedPlace, DocumentKind, Recollection, Remembered, WrittenBy};
use backstory_engine::Memory;
use backstory_engine::ingest::earlier_names;
use backstory_engine::model::{Card, CardKind, CardStatus, EventId, ProjectId};
use backstory_engine::retrieve::{
    CardHere, CardHit, Decision, FailureHere, LocationQuestion, LocationStory, NamedHere, Relation, Search, SearchItem,
    search, why_location,
};
use backstory_files as files;
use backstory_language::embed::StaticTable;

use crate::commands::sessions::short;
use crate::error::AppError;
use crate::scope::{ProjectScope, Scope};
use crate::{terminal, untrusted};

/// Of files that places are in.
const LARGEST_FILE: u64 = 8 << 20;
const SESSIONS: usize = 4;
const CARDS: usize = 4;
const TOKENS: u64 = 600;
const LONGEST_NAME: usize = 90;
/// Of a place, so many lines are looked up at most.
const LINES: usize = 400;
/// What a decision counts that wrote next to nothing of the place.
const LEAST_DECISION: f32 = 0.6;
/// What is known of a place counts nearly as much as the place.
const OF_PLACE: f32 = 0.9;

/// The memory of a project, asked one question.
pub struct Recalled<'c> {
    pub memory: Memory,
    /// None: all projects.
    pub project: Option<ProjectId>,
    said: Vec<Remembered>,
    /// Is anything known of the project?
    is_known: bool,
    root: PathBuf,
    /// The history of the code, once it is read: files had other names.
    pub past: Option<&'c PastIndex>,
    /// What went wrong while it was asked about places.
    problem: Option<AppError>,
}

impl Recalled<'_> {
    /// Asks it, unless nothing of the memory is wanted: then it only notes the answer.
    pub fn ask(
        mut memory: Memory,
        folder: &Path,
        question: &str,
        scope: &ProjectScope,
        root: &Path,
        wanted: bool,
    ) -> Result<Self, AppError> {
        let scope = scope.resolve_in(&mut memory, folder)?;
        let is_known = wanted && !matches!(scope, Scope::Unknown { .. });
        let project = scope.even_unknown();
        let said = if is_known { said(&mut memory, question, project)? } else { Vec::new() };
        Ok(Recalled { memory, project, said, is_known, root: root.to_owned(), past: None, problem: None })
    }

    pub fn problem(&mut self) -> Result<(), AppError> {
        self.problem.take().map_or(Ok(()), Err)
    }

    fn of_place(&mut self, place: &AskedPlace) -> Result<Vec<Remembered>, AppError> {
        let story = place_story(&mut self.memory, &self.root, self.past, place, self.project)?;
        let distinctive = story.distinctive;
        let decisions = story.decisions.iter().map(|decision| decided(decision, distinctive));
        let failures = story.failures.iter().map(failure);
        let is_good = |here: &&CardHere| here.card.status != CardStatus::Proposed;
        let cards = story.cards.iter().filter(is_good).map(card_here);
        let mut all: Vec<Remembered> = decisions.chain(failures).chain(cards).collect();
        all.iter_mut().for_each(|one| one.about = Some(place.id.clone()));
        Ok(all)
    }
}

impl Recollection for Recalled<'_> {
    fn of_question(&mut self) -> Vec<Remembered> {
        std::mem::take(&mut self.said)
    }

    fn of_places(&mut self, places: &[AskedPlace]) -> Vec<Remembered> {
        let places = if self.is_known { places } else { &[] };
        let mut found = Vec::new();
        for place in places {
            match self.of_place(place) {
                Ok(said) => found.extend(said),
                Err(problem) => self.problem = Some(problem),
            }
        }
        found
    }
}

/// What was said and done about a place as it stands in the working tree. Where that leaves
/// lines without a writer, the file's earlier names are asked for too.
pub fn place_story(
    memory: &mut Memory,
    root: &Path,
    past: Option<&PastIndex>,
    place: &AskedPlace,
    project: Option<ProjectId>,
) -> Result<LocationStory, AppError> {
    let content = files::read_within(root, &place.path, LARGEST_FILE).unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let (first, last) = place.lines;
    let lines = text.lines().skip(first.saturating_sub(1) as usize).take(1 + last.saturating_sub(first) as usize);
    let mut question = LocationQuestion {
        paths: vec![place.path.clone()],
        lines: lines.take(LINES).map(str::to_owned).collect(),
        names: place.names.clone(),
        project,
    };
    let (log, views) = memory.parts();
    let story = why_location(log, views, &question)?;
    let written: usize = story.decisions.iter().map(|decision| decision.lines).sum();
    if written >= story.distinctive {
        return Ok(story);
    }
    let touching = past.map(|past| commits_of(past, &place.path)).unwrap_or_default();
    question.paths.extend(earlier_names(root, &place.path, &touching));
    if question.paths.len() == 1 {
        return Ok(story);
    }
    Ok(why_location(log, views, &question)?)
}

/// The commits that changed a file, the newest first.
fn commits_of(past: &PastIndex, path: &str) -> Vec<String> {
    let Some(file) = past.paths().position(|known| known == path) else { return Vec::new() };
    let commits = (0..past.commit_count() as u32).filter(|commit| past.files_of(*commit).contains(&(file as u32)));
    commits.filter_map(|commit| Some(past.commit(commit)?.hex())).collect()
}

fn said(memory: &mut Memory, question: &str, project: Option<ProjectId>) -> Result<Vec<Remembered>, AppError> {
    let mut asked = Search::new(question);
    asked.filter.project = project;
    asked.limit = SESSIONS;
    asked.budget = TOKENS;
    let (log, views) = memory.parts();
    // The table that ships: a slow model is not worth waiting for here.
    let found = search(log, views, &mut StaticTable::shipped(), &asked)?;
    let best = found.items.first().map_or(1.0, |item| item.score.score).max(f32::MIN_POSITIVE);
    let sessions = found.items.iter().map(|item| session(item, best));
    let good =
        found.cards.iter().filter(|hit| matches!(hit.card.status, CardStatus::Active | CardStatus::NeedsRecheck));
    Ok(sessions.chain(good.take(CARDS).map(card)).collect())
}

fn session(item: &SearchItem, best: f32) -> Remembered {
    Remembered {
        id: format!("session:{}", item.shown.chunk.short()),
        kind: DocumentKind::Session,
        name: format!("{} · {}", terminal::day(item.shown.ended), terminal::clip(&item.shown.text, LONGEST_NAME)),
        written_by: WrittenBy::Others,
        citation: Some(format!("chunk {} · session {}", item.shown.chunk.short(), item.shown.session)),
        about: None,
        what: "was said or done before".to_owned(),
        files: item.shown.files.clone(),
        text: item.shown.text.clone(),
        score: item.score.score / best * 0.8,
        constrains: false,
    }
}

fn card(hit: &CardHit) -> Remembered {
    of_card(&hit.card, hit.doubt.as_deref(), hit.relevance.clamp(0.0, 1.0))
}

fn card_here(here: &CardHere) -> Remembered {
    let named = match &here.names {
        NamedHere::Name(name) | NamedHere::File(name) | NamedHere::Folder(name) => name,
    };
    let card = of_card(&here.card, here.doubt.as_deref(), OF_PLACE);
    Remembered { what: format!("{}: it names {named}", card.what), ..card }
}

fn of_card(card: &Card, doubt: Option<&str>, score: f32) -> Remembered {
    let constrains = matches!(card.kind, CardKind::Constraint | CardKind::Commitment | CardKind::Preference);
    Remembered {
        id: format!("card:{}", card.id.short()),
        kind: DocumentKind::Card,
        name: format!("{}: {}", card.kind.name(), terminal::clip(&card.statement, LONGEST_NAME)),
        written_by: if untrusted::is_foreign(card) { WrittenBy::Others } else { WrittenBy::Person },
        citation: Some(format!("card {}", card.id)),
        about: None,
        what: if constrains { "must be respected" } else { "is known" }.to_owned(),
        files: Vec::new(),
        text: match doubt {
            Some(doubt) => format!("{} ({doubt})", card.statement),
            None => card.statement.clone(),
        },
        score,
        constrains,
    }
}

/// What was asked for, of which a place is what came.
fn decided(decision: &Decision, telling: usize) -> Remembered {
    let written = &decision.written;
    let prompt = written.prompt.as_ref();
    let asked = prompt.map_or("(no words of a person stand before it)", |prompt| prompt.text.as_str());
    let prompt_id = prompt.map(|prompt| format!(" · prompt {}", prompt.event.short())).unwrap_or_default();
    let share = decision.lines as f32 / telling.max(1) as f32;
    let edits = if decision.edits == 1 { String::new() } else { format!(" in {} edits", decision.edits) };
    Remembered {
        id: format!("decision:{}", prompt.map_or(written.event, |prompt| prompt.event).short()),
        kind: DocumentKind::Decision,
        name: format!("{} · {}", terminal::day(written.time), terminal::clip(asked, LONGEST_NAME)),
        text: terminal::clip(asked, 600),
        written_by: if prompt.is_some() { WrittenBy::Person } else { WrittenBy::Others },
        citation: Some(format!("session {}{prompt_id} · edit {}", written.session, written.event.short())),
        about: None,
        what: format!("wrote {} of its {} telling lines{edits}", decision.lines, telling),
        files: vec![written.path.clone()],
        score: OF_PLACE * (LEAST_DECISION + (1.0 - LEAST_DECISION) * share.min(1.0)),
        constrains: false,
    }
}

fn failure(here: &FailureHere) -> Remembered {
    let failure = &here.failure;
    let what = match here.relation {
        Relation::Resolved => "an edit of it made this go away",
        Relation::Shown if failure.resolution.is_some() => "it was about a line of it, and was resolved",
        Relation::Shown => "it was about a line of it",
    };
    let failed = EventId(failure.failed.id).short();
    Remembered {
        id: format!("failure:{failed}"),
        kind: DocumentKind::Failure,
        name: format!("{} · `{}`", terminal::day(failure.time), terminal::clip(&failure.command, LONGEST_NAME)),
        text: terminal::clip(&failure.text, 600),
        written_by: WrittenBy::Others,
        citation: Some(format!("session {} · failed {failed}", short(&here.session))),
        about: None,
        what: format!("{}: {what}", terminal::clip(&failure.text, LONGEST_NAME)),
        files: failure.file.iter().cloned().collect(),
        score: OF_PLACE,
        constrains: false,
    }
}
