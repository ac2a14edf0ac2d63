//! What sessions and cards say to the question.

use backstory_cause::relevance::{DocumentKind, Remembered};
use backstory_engine::embed::StaticTable;
use backstory_engine::model::{CardKind, CardStatus};
use backstory_engine::retrieve::{Search, search};

use crate::cli::scope::{ProjectScope, Scope};
use crate::error::AppError;
use crate::{home, screen};

const SESSIONS: usize = 4;
const CARDS: usize = 4;
const TOKENS: u64 = 600;
const LONGEST_NAME: usize = 90;

/// Nothing, if the memory has no sessions of this project.
pub fn remembered(question: &str, scope: &ProjectScope) -> Result<Vec<Remembered>, AppError> {
    let mut memory = home::open_memory()?;
    let project = match scope.resolve(&mut memory)? {
        Scope::All => None,
        Scope::One(project) => Some(project),
        Scope::Unknown { .. } => return Ok(Vec::new()),
    };
    let mut asked = Search::new(question);
    asked.filter.project = project;
    asked.limit = SESSIONS;
    asked.budget = TOKENS;
    let (log, views) = memory.parts();
    // The table that ships: a slow model is not worth waiting for here.
    let found = search(log, views, &mut StaticTable::shipped(), &asked)?;
    let best = found.items.first().map_or(1.0, |item| item.score.score).max(f32::MIN_POSITIVE);
    let sessions = found.items.iter().map(|item| Remembered {
        id: format!("session:{}", item.shown.chunk.short()),
        kind: DocumentKind::Session,
        name: format!("{} · {}", screen::day(item.shown.ended), screen::clip(&item.shown.text, LONGEST_NAME)),
        citation: Some(format!("chunk {} · session {}", item.shown.chunk.short(), item.shown.session)),
        files: item.shown.files.clone(),
        text: item.shown.text.clone(),
        score: item.score.score / best * 0.8,
        constrains: false,
    });
    let good =
        found.cards.iter().filter(|hit| matches!(hit.card.status, CardStatus::Active | CardStatus::NeedsRecheck));
    let cards = good.take(CARDS).map(|hit| Remembered {
        id: format!("card:{}", hit.card.id.short()),
        kind: DocumentKind::Card,
        name: format!("{}: {}", hit.card.kind.name(), screen::clip(&hit.card.statement, LONGEST_NAME)),
        citation: Some(format!("card {}", hit.card.id)),
        files: Vec::new(),
        text: match &hit.doubt {
            Some(doubt) => format!("{} ({doubt})", hit.card.statement),
            None => hit.card.statement.clone(),
        },
        score: hit.relevance.clamp(0.0, 1.0),
        constrains: matches!(hit.card.kind, CardKind::Constraint | CardKind::Commitment | CardKind::Preference),
    });
    Ok(sessions.chain(cards).collect())
}
