//! For which actions has a card to be looked at?

use std::collections::BTreeSet;

use backstory_language::clauses::{ANYTHING, Bind, Reader, failing_codes};
use backstory_language::commands::line as command;

use crate::model::{Card, CardId, CardKind, CardSource, CardStatus};
use crate::store::CardRow;

use super::troubles::tell::{COMMAND_TAG, ERROR_TAG};

/// The words by which each card is found, for those that anything can be found by.
pub fn of_cards(rows: &[CardRow]) -> Vec<(CardId, Vec<String>)> {
    let mut reader = Reader::new();
    let mut out = Vec::new();
    for CardRow { card, .. } in rows {
        if !is_minded(card) {
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

/// Does it count before an action? What a person said and nobody confirmed may be
/// mentioned, where it forbids something.
pub fn is_minded(card: &Card) -> bool {
    match card.status {
        CardStatus::Active | CardStatus::NeedsRecheck => true,
        CardStatus::Proposed => {
            card.source.is_said() && matches!(card.kind, CardKind::Constraint | CardKind::Commitment)
        }
        CardStatus::Superseded | CardStatus::Archived => false,
    }
}

fn error_tags(tags: &[String]) -> BTreeSet<String> {
    tags.iter().filter(|tag| tag.starts_with(ERROR_TAG)).cloned().collect()
}

/// The commands that a card warns of. An attempt is about an error: its command
/// is run again and again without anything being wrong with that.
pub fn command_keys(source: CardSource, tags: &[String], statement: &str) -> BTreeSet<String> {
    match source {
        CardSource::Correction => tags.iter().filter(|tag| tag.starts_with(COMMAND_TAG)).cloned().collect(),
        CardSource::Remembered | CardSource::Instructions | CardSource::Import => {
            failing_codes(statement).into_iter().map(command_key).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Under which a command is found.
pub fn command_key(line: &str) -> String {
    let normal = command::normal_form(line);
    let form = if normal.is_empty() { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { normal };
    format!("{COMMAND_TAG}{form}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_to_fail_is_known_to_fail() {
        let keys = |statement: &str| command_keys(CardSource::Instructions, &[], statement);
        assert_eq!(keys("`npm test` - runs the unit tests"), BTreeSet::new());
        assert_eq!(keys("Check of this project: `make test`"), BTreeSet::new());
        assert_eq!(keys("`npm run e2e` fails without a display"), BTreeSet::from([command_key("npm run e2e")]));
        assert_eq!(keys("Use `make test`, never `npm test`."), BTreeSet::from([command_key("npm test")]));
    }
}
