//! Which candidates become cards of a scope? Each decision is recorded in the ledger.

use std::collections::{BTreeSet, HashMap, HashSet};

use backstory_language::similarity::{ComparedStatement, Comparer, Similarity};

use crate::model::{
    Candidate, Card, CardId, CardKind, CardSource, CardStatus, EvidenceKind, EvidenceRef, PutAway, Scope, Tier,
    Timestamp, Truth, Utility, card_id,
};
use crate::store::{CardDecision, CardRow, EpisodeNum, LedgerRow};

use super::RULES;
use super::claim::Claim;
use super::entry::{CardChange, CardEntry};
use super::limits;
use super::utility::CardUse;

/// A card under construction, with the data that later entries are compared with.
pub(super) struct DraftCard {
    pub(super) card: Card,
    pub(super) words: ComparedStatement,
    pub(super) claim: Claim,
    /// A person archived or edited it: only a person can restore it.
    pub(super) by_hand: bool,
    /// The episodes that said it.
    said_in: BTreeSet<EpisodeNum>,
}

pub struct CardSet<'a> {
    pub(super) scope: Scope,
    /// Scopes merged into this one: judgements of their cards still count.
    former: Vec<Scope>,
    pub(super) drafts: Vec<DraftCard>,
    /// Includes the ids of statements that were merged into another card.
    pub(super) by_id: HashMap<CardId, usize>,
    /// Cards that a person has judged are always kept, so that the judgement finds its card again.
    judged: HashSet<CardId>,
    pub(super) ledger: Vec<LedgerRow>,
    /// The episode whose entry is being written.
    pub(super) episode: Option<EpisodeNum>,
    pub(super) comparer: &'a mut Comparer,
    /// The number of candidates of a kind from a cap window, separately for prompts (true) and
    /// better sources.
    pub(super) taken: HashMap<(CapWindow, CardKind, bool), usize>,
}

/// A group of turns of an episode that share its caps: a month of talk in one file may add more
/// than an afternoon's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CapWindow {
    pub(super) episode: EpisodeNum,
    pub(super) number: u32,
}

/// A candidate with its origin.
pub(super) struct Arrival<'c> {
    pub(super) window: Option<CapWindow>,
    pub(super) candidate: &'c Candidate,
    pub(super) scope: Scope,
    pub(super) rests_on: Vec<CardId>,
    pub(super) tags: Vec<String>,
}

impl Arrival<'_> {
    /// The card that it becomes if it is admitted.
    fn card(&self, id: CardId) -> Card {
        let candidate = self.candidate;
        let is_sure = candidate.source.is_above_the_bar() && !candidate.is_rare;
        let status = if is_sure { CardStatus::Active } else { CardStatus::Proposed };
        let mut card = Card {
            id,
            kind: candidate.kind(),
            statement: candidate.statement().to_owned(),
            scope: self.scope.clone(),
            tags: self.tags.clone(),
            status,
            put_away: None,
            supersedes: None,
            topic: candidate.topic.clone(),
            evidence: candidate.evidence().to_vec(),
            source: candidate.source,
            created: candidate.time,
            renewed: candidate.time,
            rule_version: RULES,
            rests_on: self.rests_on.clone(),
            suspect: Vec::new(),
            truth: Truth::default(),
            utility: Utility::default(),
            disputes: Vec::new(),
            identity: candidate.identity.clone(),
            refused: candidate.refused.clone(),
        };
        card.evidence.iter().for_each(|evidence| card.truth.count(evidence));
        card
    }
}

impl<'a> CardSet<'a> {
    pub fn new(scope: Scope, comparer: &'a mut Comparer) -> Self {
        CardSet {
            scope,
            former: Vec::new(),
            drafts: Vec::new(),
            by_id: HashMap::new(),
            judged: HashSet::new(),
            ledger: Vec::new(),
            episode: None,
            comparer,
            taken: HashMap::new(),
        }
    }

    pub fn formerly(mut self, former: Vec<Scope>) -> Self {
        self.former = former;
        self
    }

    /// Entries in the order of time.
    pub fn write(&mut self, entries: &[CardEntry]) {
        self.judged.extend(entries.iter().filter_map(|entry| match &entry.what {
            CardChange::Act { act, .. } => act.card(),
            _ => None,
        }));
        for entry in entries {
            self.episode = match &entry.what {
                CardChange::Candidate { episode, .. }
                | CardChange::Withdrawn { episode, .. }
                | CardChange::Rewritten { episode, .. } => Some(*episode),
                CardChange::TakenOver { .. } | CardChange::Act { .. } => None,
            };
            match &entry.what {
                CardChange::Candidate { episode, turn, candidate } => {
                    let (scope, tags) = (self.scope_of(candidate), candidate.tags.clone());
                    let window = Some(CapWindow { episode: *episode, number: turn / limits::TURNS_OF_A_CAP_WINDOW });
                    self.admit(Arrival { window, candidate, scope, rests_on: Vec::new(), tags });
                }
                CardChange::Withdrawn { statement, file, .. } => self.withdraw(statement, file),
                CardChange::Rewritten { file, statements, .. } => self.withdraw_others(file, statements),
                CardChange::TakenOver { card, scope } => self.take_over(card, scope, entry.time),
                CardChange::Act { event, act, text } => self.act(*event, act, text, entry.time),
            }
        }
    }

    /// The cards and the ledger, after upkeep.
    pub fn close(mut self, used: &HashMap<CardId, CardUse>, chances: &[Timestamp]) -> (Vec<CardRow>, Vec<LedgerRow>) {
        self.episode = None;
        for draft in &mut self.drafts {
            draft.card.utility = used.get(&draft.card.id).map(|used| used.utility).unwrap_or_default();
        }
        self.archive_unused(used, chances);
        let rows = self.drafts.into_iter().map(|draft| CardRow { card: draft.card, vector: draft.words.vector });
        (rows.collect(), self.ledger)
    }

    pub fn kinds(&self) -> HashMap<CardId, CardKind> {
        self.drafts.iter().map(|draft| (draft.card.id, draft.card.kind)).collect()
    }

    /// Maps the ids that cards had in scopes merged into this one.
    pub fn former_names(&self) -> HashMap<CardId, CardId> {
        let of_card = |draft: &DraftCard| {
            let (now, kind, statement) = (draft.card.id, draft.card.kind, draft.card.identity().to_owned());
            self.former_ids(kind, &draft.card.scope, &statement)
                .into_iter()
                .map(move |id| (id, now))
                .collect::<Vec<_>>()
        };
        self.drafts.iter().flat_map(of_card).collect()
    }

    fn former_ids(&self, kind: CardKind, scope: &Scope, statement: &str) -> Vec<CardId> {
        let former = self.former.iter().filter(|_| *scope == self.scope);
        former.map(|former| card_id(kind, former, statement)).collect()
    }

    fn scope_of(&self, candidate: &Candidate) -> Scope {
        match candidate.reach {
            Some(Tier::Global) => Scope::global(),
            Some(Tier::Domain) => Scope::domain(super::super::DEFAULT_DOMAIN),
            _ => self.scope.clone(),
        }
    }

    pub(super) fn admit(&mut self, arrival: Arrival<'_>) -> Option<CardId> {
        let candidate = arrival.candidate;
        let (kind, statement) = (candidate.kind(), candidate.statement());
        let id = card_id(kind, &arrival.scope, candidate.identity());
        let words = self.comparer.read(statement);
        let claim = Claim::read(statement);

        if let Some(at) = self.equal(id, &arrival, &words, &claim) {
            for id in self.former_ids(kind, &arrival.scope, candidate.identity()).into_iter().chain([id]) {
                self.by_id.entry(id).or_insert(at);
            }
            self.merge(at, &arrival);
            self.replace_by(at, &arrival);
            return Some(self.drafts[at].card.id);
        }
        let former = self.former_ids(kind, &arrival.scope, candidate.identity());
        let judged = former.iter().chain([&id]).any(|id| self.judged.contains(id));
        if let Some(near) = self.stale_news(&arrival, &words, &claim).filter(|_| !judged) {
            self.note(&arrival, CardDecision::Rejected, "not_novel", Some(near));
            return None;
        }
        if let Some(reason) = self.over_cap(&arrival).filter(|_| !judged) {
            self.note(&arrival, CardDecision::Rejected, reason, None);
            return None;
        }
        let mut card = arrival.card(id);
        if let Some(stronger) = self.no_room_for(&card).filter(|_| !judged) {
            self.note(&arrival, CardDecision::Rejected, "budget", Some(stronger));
            return None;
        }
        self.make_room(&card);
        card.supersedes = self.supersede(&card, &claim, &arrival);
        self.note(&arrival, CardDecision::Admitted, candidate.source.name(), Some(id));
        let said_in = arrival.window.map(|window| window.episode).into_iter().collect();
        let at = self.drafts.len();
        self.put(DraftCard { card, words, claim, by_hand: false, said_in });
        for former in former {
            self.by_id.entry(former).or_insert(at);
        }
        self.replace_by(at, &arrival);
        Some(id)
    }

    pub(super) fn put(&mut self, draft: DraftCard) {
        self.by_id.insert(draft.card.id, self.drafts.len());
        self.drafts.push(draft);
    }

    /// The card with the same meaning.
    pub(super) fn equal(
        &self,
        id: CardId,
        arrival: &Arrival<'_>,
        words: &ComparedStatement,
        claim: &Claim,
    ) -> Option<usize> {
        if let Some(at) = self.by_id.get(&id) {
            return Some(*at);
        }
        self.rivals(arrival).find(|at| {
            let draft = &self.drafts[*at];
            draft.card.status.is_open()
                && similarity(draft, words) == Similarity::Same
                && !draft.claim.conflicts(claim)
                && !claim.conflicts(&draft.claim)
        })
    }

    /// A card so similar that this one adds nothing. Statements that were written to be kept are always kept.
    fn stale_news(&self, arrival: &Arrival<'_>, words: &ComparedStatement, claim: &Claim) -> Option<CardId> {
        // All check commands have similar wording but different meaning.
        let source = arrival.candidate.source;
        let is_distinct = matches!(source, CardSource::CheckCommand | CardSource::Decision | CardSource::Agreement);
        if limits::is_written(source) || is_distinct || arrival.candidate.identity.is_some() {
            return None;
        }
        let counts = |status: CardStatus| match arrival.candidate.source.is_above_the_bar() {
            true => matches!(status, CardStatus::Active | CardStatus::NeedsRecheck),
            false => status.is_open(),
        };
        let near = self.rivals(arrival).find(|at| {
            let draft = &self.drafts[*at];
            counts(draft.card.status)
                && similarity(draft, words) >= Similarity::Near
                && !draft.claim.conflicts(claim)
                && !claim.conflicts(&draft.claim)
        })?;
        Some(self.drafts[near].card.id)
    }

    /// Cards that may mean the same. A procedure mentions the commands of its steps' cards, but is
    /// a different statement.
    fn rivals(&self, arrival: &Arrival<'_>) -> impl Iterator<Item = usize> {
        let is_procedure = |source| source == CardSource::Procedure;
        let procedure = is_procedure(arrival.candidate.source);
        self.of_kind_and_scope(arrival.candidate.kind(), &arrival.scope)
            .filter(move |at| is_procedure(self.drafts[*at].card.source) == procedure)
    }

    /// Cards of the same kind and scope.
    fn of_kind_and_scope(&self, kind: CardKind, scope: &Scope) -> impl Iterator<Item = usize> {
        let scope = scope.clone();
        let fits = move |card: &Card| card.kind == kind && card.scope == scope;
        (0..self.drafts.len()).filter(move |at| fits(&self.drafts[*at].card))
    }

    /// Nothing is lost: evidence, tags and the cards it rests on are added.
    fn merge(&mut self, at: usize, arrival: &Arrival<'_>) {
        let candidate = arrival.candidate;
        let draft = &mut self.drafts[at];
        let news: Vec<EvidenceRef> =
            candidate.evidence().iter().filter(|evidence| !draft.card.evidence.contains(evidence)).copied().collect();
        let episode = arrival.window.map(|window| window.episode);
        let elsewhere = episode.is_none_or(|episode| draft.said_in.insert(episode));
        let said_again = elsewhere && news.iter().any(|new| new.kind == EvidenceKind::UserSpan);
        for evidence in &news {
            draft.card.truth.count(evidence);
        }
        draft.card.evidence.extend(&news);
        add_new(&mut draft.card.tags, &arrival.tags);
        add_new(&mut draft.card.rests_on, &arrival.rests_on);
        draft.card.renewed = draft.card.renewed.max(candidate.time);
        // A person asked for it, so it no longer depends on the file it was read from.
        let asked_for = matches!(candidate.source, CardSource::Remembered | CardSource::Import);
        if asked_for {
            draft.card.source = candidate.source;
        }
        let id = draft.card.id;
        let better = candidate.source.is_above_the_bar() && !candidate.is_rare;
        let reason = match draft.card.status {
            CardStatus::Proposed if better => "confirmed_by_better_source",
            CardStatus::Proposed if said_again => "said_again",
            CardStatus::Archived | CardStatus::Superseded if draft.by_hand && asked_for => "said_again",
            CardStatus::Archived if !draft.by_hand && (better || said_again) => "said_again",
            CardStatus::Superseded if !draft.by_hand && better => "said_again",
            _ => {
                self.note(arrival, CardDecision::Merged, "equal", Some(id));
                return;
            }
        };
        self.note(arrival, CardDecision::Merged, reason, Some(id));
        self.activate(at);
    }

    /// Retires the cards that the candidate takes the place of.
    fn replace_by(&mut self, at: usize, arrival: &Arrival<'_>) {
        for (kind, statement) in &arrival.candidate.replaces {
            let id = card_id(*kind, &arrival.scope, statement);
            let Some(older) = self.by_id.get(&id).copied().filter(|older| *older != at) else { continue };
            if self.drafts[older].card.status.is_open() {
                self.retire(older, "amended");
                let card = &mut self.drafts[at].card;
                card.supersedes = card.supersedes.or(Some(id));
            }
        }
    }

    fn over_cap(&mut self, arrival: &Arrival<'_>) -> Option<&'static str> {
        let window = arrival.window?;
        let kind = arrival.candidate.kind();
        // Candidates of prompts do not use up the caps of better sources.
        let by_prompt = arrival.candidate.source == CardSource::Prompt;
        let count = |kind| {
            let of = |prompts| self.taken.get(&(window, kind, prompts)).copied().unwrap_or(0);
            if by_prompt { of(true) + of(false) } else { of(false) }
        };
        let of_kind = count(kind);
        let of_all: usize = CardKind::ALL.into_iter().map(count).sum();
        if limits::is_written(arrival.candidate.source) {
            if of_all >= limits::WRITTEN_PER_EPISODE {
                return Some("episode_cap");
            }
        } else if of_kind >= limits::episode_cap(kind, arrival.candidate.source) {
            return Some("episode_cap_of_kind");
        } else if of_all >= limits::PER_EPISODE {
            return Some("episode_cap");
        }
        *self.taken.entry((window, kind, by_prompt)).or_default() += 1;
        None
    }

    /// The card that must give way if the scope is full.
    fn weakest_beside(&self, card: &Card) -> Option<usize> {
        let open: Vec<usize> = self
            .of_kind_and_scope(card.kind, &card.scope)
            .filter(|at| self.drafts[*at].card.status.is_open() && self.drafts[*at].card.id != card.id)
            .collect();
        if open.len() < limits::budget(card.scope.tier, card.kind) {
            return None;
        }
        open.into_iter().min_by(|a, b| strength(&self.drafts[*a].card).total_cmp(&strength(&self.drafts[*b].card)))
    }

    /// The weakest card of a full scope, if even it is stronger than this one.
    fn no_room_for(&self, card: &Card) -> Option<CardId> {
        let weakest = &self.drafts[self.weakest_beside(card)?].card;
        strength(weakest).total_cmp(&strength(card)).is_gt().then_some(weakest.id)
    }

    pub(super) fn make_room(&mut self, card: &Card) {
        if let Some(weakest) = self.weakest_beside(card) {
            self.put_away(weakest, PutAway::Budget);
        }
    }

    /// The open card that this one contradicts. Only a person's later word can do that.
    pub(super) fn contradicted(&self, card: &Card, claim: &Claim) -> Option<usize> {
        let by_user = card.evidence.iter().any(|evidence| evidence.kind == EvidenceKind::UserSpan);
        let later = |older: &Card| older.created <= card.renewed;
        (0..self.drafts.len()).find(|at| {
            let draft = &self.drafts[*at];
            by_user
                && draft.card.id != card.id
                && draft.card.scope == card.scope
                && is_comparable(draft.card.kind, card.kind)
                && matches!(draft.card.status, CardStatus::Active | CardStatus::NeedsRecheck | CardStatus::Proposed)
                && later(&draft.card)
                && (claim.conflicts(&draft.claim) || draft.claim.conflicts(claim))
        })
    }

    /// An active card retires what it contradicts; a proposed one only disputes it.
    fn supersede(&mut self, card: &Card, claim: &Claim, arrival: &Arrival<'_>) -> Option<CardId> {
        let older = self.contradicted(card, claim)?;
        let id = self.drafts[older].card.id;
        if card.status == CardStatus::Active || self.drafts[older].card.status == CardStatus::Proposed {
            self.retire(older, "conflicting_value");
            return Some(id);
        }
        if let Some(evidence) = card.evidence.iter().find(|evidence| evidence.kind == EvidenceKind::UserSpan) {
            self.dispute(older, *evidence, arrival.candidate.time);
        }
        None
    }

    fn note(&mut self, arrival: &Arrival<'_>, decision: CardDecision, reason: &str, card: Option<CardId>) {
        self.ledger.push(LedgerRow {
            episode: arrival.window.map(|window| window.episode),
            kind: arrival.candidate.kind(),
            statement: arrival.candidate.statement().to_owned(),
            decision,
            reason: reason.to_owned(),
            card,
        });
    }

    pub(super) fn record_change(&mut self, at: usize, decision: CardDecision, reason: &str) {
        let line = self.line(at, decision, reason);
        self.ledger.push(line);
    }

    pub(super) fn line(&self, at: usize, decision: CardDecision, reason: &str) -> LedgerRow {
        let card = &self.drafts[at].card;
        LedgerRow {
            episode: self.episode,
            kind: card.kind,
            statement: card.statement.clone(),
            decision,
            reason: reason.to_owned(),
            card: Some(card.id),
        }
    }
}

/// Cards from tools share their wording but for numbers; for other statements, different numbers
/// mean different statements.
pub(super) fn similarity(draft: &DraftCard, words: &ComparedStatement) -> Similarity {
    let taught = matches!(draft.card.kind, CardKind::Tactic | CardKind::NegativeResult);
    match !taught && draft.words.counts_otherwise(words) {
        true => Similarity::Not,
        false => draft.words.similarity(words),
    }
}

fn add_new<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}

/// Preferences, constraints and commitments can contradict each other; a fact only a fact.
fn is_comparable(a: CardKind, b: CardKind) -> bool {
    a == b || a.is_normative() && b.is_normative()
}

/// Orders cards: proposed cards are the weakest; then evidence counts, and usefulness.
fn strength(card: &Card) -> f32 {
    let base = if card.status == CardStatus::Proposed { 0.0 } else { 10.0 };
    let written = if limits::is_written(card.source) { 5.0 } else { 0.0 };
    base + written + card.truth.weight() + card.utility.weight()
}
