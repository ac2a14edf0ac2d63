//! Does an intent find its consequence, and abstain when there is none?
//!
//! Intents are those that the engine detects. Right is any line by another speaker within [`REACH`] lines that people
//! marked as an answer to it; if there is none, the right answer is to claim nothing.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;

use backstory_engine::model::{CausalLink, IntentType};
use backstory_language::talk::reply::{Profile, Spread};
use backstory_language::talk::{Kernel, LinkOptions, ReplyKernel, Request, SeedKernel, Setting, TalkLine, link};

use super::data::Labelled;
use super::rules::{is_said, mentioned};
use super::score::Score;

pub const REACH: usize = 8;

/// The method that determines an intent's consequence.
#[derive(Clone, Copy)]
pub enum By {
    /// The next line by another speaker.
    Next,
    /// The next line that mentions the asker.
    Mention,
    /// The shipped kernels.
    Seed,
    Default,
    /// The line that most likely answers the intent, with its probability.
    Scorer,
}

/// A line that expects an answer.
pub struct DetectedIntents {
    pub kind: IntentType,
    right: Vec<usize>,
    /// By [`By`]: the claim, with a score.
    claims: [Option<(usize, f32)>; 5],
}

impl DetectedIntents {
    fn claim(&self, by: By, least: f32) -> Option<usize> {
        self.claims[by as usize].filter(|(_, score)| *score >= least).map(|(at, _)| at)
    }
}

/// The intents whose next lines were all labelled.
pub fn asked(
    labelled: &Labelled,
    setting: Setting,
    profile: &Profile,
    spreads: &[Spread],
) -> Result<Vec<DetectedIntents>, Box<dyn Error>> {
    let lines = labelled.lines();
    let mut answers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (line, parents) in &labelled.parents {
        for parent in parents {
            answers.entry(*parent).or_default().push(*line);
        }
    }
    let looked_at = looked_at(labelled);
    let by_default = links(&lines, setting, &ReplyKernel(profile))?;
    let by_seed = links(&lines, setting, &SeedKernel)?;
    let pairs = by_default.iter().zip(&by_seed);
    let pairs = pairs.filter(|(link, _)| looked_at.contains(&(link.intent_anchor as usize)));
    let of_pair = |(default, seed): (&CausalLink, &CausalLink)| {
        let intent = default.intent_anchor as usize;
        let is_other = |at: &usize| *at - intent <= REACH && lines[*at].speaker != lines[intent].speaker;
        let next = (intent + 1..lines.len()).take(REACH).filter(|at| is_said(&lines[*at]) && is_other(at));
        let name = lines[intent].speaker.to_lowercase();
        let mentions_me = |at: &usize| mentioned(lines[*at].text).any(|word| word == name);
        let likeliest =
            next.clone().map(|at| (at, spreads[at].of(intent))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        DetectedIntents {
            kind: default.intent_type,
            right: answers.get(&intent).into_iter().flatten().copied().filter(is_other).collect(),
            claims: [
                next.clone().next().map(|at| (at, 1.0)),
                next.clone().find(mentions_me).map(|at| (at, 1.0)),
                claimed(seed),
                claimed(default),
                likeliest,
            ],
        }
    };
    Ok(pairs.map(of_pair).collect())
}

/// One for each intent; both kernels have the same intents.
fn links(lines: &[TalkLine<'_>], setting: Setting, kernel: &dyn Kernel) -> Result<Vec<CausalLink>, Box<dyn Error>> {
    let options = LinkOptions { setting: Some(setting), ..LinkOptions::default() };
    Ok(link(Request { session: "labelled", lines, kernel, options: &options })?.links)
}

fn claimed(link: &CausalLink) -> Option<(usize, f32)> {
    link.consequence.as_ref().map(|found| (found.anchor as usize, found.score))
}

fn looked_at(labelled: &Labelled) -> RangeInclusive<usize> {
    let first = labelled.parents.keys().next().copied().unwrap_or(0);
    // The first line of a dialogue answers nothing by definition.
    let first = if labelled.counts_none { first } else { 0 };
    let last = labelled.parents.keys().next_back().copied().unwrap_or(0);
    let last = if labelled.counts_none { last.saturating_sub(REACH) } else { last };
    first..=last
}

pub fn score<'a>(asked: impl IntoIterator<Item = &'a DetectedIntents>, by: By, least: f32) -> Score {
    let mut score = Score::default();
    for asked in asked {
        let claim = asked.claim(by, least);
        score.said += usize::from(claim.is_some());
        score.gold += usize::from(!asked.right.is_empty());
        score.hits += usize::from(claim.is_some_and(|at| asked.right.contains(&at)));
    }
    score
}

/// The share that claims nothing among intents with nothing to claim, and the share of those among all.
pub fn abstained(asked: &[DetectedIntents], by: By, least: f32) -> (f64, f64) {
    let without: Vec<&DetectedIntents> = asked.iter().filter(|asked| asked.right.is_empty()).collect();
    let silent = without.iter().filter(|asked| asked.claim(by, least).is_none()).count();
    (silent as f64 / without.len().max(1) as f64, without.len() as f64 / asked.len().max(1) as f64)
}
