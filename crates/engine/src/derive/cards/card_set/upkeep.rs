//! Which unused cards are archived?

use std::collections::HashMap;

use crate::model::{CardId, CardStatus, PutAway, Timestamp};

use super::limits::is_written;
use super::{CardSet, CardUse};

/// Cards are archived as unused after this many packs of their scope, over this much time.
const CHANCES: usize = 10;
const LONG: i64 = 30 * 24 * 3_600 * 1_000;

impl CardSet<'_> {
    /// Archives weak cards that many packs left out, and cards that were shown without use.
    /// `chances`: when packs of this scope were made.
    pub(super) fn archive_unused(&mut self, used: &HashMap<CardId, CardUse>, chances: &[Timestamp]) {
        for at in 0..self.drafts.len() {
            let card = &self.drafts[at].card;
            let open = matches!(card.status, CardStatus::Active | CardStatus::Proposed);
            if !open || !card.disputes.is_empty() || is_written(card.source) {
                continue;
            }
            let last_shown = used.get(&card.id).and_then(|used| used.last_shown);
            let since = card.renewed.or(card.created).max(last_shown);
            let weak = card.utility.weight() <= 0.5 && card.truth.evidence() <= 1;
            if card.utility.is_of_no_use() {
                self.put_away(at, PutAway::OfNoUse);
            } else if weak && had_its_chances(since, chances) {
                self.put_away(at, PutAway::NeverUsed);
            }
        }
    }
}

fn had_its_chances(since: Option<Timestamp>, chances: &[Timestamp]) -> bool {
    let later = || chances.iter().filter(|chance| since.is_none_or(|since| **chance > since));
    let lasted = match (later().max(), since) {
        (Some(last), Some(since)) => last.0 - since.0 >= LONG,
        _ => false,
    };
    lasted && later().count() >= CHANCES
}
