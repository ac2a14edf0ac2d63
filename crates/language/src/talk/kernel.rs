//! What every kernel is given and gives.

use crate::talk::{IntentType, Strength};

use super::lines::{Setting, SpeakerPart, TalkLine};
use super::mask::EligibilityMask;

/// A transcript with all that is known about it. Slices are indexed by a line's
/// place in `lines`, not by its number.
#[derive(Clone, Copy)]
pub struct KernelInput<'a> {
    pub session: &'a str,
    pub setting: Setting,
    pub lines: &'a [TalkLine<'a>],
    /// What each line's speaker does.
    pub parts: &'a [SpeakerPart],
    pub mask: &'a EligibilityMask,
    pub params: &'a Params,
}

/// A line that wants an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Place in `lines`.
    pub at: usize,
    pub kind: IntentType,
    pub strength: Strength,
}

/// A line that may be the answer to an intent.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyCandidate {
    /// Place in `lines`.
    pub at: usize,
    /// The how many-th line after the intent by somebody who answers.
    pub ordinal: u32,
    /// The how many-th line after the intent.
    pub gap: u32,
    pub score: f32,
    /// What the score is made of.
    pub parts: Vec<(&'static str, f32)>,
}

/// Scores what may answer an intent. Who claims what is decided for all kernels
/// alike by `claim`.
pub trait Kernel {
    fn name(&self) -> &'static str;
    /// Raise it when scores would come out differently.
    fn version(&self) -> u32;
    /// The least score with which an intent claims.
    fn least(&self, strength: Strength, params: &Params) -> f32;
    /// For each intent its candidates in the order of lines: after the intent,
    /// at most `k_local` away, with no excluded line between.
    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>>;
}

/// The numbers of the seed's formula.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// How far an answer may be.
    pub k_local: u32,
    /// The least scores with which intents claim.
    pub strong_min: f32,
    pub weak_min: f32,
    /// The Hill curve over distance.
    pub tau: f32,
    pub p: f32,
    /// How much shared words add.
    pub beta: f32,
    /// What a yes or no adds.
    pub answer_boost: f32,
}

impl Default for Params {
    fn default() -> Self {
        Params { k_local: 8, strong_min: 0.35, weak_min: 0.10, tau: 2.0, p: 2.2, beta: 0.5, answer_boost: 0.15 }
    }
}
