//! What does the memory know about a question about the code, and about locations that may be its cause?
//!
//! Selects sessions, decisions, failures and cards, and weighs them relative to the code.

use std::path::Path;

use backstory_files as files;
use backstory_language::embed::StaticTable;

use crate::ingest::earlier_names;
use crate::log::Log;
use crate::model::{Card, CardId, CardKind, CardStatus, ChunkId, EventId, ProjectId, Timestamp};
use crate::store::ViewStore;

use super::super::RetrieveError;
use super::super::cards::CardHit;
use super::super::search::{Search, SearchItem, search};
use super::here::{CardHere, FailureHere, NamedHere, Relation};
use super::location::{Decision, LocationQuestion, LocationStory, why_location};

/// Locations are looked up in files up to this size.
const LARGEST_EDITED_FILE: u64 = 8 << 20;
const MOST_SESSIONS: usize = 4;
const MOST_CARDS: usize = 4;
const SESSION_TOKENS: u64 = 600;
/// At most this many first lines of a location are looked up.
const MOST_LINES: usize = 400;
/// The weight of the best session; code comes before it.
const BEST_SESSION: f32 = 0.8;
/// The weight of memories about a location, relative to the location itself.
const ABOUT_LOCATION: f32 = 0.9;
/// The share of that weight for a decision that wrote almost nothing of the location.
const LEAST_DECISION: f32 = 0.6;

/// Something that the memory knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Recollection {
    pub source: RecollectionSource,
    pub time: Option<Timestamp>,
    /// The host's session; none for a card.
    pub session: Option<String>,
    /// A prompt, a command, a statement or the text of a chunk, used as the title.
    pub title: String,
    pub text: String,
    pub author: RecollectionAuthor,
    /// How it relates to the question or the location.
    pub relation: String,
    /// Files that it touched.
    pub files: Vec<String>,
    /// From 0 to 1.
    pub score: f32,
    /// It must be respected, as opposed to an event.
    pub constrains: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecollectionSource {
    Chunk(ChunkId),
    /// A request, and its last edit here.
    Decision {
        prompt: Option<EventId>,
        edit: EventId,
    },
    /// The command that failed.
    Failure(EventId),
    Card {
        id: CardId,
        kind: CardKind,
    },
}

/// Who wrote the text?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecollectionAuthor {
    /// The person whose memory it is.
    Person,
    /// An agent, a tool, or another person.
    Other,
}

/// A function, type or file of a working tree.
pub struct TreeLocation<'a> {
    pub root: &'a Path,
    /// From the root.
    pub path: &'a str,
    /// The first and the last, from 1.
    pub lines: (u32, u32),
    /// Its names in the code: `Cart.add`, `add`.
    pub names: &'a [String],
    /// The commits that changed the file, newest first. Called only if its earlier names are needed.
    pub commits: &'a dyn Fn() -> Vec<String>,
    /// None: all projects.
    pub project: Option<ProjectId>,
}

/// What sessions and cards say about a question.
pub fn recollect_question(
    log: &mut Log,
    views: &ViewStore,
    question: &str,
    project: Option<ProjectId>,
) -> Result<Vec<Recollection>, RetrieveError> {
    let mut asked = Search::new(question);
    asked.filter.project = project;
    asked.limit = MOST_SESSIONS;
    asked.budget = SESSION_TOKENS;
    // The shipped table: a slow model is not worth waiting for here.
    let found = search(log, views, &mut StaticTable::shipped(), &asked)?;
    let best = found.items.first().map_or(1.0, |item| item.score.score).max(f32::MIN_POSITIVE);
    let sessions = found.items.iter().map(|item| of_session(item, best));
    let is_usable = |hit: &&CardHit| matches!(hit.card.status, CardStatus::Active | CardStatus::NeedsRecheck);
    let cards = found.cards.iter().filter(is_usable).take(MOST_CARDS);
    let cards = cards.map(|hit| of_card(&hit.card, hit.doubt.as_deref(), hit.relevance.clamp(0.0, 1.0)));
    Ok(sessions.chain(cards).collect())
}

/// Requests, failures and rules at a location.
pub fn recollect_location(
    log: &mut Log,
    views: &ViewStore,
    location: &TreeLocation<'_>,
) -> Result<Vec<Recollection>, RetrieveError> {
    let story = why_tree_location(log, views, location)?;
    let decisions = story.decisions.iter().map(|decision| of_decision(decision, story.distinctive));
    let is_usable = |here: &&CardHere| here.card.status != CardStatus::Proposed;
    let cards = story.cards.iter().filter(is_usable).map(of_card_here);
    Ok(decisions.chain(story.failures.iter().map(of_failure)).chain(cards).collect())
}

/// The story of a location in the working tree. If lines remain without a writer, the earlier names of the file are
/// looked up too.
pub fn why_tree_location(
    log: &mut Log,
    views: &ViewStore,
    location: &TreeLocation<'_>,
) -> Result<LocationStory, RetrieveError> {
    let content = files::read_within(location.root, location.path, LARGEST_EDITED_FILE).unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let (first, last) = location.lines;
    let lines = text.lines().skip(first.saturating_sub(1) as usize).take(1 + last.saturating_sub(first) as usize);
    let mut question = LocationQuestion {
        paths: vec![location.path.to_owned()],
        lines: lines.take(MOST_LINES).map(str::to_owned).collect(),
        names: location.names.to_vec(),
        project: location.project,
    };
    let story = why_location(log, views, &question)?;
    let written: usize = story.decisions.iter().map(|decision| decision.lines).sum();
    if written >= story.distinctive {
        return Ok(story);
    }
    question.paths.extend(earlier_names(location.root, location.path, &(location.commits)()));
    if question.paths.len() == 1 {
        return Ok(story);
    }
    why_location(log, views, &question)
}

fn of_session(item: &SearchItem, best: f32) -> Recollection {
    Recollection {
        source: RecollectionSource::Chunk(item.shown.chunk),
        time: item.shown.ended,
        session: Some(item.shown.session.clone()),
        title: item.shown.text.clone(),
        text: item.shown.text.clone(),
        author: RecollectionAuthor::Other,
        relation: "was said or done before".to_owned(),
        files: item.shown.files.clone(),
        score: item.score.score / best * BEST_SESSION,
        constrains: false,
    }
}

fn of_card_here(here: &CardHere) -> Recollection {
    let named = match &here.names {
        NamedHere::Name(name) | NamedHere::File(name) => name,
    };
    let card = of_card(&here.card, here.doubt.as_deref(), ABOUT_LOCATION);
    Recollection { relation: format!("{}: it names {named}", card.relation), ..card }
}

fn of_card(card: &Card, doubt: Option<&str>, score: f32) -> Recollection {
    let constrains = matches!(card.kind, CardKind::Constraint | CardKind::Commitment | CardKind::Preference);
    let is_person = card.truth.user_spans > 0;
    Recollection {
        source: RecollectionSource::Card { id: card.id, kind: card.kind },
        time: None,
        session: None,
        title: card.statement.clone(),
        text: match doubt {
            Some(doubt) => format!("{} ({doubt})", card.statement),
            None => card.statement.clone(),
        },
        author: if is_person { RecollectionAuthor::Person } else { RecollectionAuthor::Other },
        relation: if constrains { "must be respected" } else { "is known" }.to_owned(),
        files: Vec::new(),
        score,
        constrains,
    }
}

/// A prompt, and the part of a location that it wrote.
fn of_decision(decision: &Decision, telling: usize) -> Recollection {
    let written = &decision.written;
    let prompt = written.prompt.as_ref();
    let asked = written.asked().unwrap_or("(no words of a person stand before it)");
    let share = decision.lines as f32 / telling.max(1) as f32;
    let edits = if decision.edits == 1 { String::new() } else { format!(" in {} edits", decision.edits) };
    Recollection {
        source: RecollectionSource::Decision { prompt: prompt.map(|prompt| prompt.event), edit: written.event },
        time: written.time,
        session: Some(written.session.clone()),
        title: asked.to_owned(),
        text: asked.to_owned(),
        author: if prompt.is_some() { RecollectionAuthor::Person } else { RecollectionAuthor::Other },
        relation: format!("wrote {} of its {} telling lines{edits}", decision.lines, telling),
        files: vec![written.path.clone()],
        score: ABOUT_LOCATION * (LEAST_DECISION + (1.0 - LEAST_DECISION) * share.min(1.0)),
        constrains: false,
    }
}

fn of_failure(here: &FailureHere) -> Recollection {
    let failure = &here.failure;
    let relation = match here.relation {
        Relation::Resolved => "an edit of it made this go away",
        Relation::Shown if failure.resolution.is_some() => "it was about a line of it, and was resolved",
        Relation::Shown => "it was about a line of it",
    };
    Recollection {
        source: RecollectionSource::Failure(EventId(failure.failed.id)),
        time: failure.time,
        session: Some(here.session.clone()),
        title: failure.command.clone(),
        text: failure.text.clone(),
        author: RecollectionAuthor::Other,
        relation: relation.to_owned(),
        files: failure.file.iter().cloned().collect(),
        score: ABOUT_LOCATION,
        constrains: false,
    }
}
