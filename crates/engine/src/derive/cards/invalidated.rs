//! Which cards depend on a card that no longer holds?
//!
//! A card may rest on one of another card set, so this runs after all sets are written.

use crate::model::{Card, CardId, CardStatus, PutAway};
use crate::store::{StoreError, ViewReader, ViewTx};

/// A card is suspect as long as a card that it rests on, directly or indirectly, is invalid.
pub fn mark(tx: &mut ViewTx<'_>) -> Result<(), StoreError> {
    for mut row in tx.read().resting_cards()? {
        let chain = fallen_below(&tx.read(), &row.card)?;
        if chain != row.card.suspect {
            row.card.suspect = chain;
            tx.put_card(&row)?;
        }
    }
    Ok(())
}

/// Replaced, doubted or withdrawn; not merely unused.
fn is_fallen(card: &Card) -> bool {
    match card.status {
        CardStatus::Superseded | CardStatus::NeedsRecheck => true,
        CardStatus::Archived => matches!(card.put_away, Some(PutAway::ByHand | PutAway::Withdrawn)),
        CardStatus::Proposed | CardStatus::Active => false,
    }
}

/// The card that replaces it with the same statement.
fn lives_on_as(card: &Card) -> Option<CardId> {
    match card.put_away? {
        PutAway::Promoted { to } => Some(to),
        PutAway::Duplicate { of } => Some(of),
        _ => None,
    }
}

/// The shortest path to an invalid card.
fn fallen_below(view: &ViewReader<'_>, card: &Card) -> Result<Vec<CardId>, StoreError> {
    let mut ways: Vec<Vec<CardId>> = card.rests_on.iter().map(|id| vec![*id]).collect();
    let mut seen = vec![card.id];
    while !ways.is_empty() {
        let mut deeper = Vec::new();
        for way in ways {
            let Some(id) = way.last().filter(|id| !seen.contains(id)).copied() else { continue };
            seen.push(id);
            // A card that no longer exists supports nothing.
            let Some(below) = view.card(id)?.map(|row| row.card) else { return Ok(way) };
            if is_fallen(&below) {
                return Ok(way);
            }
            let next = below.rests_on.iter().copied().chain(lives_on_as(&below));
            deeper.extend(next.map(|id| way.iter().copied().chain([id]).collect()));
        }
        ways = deeper;
    }
    Ok(Vec::new())
}
