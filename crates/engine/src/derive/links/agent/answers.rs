//! Which step answers which part of a prompt?

use std::collections::{HashMap, HashSet};

use backstory_language::prompts::asks::Ask;
use backstory_language::text::{TermId, Tokenizer, is_stop_word};

use crate::model::{AgentStep, Consequence, ConsequenceType, Exit, IntentType, Strength};

/// The answering step, and the basis of the match.
#[derive(Clone, Debug)]
pub struct AnsweringStep<'a> {
    pub step: AgentStep<'a>,
    /// The number of the step after the prompt.
    ordinal: u32,
    /// The share of the part's words that the step has; absent if the whole prompt has one answer.
    shared: Option<f32>,
}

/// The share of a part's words that makes a step its answer.
const ENOUGH: f32 = 0.34;
/// The lead in share that an earlier step needs over the last statement.
const AHEAD: f32 = 0.3;

/// One entry for each ask. A whole prompt is answered by the last statement before the next prompt,
/// else by the last action. A part of a prompt is answered by the step with the most of its words.
pub fn of_asks<'a>(prompt: &str, asks: &[Ask], steps: &[&AgentStep<'a>]) -> Vec<Option<AnsweringStep<'a>>> {
    let last = steps.iter().rposition(|step| step.is_said()).or(steps.len().checked_sub(1));
    let Some(last) = last else { return asks.iter().map(|_| None).collect() };
    if asks.len() < 2 {
        let whole = || AnsweringStep { step: *steps[last], ordinal: last as u32 + 1, shared: None };
        return asks.iter().map(|_| Some(whole())).collect();
    }
    let shares = Shares::new(steps);
    let mut taken: HashSet<usize> = HashSet::new();
    let mut answers = Vec::new();
    for ask in asks {
        let wanted = shares.terms(&prompt[ask.start..ask.end]);
        // Strong asks have an answer of their own; questions may share one.
        let is_strong = ask.kind.strength() == Strength::Strong;
        let free: Vec<usize> = (0..steps.len()).filter(|at| !is_strong || !taken.contains(at)).collect();
        let best = free
            .iter()
            .map(|at| (*at, shares.shared(&wanted, *at)))
            .max_by(|a, b| ahead(*a, last).total_cmp(&ahead(*b, last)).then(a.0.cmp(&b.0)))
            .filter(|(_, shared)| *shared >= ENOUGH);
        // No step matches by its words: take the last statement that is free.
        let said = || free.iter().rfind(|at| steps[**at].is_said()).or(free.last());
        let found = best.or_else(|| said().map(|at| (*at, shares.shared(&wanted, *at))));
        if is_strong {
            taken.extend(found.map(|(at, _)| at));
        }
        answers.push(found.map(|(at, shared)| AnsweringStep {
            step: *steps[at],
            ordinal: at as u32 + 1,
            shared: Some(shared),
        }));
    }
    answers
}

/// The last message covers everything that was done, so it gets a lead.
fn ahead((at, shared): (usize, f32), last: usize) -> f32 {
    shared + if at == last { AHEAD } else { 0.0 }
}

/// Terms of steps, weighted by rarity.
struct Shares {
    tokenizer: std::cell::RefCell<Tokenizer>,
    steps: Vec<HashSet<TermId>>,
    weights: HashMap<TermId, f32>,
}

impl Shares {
    fn new(steps: &[&AgentStep<'_>]) -> Self {
        let mut tokenizer = Tokenizer::new();
        let mut counts: HashMap<TermId, u32> = HashMap::new();
        let mut sets = Vec::new();
        for step in steps {
            let mut terms = Vec::new();
            tokenizer.terms(&step.words(), &mut terms);
            let set: HashSet<TermId> = terms.into_iter().collect();
            for term in &set {
                *counts.entry(*term).or_default() += 1;
            }
            sets.push(set);
        }
        let all = sets.len() as f32;
        let weights = counts.into_iter().map(|(term, with)| (term, (1.0 + all / with as f32).ln())).collect();
        Shares { tokenizer: tokenizer.into(), steps: sets, weights }
    }

    fn terms(&self, text: &str) -> Vec<TermId> {
        let mut terms = Vec::new();
        let mut tokenizer = self.tokenizer.borrow_mut();
        tokenizer.terms(text, &mut terms);
        terms.retain(|term| !is_stop_word(tokenizer.term(*term)));
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    fn shared(&self, wanted: &[TermId], at: usize) -> f32 {
        // A word that no step has counts as the rarest.
        let unknown = (1.0 + self.steps.len() as f32).ln();
        let weight = |term: &TermId| self.weights.get(term).copied().unwrap_or(unknown);
        let all: f32 = wanted.iter().map(weight).sum();
        let shared: f32 = wanted.iter().filter(|term| self.steps[at].contains(term)).map(weight).sum();
        if all > 0.0 { (shared / all).max(0.0) } else { 0.0 }
    }
}

impl AnsweringStep<'_> {
    pub fn consequence(&self, prompt_seq: u32) -> Consequence {
        let shown = self.step.shown();
        let text = self.step.span().text.to_owned();
        let (score, parts) = match self.shared {
            None => (1.0, vec![("structure".into(), 1.0)]),
            Some(shared) => (0.5 + shared / 2.0, vec![("structure".into(), 0.5), ("words".into(), shared / 2.0)]),
        };
        let line_gap = shown.seq.saturating_sub(prompt_seq);
        Consequence { text, anchor: shown.seq, distance: self.ordinal, line_gap, score, parts }
    }
}

pub fn consequence_type(kind: IntentType, answer: Option<&AnsweringStep<'_>>) -> ConsequenceType {
    match answer {
        None => ConsequenceType::None,
        Some(answer) if !answer.step.is_said() => match answer.step.exit() {
            Some(Exit::Ok | Exit::Failed) => ConsequenceType::Deterministic,
            _ => ConsequenceType::Other,
        },
        Some(_) if kind == IntentType::Question => ConsequenceType::Information,
        Some(_) => ConsequenceType::Commitment,
    }
}
