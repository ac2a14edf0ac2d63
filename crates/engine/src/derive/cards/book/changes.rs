//! What happens to cards that are there: they come into force, fall, are doubted.

use crate::model::{CardSource, CardStatus, Dispute, EvidenceKind, EvidenceRef, PutAway, Timestamp, card_words};
use crate::store::{Decision, LedgerRow};

use super::{Book, Held, limits};
use backstory_language::similarity::Similarity;

impl Book<'_> {
    pub(super) fn put_away(&mut self, at: usize, why: PutAway) {
        let card = &mut self.held[at].card;
        (card.status, card.put_away) = (CardStatus::Archived, Some(why));
        self.tell(at, Decision::Archived, why.name());
    }

    /// What is no longer in any file that it was read from no longer holds by
    /// them. What a person asked for elsewhere stays.
    pub(super) fn withdraw(&mut self, statement: &str, file: &str) {
        let words = card_words(statement);
        let gone = self.held.iter().position(|Held { card, .. }| {
            card.status.is_open()
                && card.source == CardSource::Instructions
                && card.tags.iter().any(|tag| tag == file)
                && card_words(&card.statement) == words
        });
        let Some(at) = gone else { return };
        // Of such a card all tags are files.
        match self.held[at].card.tags.len() {
            1 => self.put_away(at, PutAway::Withdrawn),
            _ => self.held[at].card.tags.retain(|tag| tag != file),
        }
    }

    /// A card comes into force, and what it contradicts goes out. One that says
    /// the same as another that is open gives it its evidence instead.
    pub(super) fn activate(&mut self, at: usize) {
        if let Some(same) = self.double_of(at) {
            return self.join(at, same);
        }
        if !self.held[at].card.status.is_open() {
            self.make_room(&self.held[at].card.clone());
        }
        let held = &mut self.held[at];
        (held.card.status, held.card.put_away) = (CardStatus::Active, None);
        held.by_hand = false;
        let (card, claim) = (held.card.clone(), held.claim.clone());
        if let Some(older) = self.contradicted(&card, &claim) {
            self.retire(older, "conflicting_value");
            self.held[at].card.supersedes = Some(self.held[older].card.id);
        }
    }

    /// Another open card of the same kind and scope that says the same.
    fn double_of(&self, at: usize) -> Option<usize> {
        let held = &self.held[at];
        self.held.iter().position(|other| {
            other.card.id != held.card.id
                && other.card.kind == held.card.kind
                && other.card.scope == held.card.scope
                && matches!(other.card.status, CardStatus::Active | CardStatus::NeedsRecheck)
                && super::similarity(other, &held.words) == Similarity::Same
                && !other.claim.conflicts(&held.claim)
                && !held.claim.conflicts(&other.claim)
        })
    }

    fn join(&mut self, at: usize, same: usize) {
        for evidence in self.held[at].card.evidence.clone() {
            let card = &mut self.held[same].card;
            if !card.evidence.contains(&evidence) {
                card.truth.count(&evidence);
                card.evidence.push(evidence);
            }
        }
        let (renewed, of) = (self.held[at].card.renewed, self.held[same].card.id);
        self.held[same].card.renewed = self.held[same].card.renewed.max(renewed);
        let row = LedgerRow { card: Some(of), ..self.line(at, Decision::Merged, "duplicate") };
        self.ledger.push(row);
        self.put_away(at, PutAway::Duplicate { of });
    }

    pub(super) fn retire(&mut self, at: usize, why: &str) {
        self.held[at].card.status = CardStatus::Superseded;
        self.tell(at, Decision::Superseded, why);
    }

    pub(super) fn dispute(&mut self, at: usize, evidence: EvidenceRef, time: Option<Timestamp>) {
        let weight = limits::dispute_weight(evidence.kind);
        let card = &mut self.held[at].card;
        card.disputes.push(Dispute { evidence, time, weight });
        card.truth.disputes += weight;
        if evidence.kind != EvidenceKind::UserSpan {
            card.truth.contradictions += 1;
        }
        if card.status == CardStatus::Active && card.truth.disputes >= limits::recheck_at(card.scope.tier) {
            card.status = CardStatus::NeedsRecheck;
            self.tell(at, Decision::Changed, "disputes");
        }
    }
}
