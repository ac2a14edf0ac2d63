//! How existing cards change: activated, retired, disputed.

use std::collections::HashSet;

use crate::model::{Card, CardSource, CardStatus, Dispute, EvidenceKind, EvidenceRef, PutAway, Timestamp, card_words};
use crate::store::{CardDecision, LedgerRow};

use super::{CardSet, DraftCard, limits};
use backstory_language::similarity::Similarity;

impl CardSet<'_> {
    pub(super) fn put_away(&mut self, at: usize, why: PutAway) {
        let card = &mut self.drafts[at].card;
        (card.status, card.put_away) = (CardStatus::Archived, Some(why));
        self.record_change(at, CardDecision::Archived, why.name());
    }

    /// Archives a statement that is no longer in any instruction file. A statement that a person
    /// also made elsewhere stays.
    pub(super) fn withdraw(&mut self, statement: &str, file: &str) {
        let words = card_words(statement);
        let gone = self.drafts.iter().position(|DraftCard { card, .. }| {
            card.status.is_open()
                && card.source == CardSource::Instructions
                && card.tags.iter().any(|tag| tag == file)
                && card_words(&card.statement) == words
        });
        let Some(at) = gone else { return };
        // All tags of such a card are files.
        match self.drafts[at].card.tags.len() {
            1 => self.put_away(at, PutAway::Withdrawn),
            _ => self.drafts[at].card.tags.retain(|tag| tag != file),
        }
    }

    /// Archives what a file that was written whole no longer says.
    pub(super) fn withdraw_others(&mut self, file: &str, statements: &[String]) {
        let kept: HashSet<String> = statements.iter().map(|statement| card_words(statement)).collect();
        let of_file = |card: &Card| card.source == CardSource::Instructions && card.tags.iter().any(|tag| tag == file);
        let open = self.drafts.iter().map(|draft| &draft.card).filter(|card| card.status.is_open() && of_file(card));
        let gone: Vec<String> = open.map(|card| card.statement.clone()).collect();
        for statement in gone.iter().filter(|statement| !kept.contains(&card_words(statement))) {
            self.withdraw(statement, file);
        }
    }

    /// Activates a card and retires the one it contradicts. A duplicate of another open card gives
    /// it its evidence instead.
    pub(super) fn activate(&mut self, at: usize) {
        if let Some(same) = self.double_of(at) {
            return self.join(at, same);
        }
        if !self.drafts[at].card.status.is_open() {
            self.make_room(&self.drafts[at].card.clone());
        }
        let draft = &mut self.drafts[at];
        (draft.card.status, draft.card.put_away) = (CardStatus::Active, None);
        draft.by_hand = false;
        let (card, claim) = (draft.card.clone(), draft.claim.clone());
        if let Some(older) = self.contradicted(&card, &claim) {
            self.retire(older, "conflicting_value");
            self.drafts[at].card.supersedes = Some(self.drafts[older].card.id);
        }
    }

    /// Another open card of the same kind and scope that says the same.
    fn double_of(&self, at: usize) -> Option<usize> {
        let draft = &self.drafts[at];
        self.drafts.iter().position(|other| {
            other.card.id != draft.card.id
                && other.card.kind == draft.card.kind
                && other.card.scope == draft.card.scope
                && matches!(other.card.status, CardStatus::Active | CardStatus::NeedsRecheck)
                && super::similarity(other, &draft.words) == Similarity::Same
                && !other.claim.conflicts(&draft.claim)
                && !draft.claim.conflicts(&other.claim)
        })
    }

    fn join(&mut self, at: usize, same: usize) {
        for evidence in self.drafts[at].card.evidence.clone() {
            let card = &mut self.drafts[same].card;
            if !card.evidence.contains(&evidence) {
                card.truth.count(&evidence);
                card.evidence.push(evidence);
            }
        }
        let (renewed, of) = (self.drafts[at].card.renewed, self.drafts[same].card.id);
        self.drafts[same].card.renewed = self.drafts[same].card.renewed.max(renewed);
        let row = LedgerRow { card: Some(of), ..self.line(at, CardDecision::Merged, "duplicate") };
        self.ledger.push(row);
        self.put_away(at, PutAway::Duplicate { of });
    }

    pub(super) fn retire(&mut self, at: usize, why: &str) {
        self.drafts[at].card.status = CardStatus::Superseded;
        self.record_change(at, CardDecision::Superseded, why);
    }

    pub(super) fn dispute(&mut self, at: usize, evidence: EvidenceRef, time: Option<Timestamp>) {
        let weight = limits::dispute_weight(evidence.kind);
        let card = &mut self.drafts[at].card;
        card.disputes.push(Dispute { evidence, time, weight });
        card.truth.disputes += weight;
        if evidence.kind != EvidenceKind::UserSpan {
            card.truth.contradictions += 1;
        }
        if card.status == CardStatus::Active && card.truth.disputes >= limits::recheck_at(card.scope.tier) {
            card.status = CardStatus::NeedsRecheck;
            self.record_change(at, CardDecision::Changed, "disputes");
        }
    }
}
