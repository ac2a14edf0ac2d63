//! Which cards matter for a task? Selects a few by slots, within a budget.
//!
//! The same log and task give the same bytes: recency is relative to the newest card, not to a clock.

use std::collections::HashMap;

use crate::model::{Card, CardId, CardKind, CardStatus, ProjectId, Tier, Timestamp, UNVERIFIED, estimate_tokens};
use crate::store::{CardRow, ViewStore};

use super::super::RetrieveError;
use super::named::NamedInTree;
use super::relevance::relevances;
use super::{named_in_tree, usable};

pub const PACK_BUDGET: u64 = 800;
/// This many constraints and commitments come first, whatever the task.
const FIRST: usize = 3;
/// The others are limited only by the remaining budget.
const ALL: usize = usize::MAX;
/// The limit on cards of one topic.
const PER_TOPIC: usize = 2;
/// A card with a lower score is not relevant to the task.
const RELEVANT: f32 = 0.30;
/// Tokens of the text around a statement.
const CITATION: u64 = 18;
/// Tokens of the text around the whole pack.
pub const PACK_FRAME: u64 = 40;
/// The factor for cards in doubt.
const DOUBTED: f32 = 0.5;
/// Days after which a card's ranking weight is halved.
const FADING: f32 = 90.0;
const DAY: f32 = 86_400_000.0;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackQuestion {
    pub project: Option<ProjectId>,
    /// The task; if empty, only cards that always count.
    pub task: String,
    /// What the last tool call printed, if it failed.
    pub failure: Option<String>,
    /// In tokens; 0 means [`PACK_BUDGET`].
    pub budget: u64,
}

/// Why a card is in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackSlot {
    /// A constraint or a commitment of this scope: always.
    Always,
    Preference,
    NegativeResult,
    Tactic,
    Fact,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PackItem {
    pub card: Card,
    pub slot: PackSlot,
    pub score: f32,
    pub relevance: f32,
    /// It is doubted, or the working tree lacks something it names.
    pub doubt: Option<String>,
    pub tokens: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pack {
    pub items: Vec<PackItem>,
    pub tokens: u64,
    /// Other candidates, best first, and why they were left out.
    pub left_out: Vec<(PackItem, PackLeftOut)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackLeftOut {
    /// It is not relevant enough to the task.
    NotRelevant,
    /// Better cards fill its slot.
    SlotIsFull,
    /// Better cards of the same topic are in.
    SameTopic,
    OverBudget,
}

/// What the person seems to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intent {
    /// The last call failed.
    Mend,
    /// "How should we …", "what is the best way …"
    Advice,
    /// "What did I do last time?"
    Past,
    Work,
}

impl Intent {
    fn of(question: &PackQuestion) -> Self {
        let task = question.task.to_lowercase();
        let asks = |phrases: &[&str]| phrases.iter().any(|phrase| task.contains(phrase));
        if question.failure.is_some() {
            Intent::Mend
        } else if asks(&["last time", "what did i do", "what did we do", "did we decide", "have we decided"]) {
            Intent::Past
        } else if asks(&["how should", "best way", "how do we", "what is the right way"]) {
            Intent::Advice
        } else {
            Intent::Work
        }
    }

    /// Slots in the order in which they are filled, with how many cards each takes.
    fn slots(self) -> [(PackSlot, usize); 5] {
        use PackSlot::{Always, Fact, NegativeResult, Preference, Tactic};
        match self {
            Intent::Mend => [(NegativeResult, 3), (Fact, 3), (Always, ALL), (Tactic, 1), (Preference, 1)],
            Intent::Advice => [(Tactic, 3), (Always, ALL), (Preference, 2), (Fact, 2), (NegativeResult, 1)],
            Intent::Past => [(Fact, 8), (Always, ALL), (Preference, 3), (Tactic, 2), (NegativeResult, 2)],
            Intent::Work => [(NegativeResult, 2), (Tactic, 2), (Preference, 2), (Fact, 3), (Always, ALL)],
        }
    }
}

fn slot_of(kind: CardKind) -> PackSlot {
    match kind {
        CardKind::Constraint | CardKind::Commitment => PackSlot::Always,
        CardKind::Preference => PackSlot::Preference,
        CardKind::NegativeResult => PackSlot::NegativeResult,
        CardKind::Tactic => PackSlot::Tactic,
        CardKind::Fact => PackSlot::Fact,
    }
}

/// `has`: does the working tree have what a card names? None if unknown.
pub fn pack(
    views: &ViewStore,
    question: &PackQuestion,
    has: &dyn Fn(&NamedInTree) -> Option<bool>,
) -> Result<Pack, RetrieveError> {
    let rows = usable(&views.read(), question.project)?;
    let newest = rows.iter().filter_map(|row| row.card.renewed).max();
    let intent = Intent::of(question);
    let mut scored = score(rows, question, newest, has);
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.card.id.cmp(&b.card.id)));

    let budget = if question.budget == 0 { PACK_BUDGET } else { question.budget };
    let mut filling = Filling { budget: budget.saturating_sub(PACK_FRAME), ..Filling::default() };
    let is_always = |item: &&PackItem| item.slot == PackSlot::Always;
    for item in scored.iter().filter(is_always) {
        if filling.pack.items.len() < FIRST && filling.fits(item) {
            filling.take(item);
        }
    }
    for (slot, room) in intent.slots() {
        let mut filled = 0;
        for item in scored.iter().filter(|item| item.slot == slot) {
            if filling.has(item) {
                continue;
            }
            match filling.why_not(item, filled >= room) {
                Some(why_not) => filling.pack.left_out.push((item.clone(), why_not)),
                None => {
                    filled += 1;
                    filling.take(item);
                }
            }
        }
    }
    let mut pack = filling.pack;
    // In reading order: first what must be respected.
    pack.items.sort_by(|a, b| a.slot.cmp(&b.slot).then(b.score.total_cmp(&a.score)).then(a.card.id.cmp(&b.card.id)));
    Ok(pack)
}

/// A pack under construction.
#[derive(Default)]
struct Filling {
    pack: Pack,
    budget: u64,
    topics: HashMap<String, usize>,
}

impl Filling {
    fn has(&self, item: &PackItem) -> bool {
        self.pack.items.iter().any(|taken| taken.card.id == item.card.id)
    }

    fn fits(&self, item: &PackItem) -> bool {
        self.pack.tokens + item.tokens <= self.budget
    }

    fn why_not(&self, item: &PackItem, is_full: bool) -> Option<PackLeftOut> {
        // Constraints and commitments count whatever the task; the rest must be relevant to it.
        let is_bound = item.slot != PackSlot::Always;
        // Tactics should be varied.
        let per_topic = if item.slot == PackSlot::Tactic { 1 } else { PER_TOPIC };
        if is_bound && item.relevance < RELEVANT {
            Some(PackLeftOut::NotRelevant)
        } else if is_full {
            Some(PackLeftOut::SlotIsFull)
        } else if is_bound && self.topics.get(&item.card.topic).is_some_and(|taken| *taken >= per_topic) {
            Some(PackLeftOut::SameTopic)
        } else if !self.fits(item) {
            Some(PackLeftOut::OverBudget)
        } else {
            None
        }
    }

    fn take(&mut self, item: &PackItem) {
        *self.topics.entry(item.card.topic.clone()).or_default() += 1;
        self.pack.tokens += item.tokens;
        self.pack.items.push(item.clone());
    }
}

/// The candidates for the pack, with their scores.
fn score(
    rows: Vec<CardRow>,
    question: &PackQuestion,
    newest: Option<Timestamp>,
    has: &dyn Fn(&NamedInTree) -> Option<bool>,
) -> Vec<PackItem> {
    let asked = format!("{} {}", question.task, question.failure.as_deref().unwrap_or_default());
    let relevances = relevances(asked.trim(), &rows);
    let mut items = Vec::new();
    for (row, relevance) in rows.into_iter().zip(relevances) {
        let slot = slot_of(row.card.kind);
        let doubt = card_doubt(&row.card, has);
        let worth = match row.card.kind {
            CardKind::Tactic => row.card.utility.weight(),
            _ => row.card.truth.weight(),
        };
        let near = match row.card.scope.tier {
            Tier::Repo => 1.0,
            Tier::Domain => 0.8,
            Tier::Global => 0.7,
        };
        let age = match (newest, row.card.renewed) {
            (Some(newest), Some(renewed)) => (newest.0 - renewed.0).max(0) as f32 / DAY,
            _ => FADING,
        };
        let fresh = 0.8 + 0.2 * (-age / FADING).exp();
        let score = near * fresh * (relevance + 0.5 * worth) * if doubt.is_some() { DOUBTED } else { 1.0 };
        let said = doubt.iter().map(String::as_str).chain([row.card.statement.as_str()]);
        let tokens = said.map(|text| u64::from(estimate_tokens(text))).sum::<u64>() + CITATION;
        items.push(PackItem { card: row.card, slot, score, relevance, doubt, tokens });
    }
    items
}

/// Why a card is not reliable. `has` as for [`pack`].
pub fn card_doubt(card: &Card, has: &dyn Fn(&NamedInTree) -> Option<bool>) -> Option<String> {
    if card.status == CardStatus::NeedsRecheck {
        return Some("needs recheck".to_owned());
    }
    if !card.suspect.is_empty() {
        let way: Vec<String> = card.suspect.iter().map(CardId::short).collect();
        return Some(format!("rests on {}, which no longer holds", way.join(", which rests on ")));
    }
    if card.tags.iter().any(|tag| tag == UNVERIFIED) {
        return Some("imported; what it rests on is not in this log".to_owned());
    }
    if card.kind.is_normative() {
        return None;
    }
    let gone = named_in_tree(&card.statement).into_iter().find(|named| has(named) == Some(false))?;
    Some(match gone {
        NamedInTree::Path(path) => format!("needs recheck: {path} is not in the working tree"),
        NamedInTree::Task { tool, task } => format!("needs recheck: {tool} has no task {task} in the working tree"),
        NamedInTree::Version { name, .. } => format!("needs recheck: the working tree asks for another {name}"),
    })
}
