//! The input and output of kernels.

use crate::talk::{IntentType, Strength};

use super::lines::{Setting, SpeakerPart, TalkLine};
use super::mask::EligibilityMask;

/// A transcript with its annotations. Slices are indexed by a line's position in `lines`, not by its number.
#[derive(Clone, Copy)]
pub struct KernelInput<'a> {
    pub session: &'a str,
    pub setting: Setting,
    pub lines: &'a [TalkLine<'a>],
    /// Each speaker's part.
    pub parts: &'a [SpeakerPart],
    pub mask: &'a EligibilityMask,
    pub params: &'a Params,
}

/// A line that expects an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The position in `lines`.
    pub at: usize,
    pub kind: IntentType,
    pub strength: Strength,
}

/// A line that may be the answer to an intent.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyCandidate {
    /// The position in `lines`.
    pub at: usize,
    /// Its number among the lines after the intent by speakers who answer.
    pub ordinal: u32,
    /// Its number among the lines after the intent.
    pub gap: u32,
    pub score: f32,
    /// The parts of the score.
    pub parts: Vec<(&'static str, f32)>,
}

/// Scores the possible answers to an intent. `claim` decides the claims for all kernels.
pub trait Kernel {
    fn name(&self) -> &'static str;
    /// Raise it on every change to the scores.
    fn version(&self) -> u32;
    /// The least score of a claim.
    fn least(&self, strength: Strength, params: &Params) -> f32;
    /// The candidates for each intent in line order: after the intent, at most `k_local` away, with no excluded line
    /// between.
    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>>;
}

/// The parameters of the seed's formula.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The maximum distance of an answer.
    pub k_local: u32,
    /// The least scores of claims.
    pub strong_min: f32,
    pub weak_min: f32,
    /// The Hill curve over distance.
    pub tau: f32,
    pub p: f32,
    /// The bonus for shared words.
    pub beta: f32,
    /// The bonus for a yes or no.
    pub answer_boost: f32,
}

impl Default for Params {
    fn default() -> Self {
        Params { k_local: 8, strong_min: 0.35, weak_min: 0.10, tau: 2.0, p: 2.2, beta: 0.5, answer_boost: 0.15 }
    }
}
