//! What happens to cards that nobody touches.

use crate::model::{CardId, CardStatus, Timestamp};
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

    /// A card that rests on one that has fallen is suspect, as long as that is so.
    pub(super) fn mark_suspects(&mut self) {
        for at in 0..self.held.len() {
            let chain = self.fallen_below(at);
            if !chain.is_empty() && self.held[at].card.status.is_open() {
                self.tell(at, Decision::Changed, "rests_on_fallen");
            }
            self.held[at].card.suspect = chain;
        }
    }

    /// The way down to the first fallen card, the nearest first.
    fn fallen_below(&self, at: usize) -> Vec<CardId> {
        let mut ways: Vec<Vec<CardId>> = self.held[at].card.rests_on.iter().map(|id| vec![*id]).collect();
        let mut seen = vec![self.held[at].card.id];
        while !ways.is_empty() {
            let mut deeper = Vec::new();
            for way in ways {
                let Some(id) = way.last().filter(|id| !seen.contains(id)).copied() else { continue };
                seen.push(id);
                let Some(below) = self.by_id.get(&id).map(|at| &self.held[*at].card) else { continue };
                if matches!(below.status, CardStatus::Superseded | CardStatus::NeedsRecheck | CardStatus::Archived) {
                    return way;
                }
                deeper.extend(below.rests_on.iter().map(|id| way.iter().copied().chain([*id]).collect()));
            }
            ways = deeper;
        }
        Vec::new()
    }
}
