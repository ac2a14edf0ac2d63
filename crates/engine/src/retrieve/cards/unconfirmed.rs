//! Which cards are not confirmed yet?

use crate::model::{Card, CardKind, CardSource, CardStatus, ProjectId, Scope};
use crate::store::{CardFilter, ViewStore};

use super::super::RetrieveError;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnconfirmedCards {
    /// The number of cards in a review here.
    pub count: usize,
    /// Wishes of this project in a person's own words, newest first. They take effect once they are confirmed or
    /// repeated.
    pub said: Vec<Card>,
}

pub fn unconfirmed_cards(views: &ViewStore, project: ProjectId) -> Result<UnconfirmedCards, RetrieveError> {
    let filter = CardFilter { project: Some(project), kind: None, statuses: vec![CardStatus::Proposed] };
    let rows = views.read().cards(&filter)?;
    // A tactic is confirmed by happening again, not by a person.
    let count = rows.iter().filter(|row| row.card.kind != CardKind::Tactic).count();
    let here = Scope::repo(project);
    let is_wish = |card: &Card| {
        let wish = matches!(card.kind, CardKind::Constraint | CardKind::Commitment | CardKind::Preference);
        wish && card.source.is_said() && card.scope == here
    };
    let mut said: Vec<Card> = rows.into_iter().map(|row| row.card).filter(is_wish).collect();
    said.sort_by_key(|card| (std::cmp::Reverse(card.renewed), card.id));
    Ok(UnconfirmedCards { count, said })
}

/// Are they a person's words, or words that a person agreed to? An agent's own proposal is only reviewed.
pub(in crate::retrieve) fn is_of_person(card: &Card) -> bool {
    card.source.is_said() || matches!(card.source, CardSource::Decision | CardSource::Agreement)
}
