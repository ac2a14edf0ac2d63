//! What happens to cards that are there: they come into force, fall, are doubted.

use crate::model::{CardId, CardSource, CardStatus, Dispute, EvidenceKind, EvidenceRef, Timestamp, card_words};
use crate::store::{Decision, EpisodeNum, LedgerRow};

use super::similar::Alike;
use super::{Book, limits};

impl Book<'_> {
    /// What is no longer in the file that it was read from no longer holds by it.
    /// What a person asked for elsewhere stays.
    pub(super) fn withdraw(&mut self, episode: EpisodeNum, statement: &str, file: &str) {
        let words = card_words(statement);
        let gone = (0..self.held.len()).find(|at| {
            let card = &self.held[*at].card;
            card.status.is_open()
                && card.source == CardSource::Instructions
                && card.tags.iter().any(|tag| tag == file)
                && card_words(&card.statement) == words
        });
        if let Some(at) = gone {
            self.held[at].card.status = CardStatus::Archived;
            let row = LedgerRow { episode: Some(episode), ..self.line(at, Decision::Archived, "withdrawn") };
            self.ledger.push(row);
        }
    }

    /// A card comes into force, and what it contradicts goes out. One that says
    /// the same as another that is open gives it its evidence instead.
    pub(super) fn activate(&mut self, at: usize) {
        if let Some(same) = self.double_of(at) {
            return self.join(at, same);
        }
        let held = &mut self.held[at];
        held.card.status = CardStatus::Active;
        held.put_away = false;
        let (card, claim) = (held.card.clone(), held.claim.clone());
        if let Some(older) = self.contradicted(&card, &claim) {
            self.retire(older, card.id);
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
                && other.likeness.alike(&held.likeness) == Alike::Same
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
        let (renewed, by) = (self.held[at].card.renewed, self.held[same].card.id);
        self.held[same].card.renewed = self.held[same].card.renewed.max(renewed);
        self.held[at].card.status = CardStatus::Archived;
        let row = LedgerRow { card: Some(by), ..self.line(at, Decision::Merged, "duplicate") };
        self.ledger.push(row);
        self.tell(at, Decision::Archived, "duplicate");
    }

    pub(super) fn retire(&mut self, at: usize, by: CardId) {
        self.held[at].card.status = CardStatus::Superseded;
        let row = LedgerRow { card: Some(by), ..self.line(at, Decision::Superseded, "conflicting_value") };
        self.ledger.push(row);
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
