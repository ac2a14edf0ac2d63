//! What happens to cards that nobody touches.

use crate::model::{CardStatus, Timestamp};
use crate::store::Decision;

use super::Book;
use super::limits::is_written;

/// A card has had its chance after so many packs of its scope, and so long.
const CHANCES: usize = 10;
const LONG: i64 = 30 * 24 * 3_600 * 1_000;

impl Book<'_> {
    /// Archives what could have been shown again and again and never was, when
    /// little speaks for it. `chances`: when packs of this scope were made.
    pub(super) fn archive_unused(&mut self, chances: &[Timestamp]) {
        for at in 0..self.held.len() {
            let card = &self.held[at].card;
            let since = card.renewed.or(card.created);
            let later: Vec<&Timestamp> =
                chances.iter().filter(|chance| since.is_none_or(|since| **chance > since)).collect();
            let lasted = match (later.iter().max(), since) {
                (Some(last), Some(since)) => last.0 - since.0 >= LONG,
                _ => false,
            };
            let weak = card.utility.weight() <= 0.5 && card.truth.evidence() <= 1;
            let unused = card.utility.shown == 0;
            let open = matches!(card.status, CardStatus::Active | CardStatus::Proposed);
            if open
                && unused
                && weak
                && lasted
                && later.len() >= CHANCES
                && card.disputes.is_empty()
                && !is_written(card.source)
            {
                self.held[at].card.status = CardStatus::Archived;
                self.tell(at, Decision::Archived, "never_used");
            }
        }
    }
}
