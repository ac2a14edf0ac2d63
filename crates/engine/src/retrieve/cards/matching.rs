//! Which cards are relevant to a question?

use crate::model::{Card, CardStatus, ProjectId, PutAway};
use crate::store::{CardFilter, CardRow, ViewReader};

use super::super::RetrieveError;
use super::pack::card_doubt;
use super::relevance::relevances;

/// Beside the passages, this many are enough.
const MOST: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct CardHit {
    pub card: Card,
    pub relevance: f32,
    /// It is doubted, only proposed, archived or superseded.
    pub doubt: Option<String>,
}

/// Best first. A superseded card is listed only together with its successor.
pub fn matching_cards(
    view: &ViewReader<'_>,
    project: Option<ProjectId>,
    asked: &str,
) -> Result<Vec<CardHit>, RetrieveError> {
    use CardStatus::{Active, NeedsRecheck, Proposed, Superseded};
    let rows = view.cards(&CardFilter { project, ..CardFilter::default() })?;
    let relevances = relevances(view, asked, &rows)?;
    let hit = |(at, row): (usize, CardRow)| {
        let (doubt, relevance) = (state_of(&row.card), relevances.of(at).score);
        relevances.concerns(at).then_some(CardHit { doubt, card: row.card, relevance })
    };
    let mut hits: Vec<CardHit> = rows.into_iter().enumerate().filter_map(hit).collect();
    let rank = |hit: &CardHit| match hit.card.status {
        Active => 0,
        NeedsRecheck => 1,
        Proposed => 2,
        Superseded => 3,
        CardStatus::Archived => 4,
    };
    hits.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then(b.relevance.total_cmp(&a.relevance)).then(a.card.id.cmp(&b.card.id))
    });
    let successors: Vec<_> =
        hits.iter().filter(|hit| hit.card.status != Superseded).filter_map(|hit| hit.card.supersedes).collect();
    hits.retain(|hit| hit.card.status != Superseded || successors.contains(&hit.card.id));
    hits.truncate(MOST);
    Ok(hits)
}

/// Why a card is not reliable, whatever its status.
pub fn state_of(card: &Card) -> Option<String> {
    match card.status {
        CardStatus::Superseded => Some("superseded".to_owned()),
        CardStatus::Archived => Some(format!("archived: {}", card.put_away.map_or("put away", PutAway::name))),
        CardStatus::Proposed => Some("proposed, not confirmed".to_owned()),
        // Only the pack checks the working tree.
        _ => card_doubt(card, &|_| None),
    }
}
