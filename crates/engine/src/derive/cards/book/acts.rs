//! What a person does with cards.

use crate::model::{
    Act, Candidate, CardId, CardSource, CardStatus, EventId, EvidenceKind, EvidenceRef, Scope, Timestamp, span_hash,
};
use crate::store::Decision;

use super::{Arrival, Book};

impl Book<'_> {
    pub(super) fn act(&mut self, event: EventId, act: &Act, text: &str, time: Option<Timestamp>) {
        let said = said(event, text);
        if let Act::Add { statement, kind, scope, source, tags, rests_on, evidence } = act {
            let statement = statement.as_deref().unwrap_or(text);
            let evidence: Vec<EvidenceRef> = said.into_iter().chain(evidence.iter().copied()).collect();
            let topic = super::super::topic_of(statement);
            if self.holds(scope)
                && let Ok(candidate) = Candidate::new(*kind, *source, statement, &topic, evidence, time)
            {
                let (scope, rests_on, tags) = (scope.clone(), rests_on.clone(), tags.clone());
                self.admit(Arrival { stretch: None, candidate: &candidate, scope, rests_on, tags });
            }
            return;
        }
        // Another book's card.
        let Some(at) = act.card().and_then(|card| self.by_id.get(&card).copied()) else { return };
        match act {
            Act::Add { .. } => {}
            Act::Edit { .. } => self.edit(at, text, said, time),
            Act::Confirm { .. } => {
                let card = &mut self.held[at].card;
                card.disputes.clear();
                card.truth.disputes = 0.0;
                card.renewed = card.renewed.max(time);
                self.tell(at, Decision::Changed, "confirmed");
                self.activate(at);
            }
            Act::Dispute { evidence, .. } => {
                for doubt in said.into_iter().chain(*evidence) {
                    self.dispute(at, doubt, time);
                }
                // Whose memory it is need not say it twice.
                if self.held[at].card.status == CardStatus::Active {
                    self.held[at].card.status = CardStatus::NeedsRecheck;
                    self.tell(at, Decision::Changed, "disputed_by_hand");
                }
            }
            Act::Archive { .. } => {
                self.held[at].card.status = CardStatus::Archived;
                self.held[at].put_away = true;
                self.tell(at, Decision::Archived, "by_hand");
            }
            Act::Restore { .. } => {
                self.tell(at, Decision::Changed, "restored");
                self.activate(at);
            }
            Act::Promote { scope, .. } => self.promote(at, scope, time),
        }
    }

    /// Only its own scope's cards, or all that reach further.
    fn holds(&self, scope: &Scope) -> bool {
        match self.scope.tier {
            crate::model::Tier::Repo => *scope == self.scope,
            _ => scope.tier != crate::model::Tier::Repo,
        }
    }

    /// The new statement keeps what the old one rested on.
    fn edit(&mut self, at: usize, text: &str, said: Option<EvidenceRef>, time: Option<Timestamp>) {
        let old = self.held[at].card.clone();
        let evidence: Vec<EvidenceRef> = said.into_iter().chain(old.evidence.iter().copied()).collect();
        let Ok(candidate) = Candidate::new(old.kind, CardSource::Remembered, text, &old.topic, evidence, time) else {
            return;
        };
        let (scope, tags, rests_on) = (old.scope.clone(), old.tags.clone(), old.rests_on.clone());
        // Or the new one would be merged into the old.
        self.held[at].card.status = CardStatus::Superseded;
        let new = self.admit(Arrival { stretch: None, candidate: &candidate, scope, rests_on, tags });
        if let Some(new) = new.and_then(|new| self.by_id.get(&new).copied()).filter(|new| *new != at) {
            self.held[new].card.supersedes = Some(old.id);
            let by = self.held[new].card.id;
            self.retire(at, by);
        }
    }

    /// In a repository's book the card is put away; in the shared book it lives on.
    fn promote(&mut self, at: usize, scope: &Scope, time: Option<Timestamp>) {
        if self.holds(scope) {
            let old = self.held[at].card.clone();
            self.take_over(&old, scope, time);
        }
        self.held[at].card.status = CardStatus::Archived;
        self.held[at].put_away = true;
        self.tell(at, Decision::Archived, "promoted");
    }

    /// A card of another scope, with everything it rests on.
    pub fn take_over(&mut self, card: &crate::model::Card, scope: &Scope, time: Option<Timestamp>) -> Option<CardId> {
        let (evidence, topic) = (card.evidence.clone(), card.topic.clone());
        let made = Candidate::new(card.kind, card.source, &card.statement, &topic, evidence, time.or(card.created));
        let candidate = made.ok()?;
        let (scope, tags) = (scope.clone(), card.tags.clone());
        let id = self.admit(Arrival { stretch: None, candidate: &candidate, scope, rests_on: Vec::new(), tags })?;
        let at = *self.by_id.get(&id)?;
        self.activate(at);
        Some(id)
    }
}

/// The words of an act are a person's.
fn said(event: EventId, text: &str) -> Option<EvidenceRef> {
    let end = text.len() as u32;
    (end > 0).then(|| EvidenceRef { kind: EvidenceKind::UserSpan, id: event.0, start: 0, end, hash: span_hash(text) })
}
