//! Does an intent find its consequence, and abstain when there is none?
//!
//! Intents are lines that ask. Right is any line by another speaker within
//! [`REACH`] lines that people marked as an answer to it; where there is none,
//! the right answer is to claim nothing.

use std::collections::BTreeMap;

use backstory_engine::derive::links::reply::Spread;
use backstory_engine::derive::links::{Line, Params};

use super::data::Labelled;
use super::rules::{self, is_said, mentioned};
use super::score::Score;

pub const REACH: usize = 8;

/// A line that asks, and what it may claim: the likeliest line and its probability.
pub struct Asked {
    pub right: Vec<usize>,
    pub best: Option<(usize, f32)>,
}

/// Whether a line wants an answer.
pub fn is_intent(line: &Line<'_>) -> bool {
    const BEGINS: &[&str] = &[
        "how", "what", "why", "where", "who", "when", "which", "is", "are", "can", "could", "does", "do", "did",
        "will", "would", "should", "has", "have", "anyone", "anybody", "please",
    ];
    const ANYWHERE: &[&str] = &["anyone", "anybody", "please", "plz", "pls", "help"];
    let text = line.text.trim();
    let asks = text.ends_with('?') || text.contains("? ");
    let mut words = mentioned(text).take(30);
    let is_named = text.split_whitespace().next().is_some_and(|first| first.ends_with([':', ',']));
    let begins = words.by_ref().nth(usize::from(is_named)).is_some_and(|word| BEGINS.contains(&word.as_str()));
    let is_long = text.split_whitespace().count() >= 4;
    is_said(line) && (asks || begins && is_long || words.any(|word| ANYWHERE.contains(&word.as_str())))
}

/// The intents whose next lines were all looked at.
pub fn asked(labelled: &Labelled, spreads: &[Spread]) -> Vec<Asked> {
    let lines = labelled.lines();
    let mut answers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (line, parents) in &labelled.parents {
        for parent in parents {
            answers.entry(*parent).or_default().push(*line);
        }
    }
    places(labelled, &lines)
        .map(|intent| {
            let is_answer = |at: &usize| *at - intent <= REACH && lines[*at].speaker != lines[intent].speaker;
            let right = answers.get(&intent).into_iter().flatten().copied().filter(is_answer).collect();
            let next =
                (intent + 1..lines.len().min(intent + REACH + 1)).filter(|at| is_said(&lines[*at]) && is_answer(at));
            let scored = next.map(|at| (at, spreads[at].of(intent)));
            let best = scored.fold(
                None,
                |best: Option<(usize, f32)>, next| {
                    if best.is_none_or(|best| next.1 > best.1) { Some(next) } else { best }
                },
            );
            Asked { right, best }
        })
        .collect()
}

fn places(labelled: &Labelled, lines: &[Line<'_>]) -> impl Iterator<Item = usize> {
    let first = labelled.parents.keys().next().copied().unwrap_or(0);
    // The first line of a dialogue is known to answer nothing.
    let first = if labelled.counts_none { first } else { 0 };
    let last = labelled.parents.keys().next_back().copied().unwrap_or(0);
    let last = if labelled.counts_none { last.saturating_sub(REACH) } else { last };
    (first..=last).filter(|at| is_intent(&lines[*at]))
}

pub fn score(asked: &[Asked], least: f32) -> Score {
    let mut score = Score::default();
    for Asked { right, best } in asked {
        let claim = best.filter(|(_, probability)| *probability >= least);
        score.said += usize::from(claim.is_some());
        score.gold += usize::from(!right.is_empty());
        score.hits += usize::from(claim.is_some_and(|(at, _)| right.contains(&at)));
    }
    score
}

/// The same for the rules: the nearest line by another, the nearest that mentions the one who asks, the seed's.
pub fn by_rules(labelled: &[Labelled]) -> [Score; 3] {
    let mut scores = [Score::default(); 3];
    for labelled in labelled {
        let lines = labelled.lines();
        let none = vec![Spread::default(); lines.len()];
        for (intent, asked) in places(labelled, &lines).zip(asked(labelled, &none)) {
            let next = intent + 1..lines.len().min(intent + REACH + 1);
            let next = next.filter(|at| is_said(&lines[*at]) && lines[*at].speaker != lines[intent].speaker);
            let name = lines[intent].speaker.to_lowercase();
            let claims = [
                next.clone().next(),
                next.clone().find(|at| mentioned(lines[*at].text).any(|word| word == name)),
                rules::seed(&lines, intent, &Params::default()).map(|(at, _)| at),
            ];
            for (score, claim) in scores.iter_mut().zip(claims) {
                score.said += usize::from(claim.is_some());
                score.gold += usize::from(!asked.right.is_empty());
                score.hits += usize::from(claim.is_some_and(|at| asked.right.contains(&at)));
            }
        }
    }
    scores
}

/// Of those with nothing to claim, how many claim nothing; and of all, how many have nothing.
pub fn abstained(asked: &[Asked], least: f32) -> (f64, f64) {
    let without: Vec<&Asked> = asked.iter().filter(|asked| asked.right.is_empty()).collect();
    let silent = without.iter().filter(|asked| asked.best.is_none_or(|(_, probability)| probability < least)).count();
    (silent as f64 / without.len().max(1) as f64, without.len() as f64 / asked.len().max(1) as f64)
}
