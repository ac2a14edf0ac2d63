//! Which cards matter for a task? Selects a few by slots, within a budget.
//!
//! A card must concern the task, or be a rule for every task; a pack may be empty. What the instruction files of the
//! working tree say is left out: the agent has read it. The same log and task give the same bytes: recency is relative
//! to the newest card, not to a clock.

use std::collections::HashMap;

use backstory_language::similarity::Comparer;

use crate::model::{Card, CardId, CardKind, CardStatus, ProjectId, Tier, Timestamp, UNVERIFIED, estimate_tokens};
use crate::store::{CardFilter, CardRow, StoreError, ViewReader, ViewStore};

use super::super::RetrieveError;
use super::everywhere::counts_everywhere;
use super::instructions::InstructionText;
use super::named::NamedInTree;
use super::named_in_tree;
use super::relevance::relevances;

pub const PACK_BUDGET: u64 = 800;
/// Unconfirmed cards take at most this part of the budget.
const PART_OF_UNCONFIRMED: u64 = 3;
const MOST_UNCONFIRMED: usize = 3;
/// Rules for every task.
const MOST_ALWAYS: usize = 3;
/// Without a task, all constraints are listed.
const ALL: usize = usize::MAX;
/// The limit on cards of one topic.
const PER_TOPIC: usize = 2;
/// Tokens of the text around a statement.
const CITATION: u64 = 18;
/// Tokens of the text around the whole pack.
pub const PACK_FRAME: u64 = 40;
/// The factor for cards in doubt.
const DOUBTED: f32 = 0.5;
/// What the worth of a card (its evidence, or its use) adds to its relevance.
const WORTH: f32 = 0.2;
/// Days after which a card's ranking weight is halved.
const FADING: f32 = 90.0;
const DAY: f32 = 86_400_000.0;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackQuestion {
    pub project: Option<ProjectId>,
    /// The task; if empty, all constraints and commitments.
    pub task: String,
    /// What the last tool call printed, if it failed.
    pub failure: Option<String>,
    /// Files and other names that the task is about, besides its words.
    pub about: Vec<String>,
    /// The text of the instruction files of the working tree.
    pub instructions: String,
    /// In tokens; 0 means [`PACK_BUDGET`].
    pub budget: u64,
}

/// Why a card is in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackSlot {
    /// A constraint or a commitment that concerns the task.
    Constraint,
    Preference,
    NegativeResult,
    Tactic,
    Fact,
    /// A rule for every task.
    Always,
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
    /// Cards that nobody has confirmed and that concern the task, or would count for every task.
    pub unconfirmed: Vec<PackItem>,
    pub tokens: u64,
    /// Other candidates, best first, and why they were left out.
    pub left_out: Vec<(PackItem, PackLeftOut)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackLeftOut {
    /// It does not concern the task.
    NotRelevant,
    /// An instruction file of the working tree says it.
    InInstructions,
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
    /// There is no task: the rules themselves.
    Rules,
}

impl Intent {
    fn of(question: &PackQuestion) -> Self {
        let task = question.task.to_lowercase();
        let asks = |phrases: &[&str]| phrases.iter().any(|phrase| task.contains(phrase));
        if question.failure.is_some() {
            Intent::Mend
        } else if question.has_no_task() {
            Intent::Rules
        } else if asks(&["last time", "what did i do", "what did we do", "did we decide", "have we decided"]) {
            Intent::Past
        } else if asks(&["how should", "best way", "how do we", "what is the right way"]) {
            Intent::Advice
        } else {
            Intent::Work
        }
    }

    /// Slots in the order in which they are filled, with how many cards each takes.
    fn slots(self) -> [(PackSlot, usize); 6] {
        use PackSlot::{Always, Constraint, Fact, NegativeResult, Preference, Tactic};
        let always = (Always, MOST_ALWAYS);
        match self {
            Intent::Mend => [(NegativeResult, 3), (Fact, 3), (Constraint, 4), (Tactic, 2), (Preference, 1), always],
            Intent::Advice => [(Constraint, 4), (Tactic, 3), (Preference, 2), (Fact, 3), (NegativeResult, 1), always],
            Intent::Past => [(Fact, 8), (Constraint, 6), (Preference, 3), (Tactic, 2), (NegativeResult, 2), always],
            Intent::Work => [(Constraint, 4), (NegativeResult, 2), (Tactic, 2), (Preference, 2), (Fact, 3), always],
            Intent::Rules => {
                [(Always, ALL), (Constraint, ALL), (NegativeResult, 0), (Tactic, 0), (Preference, 0), (Fact, 0)]
            }
        }
    }
}

impl PackQuestion {
    fn has_no_task(&self) -> bool {
        self.task.trim().is_empty() && self.about.is_empty()
    }

    /// Everything that says what is asked for.
    fn text(&self) -> String {
        let parts = [self.task.as_str(), self.failure.as_deref().unwrap_or_default()];
        parts.into_iter().chain(self.about.iter().map(String::as_str)).collect::<Vec<_>>().join(" ").trim().to_owned()
    }
}

fn slot_of(kind: CardKind) -> PackSlot {
    match kind {
        CardKind::Constraint | CardKind::Commitment => PackSlot::Constraint,
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
    let snapshot = views.snapshot()?;
    let view = snapshot.read();
    let intent = Intent::of(question);
    let candidates = Candidates::read(&view, question, has)?;
    let budget = if question.budget == 0 { PACK_BUDGET } else { question.budget };
    let mut filling = Filling { budget: budget.saturating_sub(PACK_FRAME), ..Filling::default() };
    let unconfirmed = filling.unconfirmed(&candidates.unconfirmed);
    for (slot, room) in intent.slots() {
        let mut filled = 0;
        for (item, bar) in candidates.items.iter().filter(|(item, _)| item.slot == slot) {
            let bar = bar.filter(|bar| intent != Intent::Rules || *bar != PackLeftOut::NotRelevant);
            match bar.or_else(|| filling.why_not(item, filled >= room)) {
                Some(why_not) => filling.pack.left_out.push((item.clone(), why_not)),
                None => {
                    filled += 1;
                    filling.take(item);
                }
            }
        }
    }
    let mut pack = filling.pack;
    pack.unconfirmed = unconfirmed;
    in_reading_order(&mut pack.items);
    Ok(pack)
}

/// The section with the best card first, and within it the best card; what counts for every task last.
fn in_reading_order(items: &mut [PackItem]) {
    let mut best: HashMap<PackSlot, f32> = HashMap::new();
    for item in items.iter() {
        let best = best.entry(item.slot).or_default();
        *best = best.max(item.score);
    }
    let place = |slot: PackSlot| (slot == PackSlot::Always, best.get(&slot).copied().unwrap_or_default(), slot);
    items.sort_by(|a, b| {
        let (a_last, a_best, a_slot) = place(a.slot);
        let (b_last, b_best, b_slot) = place(b.slot);
        let sections = a_last.cmp(&b_last).then(b_best.total_cmp(&a_best)).then(a_slot.cmp(&b_slot));
        sections.then(b.score.total_cmp(&a.score)).then(a.card.id.cmp(&b.card.id))
    });
}

/// A pack under construction.
#[derive(Default)]
struct Filling {
    pack: Pack,
    budget: u64,
    topics: HashMap<String, usize>,
}

impl Filling {
    fn fits(&self, item: &PackItem) -> bool {
        self.pack.tokens + item.tokens <= self.budget
    }

    fn why_not(&self, item: &PackItem, is_full: bool) -> Option<PackLeftOut> {
        // Tactics should be varied.
        let per_topic = if item.slot == PackSlot::Tactic { 1 } else { PER_TOPIC };
        let is_rule = matches!(item.slot, PackSlot::Always | PackSlot::Constraint);
        if is_full {
            Some(PackLeftOut::SlotIsFull)
        } else if !is_rule && self.topics.get(&item.card.topic).is_some_and(|taken| *taken >= per_topic) {
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

    /// The best unconfirmed cards, as far as their part of the budget goes.
    fn unconfirmed(&mut self, candidates: &[PackItem]) -> Vec<PackItem> {
        let room = self.budget / PART_OF_UNCONFIRMED;
        let mut taken: Vec<PackItem> = Vec::new();
        for item in candidates {
            if taken.len() >= MOST_UNCONFIRMED {
                break;
            }
            if self.pack.tokens + item.tokens > room {
                self.pack.left_out.push((item.clone(), PackLeftOut::OverBudget));
                continue;
            }
            self.pack.tokens += item.tokens;
            taken.push(item.clone());
        }
        taken
    }
}

/// The cards that may be packed, best first.
struct Candidates {
    /// With what speaks against each.
    items: Vec<(PackItem, Option<PackLeftOut>)>,
    /// Those that concern the task, then those that would count for every task.
    unconfirmed: Vec<PackItem>,
}

impl Candidates {
    fn read(
        view: &ViewReader<'_>,
        question: &PackQuestion,
        has: &dyn Fn(&NamedInTree) -> Option<bool>,
    ) -> Result<Self, StoreError> {
        let rows = view.cards(&CardFilter { project: question.project, ..CardFilter::default() })?;
        let newest = rows.iter().filter_map(|row| row.card.renewed).max();
        let relevances = relevances(view, &question.text(), &rows)?;
        let (mut comparer, mut items, mut unconfirmed) = (Comparer::new(), Vec::new(), Vec::new());
        let instructions = InstructionText::new(&question.instructions, &mut comparer);
        for (at, row) in rows.into_iter().enumerate() {
            let (concerns, status) = (relevances.concerns(at), row.card.status);
            let everywhere = status.is_open() && !concerns && counts_everywhere(&row.card, &mut comparer);
            if !status.is_open() || status == CardStatus::Proposed && !concerns && !everywhere {
                continue;
            }
            let is_said = instructions.has(&row.card.statement, &mut comparer);
            let mut item = item(row, relevances.of(at).score, newest, has);
            if everywhere {
                item.slot = PackSlot::Always;
            }
            if status == CardStatus::Proposed {
                unconfirmed.extend((!is_said).then_some(item));
                continue;
            }
            let is_far = !concerns && item.slot != PackSlot::Always;
            let bar =
                if is_said { Some(PackLeftOut::InInstructions) } else { is_far.then_some(PackLeftOut::NotRelevant) };
            items.push((item, bar));
        }
        items.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then(a.card.id.cmp(&b.card.id)));
        let place = |item: &PackItem| item.slot == PackSlot::Always;
        unconfirmed
            .sort_by(|a, b| place(a).cmp(&place(b)).then(b.score.total_cmp(&a.score)).then(a.card.id.cmp(&b.card.id)));
        Ok(Candidates { items, unconfirmed })
    }
}

fn item(
    row: CardRow,
    relevance: f32,
    newest: Option<Timestamp>,
    has: &dyn Fn(&NamedInTree) -> Option<bool>,
) -> PackItem {
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
    let fresh = 0.9 + 0.1 * (-age / FADING).exp();
    let score = near * fresh * (relevance + WORTH * worth) * if doubt.is_some() { DOUBTED } else { 1.0 };
    let said = doubt.iter().map(String::as_str).chain([row.card.statement.as_str()]);
    let tokens = said.map(|text| u64::from(estimate_tokens(text))).sum::<u64>() + CITATION;
    PackItem { card: row.card, slot, score, relevance, doubt, tokens }
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
