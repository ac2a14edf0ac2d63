//! For which actions must a card be checked?

use std::collections::BTreeSet;

use backstory_language::clauses::{ANYTHING, Bind, ClauseReader};

use crate::model::{CardId, CardKind, ERROR_TAG, command_keys};
use crate::store::CardRow;

/// The index words of each card, for cards that have any.
pub fn of_cards(rows: &[CardRow]) -> Vec<(CardId, Vec<String>)> {
    let mut reader = ClauseReader::new();
    let mut out = Vec::new();
    for CardRow { card, .. } in rows {
        if !card.counts_before_actions() {
            continue;
        }
        let words = match card.kind {
            CardKind::Constraint | CardKind::Commitment => {
                let clauses = reader.clauses(&card.statement);
                let is_firm = clauses.iter().any(|clause| clause.bind == Bind::Firm);
                let words = clauses.into_iter().flat_map(|clause| clause.words);
                words.chain(is_firm.then(|| ANYTHING.to_owned())).collect()
            }
            CardKind::Fact | CardKind::NegativeResult | CardKind::Tactic => {
                let mut words = error_tags(&card.tags);
                words.extend(command_keys(card.source, &card.tags, &card.statement));
                words
            }
            CardKind::Preference => BTreeSet::new(),
        };
        if !words.is_empty() {
            out.push((card.id, words.into_iter().collect()));
        }
    }
    out
}

fn error_tags(tags: &[String]) -> BTreeSet<String> {
    tags.iter().filter(|tag| tag.starts_with(ERROR_TAG)).cloned().collect()
}
