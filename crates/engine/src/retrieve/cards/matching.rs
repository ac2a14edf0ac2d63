//! Which cards are relevant to a question?

use crate::model::{Card, CardSource, CardStatus, ProjectId, PutAway};
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
    newest_first(&mut hits);
    Ok(hits)
}

/// Of decisions about the same subject the newest comes first.
fn newest_first(hits: &mut [CardHit]) {
    for at in 0..hits.len() {
        for later in at + 1..hits.len() {
            let is_same = subject(&hits[at].card).is_some_and(|name| subject(&hits[later].card) == Some(name));
            if is_same && hits[later].card.renewed > hits[at].card.renewed {
                hits.swap(at, later);
            }
        }
    }
}

/// What a decision is about stands before it.
fn subject(card: &Card) -> Option<&str> {
    let is_decision = matches!(card.source, CardSource::Decision | CardSource::Agreement);
    card.statement.split_once(": ").map(|(subject, _)| subject).filter(|_| is_decision)
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
