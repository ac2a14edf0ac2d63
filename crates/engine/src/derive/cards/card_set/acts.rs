//! What a person does with cards.

use crate::model::{
    Candidate, Card, CardAct, CardKind, CardSource, CardStatus, EventId, EvidenceKind, EvidenceRef, PutAway, Scope,
    Tier, Timestamp, card_id, span_hash,
};
use crate::store::CardDecision;

use super::{Arrival, CardSet};

impl CardSet<'_> {
    pub(super) fn act(&mut self, event: EventId, act: &CardAct, text: &str, time: Option<Timestamp>) {
        if self.is_of_another_set(act) {
            return;
        }
        let mut said = said(event, text);
        if let CardAct::Add { statement, kind, scope, source, tags, rests_on, evidence } = act {
            if let (CardSource::Agent, Some(said)) = (source, &mut said) {
                said.kind = EvidenceKind::AgentSpan;
            }
            let statement = statement.as_deref().unwrap_or(text);
            // Importing the same file of cards twice adds no evidence.
            let is_known = self.by_id.contains_key(&card_id(*kind, scope, statement));
            let said = said.filter(|_| !(*source == CardSource::Import && is_known));
            let evidence: Vec<EvidenceRef> = said.into_iter().chain(evidence.iter().copied()).collect();
            let topic = super::super::topic_of(statement);
            if let Ok(candidate) = Candidate::new(*kind, *source, statement, &topic, evidence, time) {
                let (scope, rests_on, tags) = (scope.clone(), rests_on.clone(), tags.clone());
                self.admit(Arrival { window: None, candidate: &candidate, scope, rests_on, tags });
            }
            return;
        }
        let Some(at) = act.card().and_then(|card| self.by_id.get(&card).copied()) else { return };
        match act {
            CardAct::Add { .. } => {}
            CardAct::Edit { .. } => self.edit(at, text, said, time),
            CardAct::Confirm { .. } => {
                let card = &mut self.drafts[at].card;
                card.disputes.clear();
                (card.truth.disputes, card.truth.contradictions) = (0.0, 0);
                card.renewed = card.renewed.max(time);
                self.record_change(at, CardDecision::Changed, "confirmed");
                self.activate(at);
            }
            CardAct::Dispute { evidence, .. } => {
                for doubt in said.into_iter().chain(*evidence) {
                    self.dispute(at, doubt, time);
                }
                // One dispute by the owner is enough.
                if self.drafts[at].card.status == CardStatus::Active {
                    self.drafts[at].card.status = CardStatus::NeedsRecheck;
                    self.record_change(at, CardDecision::Changed, "disputed_by_hand");
                }
            }
            CardAct::Archive { .. } => {
                self.drafts[at].by_hand = true;
                self.put_away(at, PutAway::ByHand);
            }
            CardAct::Restore { .. } => {
                self.drafts[at].card.renewed = self.drafts[at].card.renewed.max(time);
                self.record_change(at, CardDecision::Changed, "restored");
                self.activate(at);
            }
            CardAct::Promote { scope, .. } => self.promote(at, scope, time),
        }
    }

    /// Checked first, because every card set gets all acts on cards.
    fn is_of_another_set(&self, act: &CardAct) -> bool {
        match act {
            CardAct::Add { scope, .. } => !self.holds(scope),
            _ => !act.card().is_some_and(|card| self.by_id.contains_key(&card)),
        }
    }

    /// A repository's set holds its own scope only; the shared set holds all wider scopes.
    fn holds(&self, scope: &Scope) -> bool {
        match self.scope.tier {
            Tier::Repo => *scope == self.scope,
            _ => scope.tier != Tier::Repo,
        }
    }

    /// A person's words suffice for most statements; facts and tactics keep their tool output as evidence.
    fn edit(&mut self, at: usize, text: &str, said: Option<EvidenceRef>, time: Option<Timestamp>) {
        let old = self.drafts[at].card.clone();
        let kept = old.evidence.iter().copied().filter(|_| !old.kind.is_normative() && old.kind != CardKind::Fact);
        let evidence: Vec<EvidenceRef> = said.into_iter().chain(kept).collect();
        let Ok(candidate) = Candidate::new(old.kind, CardSource::Remembered, text, &old.topic, evidence, time) else {
            return;
        };
        let (scope, tags, rests_on) = (old.scope.clone(), old.tags.clone(), old.rests_on.clone());
        // Otherwise the new card would be merged into the old one.
        self.drafts[at].card.status = CardStatus::Superseded;
        let new = self.admit(Arrival { window: None, candidate: &candidate, scope, rests_on, tags });
        if let Some(new) = new.and_then(|new| self.by_id.get(&new).copied()).filter(|new| *new != at) {
            self.drafts[new].card.supersedes = Some(old.id);
            self.drafts[at].by_hand = true;
            self.retire(at, "edited");
        }
    }

    /// A repository's card set archives the card; the shared set continues it.
    fn promote(&mut self, at: usize, scope: &Scope, time: Option<Timestamp>) {
        let old = self.drafts[at].card.clone();
        if self.holds(scope) {
            self.take_over(&old, scope, time);
        }
        self.drafts[at].by_hand = true;
        self.put_away(at, PutAway::Promoted { to: card_id(old.kind, scope, &old.statement) });
    }

    /// Admits a card of another scope, with all its evidence.
    pub(super) fn take_over(&mut self, card: &Card, scope: &Scope, time: Option<Timestamp>) {
        let (evidence, topic) = (card.evidence.clone(), card.topic.clone());
        let made = Candidate::new(card.kind, card.source, &card.statement, &topic, evidence, time.or(card.created));
        let Ok(candidate) = made else { return };
        let (scope, tags, rests_on) = (scope.clone(), card.tags.clone(), card.rests_on.clone());
        let taken = self.admit(Arrival { window: None, candidate: &candidate, scope, rests_on, tags });
        if let Some(at) = taken.and_then(|id| self.by_id.get(&id).copied()) {
            self.record_change(at, CardDecision::Changed, "promoted");
            self.activate(at);
        }
    }
}

/// The text of an act is a person's.
fn said(event: EventId, text: &str) -> Option<EvidenceRef> {
    let end = text.len() as u32;
    (end > 0).then(|| EvidenceRef { kind: EvidenceKind::UserSpan, id: event.0, start: 0, end, hash: span_hash(text) })
}
