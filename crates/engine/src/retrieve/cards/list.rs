//! Which cards are there?

use crate::log::Log;
use crate::model::{Card, CardId};
use crate::store::{CardFilter, ViewStore};

use super::super::{ProjectInfo, RetrieveError, projects};

/// A card with the name of its scope.
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
    let names = projects(log)?;
    Ok(rows.into_iter().map(|card| CardInfo { place: place(&names, &card), card }).collect())
}

/// One card with the name of its scope.
pub fn card_info(log: &mut Log, card: Card) -> Result<CardInfo, RetrieveError> {
    let names = projects(log)?;
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

/// The card with this id, or the only one whose id starts with it.
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
