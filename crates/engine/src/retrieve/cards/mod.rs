//! What is remembered, and on what does it rest?
//!
//! - [`cards`], [`find_card`], [`card_evidence`]: which cards there are, and the words behind one.
//! - [`pack`]: which of them should whoever begins a task know?
//! - [`prompted`]: which are told to whoever sends a prompt?
//! - [`matching_cards`]: which have to do with a question?
//! - [`unconfirmed_cards`]: which cards has nobody confirmed yet?
//! - [`gates`]: is the memory stable enough for more than this?
//! - [`named_in_tree`]: what does a card name that a working tree must have?

mod gates;
mod matching;
mod named;
mod pack;
mod prompted;
mod relevance;
mod unconfirmed;

use crate::log::{EvidenceError, Log};
use crate::model::{Card, CardId, EventId, EvidenceKind, EvidenceRef, SourceKind, Timestamp};
use crate::store::{CardFilter, StoreError, ViewReader, ViewStore};

use super::{ProjectInfo, RetrieveError};

pub use gates::{Gate, gates};
pub(super) use matching::state_of;
pub use matching::{CardHit, matching_cards};
pub use named::{NamedInTree, named_in_tree};
pub use pack::{PACK_BUDGET, PACK_FRAME, Pack, PackItem, PackLeftOut, PackQuestion, PackSlot, card_doubt, pack};
pub use prompted::prompted;
pub use unconfirmed::{UnconfirmedCards, unconfirmed_cards};

/// A card with the name of where it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct CardInfo {
    pub card: Card,
    /// The project's name; `domain NAME`, `everywhere`.
    pub place: String,
}

/// Newest first.
pub fn cards(log: &mut Log, views: &ViewStore, filter: &CardFilter) -> Result<Vec<CardInfo>, RetrieveError> {
    let mut rows: Vec<Card> = views.read().cards(filter)?.into_iter().map(|row| row.card).collect();
    rows.sort_by_key(|card| (std::cmp::Reverse(card.renewed), card.id));
    let names = super::projects(log)?;
    Ok(rows.into_iter().map(|card| CardInfo { place: place(&names, &card), card }).collect())
}

/// One card with the name of where it counts.
pub fn card_info(log: &mut Log, card: Card) -> Result<CardInfo, RetrieveError> {
    let names = super::projects(log)?;
    Ok(CardInfo { place: place(&names, &card), card })
}

fn place(names: &[ProjectInfo], card: &Card) -> String {
    match card.scope.project() {
        Some(project) => {
            let known = names.iter().find(|info| info.id == project);
            known.map_or_else(|| format!("project {}", project.short()), |info| info.name.clone())
        }
        None if card.scope.id.is_empty() => "everywhere".to_owned(),
        None => format!("domain {}", card.scope.id),
    }
}

/// The card with this id, or the only one whose id begins like this.
pub fn find_card(views: &ViewStore, asked: &str) -> Result<Card, RetrieveError> {
    let view = views.read();
    let hex = asked.trim_matches(['[', ']']).to_lowercase();
    let found = if hex.is_empty() { Vec::new() } else { view.cards_with_prefix(&hex, 6)? };
    let not_found = || RetrieveError::NotFound { what: "card", asked: asked.to_owned() };
    match found.as_slice() {
        [id] => Ok(view.card(*id)?.ok_or_else(not_found)?.card),
        [] => Err(not_found()),
        several => Err(RetrieveError::Ambiguous {
            what: "card",
            asked: asked.to_owned(),
            candidates: several.iter().map(CardId::short).collect(),
        }),
    }
}

/// A piece of evidence, with the words around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cited {
    pub evidence: EvidenceRef,
    /// The very words; absent where the log does not have them.
    pub words: Option<String>,
    /// Why not.
    pub missing: Option<String>,
    /// What stands before and after them in the same text.
    pub before: String,
    pub after: String,
    pub session: Option<String>,
    pub source: Option<SourceKind>,
    pub time: Option<Timestamp>,
}

/// So much of what stands around the words is shown.
const AROUND: usize = 160;

/// The words a card rests on, in their context.
pub fn card_evidence(log: &mut Log, evidence: &[EvidenceRef]) -> Result<Vec<Cited>, StoreError> {
    let mut cited = Vec::new();
    for evidence in evidence {
        let (words, missing) = match log.resolve(evidence) {
            Ok(words) => (Some(words), None),
            Err(EvidenceError::Store(error)) => return Err(error),
            Err(error) => (None, Some(error.to_string())),
        };
        let event = match evidence.kind {
            EvidenceKind::DocSpan => None,
            _ => log.store().event(EventId(evidence.id))?,
        };
        let text = event.as_ref().filter(|_| words.is_some()).map_or("", |event| event.text.as_str());
        let (before, after) = around(text, evidence.start as usize, evidence.end as usize);
        let num = match &event {
            Some(event) => log.store().episode_num(event.episode)?,
            None => None,
        };
        let episode = num.map(|num| log.store().episode(num)).transpose()?.flatten();
        cited.push(Cited {
            evidence: *evidence,
            words,
            missing,
            before: before.to_owned(),
            after: after.to_owned(),
            session: episode.as_ref().map(|episode| episode.key.session.clone()),
            source: episode.as_ref().map(|episode| episode.key.source),
            time: event.and_then(|event| event.time),
        });
    }
    Ok(cited)
}

fn around(text: &str, start: usize, end: usize) -> (&str, &str) {
    let from = text.floor_char_boundary(start.saturating_sub(AROUND).min(text.len()));
    let to = text.ceil_char_boundary((end + AROUND).min(text.len()));
    (text.get(from..start).unwrap_or_default(), text.get(end..to).unwrap_or_default())
}

/// Cards of a project and those that reach further, in force or under doubt.
fn usable(
    view: &ViewReader<'_>,
    project: Option<crate::model::ProjectId>,
) -> Result<Vec<crate::store::CardRow>, StoreError> {
    use crate::model::CardStatus::{Active, NeedsRecheck};
    view.cards(&CardFilter { project, kind: None, statuses: vec![Active, NeedsRecheck] })
}
